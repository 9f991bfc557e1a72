"""Quilt Show as the rulebook tells it, in plain lists and loops.

Written from the rulebook and the rulings, not from the engine, and on purpose without cleverness. A card is the
tuple of the colours that it may be used for (a dye card is the empty tuple), a tile is (pattern, colour, points).

Chance is handed in: ``choose(n)`` answers a number below ``n``. Taking the top of a well shuffled pile is the
same as taking any of its cards with equal chance, so piles are kept sorted and a draw asks which card it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

Card = tuple[int, ...]
Tile = tuple[int, int, int]
Action = tuple[Any, ...]

COLORS = 6
PATTERNS = 6
DYE: Card = ()
CARD_ORDER: list[Card] = [(c,) for c in range(COLORS)] + [(c, (c + 1) % COLORS) for c in range(COLORS)] + [DYE]
COST = {2: 1, 3: 2, 5: 3}
SIZES = [3, 4, 6, 9, 12]
SMALL_MARKERS = {2: 16, 3: 22, 4: 27}
STACKS = {2: 4, 3: 5, 4: 6}
PRIZE_COUNT = {2: 3, 3: 5, 4: 6}
REMOVED_PRIZES = {2: [4, 5, 14, 15], 3: [4, 15], 4: []}
SWAP_PIECES = 4
SWAP_MONEY = 5
DECISION_LIMIT = 2000


class ReferenceQuilt:
    """A finished quilt, or one being sewn."""

    def __init__(self, owner: int, style: str, key: int) -> None:
        self.owner = owner
        self.style = style
        self.key = key
        self.tiles: list[Tile] = []
        self.chip = 0

    def takes(self, tile: Tile) -> bool:
        """Whether a tile fits the style."""
        return tile[0] == self.key if self.style == "scrap" else tile[1] == self.key


class ReferenceQuiltShow:
    """One game. `legal_actions` and `play` are all that is needed to go through it; money is in thousands."""

    def __init__(
        self,
        players: int,
        choose: Callable[[int], int],
        variants: Iterable[str] = (),
        first_player: int | None = None,
    ) -> None:
        self.players = players
        self.choose = choose
        self.variants = set(variants)
        self.deck: list[Card] = []
        for card in CARD_ORDER:
            self.deck += [card] * (12 if card == DYE else 7)
        self.discards: list[Card] = []
        self.removed: list[Card] = []
        self.hands: list[list[Card]] = [[] for _ in range(players)]
        self.chips: list[list[int]] = [[1, 2, 3] for _ in range(players)]
        self.money = [0] * players
        self.sewing_rooms: list[list[Tile]] = [[] for _ in range(players)]
        self.open_quilts: list[ReferenceQuilt] = []
        self.entries: list[ReferenceQuilt] = []
        self.gone_tiles: list[Tile] = []
        self.gone_chips: list[int] = []
        self.prizes: list[int] = []
        self.round = 0
        self.rounds = 2 if "two_shows" in self.variants else 3
        self.markers = SMALL_MARKERS[players] + 1
        self.over = False
        self.truncated = False
        self.decisions = 0
        self.phase = "turn"
        self.picks = 0
        self.dye_taken = False
        self.paying_for = -1
        self.left_to_pay = 0
        self.last_marker_taker = -1
        self.entered = 0
        self.quilt: ReferenceQuilt | None = None
        self.partner = -1
        self.clear_swap()

        for player in range(players):
            for _ in range(4):
                self.hands[player].append(self.take_from_deck())
        self.face_up: list[Card | None] = [None] * 6
        self.stacks = self.make_stacks()
        self.exposed: list[Tile | None] = [None] * 6
        self.lay_out_cards()
        self.reveal_tiles()
        self.to_play = self.choose(players) if first_player is None else first_player

    # --- piles ---

    def make_stacks(self) -> list[list[Tile]]:
        """The face-down stacks, six places of which the last may be empty."""
        stacks: list[list[Tile]] = [[] for _ in range(6)]
        by_color = "color_sorting" in self.variants
        in_play = PATTERNS if by_color or "all_patterns" in self.variants else STACKS[self.players]
        for pattern in range(in_play):
            for color in range(COLORS):
                for points in (2, 3, 5):
                    stacks[color if by_color else pattern].append((pattern, color, points))
        return stacks

    def cards_left(self) -> bool:
        """Whether a card can be drawn."""
        return len(self.deck) + len(self.discards) > 0

    def take_from_deck(self) -> Card:
        """The top card; the discards are shuffled in when the deck is empty."""
        if not self.deck:
            self.deck = sorted(self.discards, key=CARD_ORDER.index)
            self.discards = []
        return self.deck.pop(self.choose(len(self.deck)))

    def color_is_gone(self, color: int) -> bool:
        """With stacks of colours: whether that colour's stack has run out."""
        return "color_sorting" in self.variants and not self.stacks[color] and self.exposed[color] is None

    def is_useless(self, card: Card) -> bool:
        """Whether a card can never be used any more."""
        return card != DYE and all(self.color_is_gone(color) for color in card)

    def next_open_card(self) -> Card | None:
        """A card to lay face up; useless ones leave the game."""
        while self.cards_left():
            card = self.take_from_deck()
            if not self.is_useless(card):
                return card
            self.removed.append(card)
        return None

    def lay_out_cards(self) -> None:
        """Fill the gaps among the face-up cards, and replace useless ones and three dye cards."""
        for place in range(6):
            card = self.face_up[place]
            if card is not None and self.is_useless(card):
                self.removed.append(card)
                card = None
            if card is None:
                card = self.next_open_card()
            self.face_up[place] = card
        self.replace_if_three_dyes()

    def replace_if_three_dyes(self) -> None:
        """Three dye cards: all six are replaced, as long as that can help."""
        while self.face_up.count(DYE) >= 3 and any(card != DYE for card in self.deck + self.discards):
            for card in self.face_up:
                if card is not None:
                    self.discards.append(card)
            self.face_up = [None] * 6
            for place in range(6):
                self.face_up[place] = self.next_open_card()

    def reveal_tiles(self) -> None:
        """Turn the top tile of each stack that shows none."""
        for place in range(6):
            if self.exposed[place] is None and self.stacks[place]:
                self.exposed[place] = self.stacks[place].pop(self.choose(len(self.stacks[place])))

    # --- what may be done ---

    def legal_actions(self) -> list[Action]:
        """All legal actions of the player to move."""
        if self.over or self.truncated:
            return []
        return {
            "turn": self.turn_actions,
            "draw": self.draw_actions,
            "make": self.make_actions,
            "pay": self.pay_actions,
            "enter": self.enter_actions,
            "sew": self.sew_actions,
            "give": self.give_actions,
            "ask": self.ask_actions,
            "answer": self.answer_actions,
        }[self.phase]()

    def draw_actions(self) -> list[Action]:
        """The cards that may be taken next."""
        actions: list[Action] = []
        for place in range(6):
            card = self.face_up[place]
            if card is None:
                continue
            if card == DYE and (self.dye_taken or self.picks == 2):
                continue
            actions.append(("take", place))
        if self.cards_left():
            actions.append(("deck",))
        return actions

    def usable(self, player: int, color: int) -> list[Card]:
        """The cards of a hand that can be used for a block of that colour."""
        return [card for card in self.hands[player] if card == DYE or color in card]

    def block_actions(self) -> list[Action]:
        """The blocks that the player can pay for."""
        actions: list[Action] = []
        for place in range(6):
            tile = self.exposed[place]
            if tile is not None and len(self.usable(self.to_play, tile[1])) >= COST[tile[2]]:
                actions.append(("make", place))
        return actions

    def turn_actions(self) -> list[Action]:
        """The start of a turn."""
        actions = self.draw_actions() + self.block_actions()
        if not actions:
            actions.append(("pass",))
        hand = self.hands[self.to_play]
        if self.cards_left():
            for card in CARD_ORDER:
                if card in hand and self.is_useless(card):
                    actions.append(("trade", card))
        if "block_swaps" in self.variants and self.players > 2:
            for player in range(self.players):
                if player != self.to_play and (self.has_goods(self.to_play) or self.has_goods(player)):
                    actions.append(("propose", player))
        return actions

    def make_actions(self) -> list[Action]:
        """After at least one block: another, or stop."""
        return [*self.block_actions(), ("stop",)]

    def pay_actions(self) -> list[Action]:
        """The kinds of card that can be used for the block being made."""
        tile = self.exposed[self.paying_for]
        assert tile is not None
        usable = self.usable(self.to_play, tile[1])
        return [("pay", card) for card in CARD_ORDER if card in usable]

    def enter_actions(self) -> list[Action]:
        """Begin one more quilt, or be done."""
        actions: list[Action] = [("done",)]
        room = self.sewing_rooms[self.to_play]
        for key in range(6):
            if len([tile for tile in room if tile[0] == key]) >= 3:
                actions.append(("start", "scrap", key))
            if len([tile for tile in room if tile[1] == key]) >= 3:
                actions.append(("start", "sampler", key))
        return actions

    def sew_actions(self) -> list[Action]:
        """Add a tile (in ascending order), put a chip on a quilt of a permitted size, or finish it."""
        quilt = self.quilt
        assert quilt is not None
        actions: list[Action] = []
        fitting = sorted(tile for tile in self.sewing_rooms[self.to_play] if quilt.takes(tile))
        later = [tile for tile in fitting if not quilt.tiles or tile > quilt.tiles[-1]]
        for position, tile in enumerate(later):
            count = len(quilt.tiles) + 1
            after = len(later) - position - 1
            if any(count <= size <= count + after for size in SIZES):
                actions.append(("add", tile))
        if len(quilt.tiles) in SIZES:
            actions.append(("finish",))
            actions += [("chip", chip) for chip in self.chips[self.to_play]]
        return actions

    # --- swaps ---

    def clear_swap(self) -> None:
        self.given_tiles: list[Tile] = []
        self.given_cards: list[Card] = []
        self.given_money = 0
        self.asked_tiles: list[Tile] = []
        self.asked_cards: list[Card] = []
        self.asked_money = 0

    def has_goods(self, player: int) -> bool:
        """Whether a player has a tile or card that could be swapped."""
        return len(self.hands[player]) + len(self.sewing_rooms[player]) > 0

    def give_actions(self) -> list[Action]:
        """What the proposer may still offer."""
        actions: list[Action] = []
        me = self.to_play
        if len(self.given_tiles) + len(self.given_cards) < SWAP_PIECES:
            actions += [("swap_tile", tile) for tile in self.sewing_rooms[me] if tile not in self.given_tiles]
            for card in CARD_ORDER:
                if self.given_cards.count(card) < self.hands[me].count(card):
                    actions.append(("swap_card", card))
        if self.given_money < SWAP_MONEY and self.given_money < self.money[me]:
            actions.append(("swap_money",))
        if self.given_tiles or self.given_cards or self.has_goods(self.partner):
            actions.append(("ask",))
        return actions

    def ask_actions(self) -> list[Action]:
        """What the proposer may still ask for. Nobody knows the partner's cards, only how many there are."""
        actions: list[Action] = []
        other = self.partner
        if len(self.asked_tiles) + len(self.asked_cards) < SWAP_PIECES:
            actions += [("swap_tile", tile) for tile in self.sewing_rooms[other] if tile not in self.asked_tiles]
            if len(self.asked_cards) < len(self.hands[other]):
                actions += [("swap_card", card) for card in CARD_ORDER]
        if self.asked_money < SWAP_MONEY and self.asked_money < self.money[other]:
            actions.append(("swap_money",))
        if self.given_tiles or self.given_cards or self.asked_tiles or self.asked_cards:
            actions.append(("offer",))
        return actions

    def answer_actions(self) -> list[Action]:
        """The partner may agree if able to."""
        hand = self.hands[self.to_play]
        able = all(hand.count(card) >= self.asked_cards.count(card) for card in self.asked_cards)
        return [("accept",), ("decline",)] if able else [("decline",)]

    def carry_out_swap(self, proposer: int, partner: int) -> None:
        """Both hand over what was named."""
        goods = [
            (proposer, partner, self.given_tiles, self.given_cards, self.given_money),
            (partner, proposer, self.asked_tiles, self.asked_cards, self.asked_money),
        ]
        for source, _, tiles, cards, money in goods:
            for tile in tiles:
                self.sewing_rooms[source].remove(tile)
            for card in cards:
                self.hands[source].remove(card)
            self.money[source] -= money
        for _, target, tiles, cards, money in goods:
            self.sewing_rooms[target] += tiles
            self.hands[target] += cards
            self.money[target] += money

    # --- what happens ---

    def play(self, action: Action) -> None:
        """Carry out a legal action."""
        assert action in self.legal_actions()
        self.decisions += 1
        getattr(self, "do_" + action[0])(*action[1:])
        if not self.over and self.decisions >= DECISION_LIMIT:
            self.truncated = True

    def do_take(self, place: int) -> None:
        card = self.face_up[place]
        assert card is not None
        self.hands[self.to_play].append(card)
        if card == DYE:
            self.dye_taken = True
        self.face_up[place] = self.next_open_card()
        self.replace_if_three_dyes()
        self.after_pick()

    def do_deck(self) -> None:
        self.hands[self.to_play].append(self.take_from_deck())
        self.after_pick()

    def after_pick(self) -> None:
        self.phase = "draw"
        self.picks += 1
        if self.picks == (2 if self.dye_taken else 3) or not self.draw_actions():
            self.end_turn()

    def do_make(self, place: int) -> None:
        tile = self.exposed[place]
        assert tile is not None
        self.phase = "pay"
        self.paying_for = place
        self.left_to_pay = COST[tile[2]]

    def do_pay(self, card: Card) -> None:
        self.hands[self.to_play].remove(card)
        self.discards.append(card)
        self.left_to_pay -= 1
        if self.left_to_pay > 0:
            return
        tile = self.exposed[self.paying_for]
        assert tile is not None
        self.exposed[self.paying_for] = None
        self.sewing_rooms[self.to_play].append(tile)
        self.paying_for = -1
        self.markers -= 1
        self.phase = "make"
        if self.markers == 0:
            self.end_turn()

    def do_stop(self) -> None:
        self.end_turn()

    def do_pass(self) -> None:
        self.end_turn()

    def do_trade(self, card: Card) -> None:
        self.hands[self.to_play].remove(card)
        self.removed.append(card)
        self.hands[self.to_play].append(self.take_from_deck())

    def left_of(self, player: int) -> int:
        return (player + 1) % self.players

    def end_turn(self) -> None:
        """New tiles are revealed; then it is the next player's turn, or time for the show."""
        self.reveal_tiles()
        self.lay_out_cards()
        self.picks = 0
        self.dye_taken = False
        if self.markers == 0:
            self.last_marker_taker = self.to_play
            self.begin_show()
        else:
            self.phase = "turn"
        self.to_play = self.left_of(self.to_play)

    def begin_show(self) -> None:
        """Lay out the prizes; the players enter one after the other without seeing each other's quilts."""
        pool = [prize for prize in range(4, 16) if prize not in REMOVED_PRIZES[self.players]]
        self.prizes = []
        for _ in range(PRIZE_COUNT[self.players]):
            self.prizes.append(pool.pop(self.choose(len(pool))))
        self.prizes.sort(reverse=True)
        self.phase = "enter"
        self.entered = 0

    def do_start(self, style: str, key: int) -> None:
        self.quilt = ReferenceQuilt(self.to_play, style, key)
        self.phase = "sew"

    def do_add(self, tile: Tile) -> None:
        assert self.quilt is not None
        self.quilt.tiles.append(tile)
        self.sewing_rooms[self.to_play].remove(tile)

    def do_chip(self, chip: int) -> None:
        assert self.quilt is not None
        self.quilt.chip = chip
        self.chips[self.to_play].remove(chip)
        self.do_finish()

    def do_finish(self) -> None:
        assert self.quilt is not None
        self.entries.append(self.quilt)
        self.quilt = None
        self.phase = "enter"

    def do_done(self) -> None:
        self.entered += 1
        if self.entered == self.players:
            self.judge()
        else:
            self.to_play = self.left_of(self.to_play)

    def points(self, quilt: ReferenceQuilt) -> int:
        """What a quilt is worth in a show."""
        extra = len(quilt.tiles) if "large_quilts" in self.variants else 0
        return sum(tile[2] for tile in quilt.tiles) + quilt.chip + extra

    def judge(self) -> None:
        """Award the prizes, then begin the next round or end the game."""
        quilts = sorted(self.open_quilts + self.entries, key=self.points, reverse=True)
        self.entries = []
        self.open_quilts = []
        prizes = list(self.prizes)
        while quilts:
            tied = [quilt for quilt in quilts if self.points(quilt) == self.points(quilts[0])]
            quilts = quilts[len(tied) :]
            spanned = prizes[: len(tied)]
            prizes = prizes[len(tied) :]
            if not spanned:
                self.open_quilts += tied
                continue
            for quilt in tied:
                self.money[quilt.owner] += sum(spanned) // len(tied)
                self.gone_tiles += quilt.tiles
                self.gone_chips += [quilt.chip] if quilt.chip else []
        self.prizes = []
        self.round += 1
        if self.round == self.rounds:
            for quilt in self.open_quilts:
                self.money[quilt.owner] += 1
            self.over = True
            return
        self.markers = SMALL_MARKERS[self.players] + 1
        self.to_play = self.left_of(self.last_marker_taker)
        self.phase = "turn"

    def do_propose(self, player: int) -> None:
        self.partner = player
        self.clear_swap()
        self.phase = "give"

    def do_swap_tile(self, tile: Tile) -> None:
        (self.given_tiles if self.phase == "give" else self.asked_tiles).append(tile)

    def do_swap_card(self, card: Card) -> None:
        (self.given_cards if self.phase == "give" else self.asked_cards).append(card)

    def do_swap_money(self) -> None:
        if self.phase == "give":
            self.given_money += 1
        else:
            self.asked_money += 1

    def do_ask(self) -> None:
        self.phase = "ask"

    def do_offer(self) -> None:
        self.phase = "answer"
        self.to_play, self.partner = self.partner, self.to_play

    def do_accept(self) -> None:
        self.carry_out_swap(self.partner, self.to_play)
        self.do_decline()

    def do_decline(self) -> None:
        """Agreed or not, the proposer's turn is spent."""
        self.to_play = self.partner
        self.partner = -1
        self.clear_swap()
        self.end_turn()

    def winners(self) -> list[int]:
        """Who wins: most money, then most cards in hand, then shared."""
        standing = [(self.money[player], len(self.hands[player])) for player in range(self.players)]
        return [player for player in range(self.players) if standing[player] == max(standing)]

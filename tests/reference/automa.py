"""The official solo opponent in lists and loops, at the same table as the two-player game."""

from __future__ import annotations

from collections.abc import Callable

from .components import AUTOMA_LEVELS, AutomaCard, EditionRules
from .patchwork import DrawRefill, PatchworkTable, shape_cells

HUMAN = 0
AUTOMA = 1
CARDS_SET_ASIDE = 2

LEVELS_THAT_SCORE_BUTTONS = ("apprentice", "fellow", "master", "legend")
LEVELS_THAT_SCORE_PATCHES = ("fellow", "legend")
LEVELS_THAT_SCORE_PATCH_INCOME = ("master", "legend")

Reshuffle = Callable[[list[AutomaCard]], list[AutomaCard]]


class ReferenceSoloGame(PatchworkTable):
    """One human, player 0, who begins, against the Automa, player 1.

    The Automa plays by itself inside ``play()``, until the human must decide or the game is over.
    Its quilt in ``quilts[1]`` stays empty, ``incomes[1]`` is the income printed on the patches it
    took, and ``buttons[1]`` (also called ``automa_buttons``) is what its cards have gained it.

    ``deck`` is all the cards in shuffled order; the last two are set aside unseen. ``card_index`` is
    the place in the deck of the card to be turned next. A used-up deck is reshuffled whole. This is
    read as: when the Automa needs a card and all but the two set aside have been turned,
    ``reshuffle`` is called with all twelve cards, those two included, and the last two of the order
    it returns are set aside in turn. A reshuffle is never done before its first card is needed.
    """

    def __init__(
        self,
        rules: EditionRules,
        circle: list[int],
        deck: list[AutomaCard],
        level: str,
        reshuffle: Reshuffle | None = None,
        draw_refill: DrawRefill | None = None,
    ) -> None:
        super().__init__(rules, circle, first_player=HUMAN, draw_refill=draw_refill)
        if level not in AUTOMA_LEVELS:
            raise ValueError(f"no such level: {level!r}; there are {', '.join(AUTOMA_LEVELS)}")
        self.level = level
        self.deck = list(deck)
        self.card_index = 0
        self.automa_patches: list[int] = []
        self.buttons[AUTOMA] = 0
        self._reshuffle = reshuffle

    @property
    def automa_buttons(self) -> int:
        """What the Automa has gained at income spaces."""
        return self.buttons[AUTOMA]

    # The Automa's turn

    def _pass_the_turn(self) -> None:
        """Let the Automa take all its turns before the human is asked again."""
        super()._pass_the_turn()
        while self.to_play == AUTOMA and not self.done:
            self._play_automa_turn()
            super()._pass_the_turn()

    def _play_automa_turn(self) -> None:
        card = self._turn_next_card()
        slot = self._slot_to_take(card)
        if slot is None:
            # Unlike a player's, this advance pays nothing; the income on the way still counts.
            target = self.positions[HUMAN] + 1
        else:
            patch_id = self._take_patch(slot)
            patch = self.rules.patches[patch_id]
            self.automa_patches.append(patch_id)
            self.incomes[AUTOMA] += patch.income
            target = self.positions[AUTOMA] + patch.time
        for space in self._move_token(AUTOMA, target):
            self._resolve_automa_space(space, card)

    def _turn_next_card(self) -> AutomaCard:
        if self.card_index == len(self.deck) - CARDS_SET_ASIDE:
            if self._reshuffle is None:
                raise ValueError("the Automa's deck is used up, so reshuffle is needed")
            self.deck = list(self._reshuffle(list(self.deck)))
            self.card_index = 0
        card = self.deck[self.card_index]
        self.card_index += 1
        return card

    def _slot_to_take(self, card: AutomaCard) -> int | None:
        """The slot of the offer whose patch the Automa takes, or None if it can take none."""
        offer = [self.rules.patches[patch_id] for patch_id in self.offered_patches()]
        slots = [slot for slot, patch in enumerate(offer) if patch.cost <= card.virtual_buttons]
        if not slots:
            return None
        for name in card.filters:
            if name == "no_overtake":
                staying_behind = []
                for slot in slots:
                    # The track ends at the last space, so nobody standing there is ever overtaken.
                    target = min(self.positions[AUTOMA] + offer[slot].time, self.rules.last_space)
                    if target <= self.positions[HUMAN]:
                        staying_behind.append(slot)
                if staying_behind:
                    slots = staying_behind
            elif name == "largest":
                most_cells = max(len(shape_cells(offer[slot].shape)) for slot in slots)
                slots = [slot for slot in slots if len(shape_cells(offer[slot].shape)) == most_cells]
            elif name == "most_buttons":
                most_income = max(offer[slot].income for slot in slots)
                slots = [slot for slot in slots if offer[slot].income == most_income]
            else:
                raise ValueError(f"no such filter: {name!r}")
        # Still tied: the one furthest from the neutral token.
        return max(slots)

    def _resolve_automa_space(self, space: int, card: AutomaCard) -> None:
        if space in self.rules.income_spaces:
            self.buttons[AUTOMA] += card.income
        if space in self.special_spaces_left:
            self.special_spaces_left.remove(space)
        tile_space = self.rules.last_space - AUTOMA_LEVELS[self.level]
        if space == tile_space and self.rules.bonus_square is not None and self.bonus_holder is None:
            self.bonus_holder = AUTOMA

    # Scoring

    def automa_score(self) -> int:
        """The Automa's points, which count more things the higher its level is."""
        score = self.rules.bonus_points if self.bonus_holder == AUTOMA else 0
        if self.level in LEVELS_THAT_SCORE_BUTTONS:
            score += self.automa_buttons
        if self.level in LEVELS_THAT_SCORE_PATCHES:
            score += len(self.automa_patches)
        if self.level in LEVELS_THAT_SCORE_PATCH_INCOME:
            score += sum(self.rules.patches[patch_id].income for patch_id in self.automa_patches)
        return score

    def scores(self) -> list[int]:
        """The human's and the Automa's score if the game ended as it stands now."""
        return [self.quilt_score(HUMAN), self.automa_score()]

    def winner(self) -> int:
        """The one with more points; a tie is the human's."""
        if not self.done:
            raise ValueError("the game is not over")
        human_score, automa_score = self.scores()
        return HUMAN if human_score >= automa_score else AUTOMA

"""The batch: many games of one edition, stepped together."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, NamedTuple, NoReturn, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from patchwork_env.games.patchwork import loops
from patchwork_env.games.patchwork.actions import IllegalActionError, why_illegal
from patchwork_env.games.patchwork.edition import Edition, load_edition
from patchwork_env.games.patchwork.observation import MOVER, observation_shapes, tensor_layout
from patchwork_env.games.patchwork.reward import REWARDS
from patchwork_env.games.patchwork.rules import mixed
from patchwork_env.games.patchwork.state import GAME, edition_tables, new_games
from patchwork_env.interfaces.game import GameView
from patchwork_env.kernels import available_threads, run_over

BLOB_VERSION = 1
FIRST_PLAYERS = {"player_0": 0, "player_1": 1, "random": loops.RANDOM_FIRST}

_Value = TypeVar("_Value")


class StepResult(NamedTuple):
    """What a step gave. The arrays belong to the batch and are overwritten by its next step."""

    rewards: NDArray[np.float32]  # (N, 2) both players' rewards
    done: NDArray[np.bool_]  # (N,) the game ended with this step
    final_scores: NDArray[np.int16]  # (N, 2) the scores of games that are `done`; elsewhere stale


class PatchworkBatch:
    """``num_games`` games of one edition.

    Game ``i`` draws its randomness from (seed, i, episode number), so it plays the same whatever the batch size
    and the thread count. With ``auto_reset`` a game that ends starts its next episode within the same step.

    Arrays that a batch hands out (`action_mask`, what `observe` and `step` return) are allocated once and
    overwritten in place: copy what must outlive the next call. Different batches may be used from different
    threads at the same time; one batch from one thread at a time.
    """

    def __init__(
        self,
        num_games: int,
        edition: str | os.PathLike[str] | Edition = "revised",
        seed: int | None = None,
        threads: int | None = None,
        auto_reset: bool = True,
        reward: str = "outcome",
        first_player: str = "player_0",
    ) -> None:
        if num_games < 1:
            raise ValueError(f"num_games must be at least 1, got {num_games}")
        if threads is not None and threads < 1:
            raise ValueError(f"threads must be at least 1 (or None for all cores), got {threads}")
        self.edition = load_edition(edition)
        self.num_games = num_games
        self.threads = threads or available_threads()
        self.auto_reset = auto_reset
        self.reward = reward
        self.first_player = first_player
        self._rule = (
            _from_table("reward", reward, REWARDS),
            int(auto_reset),
            _from_table("first_player", first_player, FIRST_PLAYERS),
        )
        self.tables = edition_tables(self.edition)  # (1,) TABLES record, read-only
        self._seed = checked_seed(seed)
        self._copies = 0  # made of this batch so far; each has random streams of its own
        self.episodes = np.full(num_games, -1, np.int64)  # (N,) number of the episode; -1 before the first reset
        self._all = np.arange(num_games)
        self.state = new_games(num_games)  # (N,) GAME records
        self.state["done"] = 1  # nothing can be played before the first reset
        self.action_mask = np.zeros((num_games, self.edition.num_actions), np.uint8)  # (N, A)
        self._observation: dict[str, NDArray[Any]] = {
            name: np.zeros((num_games, *shape), dtype)
            for name, (shape, dtype) in observation_shapes(self.edition).items()
        }
        self._rows = (  # the same arrays as the kernels want them: a quilt is a row of cells
            self._observation["quilts"].reshape(num_games, 2, -1),
            *(self._observation[name] for name in ("patches", "circle", "scalars")),
        )
        self._viewers = [np.full(num_games, viewer, np.int8) for viewer in (0, 1, MOVER)]
        self.tensor_layout = tensor_layout(self.edition)
        self._tensors: NDArray[np.float32] | None = None
        self._observed = False  # whether `_observation` shows the present state to the player to move
        self._watched = False  # whether that has been asked for since the last step
        self._result = StepResult(
            np.zeros((num_games, 2), np.float32),
            np.zeros(num_games, np.bool_),
            np.zeros((num_games, 2), np.int16),
        )
        self._result_arrays = tuple(self._result)

    # --- playing --------------------------------------------------------------------------------------------------

    def reset(
        self,
        indices: ArrayLike | None = None,
        circles: ArrayLike | Sequence[Sequence[int]] | None = None,
        seed: int | None = None,
        first_players: str | Sequence[str] | None = None,
    ) -> None:
        """Start the next episode of all games, or of those named.

        A ``seed`` starts every random stream anew, from episode 0. ``circles`` gives the games known set-ups: for
        each the patch ids from the neutral token on. ``first_players`` overrides who begins, for all or for each.
        """
        if seed is not None and indices is not None:
            raise ValueError("a seed starts every game anew: it cannot be combined with indices")
        chosen = self._all if indices is None else self._checked_indices(indices)
        beginners = self._first_player_codes(first_players, len(chosen))
        known = None if circles is None else self._checked_circles(circles, len(chosen))
        if seed is not None:
            self._seed = checked_seed(seed)
            self.episodes[:] = -1
        self._observed = False
        self._start_games(chosen, beginners)
        if known is not None:
            self.state["circle"][chosen, : known.shape[1]] = known
            self.renew_masks(chosen)

    def step(self, actions: ArrayLike, indices: ArrayLike | None = None) -> StepResult:
        """Play one action in every game, or in those named (the others' rewards are then 0).

        If any action is illegal nothing is played anywhere and `IllegalActionError` says which and why.
        """
        if indices is None:
            chosen, count = self._all, self.num_games
        else:
            chosen = self._checked_indices(indices)
            count = len(chosen)
        moves = actions if type(actions) is np.ndarray else np.asarray(actions)
        if moves.shape != (count,) or moves.dtype != np.int64:
            moves = _converted_actions(moves, count)
        if loops.first_illegal(count, chosen, self.action_mask, moves) != loops.LEGAL:
            self._refuse(chosen, moves)
        if indices is not None:
            self._result.rewards[:] = 0
            self._result.done[:] = False
        # Who looked at the last states will look at the next ones.
        self._observed = self._watched and indices is None
        self._watched = False
        self._play_games(chosen, moves)
        return self._result

    def _start_games(self, chosen: NDArray[np.int64], beginners: NDArray[np.int8]) -> None:
        run_over(
            len(chosen),
            self.threads,
            loops.reset_games,
            chosen,
            self.tables,
            self.state,
            self.action_mask,
            self._seed,
            self.episodes,
            beginners,
        )

    def _play_games(self, chosen: NDArray[np.int64], moves: NDArray[np.int64]) -> None:
        run_over(
            len(chosen),
            self.threads,
            loops.step_games,
            chosen,
            self.tables,
            self.state,
            self.action_mask,
            moves,
            self._seed,
            self.episodes,
            self._rule,
            self._result_arrays,
            self._observed,
            self._viewers[MOVER],
            self._rows,
        )

    def observe(self, player: int | ArrayLike | None = None) -> dict[str, NDArray[Any]]:
        """What a player sees of every game: the player to move (default), player 0 or 1, or one for each game.

        ``quilts`` (N, 2, rows, columns), ``patches`` (N, 3, 4 + side * side), ``circle`` (N, patches) and
        ``scalars`` (N, 20), the viewer first. SPEC.md has the layout.
        """
        if player is not None or not self._observed:
            viewers = self._viewers[MOVER] if player is None else self._checked_viewers(player)
            run_over(self.num_games, self.threads, loops.observe_games, self.tables, self.state, viewers, self._rows)
        self._observed = self._watched = player is None
        return self._observation

    def observe_tensor(self, player: int | ArrayLike | None = None) -> NDArray[np.float32]:
        """The same content as one row of numbers of about unit size a game: (N, `tensor_layout.size`)."""
        if self._tensors is None:
            self._tensors = np.zeros((self.num_games, self.tensor_layout.size), np.float32)
        self.observe(player)
        run_over(self.num_games, self.threads, loops.tensors_of, self._rows, self.tensor_layout.scales, self._tensors)
        return self._tensors

    # --- looking --------------------------------------------------------------------------------------------------

    @property
    def to_play(self) -> NDArray[np.int8]:
        """(N,) the player who decides."""
        return self._column("to_play")

    @property
    def done(self) -> NDArray[np.bool_]:
        """(N,) games that are over; always False after a step with ``auto_reset``."""
        return self._column("done").astype(np.bool_)

    @property
    def positions(self) -> NDArray[np.int16]:
        """(N, 2) spaces of the time tokens."""
        return self._column("positions")

    @property
    def buttons(self) -> NDArray[np.int16]:
        """(N, 2) buttons in hand."""
        return self._column("buttons")

    @property
    def incomes(self) -> NDArray[np.int16]:
        """(N, 2) income printed on the patches of the quilts."""
        return self._column("incomes")

    @property
    def scores(self) -> NDArray[np.int16]:
        """(N, 2) points if the games ended now, newly computed."""
        scores = np.zeros((self.num_games, 2), np.int16)
        run_over(self.num_games, self.threads, loops.score_games, self.tables, self.state, scores)
        return scores

    def draw(self, indices: NDArray[np.int64], purpose: int, bound: int) -> NDArray[np.int64]:
        """A number below ``bound`` for each game named, from the stream that its episode has for that purpose."""
        numbers = np.zeros(len(indices), np.int64)
        loops.draw_for_games(indices, self._seed, self.episodes, purpose, bound, numbers)
        return numbers

    def game(self, index: int) -> GameView:
        """A read-only view of one game that goes along with the batch."""
        return GameView(self, self._checked_index(index))

    # --- keeping --------------------------------------------------------------------------------------------------

    def save(self, index: int) -> bytes:
        """One game's state. It holds nothing that has yet to be drawn."""
        return self._blob_header + bytes(self.state[self._checked_index(index)])

    def load(self, index: int, blob: bytes) -> None:
        """Put a saved game in place of game ``index``; what it still draws comes from this batch's streams."""
        index = self._checked_index(index)
        header = self._blob_header
        if len(blob) != len(header) + GAME.itemsize or blob[0] != BLOB_VERSION:
            raise ValueError(
                f"not a saved game of this version: expected {len(header) + GAME.itemsize} bytes that begin with "
                f"{BLOB_VERSION}, got {len(blob)}"
            )
        if not blob.startswith(header):
            raise ValueError(f"the saved game is of another edition than {self.edition.name!r}")
        self._observed = False
        before = self.state[index].copy()
        self.state[index] = np.frombuffer(blob, GAME, offset=len(header))[0]
        if not loops.accept_game(self.tables, self.state, index, self.action_mask):
            self.state[index] = before
            raise ValueError("the saved game is damaged: its state is impossible in this edition")

    def set_refill(self, index: int, order: Sequence[int]) -> None:
        """Put the patches that have just joined a game's circle into a known order, as `reset` does the circle."""
        index = self._checked_index(index)
        size = self.state["circle_size"][index]
        joined = self.state["circle"][index, size - len(order) : size]
        if not self.state["refilled"][index] or sorted(order) != sorted(joined.tolist()):
            raise ValueError(f"game {index}: {list(order)} is no order of the patches that have just joined the circle")
        joined[:] = order
        self.renew_masks(np.array([index]))

    def copy(self, indices: ArrayLike | None = None, seed: int | None = None) -> Self:
        """A batch of its own with the same games, or some of them (one may be named many times).

        The copy draws from streams of its own, so playing on in it tells nothing of what this batch will draw.
        They are derived from this batch's seed and the number of copies made, unless a ``seed`` is given.
        """
        chosen = self._all if indices is None else self._checked_indices(indices, distinct=False)
        if seed is None:
            self._copies += 1
            with np.errstate(over="ignore"):
                seed = int(mixed(np.uint64(self._seed) + mixed(np.uint64(self._copies)))) >> 1
        twin = type(self)(**{**self._settings(), "num_games": len(chosen), "seed": seed})
        twin._take_over(self, chosen)
        return twin

    def _take_over(self, source: Self, chosen: NDArray[np.int64]) -> None:
        """Put the games of another batch in place of this one's."""
        self.state[:] = source.state[chosen]
        self.action_mask[:] = source.action_mask[chosen]

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self.copy()

    def __getstate__(self) -> dict[str, Any]:
        return {
            "settings": self._settings(),
            "copies": self._copies,
            "episodes": self.episodes,
            "state": self.state,
        }

    def __setstate__(self, saved: dict[str, Any]) -> None:
        self.__init__(**saved["settings"])  # type: ignore[misc]
        self._copies = saved["copies"]
        self.episodes[:] = saved["episodes"]
        self.state[:] = saved["state"]
        self.renew_masks()

    def _settings(self) -> dict[str, Any]:
        return {
            "num_games": self.num_games,
            "edition": self.edition,
            "seed": int(self._seed),
            "threads": self.threads,
            "auto_reset": self.auto_reset,
            "reward": self.reward,
            "first_player": self.first_player,
        }

    # --- checking -------------------------------------------------------------------------------------------------

    @property
    def _blob_header(self) -> bytes:
        return bytes([BLOB_VERSION]) + self.edition.fingerprint

    def _column(self, field: str) -> NDArray[Any]:
        column = self.state[field]
        column.flags.writeable = False
        return column

    def renew_masks(self, indices: NDArray[np.int64] | None = None) -> None:
        """Bring masks up to date with records of `state` that were written to from outside."""
        chosen = self._all if indices is None else indices
        self._observed = False
        run_over(len(chosen), self.threads, loops.mask_games, chosen, self.tables, self.state, self.action_mask)

    def _refuse(self, chosen: NDArray[np.int64], moves: NDArray[np.int64]) -> NoReturn:
        if (self.episodes[chosen] < 0).any() and (self.state["done"][chosen] == 1).any():
            raise IllegalActionError("the games have not been set up: call reset() before the first step")
        legal = (moves >= 0) & (moves < self.edition.num_actions)
        legal[legal] = self.action_mask[chosen[legal], moves[legal]] != 0
        wrong = np.flatnonzero(~legal)
        index = chosen[wrong[0]]
        more = f" (and {len(wrong) - 1} more games)" if len(wrong) > 1 else ""
        reason = why_illegal(self.edition, self.state[index], int(moves[wrong[0]]))
        raise IllegalActionError(f"game {index}: {reason}{more}; no game was changed")

    def _checked_index(self, index: int) -> int:
        if not 0 <= index < self.num_games:
            raise IndexError(f"there is no game {index}; the batch has games 0 to {self.num_games - 1}")
        return int(index)

    def _checked_indices(self, indices: ArrayLike, distinct: bool = True) -> NDArray[np.int64]:
        chosen = np.asarray(indices)
        if chosen.dtype == np.bool_ and chosen.shape == (self.num_games,):
            chosen = np.flatnonzero(chosen)
        if chosen.ndim != 1 or (chosen.size and chosen.dtype.kind not in "iu"):
            raise TypeError(f"indices must be a list of game numbers, got {chosen.dtype} of shape {chosen.shape}")
        chosen = chosen.astype(np.int64, copy=False)
        if chosen.size and (chosen.min() < 0 or chosen.max() >= self.num_games):
            raise IndexError(f"indices must lie in 0 to {self.num_games - 1}, got {chosen.min()} to {chosen.max()}")
        if distinct and chosen.size > 1 and np.bincount(chosen).max() > 1:
            raise ValueError("indices name a game twice")
        return chosen

    def _checked_viewers(self, player: int | ArrayLike) -> NDArray[np.int8]:
        if type(player) is int and 0 <= player <= 1:
            return self._viewers[player]
        viewers = np.asarray(player)
        if viewers.dtype.kind not in "iu" or viewers.min() < 0 or viewers.max() > 1:
            raise ValueError(f"player must be 0, 1, or an array of them, got {player!r}")
        if viewers.shape == (self.num_games,):
            return np.ascontiguousarray(viewers, np.int8)
        return np.full(self.num_games, viewers, np.int8)

    def _checked_circles(self, circles: Any, count: int) -> NDArray[np.int8]:
        size = self.edition.circle_size
        known = np.asarray(circles)
        if known.shape != (count, size) or known.dtype.kind not in "iu":
            raise ValueError(
                f"circles must be {count} lists of {size} patch ids, got {known.dtype} of shape {known.shape}"
            )
        for number, circle in enumerate(known):
            if sorted(circle.tolist()) != list(range(size)):
                raise ValueError(
                    f"circle {number} must name each patch from 0 to {size - 1} once, got {circle.tolist()}"
                )
        return known.astype(np.int8)

    def _first_player_codes(self, first_players: str | Sequence[str] | None, count: int) -> NDArray[np.int8]:
        if first_players is None:
            return np.full(count, self._rule[2], np.int8)
        names = [first_players] * count if isinstance(first_players, str) else list(first_players)
        if len(names) != count:
            raise ValueError(f"first_players must be one name or {count} names, got {len(names)}")
        return np.array([_from_table("first_players", name, FIRST_PLAYERS) for name in names], np.int8)


def _from_table(what: str, name: str, table: dict[str, _Value]) -> _Value:
    if not isinstance(name, str) or name not in table:
        raise ValueError(f"unknown {what} {name!r}; known are {', '.join(table)}")
    return table[name]


def checked_seed(seed: int | None) -> np.uint64:
    """The seed as the kernels want it; None draws one from the system."""
    if seed is None:
        return np.uint64(int(np.random.SeedSequence().generate_state(1, np.uint64)[0]) >> 1)
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or not 0 <= seed < 2**63:
        raise ValueError(f"seed must be a whole number from 0 to 2**63 - 1 or None, got {seed!r}")
    return np.uint64(seed)


def _converted_actions(moves: NDArray[Any], count: int) -> NDArray[np.int64]:
    if moves.shape != (count,):
        raise ValueError(f"actions must have shape ({count},), one for each game, got {moves.shape}")
    if moves.dtype.kind not in "iu":
        raise TypeError(f"actions must be whole numbers, got an array of {moves.dtype}")
    return moves.astype(np.int64)

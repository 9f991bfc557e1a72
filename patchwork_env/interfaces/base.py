"""What every batch of games does the same way, whatever the game: stepping, looking, keeping, checking."""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import Any, ClassVar, Generic, NoReturn, Self, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from patchwork_env.errors import IllegalActionError
from patchwork_env.games.shared import LEGAL, draw_for_games, first_illegal
from patchwork_env.kernels import available_threads, run_over
from patchwork_env.streams import mixed

BLOB_VERSION = 1

_Value = TypeVar("_Value")
_Result = TypeVar("_Result", bound=tuple[NDArray[Any], ...])


class GameBatch(Generic[_Result]):
    """``num_games`` games of one kind. A game's own batch adds its settings, its set-up and its named columns.

    Game ``i`` draws its randomness from (seed, i, episode number), so it plays the same whatever the batch size
    and the thread count. With ``auto_reset`` a game that ends starts its next episode within the same step.

    Arrays that a batch hands out (`action_mask`, what `observe` and `step` return) are allocated once and
    overwritten in place: copy what must outlive the next call. Different batches may be used from different
    threads at the same time; one batch from one thread at a time.
    """

    # What the game's own class says.
    loops: ClassVar[ModuleType]  # the kernels over many games
    reward_codes: ClassVar[dict[str, int]]
    first_player_codes: ClassVar[dict[str, int]]
    kind: ClassVar[str]  # what a saved game must share with the batch: "edition", "settings"

    def __init__(
        self,
        num_games: int,
        num_players: int,
        num_actions: int,
        dtype: np.dtype[Any],
        tables: NDArray[Any],
        shapes: dict[str, tuple[tuple[int, ...], type[np.generic]]],
        layout: Any,
        mover_code: int,
        seed: int | None,
        threads: int | None,
        auto_reset: bool,
        reward: str,
        first_player: str,
    ) -> None:
        if isinstance(num_games, bool) or not isinstance(num_games, int | np.integer) or num_games < 1:
            raise ValueError(f"num_games must be at least 1, got {num_games}")
        if threads is not None and threads < 1:
            raise ValueError(f"threads must be at least 1 (or None for all cores), got {threads}")
        self.num_games = int(num_games)
        self.num_players = num_players
        self.num_actions = num_actions
        self.threads = threads or available_threads()
        self.auto_reset = auto_reset
        self.reward = reward
        self.first_player = first_player
        self._rule = (
            from_table("reward", reward, self.reward_codes),
            int(auto_reset),
            from_table("first_player", first_player, self.first_player_codes),
        )
        self.tables = tables  # (1,) TABLES record, read-only
        self._seed = checked_seed(seed)
        self._copies = 0  # made of this batch so far; each has random streams of its own
        self.episodes = np.full(num_games, -1, np.int64)  # (N,) number of the episode; -1 before the first reset
        self._all = np.arange(num_games)
        self.state = np.zeros(num_games, dtype)  # (N,) GAME records
        self.state["done"] = 1  # nothing can be played before the first reset
        self.action_mask = np.zeros((num_games, num_actions), np.uint8)  # (N, A)
        self._observation: dict[str, NDArray[Any]] = {
            name: np.zeros((num_games, *shape), kind) for name, (shape, kind) in shapes.items()
        }
        self._rows = self._kernel_rows()
        self._viewers = {code: np.full(num_games, code, np.int8) for code in (*range(num_players), mover_code)}
        self._mover_code = mover_code
        self.tensor_layout = layout
        self._tensors: NDArray[np.float32] | None = None
        self._observed = False  # whether `_observation` shows the present state to the player to move
        self._watched = False  # whether that has been asked for since the last step
        self._result = self._new_result()
        self._result_arrays = tuple(self._result)

    # --- what a game's own class answers --------------------------------------------------------------------------

    def _new_result(self) -> _Result:
        """The arrays that a step writes: rewards and done first."""
        raise NotImplementedError

    def _settings(self) -> dict[str, Any]:
        """The arguments that make a batch like this one."""
        raise NotImplementedError

    def _why_illegal(self, index: int, action: int) -> str:
        """Why an action that the mask does not allow is refused."""
        raise NotImplementedError

    @property
    def _fingerprint(self) -> bytes:
        """What tells games that can be loaded here from all others."""
        raise NotImplementedError

    @property
    def _label(self) -> str:
        """The edition or settings in words."""
        raise NotImplementedError

    def _kernel_rows(self) -> tuple[NDArray[Any], ...]:
        """The observation's arrays as the kernels want them."""
        return tuple(self._observation.values())

    # --- playing --------------------------------------------------------------------------------------------------

    def _deal(
        self,
        indices: ArrayLike | None,
        seed: int | None,
        first_players: str | Sequence[str] | None,
    ) -> NDArray[np.int64]:
        """Start the next episode of the games named; their numbers."""
        if seed is not None and indices is not None:
            raise ValueError("a seed starts every game anew: it cannot be combined with indices")
        chosen = self._all if indices is None else self._checked_indices(indices)
        beginners = self._first_player_codes(first_players, len(chosen))
        if seed is not None:
            self._seed = checked_seed(seed)
            self.episodes[:] = -1
        self._observed = False
        self._start_games(chosen, beginners)
        return chosen

    def step(self, actions: ArrayLike, indices: ArrayLike | None = None) -> _Result:
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
        if first_illegal(count, chosen, self.action_mask, moves) != LEGAL:
            self._refuse(chosen, moves)
        if indices is not None:
            for array in self._result_arrays[:-1]:  # the last one says how games ended, and may be stale
                array[:] = 0
        # Who looked at the last states will look at the next ones.
        self._observed = self._watched and indices is None
        self._watched = False
        self._play_games(chosen, moves)
        return self._result

    def _start_games(self, chosen: NDArray[np.int64], beginners: NDArray[np.int8]) -> None:
        run_over(
            len(chosen),
            self.threads,
            self.loops.reset_games,
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
            self.loops.step_games,
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
            self._viewers[self._mover_code],
            self._rows,
        )

    def observe(self, player: int | ArrayLike | None = None) -> dict[str, NDArray[Any]]:
        """What a player sees of every game: the player to move (default), one player, or one for each game.

        The viewer comes first in every array. SPEC.md has the layout.
        """
        if player is not None or not self._observed:
            viewers = self._viewers[self._mover_code] if player is None else self._checked_viewers(player)
            run_over(
                self.num_games, self.threads, self.loops.observe_games, self.tables, self.state, viewers, self._rows
            )
        self._observed = self._watched = player is None
        return self._observation

    def observe_tensor(self, player: int | ArrayLike | None = None) -> NDArray[np.float32]:
        """The same content as one row of numbers of about unit size a game: (N, `tensor_layout.size`)."""
        if self._tensors is None:
            self._tensors = np.zeros((self.num_games, self.tensor_layout.size), np.float32)
        self.observe(player)
        run_over(
            self.num_games, self.threads, self.loops.tensors_of, self._rows, self.tensor_layout.scales, self._tensors
        )
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
    def seed(self) -> int:
        """What the random streams of all games follow from."""
        return int(self._seed)

    def draw(self, indices: NDArray[np.int64], purpose: int, bound: int) -> NDArray[np.int64]:
        """A number below ``bound`` for each game named, from the stream that its episode has for that purpose."""
        numbers = np.zeros(len(indices), np.int64)
        draw_for_games(indices, self._seed, self.episodes, purpose, bound, numbers)
        return numbers

    # --- keeping --------------------------------------------------------------------------------------------------

    def save(self, index: int) -> bytes:
        """One game's state. It holds nothing that has yet to be drawn."""
        return self._blob_header + bytes(self.state[self._checked_index(index)])

    def load(self, index: int, blob: bytes) -> None:
        """Put a saved game in place of game ``index``; what it still draws comes from this batch's streams."""
        index = self._checked_index(index)
        header = self._blob_header
        dtype = self.state.dtype
        if len(blob) != len(header) + dtype.itemsize or blob[0] != BLOB_VERSION:
            raise ValueError(
                f"not a saved game of this version: expected {len(header) + dtype.itemsize} bytes that begin with "
                f"{BLOB_VERSION}, got {len(blob)}"
            )
        if not blob.startswith(header):
            raise ValueError(f"the saved game is of another {self.kind} than {self._label}")
        self._observed = False
        before = self.state[index].copy()
        self.state[index] = np.frombuffer(blob, dtype, offset=len(header))[0]
        if not self.loops.accept_game(self.tables, self.state, index, self.action_mask):
            self.state[index] = before
            self.renew_masks(np.array([index]))
            raise ValueError("the saved game is damaged: its state is impossible here")

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
        make = cast(Any, type(self))
        twin: Self = make(**{**self._settings(), "num_games": len(chosen), "seed": seed})
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

    # --- checking -------------------------------------------------------------------------------------------------

    @property
    def _blob_header(self) -> bytes:
        return bytes([BLOB_VERSION]) + self._fingerprint

    def _column(self, field: str) -> NDArray[Any]:
        column = self.state[field]
        column.flags.writeable = False
        return column

    def renew_masks(self, indices: NDArray[np.int64] | None = None) -> None:
        """Bring masks up to date with records of `state` that were written to from outside."""
        chosen = self._all if indices is None else indices
        self._observed = False
        run_over(len(chosen), self.threads, self.loops.mask_games, chosen, self.tables, self.state, self.action_mask)

    def _refuse(self, chosen: NDArray[np.int64], moves: NDArray[np.int64]) -> NoReturn:
        if (self.episodes[chosen] < 0).any() and (self.state["done"][chosen] == 1).any():
            raise IllegalActionError("the games have not been set up: call reset() before the first step")
        legal = (moves >= 0) & (moves < self.num_actions)
        legal[legal] = self.action_mask[chosen[legal], moves[legal]] != 0
        wrong = np.flatnonzero(~legal)
        index = int(chosen[wrong[0]])
        more = f" (and {len(wrong) - 1} more games)" if len(wrong) > 1 else ""
        reason = self._why_illegal(index, int(moves[wrong[0]]))
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
        if type(player) is int and 0 <= player < self.num_players:
            return self._viewers[player]
        viewers = np.asarray(player)
        if viewers.dtype.kind not in "iu" or viewers.min() < 0 or viewers.max() >= self.num_players:
            names = ", ".join(map(str, range(self.num_players)))
            raise ValueError(f"player must be {names}, or an array of them, got {player!r}")
        if viewers.shape == (self.num_games,):
            return np.ascontiguousarray(viewers, np.int8)
        return np.full(self.num_games, viewers, np.int8)

    def _first_player_codes(self, first_players: str | Sequence[str] | None, count: int) -> NDArray[np.int8]:
        if first_players is None:
            return np.full(count, self._rule[2], np.int8)
        names = [first_players] * count if isinstance(first_players, str) else list(first_players)
        if len(names) != count:
            raise ValueError(f"first_players must be one name or {count} names, got {len(names)}")
        return np.array([from_table("first_players", name, self.first_player_codes) for name in names], np.int8)


def from_table(what: str, name: str, table: dict[str, _Value]) -> _Value:
    """The entry of that name; a ValueError that lists the known names if there is none."""
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

"""How the compiled parts of the package are built and run.

A kernel is one game's rules (or a loop over games) in the numpy subset that Numba compiles. With
``NUMBA_DISABLE_JIT=1`` the very same functions run in the interpreter.

Loops over games are shared out between plain Python threads rather than with Numba's ``prange``: the kernels
release the GIL, so the cores are used just as well, and unlike Numba's default threading layer this may be
entered from several Python threads at once, never spins, and takes its thread count per call.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba.core import types
from numba.extending import intrinsic, overload

_Function = TypeVar("_Function", bound=Callable[..., Any])

# Below this many games a second thread costs more (some 20 microseconds) than it saves.
MIN_GAMES_PER_THREAD = 128
PIECES_PER_THREAD = 4


def _source_stamp() -> tuple[tuple[str, float, int], ...]:
    """What tells this version of the package's sources from any other."""
    package = Path(__file__).parent
    stats = [(str(path.relative_to(package)), path.stat()) for path in sorted(package.rglob("*.py"))]
    return tuple((name, stat.st_mtime, stat.st_size) for name, stat in stats)


_SOURCES = _source_stamp()
_compile = numba.njit(
    cache=True,
    nogil=True,
    error_model="numpy",
    _nrt=False,  # kernels allocate nothing; counting references to shared arrays would make threads queue
)


def kernel(function: _Function) -> _Function:
    """Compile a function when it is first called, and keep the machine code on disk.

    Numba takes a kept kernel for current while the file that defines it is unchanged, even if a kernel in
    another file that it calls has changed. Here it is current only while all sources of the package are.
    """
    if numba.config.DISABLE_JIT:
        return np.errstate(over="ignore")(function)  # random streams let their numbers run over, as compiled ones do
    dispatcher: Any = _compile(function)
    cache_file = dispatcher._cache._cache_file
    cache_file._source_stamp = (cache_file._source_stamp, _SOURCES)
    return cast(_Function, dispatcher)


def lowest_bit(word: int) -> int:
    """Number of the lowest bit that is set in a positive word."""
    word = int(word)
    return (word & -word).bit_length() - 1


def count_bits(word: int) -> int:
    """How many bits are set in a word that is not negative."""
    return int(word).bit_count()


@intrinsic
def _cttz(typing_context, word):
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], context.get_constant(types.boolean, True))

    return types.int64(types.int64), generate


@intrinsic
def _ctpop(typing_context, word):
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.int64), generate


# Compiled kernels use the processor's own instructions for these two.
@overload(lowest_bit)
def _lowest_bit(word):
    return lambda word: _cttz(word)  # noqa: PLW0108 (Numba wants a function of this module)


@overload(count_bits)
def _count_bits(word):
    return lambda word: _ctpop(word)  # noqa: PLW0108


_pool_lock = threading.Lock()
_pool: ThreadPoolExecutor | None = None


def available_threads() -> int:
    """The cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1)


def run_over(
    count: int,
    threads: int,
    function: Callable[..., Any],
    *arguments: Any,
    smallest_part: int = MIN_GAMES_PER_THREAD,
) -> None:
    """Call ``function(start, stop, *arguments)`` so that the ranges cover ``0..count``.

    A thread gets at least ``smallest_part`` of them: few where each one takes long.
    """
    parts = min(threads, count // smallest_part)
    if parts <= 1:
        function(0, count, *arguments)
        return
    # More pieces than threads, taken one by one: a thread that is late to wake, or whose core is busy with
    # something else, does less instead of being waited for.
    pieces = parts * PIECES_PER_THREAD
    bounds = [count * piece // pieces for piece in range(pieces + 1)]
    waiting = iter(range(pieces))  # advancing a built-in iterator is one step that threads cannot interleave

    def work() -> None:
        for piece in waiting:
            function(bounds[piece], bounds[piece + 1], *arguments)

    pool = _shared_pool()
    others = [pool.submit(work) for _ in range(parts - 1)]
    work()
    for other in others:
        if not other.cancel():
            other.result()


def _shared_pool() -> ThreadPoolExecutor:
    global _pool
    with _pool_lock:
        if _pool is None:
            _pool = ThreadPoolExecutor(max_workers=64, thread_name_prefix="patchwork")
        return _pool


def _forget_pool() -> None:
    """A forked child has none of its parent's threads: it starts with a pool of its own."""
    global _pool, _pool_lock
    _pool_lock = threading.Lock()
    _pool = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_pool)

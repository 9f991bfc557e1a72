"""Random streams: numbers that follow from a seed and a place in the stream, with no generator to keep.

Every game of a batch has streams of its own, named by (seed, game index, episode, purpose). What has yet to be
drawn is stored nowhere, so no copy, save or search can read it.
"""

from __future__ import annotations

import numpy as np

from patchwork_env.kernels import kernel


@kernel
def mixed(value):
    """A 64-bit number that looks nothing like ``value`` (the finaliser of SplitMix64)."""
    value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return value ^ (value >> np.uint64(31))


@kernel
def stream_of(seed, index, episode, purpose):
    """Where the random stream of one game, one episode and one purpose begins."""
    key = mixed(np.uint64(seed) + np.uint64(0x9E3779B97F4A7C15))
    key = mixed(key ^ (np.uint64(index) + np.uint64(0xD1B54A32D192ED03)))
    key = mixed(key ^ (np.uint64(episode) + np.uint64(0xABC98388FB8FAC03)))
    return mixed(key ^ np.uint64(purpose))


@kernel
def drawn(stream, position, bound):
    """Draw number ``position`` of a stream: a whole number from 0 to ``bound - 1``."""
    value = mixed(stream + np.uint64(position + 1) * np.uint64(0x9E3779B97F4A7C15))
    return np.int64(((value >> np.uint64(32)) * np.uint64(bound)) >> np.uint64(32))


@kernel
def shuffle(values, start, stop, stream):
    """Put ``values[start:stop]`` into a uniformly random order."""
    for last in range(stop - 1, start, -1):
        other = start + drawn(stream, last - start, last - start + 1)
        values[last], values[other] = values[other], values[last]

"""``patchwork export CHECKPOINT FILE.onnx``: a network for other runtimes, checked against what PyTorch answers.

The model's inputs are the arrays of a candidate view's observation and the ``mask`` of its candidates, its outputs
``logits`` (batch, K), -inf where there is no candidate, and ``values`` (batch,) of the player to move. The batch may
have any size. What the view must be like (edition, placements, version) stands in the model's metadata.
"""

from __future__ import annotations

import argparse
import contextlib
import logging
import os
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from patchwork_env import PatchworkBatch, load_edition, make_agent
from patchwork_env.render.extras import imported
from training.agent import policy_of, pretrained_checkpoint
from training.candidates import VIEW_VERSION
from training.checkpoint import Checkpoint, load_checkpoint
from training.policy import PolicyNetwork

MASK = "mask"  # the input behind those of the observation
OUTPUTS = ("logits", "values")
TOLERANCE = 1e-4
CHECKED = (1, 7, 64)  # sizes of the batches that both runtimes are asked about
LONGEST = 48  # decisions after which games are looked at, at the most

Arrays = dict[str, NDArray[Any]]


class ExportError(ValueError):
    """An exported network that does not answer like the one it was made of."""


class Positional(nn.Module):
    """A network that takes the arrays of its observation one by one, as the exporter wants it."""

    def __init__(self, network: PolicyNetwork, names: list[str]) -> None:
        super().__init__()
        self.network = network
        self.names = names

    def forward(self, *arrays: Tensor) -> tuple[Tensor, Tensor]:
        """Logits and values of observation and mask."""
        logits, values = self.network(dict(zip(self.names, arrays, strict=False)), arrays[-1])
        return logits, values


def export(checkpoint: Checkpoint, file: Path) -> float:
    """Write the network as ONNX; the largest difference to PyTorch's answers in real positions."""
    imported("onnxscript", "onnx")
    runtime = imported("onnxruntime", "onnx")
    samples = [positions(checkpoint, count, seed) for seed, count in enumerate(CHECKED)]
    example = samples[-1]
    names = [name for name in example if name != MASK]
    module = Positional(checkpoint.network, names).eval()
    batch = torch.export.Dim("batch")
    with _quiet():
        program: Any = torch.onnx.export(
            module,
            tuple(map(torch.from_numpy, example.values())),
            dynamo=True,
            input_names=list(example),
            output_names=list(OUTPUTS),
            dynamic_shapes=(tuple({0: batch} for _ in example),),
            verbose=False,
        )
    program.model.metadata_props.update(
        edition=checkpoint.edition.name,
        fingerprint=checkpoint.edition.fingerprint.hex(),
        placements=str(checkpoint.placements),
        candidates=str(VIEW_VERSION),
    )
    draft = file.with_name(f".{file.name}.draft")
    try:
        program.save(draft, external_data=False)
        session = runtime.InferenceSession(draft, providers=["CPUExecutionProvider"])
        largest = max(difference(checkpoint.network, session, sample) for sample in samples)
        if not largest <= TOLERANCE:
            raise ExportError(f"the exported network's answers differ by {largest:.1e}, more than {TOLERANCE:g}")
        os.replace(draft, file)
    finally:
        draft.unlink(missing_ok=True)
    return largest


def positions(checkpoint: Checkpoint, count: int, seed: int = 0) -> Arrays:
    """The network's inputs in so many games, each after another number of random decisions."""
    games = PatchworkBatch(count, checkpoint.edition, seed=seed)
    games.reset()
    mover = make_agent("random", seed=seed)
    everyone = np.arange(count)
    for number in range(LONGEST):
        playing = everyone[everyone % LONGEST >= number]
        games.step(mover.act(games, playing), playing)
    policy = policy_of(checkpoint)
    view = policy.listed(games, everyone)
    return {**view.observation(everyone), MASK: view.mask[everyone]}


def difference(network: PolicyNetwork, session: Any, inputs: Arrays) -> float:
    """How far the two answers lie apart; without end where one has a candidate and the other none."""
    observation = {name: torch.from_numpy(array) for name, array in inputs.items() if name != MASK}
    with torch.no_grad():
        expected = network(observation, torch.from_numpy(inputs[MASK]))
    found = session.run(list(OUTPUTS), inputs)
    largest = 0.0
    for ours, theirs in zip(expected, found, strict=True):
        finite = np.isfinite(theirs)
        if not np.array_equal(finite, np.isfinite(ours.numpy())):
            return np.inf
        largest = max(largest, float(np.abs(ours.numpy()[finite] - theirs[finite]).max(initial=0.0)))
    return largest


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Without what the exporter has to say about its own parts and those that are not installed."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(before)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("checkpoint", metavar="CHECKPOINT", help="a checkpoint's folder, or pretrained")
    parser.add_argument("file", metavar="FILE", type=Path, help="the file to write, such as policy.onnx")
    parser.add_argument("--edition", default="revised", help="whose network pretrained is (default: revised)")


def run(arguments: argparse.Namespace) -> int:
    """Export, check and tell."""
    if arguments.checkpoint == "pretrained":
        checkpoint = pretrained_checkpoint(load_edition(arguments.edition))
    else:
        checkpoint = load_checkpoint(arguments.checkpoint)
    largest = export(checkpoint, arguments.file)
    shapes = {name: map(str, array.shape[1:]) for name, array in positions(checkpoint, 1).items()}
    inputs = ", ".join(f"{name} (batch, {', '.join(shape)})" for name, shape in shapes.items())
    print(f"wrote {arguments.file} ({arguments.file.stat().st_size:,} bytes)")
    print(f"inputs: {inputs}; outputs: {', '.join(OUTPUTS)}")
    print(f"largest difference to PyTorch in {sum(CHECKED)} positions: {largest:.1e}")
    return 0

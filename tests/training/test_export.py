"""Networks as ONNX: another runtime gives the same answers, in every edition and for batches of any size."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from patchwork_env import edition_names
from tests.networks import save_untrained, untrained
from training import agent, export
from training.cli import main
from training.export import ExportError
from training.policy import CandidateNetwork

onnxruntime: Any = pytest.importorskip("onnxruntime")


@pytest.mark.parametrize(
    ("edition", "kind"), [*((edition, "candidates") for edition in edition_names()), ("revised", "attention")]
)
def test_answers_are_the_same(edition: str, kind: str, tmp_path: Path) -> None:
    checkpoint = untrained(edition, kind=kind)
    assert export.export(checkpoint, tmp_path / "policy.onnx") <= export.TOLERANCE
    session = onnxruntime.InferenceSession(tmp_path / "policy.onnx")
    for count in (1, 2, 3, 50, 257):
        inputs = export.positions(checkpoint, count, seed=100 + count)
        assert export.difference(checkpoint.network, session, inputs) < 1e-5
        logits, values = session.run(None, inputs)
        assert np.array_equal(np.isneginf(logits), ~inputs[export.MASK])
        assert values.shape == (count,)
    assert [path.name for path in tmp_path.iterdir()] == ["policy.onnx"]


def test_the_file_says_what_it_was_made_for(tmp_path: Path) -> None:
    checkpoint = untrained("stack_n_stuff", placements=3)
    export.export(checkpoint, tmp_path / "policy.onnx")
    session = onnxruntime.InferenceSession(tmp_path / "policy.onnx")
    about = session.get_modelmeta().custom_metadata_map
    assert (about["edition"], about["placements"]) == ("stack_n_stuff", "3")
    assert about["fingerprint"] == checkpoint.edition.fingerprint.hex()
    assert [entry.name for entry in session.get_inputs()] == list(export.positions(checkpoint, 1))
    assert [entry.name for entry in session.get_outputs()] == ["logits", "values"]
    assert {entry.shape[0] for entry in [*session.get_inputs(), *session.get_outputs()]} == {"batch"}


def test_positions_are_of_many_kinds() -> None:
    """What is compared includes games from the start to the end, and hands with few and many candidates."""
    mask = export.positions(untrained(), 64)[export.MASK]
    counts = mask.sum(axis=1)
    assert counts.min() <= 1
    assert counts.max() >= 8


def test_another_answer_is_noticed(tmp_path: Path) -> None:
    checkpoint = untrained()
    export.export(checkpoint, tmp_path / "policy.onnx")
    session = onnxruntime.InferenceSession(tmp_path / "policy.onnx")
    inputs = export.positions(checkpoint, 20)
    assert isinstance(checkpoint.network, CandidateNetwork)
    with torch.no_grad():
        checkpoint.network.greediness.add_(0.1)
    assert export.difference(checkpoint.network, session, inputs) > export.TOLERANCE
    fewer = {**inputs, export.MASK: np.zeros_like(inputs[export.MASK])}
    blind = SimpleNamespace(run=lambda names, _: session.run(names, fewer))
    assert export.difference(checkpoint.network, blind, inputs) == np.inf


def test_a_file_that_answers_otherwise_is_not_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export, "difference", lambda *_: 0.01)
    with pytest.raises(ExportError, match=r"differ by 1.0e-02, more than 0\.0001"):
        export.export(untrained(), tmp_path / "policy.onnx")
    assert not list(tmp_path.iterdir())


def test_the_command_exports_checkpoints_and_shipped_networks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(agent, "PRETRAINED", tmp_path / "shipped")
    mine = save_untrained(tmp_path / "mine")
    save_untrained(tmp_path / "shipped" / "stack_n_stuff", "stack_n_stuff")
    for words in ([mine], ["pretrained", "--edition", "stack_n_stuff"]):
        file = tmp_path / "policy.onnx"
        assert main(["export", words[0], str(file), *words[1:]]) == 0
        assert "largest difference to PyTorch" in capsys.readouterr().out
    assert main(["export", "pretrained", str(file)]) == 2
    assert "no network is shipped for edition 'revised'" in capsys.readouterr().err
    assert main(["export", str(tmp_path / "nothing"), str(file)]) == 2
    assert "no checkpoint" in capsys.readouterr().err


def test_the_extra_is_named_where_it_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    assert main(["export", save_untrained(tmp_path / "mine"), str(tmp_path / "policy.onnx")]) == 2
    assert "pip install 'patchwork-env[onnx]'" in capsys.readouterr().err

"""What the page is told, as plain data: the edition once, then positions that name its patches by number."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from patchwork_env.games.patchwork.actions import ActionInfo
from patchwork_env.games.patchwork.edition import Edition
from patchwork_env.games.patchwork.rules import ADVANCE
from patchwork_env.interfaces.batch import PatchworkBatch
from patchwork_env.interfaces.game import GameView
from patchwork_env.render.history import History
from patchwork_env.render.scene import describe_move, make_scene, patch_scene, spiral


def edition_view(edition: Edition) -> dict[str, Any]:
    """What does not change during a game: the patches, the track and the colours."""
    spots, side = spiral(edition.last_space + 1)
    patches = []
    for number, patch in enumerate(edition.patches):
        scene = patch_scene(edition, number)
        patches.append(
            {
                "letter": scene.letter,
                "cost": patch.cost,
                "time": patch.time,
                "income": patch.income,
                "colour": scene.colour,
                "weave": scene.weave,
                "orientations": patch.orientations,
            }
        )
    return {
        "name": edition.name,
        "title": edition.title,
        "provenance": edition.provenance,
        "currency": edition.currency,
        "rows": edition.rows,
        "columns": edition.columns,
        "num_actions": edition.num_actions,
        "may_decline": edition.special_may_be_declined,
        "income_spaces": edition.income_spaces,
        "special_spaces": edition.special_spaces,
        "bonus_square": edition.bonus_square,
        "bonus_points": edition.bonus_points,
        "spots": spots,
        "track_side": side,
        "patches": patches,
        "palette": dataclasses.asdict(edition.palette),
    }


def position_view(game: GameView, history: History, names: tuple[str, str]) -> dict[str, Any]:
    """A position, as much of its `Scene` as changes from move to move."""
    scene = make_scene(game, history, names)
    last = history.last_move
    passed = [space.number for space in scene.track if space.passed]
    return {
        "to_play": scene.to_play,
        "special_pending": scene.special_pending,
        "done": scene.done,
        "winner": game.winner,
        "decisions": scene.decisions,
        "headline": scene.headline,
        "last_move": describe_move(game.edition, last, names, letters=False) if last else "",
        "last_player": last.player if last else None,
        "passed": passed,
        "players": [
            {
                "name": side.name,
                "buttons": side.buttons,
                "income": side.income,
                "score": side.score,
                "empty": side.empty_cells,
                "position": side.position,
                "quilt": [
                    {"patch": patch.patch, "kind": patch.kind, "cells": patch.cells, "fresh": patch.fresh}
                    for patch in side.quilt
                ],
            }
            for side in scene.players
        ],
        "circle": game.circle,
        "offers": [{"affordable": offer.affordable, "fits": offer.fits} for offer in scene.offers],
        "specials_left": game.specials_left,
        "bonus_holder": game.bonus_holder,
    }


def advance_preview(games: PatchworkBatch) -> dict[str, Any]:
    """What advancing would bring the player to move: tried out on a copy."""
    twin = games.copy()
    before, after = games.game(0), twin.game(0)
    player = before.to_play
    twin.step(np.array([ADVANCE]))
    start, stop = before.positions[player], after.positions[player]
    gain = after.buttons[player] - before.buttons[player]
    specials = [space for space in before.specials_left if start < space <= stop]
    return {
        "start": start,
        "stop": stop,
        "moved": stop - start,
        "income": gain - (stop - start),
        "specials": len(specials),
    }


def breakdown(game: GameView, history: History, player: int) -> dict[str, Any]:
    """A player's score taken apart, and where the buttons came from and went."""
    edition = game.edition
    moves = [move for move in history.moves if move.player == player]
    empty = edition.cells - int(game.quilts[player].sum())
    spent = sum(edition.patches[m.action.patch].cost for m in moves if m.action.patch is not None)
    income = sum(move.income for move in moves)
    advanced = sum(move.buttons - move.income for move in moves if move.action.kind == "advance")
    return {
        "buttons": game.buttons[player],
        "bonus": edition.bonus_points if game.bonus_holder == player else 0,
        "empty": empty,
        "empty_points": -2 * empty,
        "total": game.scores[player],
        "start": edition.start_buttons,
        "advanced": advanced,
        "income": income,
        "spent": spent,
        "patches": sum(move.action.kind == "buy" for move in moves),
        "specials": sum(move.action.kind == "special" for move in moves),
    }


def action_view(info: ActionInfo) -> dict[str, Any]:
    """One action for the page."""
    return {
        "action": info.action,
        "kind": info.kind,
        "slot": info.slot,
        "patch": info.patch,
        "cells": info.cells,
    }

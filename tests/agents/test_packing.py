"""The compiled counts against a plain reading of what they count."""

from __future__ import annotations

import numpy as np
import pytest

from patchwork_env import load_edition
from patchwork_env.agents.packing import border_words, outlook, quilt_counts, rank_cells, rank_placements
from patchwork_env.agents.valuation import WEIGHTS, tuned_weights
from patchwork_env.games.patchwork.edition import Edition
from patchwork_env.games.patchwork.shapes import Cell
from patchwork_env.games.patchwork.state import edition_tables, low_rows, new_games

EDITIONS = ["revised", "stack_n_stuff"]


def words_of(edition: Edition, cells: set[Cell]) -> tuple[np.int64, np.int64]:
    number = sum(1 << row * edition.columns + column for row, column in cells)
    low = low_rows(edition) * edition.columns
    return np.int64(number & (1 << low) - 1), np.int64(number >> low)


def random_cells(edition: Edition, dice: np.random.Generator) -> set[Cell]:
    share = dice.random()
    return {(row, column) for row in range(edition.rows) for column in range(edition.columns) if dice.random() < share}


def plain_counts(empty: set[Cell]) -> tuple[int, ...]:
    def neighbours(cell: Cell) -> int:
        row, column = cell
        return sum((row + r, column + c) in empty for r, c in ((0, 1), (1, 0), (0, -1), (-1, 0)))

    squares = [
        {(row, column), (row, column + 1), (row + 1, column), (row + 1, column + 1)}
        for row, column in empty
        if {(row, column + 1), (row + 1, column), (row + 1, column + 1)} <= empty
    ]
    return (
        sum(neighbours(cell) for cell in empty) // 2,
        len(squares),
        sum(neighbours(cell) == 0 for cell in empty),
        sum(neighbours(cell) == 1 for cell in empty),
        len(empty - set().union(*squares)),
    )


@pytest.mark.parametrize("name", EDITIONS)
def test_counts(name: str) -> None:
    edition = load_edition(name)
    dice = np.random.default_rng(1)
    for _ in range(200):
        empty = random_cells(edition, dice)
        counts = quilt_counts(edition_tables(edition)[0], border_words(edition), *words_of(edition, empty))
        assert counts == plain_counts(empty)


def placements(edition: Edition, patch: int, empty: set[Cell]) -> dict[int, set[Cell]]:
    """place -> the cells it covers, for every place where the patch fits."""
    found = {}
    for turn, shape in enumerate(edition.patches[patch].orientations):
        for row in range(edition.rows):
            for column in range(edition.columns):
                cells = {(row + r, column + c) for r, c in shape}
                if cells <= empty:
                    found[turn * edition.cells + row * edition.columns + column] = cells
    return found


@pytest.mark.parametrize("name", EDITIONS)
def test_the_best_placements_are_found(name: str) -> None:
    """Those kept, in their order, are the best of all that fit."""
    edition = load_edition(name)
    table, borders = edition_tables(edition)[0], border_words(edition)
    weights = np.ascontiguousarray(tuned_weights(edition)[:, 0])
    places, values = np.zeros(5, np.int64), np.zeros(5)
    dice = np.random.default_rng(2)
    for _ in range(60):
        empty = random_cells(edition, dice)
        patch = int(dice.integers(len(edition.patches)))
        fitting = placements(edition, patch, empty)
        worth = {place: np.dot(weights[:5], plain_counts(empty - cells)) for place, cells in fitting.items()}
        count = rank_placements(table, borders, weights, 0.0, patch, *words_of(edition, empty), places, values)
        assert count == min(len(fitting), 5)
        assert np.allclose(values[:count], sorted(worth.values(), reverse=True)[:count])
        assert all(np.isclose(worth[place], value) for place, value in zip(places[:count], values[:count], strict=True))


def test_completing_the_bonus_square_is_preferred() -> None:
    """A cell in the seventh row or column completes the 7x7; by the counts alone another would be taken."""
    edition = load_edition("revised")
    table, borders = edition_tables(edition)[0], border_words(edition)
    square = {(row, column) for row in range(7) for column in range(7)}
    empty = {(row, column) for row in range(9) for column in range(9)} - square | {(6, 6)}
    places, values = np.zeros(1, np.int64), np.zeros(1)
    weights = np.zeros(len(WEIGHTS))
    rank_cells(table, borders, weights, 7.0, *words_of(edition, empty), places, values)
    assert divmod(int(places[0]), 9) == (6, 6)
    assert values[0] == 7.0


@pytest.mark.parametrize("name", EDITIONS)
def test_outlook(name: str) -> None:
    """Ways of the next patches of the circle, and cells that no patch left can cover."""
    edition = load_edition(name)
    table = edition_tables(edition)[0]
    game = new_games(1)[0]
    dice = np.random.default_rng(3)
    for _ in range(15):
        empty = random_cells(edition, dice)
        circle = dice.permutation(edition.circle_size)[:6].tolist()
        game["circle"][:6] = circle
        game["circle_size"] = 6
        bought = circle[1]
        left = [patch for patch in circle if patch != bought]
        ways, unreachable = outlook(table, game, bought, *words_of(edition, empty), 3)
        fitting = {patch: placements(edition, patch, empty) for patch in left}
        assert np.isclose(ways, np.log2(1 + sum(len(fitting[patch]) for patch in left[:3])))
        later = range(edition.circle_size, len(edition.patches))
        covered: set[Cell] = set()
        for patch in [*left, *later]:
            covered |= set().union(*placements(edition, patch, empty).values())
        assert unreachable == len(empty - covered)

"""The pictures of the README, newly made: ``python -m training.pictures [FOLDER]``.

A board, the film of a game and screenshots of the page. The screenshots need Playwright and Chromium.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from patchwork_env import PatchworkBatch, make_agent
from patchwork_env.games.patchwork.notation import GameRecord
from patchwork_env.interfaces.replay import Recorder
from patchwork_env.render.film import film_of
from patchwork_env.render.history import follow
from patchwork_env.render.layout import lay_out
from patchwork_env.render.raster import to_image
from patchwork_env.render.scene import make_scene

PLAYERS = ("greedy", "lookahead")
SEED = 4
SHOWN_MOVE = 33


def main(folder: Path) -> None:
    """Write the pictures into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    record = played()
    for number, (game, history) in enumerate(follow(record)):
        if number == SHOWN_MOVE:
            image = to_image(lay_out(make_scene(game, history, PLAYERS)), 2)
            image.quantize(192, dither=Image.Dither.NONE).save(folder / "board.png", optimize=True)
    film_of(record, fps=1.5, width=720).save(folder / "game.gif")
    screenshots(folder)
    for path in sorted(folder.iterdir()):
        print(f"{path} ({path.stat().st_size // 1000} kB)")


def played(decisions: int | None = None) -> GameRecord:
    """A game between two agents, or its first decisions."""
    games = PatchworkBatch(1, seed=SEED, threads=1, auto_reset=False)
    games.reset()
    agents = [make_agent(name, seed=SEED) for name in PLAYERS]
    game, recorder = games.game(0), Recorder(games)
    while not game.done and (decisions is None or game.decisions < decisions):
        action = int(agents[game.to_play].act(games, np.zeros(1, np.int64))[0])
        games.step(np.array([action]))
        recorder.note(action, game.scores if game.done else None)
    return recorder.record(SEED, PLAYERS)


def screenshots(folder: Path) -> None:
    """The page with a game under way, on a desk and on a phone."""
    from playwright.sync_api import sync_playwright

    from patchwork_env.web.hall import Hall
    from patchwork_env.web.local import serving

    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if chromium is None:
        raise SystemExit("there is no Chromium here; `make browser` installs it")
    with serving(Hall()) as address, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        for name, width, height in (("page", 1280, 1010), ("page-phone", 390, 844)):
            page = browser.new_page(viewport={"width": width, "height": height}, device_scale_factor=1.5)
            page.goto(address)
            _continue_game(page, str(played(22)))
            if width > 600:
                page.check("#analysis-on")
                page.wait_for_selector(".best button")
            for key in ("1", "2", "3"):
                page.keyboard.press(key)
                if page.locator(".ghost.legal").count():
                    break
            page.screenshot(path=folder / f"{name}.png")
        browser.close()


def _continue_game(page: Any, notation: str) -> None:
    page.wait_for_selector("#setup[open]")
    page.keyboard.press("Escape")
    page.click("#open-replay")
    page.fill("#load-text", notation)
    page.click("#load-continue")
    page.wait_for_selector("#controls [data-name=undo]")
    page.wait_for_timeout(2500)  # the last move stops pulsing


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path("examples/pictures"))

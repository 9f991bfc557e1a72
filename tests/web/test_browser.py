"""The page in a real browser: the system's Chromium, driven by Playwright."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from patchwork_env.games.patchwork.notation import parse_game
from patchwork_env.web.hall import Hall
from patchwork_env.web.local import serving
from tests.render.games import EDITIONS, FOLDER

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
FLAGS = (
    *("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"),
    *("--disable-sync", "--no-first-run"),
)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium here; `make browser` installs it")

Open = Callable[..., Any]


@pytest.fixture(scope="module")
def hall() -> Hall:
    return Hall()


@pytest.fixture(scope="module")
def address(hall: Hall) -> Iterator[str]:
    with serving(hall) as address:
        yield address


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        yield browser
        browser.close()


@pytest.fixture
def open_page(browser: Any, address: str) -> Iterator[Open]:
    """Opens pages, and sees to it that nothing goes wrong on them unsaid and no request leaves the machine."""
    complaints: list[str] = []
    foreign: list[str] = []
    contexts: list[Any] = []

    def opened(fragment: str = "", allowed: str = "", **settings: Any) -> Any:
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **settings})
        context.set_default_timeout(15_000)
        contexts.append(context)
        page = context.new_page()

        def listen(message: Any) -> None:
            if message.type in ("error", "warning") and not (allowed and allowed in message.text):
                complaints.append(message.text)

        def follow(request: Any) -> None:
            if not request.url.startswith((address, "blob:", "data:")):
                foreign.append(request.url)

        page.on("console", listen)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", follow)
        page.goto(f"{address}/{fragment}")
        return page

    yield opened
    for context in contexts:
        context.close()
    assert complaints == []
    assert foreign == []


def start(page: Any, **fields: str) -> None:
    """Fill the dialog for a new game and start it."""
    page.wait_for_selector("#setup[open]")
    mode = fields.pop("mode", "play")
    page.check(f"[name=mode][value={mode}]")
    for name, value in fields.items():
        field = page.locator(f"[name={name}]")
        if field.evaluate("field => field.tagName") == "SELECT":
            field.select_option(value)
        else:
            field.fill(value)
    page.click("#setup-form button[type=submit]")
    page.wait_for_selector("#setup:not([open])", state="attached")
    settle(page)


def settle(page: Any) -> None:
    """Wait until no agent is thinking."""
    page.wait_for_function("() => !/thinking/.test(document.getElementById('status').textContent)")


def moves(page: Any) -> int:
    return int(page.locator("#log li").count())


def wait_for_move(page: Any, before: int) -> None:
    """Wait until there are more moves in the log and no agent is thinking."""
    page.wait_for_function("before => document.querySelectorAll('#log li').length > before", arg=before)
    settle(page)


def ghost_middle(page: Any) -> tuple[float, float]:
    """Where to point so that the patch lies where its ghost is."""
    x, y = page.evaluate(
        """() => {
            const box = document.querySelector('.ghost-edge').getBBox();
            const quilt = document.querySelector('.quilt.holding');
            const cell = (start, length) => start + 40 * Math.floor((length / 40 - 1) / 2) + 20;
            const point = new DOMPoint(cell(box.x, box.width), cell(box.y, box.height));
            const there = point.matrixTransform(quilt.getScreenCTM());
            return [there.x, there.y];
        }"""
    )
    return x, y


def ghost(page: Any) -> str:
    return str(page.locator(".ghost-edge").get_attribute("d"))


def take_a_fitting_patch(page: Any, take: Callable[[int], None]) -> bool:
    for slot in range(page.locator("#offers button").count()):
        if "cannot" in page.locator(f"#offers [data-slot='{slot}']").get_attribute("class"):
            continue
        take(slot)
        assert page.locator("[data-name=place].primary").count() == 1
        return True
    return False


def test_a_whole_game_by_clicking(open_page: Open) -> None:
    page = open_page()
    start(page, edition="stack_n_stuff", opponent="greedy", seed="3")
    placed = 0
    while not page.locator("#summary[open]").count():
        before = moves(page)
        pending = page.locator("#controls [data-name=advance]").count() == 0
        if pending or take_a_fitting_patch(page, lambda slot: page.click(f"#offers [data-slot='{slot}']")):
            page.mouse.click(*ghost_middle(page))
            placed += 1
        else:
            page.click("[data-name=advance]")
        wait_for_move(page, before)
    assert placed >= 5
    text = page.locator("#summary").inner_text()
    assert "coins in hand" in text
    assert "empty cells" in text
    page.click("#summary-close")
    scores = page.locator(".number-score dd").all_inner_texts()
    headline = page.locator("#status").inner_text()
    assert all(score in headline for score in scores)


def test_a_whole_game_by_keyboard_only(open_page: Open) -> None:
    page = open_page()
    page.wait_for_selector("#setup[open]")
    page.keyboard.press("Enter")
    page.wait_for_selector("#offers button")
    settle(page)
    placed = 0
    while not page.locator("#summary[open]").count():
        before = moves(page)
        if page.locator("#controls [data-name=place]").count() == 0:
            fits = take_a_fitting_patch(page, lambda slot: page.keyboard.press(str(slot + 1)))
            if not fits:
                page.keyboard.press("a")
                wait_for_move(page, before)
                continue
        page.keyboard.press("n")
        page.keyboard.press("Enter")
        placed += 1
        wait_for_move(page, before)
    assert placed >= 5
    page.keyboard.press("Escape")
    assert page.locator("#summary[open]").count() == 0


def test_arrows_move_the_patch_and_it_stays_on_the_quilt(open_page: Open) -> None:
    page = open_page()
    start(page, seed="7")
    page.keyboard.press("2")
    first = ghost(page)
    page.keyboard.press("ArrowRight")
    moved = ghost(page)
    assert moved != first
    page.keyboard.press("ArrowLeft")
    assert ghost(page) == first
    for _ in range(12):
        page.keyboard.press("ArrowDown")
    bottom = ghost(page)
    page.keyboard.press("ArrowDown")
    assert ghost(page) == bottom
    box = page.evaluate(
        "(() => { const b = document.querySelector('.ghost-edge').getBBox(); return [b.y + b.height, b.x]; })()"
    )
    assert box == [360, 0]


def test_rotating_and_flipping(open_page: Open) -> None:
    page = open_page("#start=revised&seed=7&seats=human|greedy&practice=1")
    page.wait_for_selector("#offers button")
    slot = page.evaluate(
        """async () => {
            const { patches } = await (await fetch('/api/editions/revised')).json();
            const cards = [...document.querySelectorAll('#offers button')];
            const labels = cards.map((card) => Number(/patch (\\d+)/.exec(card.ariaLabel)[1]));
            const turns = labels.map((patch) => patches[patch].orientations.length);
            return turns.indexOf(Math.max(...turns));
        }"""
    )
    page.keyboard.press(str(slot + 1))
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    shapes = [ghost(page)]
    for _ in range(4):
        page.keyboard.press("r")
        shapes.append(ghost(page))
    assert shapes[4] == shapes[0]
    assert shapes[1] != shapes[0]
    page.keyboard.press("f")
    flipped = ghost(page)
    assert flipped != shapes[0]
    page.click("[data-name=flip]")
    assert ghost(page) == shapes[0]
    page.click("[data-name=rotate]")
    assert ghost(page) == shapes[1]
    page.mouse.move(*ghost_middle(page))
    before = ghost(page)
    page.mouse.wheel(0, 100)
    page.wait_for_function("before => document.querySelector('.ghost-edge').getAttribute('d') !== before", arg=before)
    page.keyboard.press("Escape")
    assert page.locator(".ghost").count() == 0


def test_dragging_a_patch_onto_the_quilt(open_page: Open) -> None:
    page = open_page()
    start(page, seed="7")
    card = page.locator("#offers [data-slot='1'] svg.patch-picture").bounding_box()
    quilt = page.locator("#side-left svg.quilt").bounding_box()
    page.mouse.move(card["x"] + card["width"] / 2, card["y"] + card["height"] / 2)
    page.mouse.down()
    page.mouse.move(quilt["x"] + quilt["width"] / 2, quilt["y"] + quilt["height"] / 2, steps=8)
    assert page.locator(".ghost.legal").count() == 1
    page.mouse.up()
    wait_for_move(page, 0)
    assert page.locator("#side-left .patch").count() == 1
    assert page.locator("#log li").first.inner_text().startswith("you: buy patch")


def test_an_illegal_placement_is_shown_and_explained(open_page: Open) -> None:
    page = open_page()
    start(page, mode="two", seed="7")
    page.keyboard.press("2")
    page.keyboard.press("Enter")
    wait_for_move(page, 0)
    while page.locator("#side-left.active").count() == 0:
        before = moves(page)
        page.keyboard.press("a")
        wait_for_move(page, before)
    before = moves(page)
    assert take_a_fitting_patch(page, lambda slot: page.keyboard.press(str(slot + 1)))
    for _ in range(9):
        page.keyboard.press("ArrowUp")
        page.keyboard.press("ArrowLeft")
    assert page.locator(".ghost.illegal").count() == 1
    assert page.locator("[data-name=place]").inner_text() == "Does not fit here"
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.getElementById('notice').textContent.includes('would overlap cell')")
    assert moves(page) == before


def test_undo(open_page: Open) -> None:
    page = open_page()
    start(page, opponent="random", seed="7")
    assert page.locator("[data-name=undo]").is_disabled()
    first = page.locator("#game").inner_text()
    page.keyboard.press("2")
    page.keyboard.press("Enter")
    wait_for_move(page, 0)
    second = moves(page)
    page.keyboard.press("a")
    wait_for_move(page, second)
    page.keyboard.press("u")
    page.wait_for_function("before => document.querySelectorAll('#log li').length === before", arg=second)
    page.click("[data-name=undo]")
    page.wait_for_function("() => document.querySelectorAll('#log li').length === 0")
    assert page.locator("#game").inner_text() == first


def test_loading_a_replay(open_page: Open) -> None:
    text = (FOLDER / "revised.txt").read_text()
    count = len(parse_game(text).moves)
    page = open_page()
    page.wait_for_selector("#setup[open]")
    page.keyboard.press("Escape")
    page.click("#open-replay")
    page.set_input_files("#load-file", str(FOLDER / "revised.txt"))
    page.wait_for_function("() => document.getElementById('load-text').value.startsWith('patchwork game')")
    page.click("#load-form button[type=submit]")
    page.wait_for_selector("#graph svg")
    assert page.locator("#replay-number").inner_text() == f"0 of {count}"
    page.focus("#replay-slider")
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    assert page.locator("#replay-number").inner_text() == f"5 of {count}"
    assert page.locator("#log .current").inner_text() == page.locator("#log li").nth(4).inner_text()
    page.click("#replay-end")
    assert page.locator("#status").inner_text() == "tight wins 24 to -5"
    page.click("#replay-back")
    assert page.locator("#replay-number").inner_text() == f"{count - 1} of {count}"
    page.reload()  # a replay is in its address, too
    page.wait_for_selector("#graph svg")
    assert page.locator("#replay-number").inner_text() == f"0 of {count}"


def test_a_wrong_file_is_explained(open_page: Open) -> None:
    page = open_page("", "422")
    page.wait_for_selector("#setup[open]")
    page.keyboard.press("Escape")
    page.click("#open-replay")
    page.fill("#load-text", "once upon a time")
    page.click("#load-form button[type=submit]")
    page.wait_for_function("() => document.getElementById('load-error').textContent.includes('line 1')")
    assert page.locator("#load[open]").count() == 1


def test_playing_on_from_a_file(open_page: Open) -> None:
    lines = (FOLDER / "revised.txt").read_text().splitlines()
    page = open_page()
    page.wait_for_selector("#setup[open]")
    page.keyboard.press("Escape")
    page.click("#open-replay")
    page.fill("#load-text", "\n".join([*lines[:17], "result: unfinished"]))
    page.click("#load-continue")
    page.wait_for_function("() => document.querySelectorAll('#log li').length >= 10")
    settle(page)
    assert page.locator("#controls button").count() >= 1


def test_watching_two_agents(open_page: Open) -> None:
    page = open_page()
    start(page, mode="watch", opponent="greedy", second="advance", edition="stack_n_stuff", seed="2")
    assert moves(page) == 0
    page.click("#watch-step")
    page.wait_for_function("() => document.querySelectorAll('#log li').length === 1")
    page.fill("#watch-pace", "2000")
    page.click("#watch-play")
    page.wait_for_selector("#summary[open]")
    assert "wins" in page.locator("#summary-title").inner_text()


def test_reloading_in_the_middle(open_page: Open, hall: Hall) -> None:
    page = open_page("", "404")
    start(page, seed="7")
    page.keyboard.press("2")
    page.keyboard.press("Enter")
    wait_for_move(page, 0)
    page.wait_for_function("() => location.hash.includes('game=')")
    shown = page.locator("#log").inner_text()
    page.reload()
    page.wait_for_selector("#offers button")
    settle(page)
    assert page.locator("#log").inner_text() == shown
    identity = page.evaluate("new URLSearchParams(location.hash.slice(1)).get('id')")
    # The server is restarted: it knows of no game, but the address does.
    hall.tables.clear()
    page.reload()
    page.wait_for_selector("#offers button")
    settle(page)
    assert page.locator("#log").inner_text() == shown
    assert page.evaluate("new URLSearchParams(location.hash.slice(1)).get('id')") != identity
    # It happens during the game: the next move sets the game up again.
    hall.tables.clear()
    page.keyboard.press("a")
    page.wait_for_function("() => document.getElementById('notice').textContent.includes('set up again')")
    before = moves(page)
    page.keyboard.press("a")
    wait_for_move(page, before)


def test_a_shared_start(open_page: Open) -> None:
    page = open_page()
    start(page, seed="123")
    offers = page.locator("#offers button").first.get_attribute("aria-label")
    page.click("#share")
    page.wait_for_function("() => document.getElementById('notice').textContent.includes('#start=')")
    link = page.locator("#notice").inner_text().rpartition("/")[2]
    other = open_page(link)
    other.wait_for_selector("#offers button")
    assert other.locator("#offers button").first.get_attribute("aria-label") == offers


def test_analysis(open_page: Open) -> None:
    page = open_page()
    start(page, seed="7")
    assert page.locator("#analysis").is_hidden()
    page.check("#analysis-on")
    page.wait_for_selector(".best button")
    assert page.locator(".hint").count() >= 1
    assert "%" in page.locator(".chance").inner_text()
    page.locator(".best button").first.hover()
    assert page.locator(".hint").count() <= 1
    page.locator(".best button").first.click()
    wait_for_move(page, 0)
    page.uncheck("#analysis-on")
    assert page.locator("#analysis").is_hidden()
    assert page.locator(".hint").count() == 0


@pytest.mark.parametrize("edition", EDITIONS)
def test_a_phone(open_page: Open, edition: str) -> None:
    page = open_page(
        f"#start={edition}&seed=7&seats=human|greedy&practice=1",
        viewport={"width": 360, "height": 740},
        has_touch=True,
        is_mobile=True,
    )
    page.wait_for_selector("#offers button")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert take_a_fitting_patch(page, lambda slot: page.tap(f"#offers [data-slot='{slot}']"))
    page.locator("#side-left svg.quilt").scroll_into_view_if_needed()
    box = page.locator("#side-left svg.quilt").bounding_box()
    middle = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.touchscreen.tap(*middle)  # the first touch moves the patch there
    assert moves(page) == 0
    assert page.locator(".ghost.legal").count() == 1
    page.tap("[data-name=rotate]")
    page.locator("#side-left svg.quilt").scroll_into_view_if_needed()
    page.touchscreen.tap(*ghost_middle(page))  # the second lays it
    wait_for_move(page, 0)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    small = page.evaluate(
        "[...document.querySelectorAll('button')].filter((b) => b.offsetParent && b.offsetHeight < 34).length"
    )
    assert small == 0


def test_everything_has_a_name(open_page: Open) -> None:
    page = open_page()
    start(page, seed="7")
    page.check("#analysis-on")
    page.wait_for_selector(".best button")
    nameless = page.evaluate(
        """() => [...document.querySelectorAll('button, input, select, textarea, svg[role=img], dialog, section')]
            .filter((e) => e.checkVisibility?.() ?? true)
            .filter((e) => !(e.ariaLabel || e.getAttribute('aria-labelledby')))
            .filter((e) => !(e.textContent.trim() || e.labels?.length))
            .map((e) => e.outerHTML.slice(0, 80))"""
    )
    assert nameless == []
    page.keyboard.press("1")
    assert "patch" in page.locator("#announcer").text_content()
    page.click("#help")
    assert page.locator("#help-box[open]").count() == 1
    page.keyboard.press("a")  # keys of the game do not reach through a dialog
    page.keyboard.press("Escape")
    assert moves(page) == 0


def test_declining_a_special_patch(open_page: Open) -> None:
    page = open_page()
    start(page, edition="stack_n_stuff", opponent="advance", seed="3")
    while page.locator("[data-name=decline]").count() == 0:
        before = moves(page)
        page.keyboard.press("a")
        wait_for_move(page, before)
    page.keyboard.press("d")
    page.wait_for_function("() => document.getElementById('log').textContent.includes('decline the special patch')")
    settle(page)

"""The dialogs: what they return, that no stray key confirms, and that hostile text is safe in them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from textual import events
from textual.widgets import Input

from memdesk.tui.screens.preview import PreviewScreen
from memdesk.tui.screens.reading import ReadingScreen
from memdesk.tui.widgets.dialogs import Ask, Choice, Confirm, Menu, Notice, Option, Pick, PickMany
from memdesk.tui.widgets.entry_text import Plain
from memdesk.tui.widgets.key_footer import KeyFooter
from memdesk.tui.widgets.one_line import Status
from memdesk.tui.widgets.row_list import RowList

HOSTILE = "[/red] [@click=app.quit]bye[/] \x1b[2J\u202e"
NOTHING = object()


class Opened:
    """A dialog on a screen, and what it returned."""

    def __init__(self, app: Any) -> None:
        self.app = app
        self.value: Any = NOTHING

    async def open(self, pilot: Any, dialog: Any) -> None:
        await self.app.push_screen(dialog, self._returned)
        await pilot.pause()

    def _returned(self, value: Any) -> None:
        self.value = value

    @property
    def message(self) -> str:
        return self.app.screen.query_one("#message", Status).render_line(0).text.strip()

    @property
    def text(self) -> str:
        rows = self.app.screen._compositor.render_strips()
        return "\n".join(strip.text for strip in rows)


async def answer(host: Any, dialog: Any, *keys: str, size: tuple[int, int] = (80, 24)) -> Any:
    app = host()
    async with app.run_test(size=size) as pilot:
        opened = Opened(app)
        await opened.open(pilot, dialog)
        await pilot.press(*keys)
        await pilot.pause()
        return opened.value


@pytest.mark.parametrize(
    ("trigger", "keys", "value"),
    [
        ("D", ["y"], True),
        ("y", ["y"], NOTHING),
        ("y", ["y", "x"], True),
        ("Y", ["y"], NOTHING),
        ("D", ["enter"], NOTHING),
        ("D", ["D", "D", "space"], NOTHING),
        ("D", ["n"], False),
        ("D", ["escape"], False),
    ],
)
async def test_confirm(host: Any, trigger: str, keys: list[str], value: Any) -> None:
    assert await answer(host, Confirm("Erase?", "It cannot be undone.", trigger=trigger), *keys) is value


@pytest.mark.parametrize(
    ("typed", "value"),
    [("DELETE 01J", True), ("delete 01j", NOTHING), ("DELETE 01J ", NOTHING), ("", NOTHING), ("y", NOTHING)],
)
async def test_a_token_must_be_typed_exactly(host: Any, typed: str, value: Any) -> None:
    keys = ["space" if char == " " else char for char in typed]
    assert await answer(host, Confirm("Erase?", "Gone.", token="DELETE 01J"), *keys, "enter") is value


async def test_the_confirming_key_is_shown_and_a_click_on_it_presses_it(host: Any) -> None:
    app = host()
    async with app.run_test(size=(80, 24)) as pilot:
        opened = Opened(app)
        await opened.open(pilot, Confirm("Erase?", "It cannot be undone.", yes="erase", trigger="y"))
        assert "x erase" in opened.text
        await pilot.click(app.screen.query_one(KeyFooter), offset=(2, 0))
        await pilot.pause()
        assert opened.value is True


CHOICES = [
    Choice("a", "For this session", "3"),
    Choice("b", "Open threads"),
    Choice("c", "Closed", why_not="It is closed."),
]


@pytest.mark.parametrize(
    ("keys", "value"),
    [
        (["enter"], "a"),
        (["down", "enter"], "b"),
        (["t", "h", "r", "enter"], "b"),
        (["S", "E", "S", "space", "3", "enter"], "a"),
        (["c", "l", "o", "enter"], NOTHING),
        (["q", "q", "enter"], NOTHING),
        (["escape"], None),
        (["pagedown", "pageup", "enter"], "a"),
    ],
)
async def test_pick(host: Any, keys: list[str], value: Any) -> None:
    assert await answer(host, Pick("Status", CHOICES), *keys) is value


async def test_pick_starts_on_the_present_choice_and_says_why_not(host: Any) -> None:
    app = host()
    async with app.run_test(size=(80, 24)) as pilot:
        opened = Opened(app)
        await opened.open(pilot, Pick("Status", CHOICES, current="c"))
        assert app.screen.query_one(RowList).cursor_key == "c"
        await pilot.press("enter")
        assert opened.message == "It is closed."


async def test_pick_asks_a_search_for_what_it_does_not_hold(host: Any) -> None:
    asked: list[str] = []

    def search(text: str) -> Sequence[Choice]:
        asked.append(text)
        return [Choice(f"found {text}", f"Found {text}")]

    assert await answer(host, Pick("Entry", CHOICES, search=search), "x", "y", "enter") == "found xy"
    assert asked == ["x", "xy"]


async def test_pick_many_returns_in_list_order(host: Any) -> None:
    choices = [Choice(tag, tag) for tag in ("api", "billing", "limits")] + [Choice("no", "no", why_not="never")]
    assert await answer(host, PickMany("Tags", choices, chosen=["limits"]), "space", "enter") == ["api", "limits"]
    assert await answer(host, PickMany("Tags", choices), "enter") == []
    assert await answer(host, PickMany("Tags", choices), "end", "space", "enter") == []
    assert await answer(host, PickMany("Tags", choices), "space", "escape") is None


async def test_ask(host: Any) -> None:
    assert await answer(host, Ask("Tag"), "a", "b", "enter") == "ab"
    assert await answer(host, Ask("Tag"), "enter") is NOTHING
    assert await answer(host, Ask("Tag", allow_empty=True), "enter") == ""
    assert await answer(host, Ask("Tag", value="x"), "escape") is None

    def check(text: str) -> str:
        return "" if text == "ab" else "Two letters."

    assert await answer(host, Ask("Tag", check=check), "a", "enter") is NOTHING
    assert await answer(host, Ask("Tag", check=check), "a", "enter", "b", "enter") == "ab"


async def test_hidden_characters_survive_a_line_that_is_edited(host: Any) -> None:
    app = host()
    async with app.run_test(size=(80, 24)) as pilot:
        opened = Opened(app)
        await opened.open(pilot, Ask("Title", value=f"a{HOSTILE}"))
        assert "\x1b" not in opened.text
        assert "␛[2J▯" in opened.text
        await pilot.press("z", "enter")
        assert opened.value == f"a{HOSTILE}z"


async def test_a_pasted_escape_is_not_drawn(host: Any) -> None:
    app = host()
    async with app.run_test(size=(80, 24)) as pilot:
        opened = Opened(app)
        await opened.open(pilot, Ask("Title"))
        app.screen.query_one(Input).insert_text_at_cursor("p\x1bq")
        await pilot.pause()
        assert "p␛q" in opened.text
        await pilot.press("enter")
        assert opened.value == "p\x1bq"


async def test_menu_and_notice(host: Any) -> None:
    options = [Option("s", "save", "save"), Option("d", "drop", "drop", why_not="nothing to drop")]
    assert await answer(host, Menu("Changed", options), "s") == "save"
    assert await answer(host, Menu("Changed", options), "d") is NOTHING
    assert await answer(host, Menu("Changed", options), "enter", "escape") is None
    assert await answer(host, Notice("Note", "text"), "enter") is None
    assert await answer(host, Notice("Note", "text"), "x") is NOTHING


DIALOGS = {
    "confirm": lambda: Confirm(HOSTILE, HOSTILE * 20, yes=HOSTILE),
    "token": lambda: Confirm("Erase?", HOSTILE * 40, token="DELETE x"),
    "pick": lambda: Pick(HOSTILE, [Choice(n, HOSTILE, HOSTILE) for n in range(100)]),
    "pick many": lambda: PickMany(HOSTILE, [Choice(n, HOSTILE) for n in range(100)]),
    "ask": lambda: Ask(HOSTILE, HOSTILE, value=HOSTILE, hint=HOSTILE),
    "menu": lambda: Menu(HOSTILE, [Option("s", HOSTILE, "s")], HOSTILE * 5),
    "notice": lambda: Notice(HOSTILE, HOSTILE * 200, tone="bad"),
}


@pytest.mark.parametrize("size", [(160, 45), (80, 24), (60, 16), (40, 10)])
async def test_dialogs_fit_small_screens_and_obey_no_text(host: Any, size: tuple[int, int]) -> None:
    app = host()
    async with app.run_test(size=size) as pilot:
        for name, dialog in DIALOGS.items():
            opened = Opened(app)
            await opened.open(pilot, dialog())
            assert not any(char in opened.text for char in "\x1b\u202e"), name
            assert "[/red]" in opened.text, name
            box = app.screen.query_one("#box").region
            keys = app.screen.query_one(KeyFooter).region
            assert box.width <= size[0], name
            assert box.bottom <= size[1], name
            assert keys.bottom < box.bottom, f"{name}: the keys are on screen"
            assert opened.value is NOTHING, name
            await app.pop_screen()


BURSTS = [
    (lambda: Menu("T", [Option("s", "save", "saved"), Option("d", "drop", "dropped")]), "sdss", "saved"),
    (lambda: Confirm("T", "It goes."), "ynyy", True),
    (lambda: Notice("T", "Read."), ["enter", "q", "escape"], None),
    (lambda: Ask("T", value="v"), ["enter", "enter", "enter"], "v"),
    (lambda: Pick("T", [Choice("a", "A"), Choice("b", "B")]), ["enter", "enter", "enter"], "a"),
    (lambda: PickMany("T", [Choice("a", "A")], chosen=["a"]), ["enter", "enter", "enter"], ["a"]),
    (lambda: PreviewScreen("T", [Plain("x")]), "ynqy", True),
    (lambda: ReadingScreen("T", [Plain("x")], ""), ["q", "escape", "q"], None),
]


@pytest.mark.parametrize(("make", "keys", "value"), BURSTS)
async def test_keys_of_one_read_answer_once(host: Any, make: Any, keys: Sequence[str], value: Any) -> None:
    app = host()
    async with app.run_test(size=(80, 24)) as pilot:
        given: list[Any] = []
        await app.push_screen(make(), given.append)
        await pilot.pause()
        for key in keys:
            app._driver.send_message(events.Key(key, key if len(key) == 1 else None))
        await pilot.pause()
        assert given == [value]
        assert len(app.screen_stack) == 1


async def test_a_pasted_text_of_many_lines_comes_whole_into_one(host: Any) -> None:
    app = host()
    async with app.run_test(size=(80, 24)) as pilot:
        opened = Opened(app)
        await opened.open(pilot, Ask("T"))
        app._driver.send_message(events.Paste("one\rtwo\r\nthree\n"))
        await pilot.pause()
        await pilot.press("enter")
        assert opened.value == "one two three"

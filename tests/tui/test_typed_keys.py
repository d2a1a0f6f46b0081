"""Keys that a terminal hands over in one read, and every way out of the desk."""

from __future__ import annotations

import os
import signal
import stat
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from on_screen import cursor, message, names, stored
from textual import events

from memdesk.core.model import Status
from memdesk.tui.screens.reading import ReadingScreen
from memdesk.tui.widgets.compose import Compose
from memdesk.tui.widgets.dialogs import Ask, Menu
from memdesk.tui.widgets.drafts import read_draft
from memdesk.tui.widgets.stand_ins import SafeInput

SIZE = (120, 40)
CODES = {"slash": "/", "question_mark": "?", "space": " "}


def burst(app: Any, keys: Sequence[str]) -> None:
    """What one read of the terminal yields."""
    for key in keys:
        app._driver.send_message(events.Key(key, CODES.get(key, key if len(key) == 1 else None)))


def operations(app: Any) -> int:
    return int(app.live.desk.store.connection.execute("SELECT count(*) FROM ops").fetchone()[0])


@pytest.mark.parametrize(
    "keys",
    [
        "gggggg", "gsssss", "gsdddd", ["g", "s", "c", "d", "l"], ["e", "escape", "d", "d"], ["e", "d", "d", "d"],
        ["w", "enter", "enter", "d"], ["question_mark", "q", "q", "q"], ["g", "e", "enter", "enter", "d"],
        ["e", "d", "enter", "d", "c"],
    ],
    ids="".join,
)  # fmt: skip
async def test_no_burst_crashes_or_decides_by_accident(
    make_app: Callable[..., Any], settle: Any, keys: Sequence[str]
) -> None:
    app = make_app()
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        first, before = cursor(app), names(app)
        burst(app, keys)
        await settle(pilot)
        assert app.return_code is None and app.is_running
        for name in before:
            entry = stored(app, name)
            assert entry.state == "active", name
            assert entry.status is not Status.CLOSED or name != first
            assert entry.klass != "log"


async def test_keys_typed_ahead_reach_what_they_open(make_app: Callable[..., Any], settle: Any) -> None:
    app = make_app()
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        burst(app, ["e", "d", "end", "x", "y"])
        await settle(pilot)
        assert isinstance(app.screen, Ask)
        assert app.screen.query_one(SafeInput).raw.endswith("xy")
        await pilot.press("escape")
        burst(app, ["slash", *"tax"])
        await settle(pilot)
        assert names(app) == ["project_billing_tax"]


async def test_quick_decisions_on_the_list_still_reach_row_after_row(make_app: Callable[..., Any], settle: Any) -> None:
    app = make_app()
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        first, second = names(app)[:2]
        burst(app, "cc")
        await settle(pilot)
        assert stored(app, first).status is Status.CLOSED and stored(app, second).status is Status.CLOSED


# -- leaving ----------------------------------------------------------------------------------------------------------


async def ended(app: Any, pilot: Any) -> None:
    for _ in range(100):
        await pilot.pause()
        if app._exit:
            return
    raise AssertionError("the desk did not end")


async def test_ctrl_c_says_how_to_leave(make_app: Callable[..., Any], settle: Any) -> None:
    app = make_app()
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press("ctrl+c")
        assert message(app) == "q leaves the desk."
        assert not app._notifications
        await pilot.press("g", "ctrl+c")
        assert isinstance(app.screen, Menu)
        assert not app._notifications


@pytest.mark.parametrize("way", ["ctrl+q", signal.SIGTERM, signal.SIGHUP], ids=str)
async def test_every_way_out_keeps_what_is_typed(
    make_app: Callable[..., Any], settle: Any, way: Any, desk_folder: Path
) -> None:
    app = make_app()
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press("a")
        await settle(pilot)
        assert isinstance(app.screen, Compose)
        await pilot.press(*"news")
        if way == "ctrl+q":
            await pilot.press(way)
        else:
            os.kill(os.getpid(), way)
        await ended(app, pilot)
    assert app.return_code == 0
    (path,) = (desk_folder / "drafts").iterdir()
    kept = read_draft(path)
    assert kept is not None and kept.text == "news"


async def test_ctrl_z_suspends(make_app: Callable[..., Any], settle: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    app = make_app()
    done: list[bool] = []
    monkeypatch.setattr(app, "action_suspend_process", lambda: done.append(True))
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await pilot.press("ctrl+z")
        assert done == [True]
        drawn: list[bool] = []
        monkeypatch.setattr(app, "refresh", lambda **how: drawn.append(how.get("layout", False)))
        app._resume_signal()
        await pilot.pause()
        assert True in drawn


async def test_a_fault_shows_one_sentence_and_writes_the_details(
    make_app: Callable[..., Any], settle: Any, desk_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    app = make_app()

    def broken() -> None:
        secret = "in a local"
        raise RuntimeError(f"boom {len(secret)}")

    with pytest.raises(RuntimeError, match="boom"):
        async with app.run_test(size=SIZE) as pilot:
            await settle(pilot)
            app.do_theme = broken
            await pilot.press("t")
            await pilot.pause()
    assert app.return_code == 1
    (details,) = desk_folder.glob("memdesk-fault-*.txt")
    assert stat.S_IMODE(details.stat().st_mode) == 0o600
    assert "RuntimeError: boom 10" in details.read_text() and "in a local" not in details.read_text().split("boom")[-1]
    shown = capsys.readouterr().err
    assert "stopped by a fault inside it" in shown and details.name in shown.replace("\n", "")
    assert "Traceback" not in shown


async def test_reading_screens_answer_once(make_app: Callable[..., Any], settle: Any) -> None:
    app = make_app()
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        burst(app, ["question_mark"])
        await settle(pilot)
        assert isinstance(app.screen, ReadingScreen)
        burst(app, ["q"] * 5)
        await settle(pilot)
        assert len(app.screen_stack) == 1 and app.is_running


@pytest.mark.parametrize(("size", "small"), [((20, 5), True), ((80, 24), False)])
async def test_a_window_that_is_too_small_says_so(
    make_app: Callable[..., Any], settle: Any, size: tuple[int, int], small: bool
) -> None:
    app = make_app()
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        rows = ["".join(part.text for part in strip) for strip in app.screen._compositor.render_strips()]
        assert ("too small" in " ".join(" ".join(rows).split())) is small

"""The shell: the keys that work in every pane, what they do, and what the frame shows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from covered_keys import presses
from on_screen import cursor, message, names, put_cursor, screen_text, stored

from memdesk.core.config import Config
from memdesk.core.errors import StoreUnusable
from memdesk.core.model import Status
from memdesk.tui.screens.reading import ReadingScreen
from memdesk.tui.widgets.entry_text import EntryText
from memdesk.tui.widgets.header import HeaderLine
from memdesk.tui.widgets.key_footer import KeyFooter
from memdesk.tui.writing import desk_hint


def header(app: Any) -> str:
    return "".join(text for text, _ in app.screen_stack[0].query_one("#header", HeaderLine).parts(200)).strip()


def footer(app: Any, width: int = 400) -> str:
    return "".join(text for text, _ in app.screen_stack[0].query_one("#keys", KeyFooter).parts(width)).strip()


# -- start ------------------------------------------------------------------------------------------------------------


async def test_the_first_paint_does_not_wait_for_the_store(make_app: Callable[..., Any], settle: Any) -> None:
    import threading

    gate = threading.Event()
    app = make_app()
    opener = app.live._opener

    def slow() -> Any:
        assert gate.wait(20)
        return opener()

    app.live._opener = slow
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.pause()
        assert "opening…" in header(app)
        assert "Opening the store…" in screen_text(app)
        await pilot.press("c")
        assert message(app) == "The store is still being opened."
        gate.set()
        await settle(pilot)
        assert cursor(app) == "project_billing_export"
        assert "opening" not in header(app)


async def test_a_store_that_cannot_be_opened_ends_the_desk_with_the_reason(make_app: Callable[..., Any]) -> None:
    def broken() -> Any:
        raise StoreUnusable("It is no store.", "Look elsewhere.")

    app = make_app(opener=broken)
    async with app.run_test() as pilot:
        for _ in range(50):
            await pilot.pause()
            if app.return_value is not None:
                break
    assert isinstance(app.return_value, StoreUnusable)
    assert app.return_code == 1


# -- panes ------------------------------------------------------------------------------------------------------------


@presses("pane.triage", "pane.threads")
async def test_number_keys_go_to_the_panes(make_app: Callable[..., Any], settle: Any) -> None:
    app = make_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("1")
        await settle(pilot)
        assert app.pane.NAME == "triage"
        assert "1▸Triage" in header(app)
        await pilot.press("2")
        await settle(pilot)
        assert app.pane.NAME == "threads"
        assert "2▸Threads" in header(app)
        assert app.focused is app.pane.list


async def test_a_pane_in_the_background_reads_when_it_comes_to_the_front(
    make_app: Callable[..., Any], settle: Any
) -> None:
    app = make_app(pane="triage")
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        assert app.query_one("#threads").list.total == 0
        await pilot.press("2")
        await settle(pilot)
        assert len(names(app)) == 14


# -- moving and marks -------------------------------------------------------------------------------------------------


@presses("list.up", "list.down", "list.first", "list.last", "list.page_up", "list.page_down")
async def test_the_list_moves(make_app: Callable[..., Any], settle: Any) -> None:
    app = make_app()
    async with app.run_test(size=(120, 12)) as pilot:
        await settle(pilot)
        found = []
        for key in ("down", "j", "up", "k", "end", "home", "pagedown", "pageup"):
            await pilot.press(key)
            found.append(app.pane.list.position[0])
        assert found[:6] == [2, 3, 2, 1, 14, 1]
        assert found[6] > 1 and found[7] == 1


@presses("list.mark", "desk.mark_all", "desk.back")
async def test_marks_and_the_action_line(make_app: Callable[..., Any], settle: Any) -> None:
    app = make_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        assert footer(app).endswith("this entry")
        await pilot.press("space", "space", "space")
        await settle(pilot)
        assert footer(app).endswith("3 marked")
        await pilot.press("up", "space")
        await settle(pilot)
        assert footer(app).endswith("2 marked")
        await pilot.press("*")
        await settle(pilot)
        assert footer(app).endswith("14 marked")
        await pilot.press("escape")
        await settle(pilot)
        assert footer(app).endswith("this entry")


# -- filter -----------------------------------------------------------------------------------------------------------


@presses("desk.filter", "desk.back")
async def test_slash_filters_as_you_type_and_esc_clears(make_app: Callable[..., Any], settle: Any) -> None:
    app = make_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        put_cursor(app, "project_checkout_webhooks")
        await pilot.press("/", *"check")
        await settle(pilot)
        assert names(app) == ["project_checkout_retries", "project_checkout_webhooks", "project_checkout_refunds"]
        assert cursor(app) == "project_checkout_webhooks"
        assert footer(app).endswith("3 fit")
        await pilot.press("enter", "c")
        await settle(pilot)
        assert stored(app, "project_checkout_webhooks").status is Status.CLOSED
        assert len(names(app)) == 3
        await pilot.press("escape")
        await settle(pilot)
        assert len(names(app)) == 14
        assert cursor(app) == "project_checkout_refunds"


@pytest.mark.parametrize("words", ["[/red]", '"', "*", "AND", "C++", "don't", "#12", "検索", "NEAR("])
async def test_odd_filters_are_no_error(make_app: Callable[..., Any], settle: Any, words: str) -> None:
    app = make_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("/")
        app.pane._filter.value = words
        await settle(pilot)
        assert app.pane.list._banner == ""
        assert ("project_search_cjk" in names(app)) == (words == "検索")


async def test_marks_do_not_outlive_the_filter_that_hides_their_rows(make_app: Callable[..., Any], settle: Any) -> None:
    app = make_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("space", "/", *"check")
        await settle(pilot)
        await pilot.press("enter", "c")
        await settle(pilot)
        assert stored(app, "project_billing_export").status is Status.CARRY_FORWARD
        assert stored(app, "project_checkout_retries").status is Status.CLOSED


# -- the text ---------------------------------------------------------------------------------------------------------


@presses("desk.detail", "list.select", "desk.next", "desk.back")
async def test_v_enter_and_tab_go_into_the_text_and_esc_comes_back(make_app: Callable[..., Any], settle: Any) -> None:
    app = make_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        for into, back in [("v", "v"), ("enter", "escape"), ("tab", "tab"), ("v", "escape")]:
            await pilot.press(into)
            assert app.focused is app.pane.detail.text
            await pilot.press(back)
            assert app.focused is app.pane.list


@presses("text.up", "text.down", "text.page_up", "text.page_down", "text.home", "text.end", "text.folds")
async def test_the_text_scrolls_and_folds(make_app: Callable[..., Any], settle: Any) -> None:
    app = make_app()
    async with app.run_test(size=(120, 14)) as pilot:
        await settle(pilot)
        text = app.pane.detail.text
        await pilot.press("z")
        assert "carry_forward" in text.plain_text()
        await pilot.press("v")
        tops = []
        for key in ("down", "j", "up", "k", "pagedown", "space", "pageup", "end", "home"):
            await pilot.press(key)
            await pilot.pause()
            tops.append(round(text.scroll_y))
        assert tops[:4] == [1, 2, 1, 0]
        assert tops[4] > 2 and tops[5] > tops[4] and tops[6] == tops[4]
        assert tops[7] == text.max_scroll_y and tops[8] == 0
        await pilot.press("z")
        assert "carry_forward" not in text.plain_text()


@pytest.mark.parametrize(
    ("size", "list_shown", "text_shown"),
    [((120, 40), True, True), ((80, 24), True, True), ((60, 16), True, False)],
)
async def test_what_is_shown_at_each_size(
    make_app: Callable[..., Any], settle: Any, size: tuple[int, int], list_shown: bool, text_shown: bool
) -> None:
    app = make_app()
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        pane = app.pane
        assert (bool(pane.list.size), bool(pane.detail.size)) == (list_shown, text_shown)
        await pilot.press("v")
        await pilot.pause()
        assert bool(pane.detail.size)
        assert bool(pane.list.size) == (size[0] >= 100)
        await pilot.press("escape")
        await pilot.pause()
        assert bool(pane.list.size)


async def test_a_resize_keeps_the_cursor_in_view(make_app: Callable[..., Any], settle: Any) -> None:
    app = make_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        put_cursor(app, "project_old_dashboard")
        for size in [(60, 12), (80, 24), (40, 8), (160, 45)]:
            await pilot.resize_terminal(*size)
            await settle(pilot)
            assert cursor(app) == "project_old_dashboard"
            assert "old_dashb" in screen_text(app)


# -- undo, copy, workspace, theme -------------------------------------------------------------------------------------


@presses("desk.undo", "desk.redo")
@pytest.mark.parametrize("redo", ["U", "ctrl+r"])
async def test_undo_walks_back_and_redo_returns(make_app: Callable[..., Any], settle: Any, redo: str) -> None:
    app = make_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("c", "c", "u", "u")
        await settle(pilot)
        assert len(names(app)) == 14
        assert stored(app, "project_billing_export").status is Status.CARRY_FORWARD
        assert message(app) == "Undid: Closed project_billing_export U brings it back."
        await pilot.press(redo)
        await settle(pilot)
        assert stored(app, "project_billing_export").status is Status.CLOSED
        assert stored(app, "decision_drop_python_310").status is Status.CARRY_FORWARD
        await pilot.press("u", "u")
        await settle(pilot)
        assert message(app).startswith("There is nothing of user:ana left to undo.")


@presses("desk.copy", "desk.copy_file")
async def test_y_copies_with_visible_marks_and_shift_y_writes_a_file(make_app: Callable[..., Any], settle: Any) -> None:
    app = make_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("Y")
        assert message(app) == "Nothing was copied yet; y copies the text of the entry."
        put_cursor(app, "project_nasty")
        await pilot.press("y")
        await settle(pilot)
        assert "[[wikilink]] [/]" in app.clipboard
        assert not any(char in app.clipboard for char in "\x1b\x07\u200b\u202e")
        await pilot.press("Y")
        await settle(pilot)
        path = app.live.desk.store.folder / "copied" / "project_nasty.md"
        assert path.read_text(encoding="utf-8") == app.clipboard
        assert path.stat().st_mode & 0o777 == 0o600
        assert str(path) in message(app)


@presses("desk.workspace")
async def test_w_picks_the_workspace(make_app: Callable[..., Any], settle: Any) -> None:
    app = make_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        assert header(app).endswith("me")
        await pilot.press("w")
        await settle(pilot)
        await pilot.press(*"lab", "enter")
        await settle(pilot)
        assert names(app) == ["project_lab_only"]
        assert header(app).endswith("lab")
        await pilot.press("w")
        await settle(pilot)
        await pilot.press(*"all work", "enter")
        await settle(pilot)
        assert len(names(app)) == 15
        assert header(app).endswith("all workspaces")
        assert "lab/lab_only" in screen_text(app)


@presses("desk.theme")
async def test_t_changes_the_theme(make_app: Callable[..., Any], settle: Any) -> None:
    app = make_app(config=Config(theme="light"))
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        assert app.theme == "memdesk-light"
        await pilot.press("t")
        assert app.theme == "memdesk-dark"
        await pilot.press("t")
        assert app.theme == "memdesk-light"


async def test_no_color_chooses_the_terminals_own_colours(make_app: Callable[..., Any], settle: Any) -> None:
    app = make_app(environ={"NO_COLOR": "1"})
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert app.theme == "ansi-dark"
        await pilot.press("t")
        assert app.theme == "ansi-light"


async def test_an_unknown_theme_of_the_config_is_passed_over(make_app: Callable[..., Any], settle: Any) -> None:
    app = make_app(config=Config(theme="neon"))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert app.theme == "memdesk-dark"
        assert message(app).startswith("There is no theme 'neon'")


# -- help and palette -------------------------------------------------------------------------------------------------


@presses("desk.keys")
async def test_question_mark_shows_every_key_with_its_reason(make_app: Callable[..., Any], settle: Any) -> None:
    app = make_app()
    async with app.run_test(size=(120, 200)) as pilot:
        await settle(pilot)
        await pilot.press("?")
        await settle(pilot)
        assert isinstance(app.screen, ReadingScreen)
        text = app.screen.query_one(EntryText).plain_text()
        assert "Close the thread: its work is done with" in text
        assert "(Not now: It is carried forward already.)" in text
        assert "A smaller budget" not in text, "keys of another pane"
        await pilot.press("escape")
        assert app.focused is app.pane.list


@presses("desk.palette")
@pytest.mark.parametrize("key", [":", "ctrl+p"])
async def test_the_palette_does_an_action(make_app: Callable[..., Any], settle: Any, key: str) -> None:
    app = make_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press(key)
        await settle(pilot)
        await pilot.press(*"close the thread", "enter")
        await settle(pilot)
        assert stored(app, "project_billing_export").status is Status.CLOSED


async def test_the_palette_finds_an_entry_by_the_beginning_of_its_description(
    make_app: Callable[..., Any], settle: Any
) -> None:
    app = make_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press(":")
        await settle(pilot)
        assert "Close the thread: its work" in screen_text(app) and "Close: Close" not in screen_text(app)
        await pilot.press(*"arrive twi", "enter")
        await settle(pilot)
        assert cursor(app) == "project_checkout_webhooks"


async def test_another_pane_does_not_repeat_what_was_said_of_the_one_before(
    make_app: Callable[..., Any], settle: Any
) -> None:
    app = make_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("c")
        await settle(pilot)
        assert message(app)
        await pilot.press("1")
        await settle(pilot)
        assert message(app) == ""


def test_a_hint_of_the_desk_names_no_options() -> None:
    assert desk_hint("Add --class=thread, or leave --status out.") == ""
    assert desk_hint("Take a shorter text. Or use --force. Then go on.") == "Take a shorter text. Then go on."


@presses("desk.palette")
async def test_the_palette_goes_to_an_entry(make_app: Callable[..., Any], settle: Any) -> None:
    app = make_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press(":")
        await settle(pilot)
        await pilot.press(*"webhooks arrive", "enter")
        await settle(pilot)
        assert cursor(app) == "project_checkout_webhooks"
        await pilot.press(":")
        await settle(pilot)
        await pilot.press(*"failover", "enter")
        await settle(pilot)
        assert isinstance(app.screen, ReadingScreen), "an entry that this list has not is shown over it"
        assert "Lost writes on failover." in app.screen.query_one(EntryText).plain_text()


async def test_the_palette_says_why_an_action_does_not_work(make_app: Callable[..., Any], settle: Any) -> None:
    app = make_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press(":")
        await settle(pilot)
        await pilot.press(*"carry the thread", "enter")
        await settle(pilot)
        assert "It is carried forward already." in screen_text(app)


# -- keys of the person -----------------------------------------------------------------------------------------------


async def test_keys_of_the_config_work_and_wrong_ones_are_told(make_app: Callable[..., Any], settle: Any) -> None:
    keys = {"entry.close": "C", "list.down": "N,down", "entry.open": "?", "nonsense": "x"}
    app = make_app(config=Config(keys=keys))
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        assert "There is no action 'nonsense'" in message(app)
        assert "belongs to desk.keys already" in message(app)
        assert "C Close" in footer(app)
        await pilot.press("N", "c")
        await settle(pilot)
        assert stored(app, "decision_drop_python_310").status is Status.CARRY_FORWARD, "the old key is free"
        await pilot.press("C")
        await settle(pilot)
        assert stored(app, "decision_drop_python_310").status is Status.CLOSED


async def test_a_click_on_the_footer_presses_the_key_or_says_why_not(make_app: Callable[..., Any], settle: Any) -> None:
    app = make_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        line = "".join(text for text, _ in app.query_one("#keys", KeyFooter).parts(120))
        await pilot.click("#keys", offset=(line.index("(f Carry") + 1, 0))
        await settle(pilot)
        assert message(app) == "It is carried forward already."
        await pilot.click("#keys", offset=(line.index("c Close"), 0))
        await settle(pilot)
        assert stored(app, "project_billing_export").status is Status.CLOSED


@presses("desk.quit")
async def test_q_leaves(make_app: Callable[..., Any], settle: Any) -> None:
    app = make_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("q")
        await pilot.pause()
    assert app.return_code == 0 and app.return_value is None


@presses("desk.quit")
async def test_q_waits_for_what_is_being_written(make_app: Callable[..., Any], settle: Any, desk_folder: Path) -> None:
    app = make_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("c", "c", "q")
        for _ in range(100):
            await pilot.pause()
            if app._exit:
                break
        else:
            raise AssertionError("the desk did not end")
    with app.live._opener() as desk:
        for name in ("project_billing_export", "decision_drop_python_310"):
            assert desk.find(name).status is Status.CLOSED


# -- many -------------------------------------------------------------------------------------------------------------


async def test_of_many_rows_only_those_on_screen_are_read(
    make_app: Callable[..., Any], settle: Any, big_folder: Path
) -> None:
    """The height of the screen decides what a frame costs, not the length of the list (DESIGN 9 rule 4)."""
    app = make_app(big_folder)
    asked: list[int] = []
    async with app.run_test(size=(120, 30)) as pilot:
        await settle(pilot)
        assert app.pane.list.total == 3000
        store = app.live.desk.store
        rows = store.rows

        def counted(keys: Any) -> Any:
            keys = list(keys)
            asked.append(len(keys))
            return rows(keys)

        store.rows = counted
        await pilot.press("j", "j", "space", "k")
        await settle(pilot)
        assert asked == [], "moving on the screen reads nothing again"
        await pilot.press("end")
        await settle(pilot)
        assert cursor(app) == "project_thread_2999"
        assert sum(asked) <= 128
        asked.clear()
        app.refresh_views()
        await settle(pilot)
        assert sum(asked) <= 192, "a refresh reads what is on screen"


async def test_marking_all_of_many_and_filtering_them(
    make_app: Callable[..., Any], settle: Any, big_folder: Path
) -> None:
    app = make_app(big_folder)
    async with app.run_test(size=(120, 30)) as pilot:
        await settle(pilot)
        await pilot.press("*")
        await settle(pilot)
        assert footer(app).endswith("3000 marked")
        assert len(app.situation().targets) == 200, "enough to tell which keys work"
        assert len(app.pane.targets()) == 3000
        await pilot.press("/", *"number 2997")
        await settle(pilot)
        assert names(app) == ["project_thread_2997"]

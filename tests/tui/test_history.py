"""The History pane: every key of it, pressed, and what it showed or did (issue 4)."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from covered_keys import presses
from on_screen import message, names, put_cursor, screen_text, stored

from memdesk.core.events import Clock
from memdesk.core.model import State
from memdesk.core.text import visible
from memdesk.tui.panes.history import HistoryPane

from .conftest import NASTY_BODY, NOW, Wall

OLD = "# Steps\n\nCap is 3.\n\nWait 100 ms between two calls.\n\n" + "\n".join(f"- step {n}" for n in range(30))
NEW = OLD.replace("Cap is 3.", "Cap is 5.").replace("- step 27", "- step twenty-seven")


@pytest.fixture
def storied(desk_folder: Path) -> Path:
    """Ana rewords an entry twice; a bad session writes two entries and changes one; somebody derives from them."""
    from memdesk.core.desk import Actor, Desk

    wall = Wall()
    clock = Clock(wall, random.Random(3).randbytes)

    def at(minutes: int, actor: str, session: str | None = None) -> Desk:
        wall.moment = NOW - timedelta(minutes=minutes)
        return Desk.open(desk_folder, Actor(actor, session_id=session), clock=clock)

    with at(25, "user:ana") as desk:
        desk.edit("project_checkout_retries", fields={"body": OLD})
    with at(20, "agent:scout", "s-bad") as desk:
        desk.add(name="atom_wrong", body="Redis is fine.", description="Wrong", workspace="me")
        desk.add(name="project_wrong", body="Go.", klass="thread", status="open", description="Wrong", workspace="me")
        desk.append("project_billing_tax", "Nonsense.")
    with at(15, "user:ana") as desk:
        desk.edit("project_checkout_retries", fields={"body": NEW, "description": "Retry it, with a cap of 5"})
    with at(10, "user:bob") as desk:
        desk.add(name="decision_from_it", body="So: Redis.", description="From it", workspace="me")
        desk.link("decision_from_it", "derived_from", "atom_wrong")
        desk.link("decision_from_it", "supersedes", "decision_sqlite_for_cache", force=True)
    return desk_folder


def pane(app: Any) -> HistoryPane:
    found = app.pane
    assert isinstance(found, HistoryPane)
    return found


def detail(app: Any) -> str:
    return pane(app).sheet.plain_text()


async def to_versions(app: Any, pilot: Any, settle: Any, name: str = "project_checkout_retries") -> None:
    """From Threads to the versions of an entry."""
    await settle(pilot)
    put_cursor(app, name)
    await pilot.press("h")
    await settle(pilot)


async def to_operation(app: Any, pilot: Any, settle: Any, said: str) -> None:
    """The log, with the cursor on the newest operation of that sentence."""
    await settle(pilot)
    await pilot.press("5")
    await settle(pilot)
    put_cursor(app, said)
    await settle(pilot)


@presses("pane.history")
async def test_5_lists_what_was_done_the_newest_first_by_day(
    make_app: Callable[..., Any], settle: Any, storied: Path
) -> None:
    app = make_app(storied)
    async with app.run_test(size=(140, 40)) as pilot:
        await settle(pilot)
        await pilot.press("5")
        await settle(pilot)
        assert names(app)[:7] == [
            "decision_from_it replaces decision_sqlite_for_cache", "decision_from_it was distilled from atom_wrong",
            "Added decision_from_it", "Edited body, description of project_checkout_retries",
            "Added to project_billing_tax", "Added project_wrong", "Added atom_wrong",
        ]  # fmt: skip
        headers = [s.header for s in app.pane._rows.sections()]
        assert headers[:2] == ["Today", "Yesterday"] and headers[2].startswith("Friday 13 June 2025")
        text = detail(app)
        assert "decision_from_it replaces decision_sqlite_for_cache" in text
        assert "9 min ago, 2025-06-15 11:50:00 UTC · user:bob · this machine" in " ".join(text.split())
        # The event stands at both ends of the edge.
        assert "+ replaces decision_sqlite_for_cache" in text and "+ is replaced by decision_from_it" in text


async def test_the_difference_of_an_operation_is_shown_field_by_field(
    make_app: Callable[..., Any], settle: Any, storied: Path
) -> None:
    app = make_app(storied)
    async with app.run_test(size=(140, 50)) as pilot:
        await to_operation(app, pilot, settle, "Edited body, description of project_checkout_retries")
        text = detail(app)
        for line in (
            "Description", "- Retry the payment call, with a cap", "+ Retry it, with a cap of 5", "- Cap is 3.",
            "+ Cap is 5.", "equal lines", "- - step 27", "+ - step twenty-seven",
        ):  # fmt: skip
            assert line in text


async def test_the_filter_narrows_the_log_by_author_session_and_words(
    make_app: Callable[..., Any], settle: Any, storied: Path
) -> None:
    app = make_app(storied, pane="history")
    async with app.run_test(size=(140, 40)) as pilot:
        await settle(pilot)
        await pilot.press("/", *"s-bad wrong", "enter")
        await settle(pilot)
        assert names(app) == ["Added project_wrong", "Added atom_wrong"]
        await pilot.press("escape")
        await settle(pilot)
        assert len(names(app)) > 20


@presses("desk.history")
async def test_h_goes_from_an_entry_to_its_versions_and_esc_to_the_log_and_back_to_its_row(
    make_app: Callable[..., Any], settle: Any, storied: Path
) -> None:
    app = make_app(storied)
    async with app.run_test(size=(160, 45)) as pilot:
        await to_versions(app, pilot, settle)
        assert names(app) == [
            "changed the description; changed the text (+3 %)", "changed the text (38 times as long)", "created",
        ]  # fmt: skip
        text = " ".join(detail(app).split())
        assert "version 3 of 3 · 15 min ago, 2025-06-15 11:45:00 UTC · user:ana · this machine" in text
        await pilot.press("escape")
        await settle(pilot)
        put_cursor(app, "Added to project_billing_tax")
        await settle(pilot)
        await pilot.press("h")
        await settle(pilot)
        assert pane(app).entry_id == stored(app, "project_billing_tax").id
        await pilot.press("escape")
        await settle(pilot)
        assert pane(app).entry_id is None and app.pane.current().name == "Added to project_billing_tax"


async def test_the_filter_of_the_log_is_set_aside_for_the_versions_and_back_after_them(
    make_app: Callable[..., Any], settle: Any, storied: Path
) -> None:
    app = make_app(storied, pane="history")
    async with app.run_test(size=(140, 40)) as pilot:
        await settle(pilot)
        await pilot.press("/", *"scout billing", "enter")
        await settle(pilot)
        assert names(app) == ["Added to project_billing_tax"]
        await pilot.press("h")
        await settle(pilot)
        assert pane(app).entry_id == stored(app, "project_billing_tax").id
        assert len(names(app)) == 2 and names(app)[-1] == "created"
        assert not pane(app).has_class("-filtering")
        # A filter of the versions is their own: esc takes it away, and only then leads back to the log and its filter.
        await pilot.press("/", *"zzz", "enter")
        await settle(pilot)
        assert pane(app).filter_text == "zzz"
        await pilot.press("escape")
        await settle(pilot)
        assert len(names(app)) == 2
        await pilot.press("escape")
        await settle(pilot)
        assert pane(app).entry_id is None and names(app) == ["Added to project_billing_tax"]
        assert pane(app).has_class("-filtering") and "scout billing" in screen_text(app)
        await pilot.press("escape")
        await settle(pilot)
        assert len(names(app)) > 20 and pane(app).filter_text == ""


async def test_h_asks_which_entry_where_an_operation_touched_several(
    make_app: Callable[..., Any], settle: Any, storied: Path
) -> None:
    app = make_app(storied)
    async with app.run_test(size=(140, 40)) as pilot:
        await to_operation(app, pilot, settle, "decision_from_it was distilled from atom_wrong")
        await pilot.press("h")
        await settle(pilot)
        await pilot.press("down", "enter")
        await settle(pilot)
        assert pane(app).entry_id == stored(app, "atom_wrong").id
        assert names(app)[0] == "was distilled into decision_from_it"


@presses("history.next", "history.previous")
async def test_n_and_p_jump_between_changes(make_app: Callable[..., Any], settle: Any, storied: Path) -> None:
    app = make_app(storied)
    async with app.run_test(size=(100, 16)) as pilot:
        await to_versions(app, pilot, settle)
        sheet = pane(app).sheet
        changes = [row for row in sheet._text_rows if row.starts]
        assert [row.text.split()[-1] for row in changes] == ["cap", "3.", "27"]
        tops = []
        for key in ("n", "n", "p"):
            await pilot.press(key)
            await settle(pilot)
            tops.append(sheet._text_rows[round(sheet.scroll_y)])
        assert tops == [changes[0], changes[1], changes[0]]
        await pilot.press("p")
        await settle(pilot)
        assert message(app) == "There is no change above."
        for _ in range(4):
            await pilot.press("n")
        await settle(pilot)
        assert message(app) == "There is no change below."


@presses("history.side")
async def test_s_shows_two_columns_where_there_is_room(
    make_app: Callable[..., Any], settle: Any, storied: Path
) -> None:
    app = make_app(storied)
    async with app.run_test(size=(180, 45)) as pilot:
        await to_versions(app, pilot, settle)
        await pilot.press("s")
        await settle(pilot)
        row = next(r.text for r in pane(app).sheet._text_rows if "Cap is 3." in r.text)
        left, right = row.split("│")
        assert "- Cap is 3." in left and "+ Cap is 5." in right
        await pilot.press("s")
        await settle(pilot)
        assert message(app) == "In one column."
        await pilot.resize_terminal(72, 24)
        await settle(pilot)
        await pilot.press("s")
        await settle(pilot)
        assert "wider screen" in message(app)
        assert "│" not in detail(app)


@presses("history.current")
async def test_c_compares_with_now_and_marks_compare_any_two(
    make_app: Callable[..., Any], settle: Any, storied: Path
) -> None:
    app = make_app(storied)
    async with app.run_test(size=(160, 60)) as pilot:
        await to_versions(app, pilot, settle)
        await pilot.press("end")
        await settle(pilot)
        await pilot.press("c")
        await settle(pilot)
        assert "From version 1 (agent:planner, 28 min ago) to the entry as it is now" in detail(app)
        assert "- Cap is 3." in detail(app) and "+ Cap is 5." in detail(app)
        await pilot.press("c")
        await settle(pilot)
        assert "version 1 of 3" in detail(app)
        await pilot.press("space", "home", "space")
        await settle(pilot)
        assert "From version 1" in detail(app) and "to version 3" in detail(app)


@presses("history.blame")
async def test_b_says_who_wrote_each_line(make_app: Callable[..., Any], settle: Any, storied: Path) -> None:
    app = make_app(storied)
    async with app.run_test(size=(160, 60)) as pilot:
        await to_versions(app, pilot, settle)
        await pilot.press("b")
        await settle(pilot)
        rows = {r.text.split("│")[1].strip(): r.text.split("│")[0].split() for r in pane(app).sheet._text_rows
                if "│" in r.text}  # fmt: skip
        assert rows["# Steps"] == ["user:ana", "25", "min"]
        assert rows["Cap is 5."] == ["user:ana", "15", "min"]
        assert rows["- step twenty-seven"] == ["user:ana", "15", "min"]
        await pilot.press("b")
        await settle(pilot)
        assert "version 3 of 3" in detail(app)


@presses("history.restore")
async def test_walk_restore_an_older_wording_and_undo_that(
    make_app: Callable[..., Any], settle: Any, storied: Path
) -> None:
    """Issue 4's walk: find why an entry is superseded, restore the older wording, undo that; keys only."""
    app = make_app(storied)
    async with app.run_test(size=(160, 45)) as pilot:
        await to_operation(app, pilot, settle, "decision_from_it replaces decision_sqlite_for_cache")
        await pilot.press("h", "down", "enter")
        await settle(pilot)
        assert "is replaced by decision_from_it" in names(app)[0]
        assert "+ is replaced by decision_from_it" in detail(app)  # the reason
        await pilot.press("escape")
        await settle(pilot)
        put_cursor(app, "Edited body, description of project_checkout_retries")
        await settle(pilot)
        await pilot.press("h")
        await settle(pilot)
        await pilot.press("down", "r")
        await settle(pilot)
        entry = stored(app, "project_checkout_retries")
        assert (entry.body, entry.description) == (OLD, "Retry the payment call, with a cap")
        assert message(app).endswith("u undoes.")
        assert len(names(app)) == 4
        await pilot.press("u")
        await settle(pilot)
        entry = stored(app, "project_checkout_retries")
        assert (entry.body, entry.description) == (NEW, "Retry it, with a cap of 5")


@presses("history.field")
async def test_f_restores_one_field(make_app: Callable[..., Any], settle: Any, storied: Path) -> None:
    app = make_app(storied)
    async with app.run_test(size=(160, 45)) as pilot:
        await to_versions(app, pilot, settle)
        await pilot.press("f")
        await settle(pilot)
        assert "same values" in message(app)
        await pilot.press("down", "f")
        await settle(pilot)
        await pilot.press("enter")
        await settle(pilot)
        entry = stored(app, "project_checkout_retries")
        assert (entry.body, entry.description) == (NEW, "Retry the payment call, with a cap")


async def test_a_restore_of_what_moved_meanwhile_is_refused(
    make_app: Callable[..., Any], settle: Any, storied: Path, open_desk: Callable[..., Any]
) -> None:
    app = make_app(storied)
    async with app.run_test(size=(160, 45)) as pilot:
        await to_versions(app, pilot, settle)
        await pilot.press("down")
        await settle(pilot)
        open_desk().edit("project_checkout_retries", fields={"description": "By Bob"})
        await pilot.press("r")
        await settle(pilot)
        assert stored(app, "project_checkout_retries").body == NEW
        assert "user:bob" in message(app) and "By Bob" in message(app)


@pytest.mark.parametrize("key", ["c", "b", "r", "f"])
async def test_what_is_for_versions_says_so_in_the_log(
    make_app: Callable[..., Any], settle: Any, storied: Path, key: str
) -> None:
    app = make_app(storied, pane="history")
    async with app.run_test(size=(140, 40)) as pilot:
        await settle(pilot)
        before = len(names(app))
        await pilot.press(key)
        await settle(pilot)
        assert message(app) == "This is for the versions of an entry: h goes there from an operation."
        assert len(names(app)) == before


async def test_y_copies_a_version_and_in_the_log_the_difference(
    make_app: Callable[..., Any], settle: Any, storied: Path
) -> None:
    app = make_app(storied)
    async with app.run_test(size=(160, 45)) as pilot:
        await to_versions(app, pilot, settle)
        await pilot.press("down", "y")
        await settle(pilot)
        assert app.clipboard == OLD
        await pilot.press("escape")
        await settle(pilot)
        await pilot.press("home")
        await settle(pilot)
        await pilot.press("y")
        await settle(pilot)
        assert "replaces decision_sqlite_for_cache" in app.clipboard


# -- the memory as it was ---------------------------------------------------------------------------------------------


@presses("history.as_of", "desk.past")
async def test_a_shows_every_pane_as_it_was_right_after_and_esc_goes_back_to_now(
    make_app: Callable[..., Any], settle: Any, storied: Path
) -> None:
    app = make_app(storied)
    async with app.run_test(size=(140, 40)) as pilot:
        await to_operation(app, pilot, settle, "Added atom_wrong")
        await pilot.press("a")
        await settle(pilot)
        assert names(app)[0] == "Added atom_wrong"
        text = screen_text(app)
        assert "AS IT WAS" in text and "2025-06-15 11:40 UTC" in text and "read-only" in text
        await pilot.press("2")
        await settle(pilot)
        assert "project_wrong" not in names(app)  # it was added later
        put_cursor(app, "project_checkout_retries")
        await settle(pilot)
        assert "Cap is 3." in app.pane.detail.text.plain_text()
        await pilot.press("c")
        await settle(pilot)
        assert "memory as it was" in message(app)
        assert stored(app, "project_checkout_retries").status == "carry_forward"
        await pilot.press("u")
        await settle(pilot)
        assert "memory as it was" in message(app)
        await pilot.press("1")
        await settle(pilot)
        assert "AS IT WAS" in screen_text(app)
        await pilot.press("escape")
        await settle(pilot)
        assert "AS IT WAS" not in screen_text(app)
        await pilot.press("2")
        await settle(pilot)
        assert "project_wrong" in names(app)
        assert app.live.faults == []


async def test_capital_t_asks_for_a_time_and_leaves_again(
    make_app: Callable[..., Any], settle: Any, storied: Path
) -> None:
    app = make_app(storied)
    async with app.run_test(size=(140, 40)) as pilot:
        await settle(pilot)
        await pilot.press("T")
        await settle(pilot)
        await pilot.press(*"nonsense", "enter")
        await settle(pilot)
        assert app.moment is None
        for _ in "nonsense":
            await pilot.press("backspace")
        await pilot.press(*"22m", "enter")
        await settle(pilot)
        assert "project_wrong" not in names(app)
        assert "22m" in screen_text(app)
        await pilot.press("T")
        await settle(pilot)
        assert app.moment is None and "project_wrong" in names(app)


async def test_what_another_process_writes_does_not_disturb_the_past(
    make_app: Callable[..., Any], settle: Any, storied: Path, open_desk: Callable[..., Any]
) -> None:
    app = make_app(storied)
    async with app.run_test(size=(140, 40)) as pilot:
        await to_operation(app, pilot, settle, "Added atom_wrong")
        await pilot.press("a", "2")
        await settle(pilot)
        before = names(app)
        open_desk().add(name="project_new", body="x", klass="thread", status="open", workspace="me")
        await app.poll_now()
        await settle(pilot)
        assert names(app) == before
        await pilot.press("escape")
        await settle(pilot)
        assert "project_new" in names(app)


@presses("history.moments")
async def test_m_lists_what_changed_since_and_between_two(
    make_app: Callable[..., Any], settle: Any, storied: Path
) -> None:
    app = make_app(storied)
    async with app.run_test(size=(140, 40)) as pilot:
        await to_operation(app, pilot, settle, "Added project_wrong")
        await pilot.press("m")
        await settle(pilot)
        text = screen_text(app)
        for said in ("Added: 1", "Retired: 1", "Reworded: 2", "decision_from_it", "- decision_sqlite_for_cache",
                     "project_billing_tax", "Relinked: 1"):  # fmt: skip
            assert said in text
        await pilot.press("escape")
        await settle(pilot)
        await pilot.press("space")
        await settle(pilot)
        put_cursor(app, "Edited body, description of project_checkout_retries")
        await pilot.press("space", "m")
        await settle(pilot)
        text = screen_text(app)
        assert "Reworded: 2" in text and "Retired" not in text


# -- walking through operations ----------------------------------------------------------------------------------------


@presses("history.take_back")
async def test_x_takes_back_one_older_operation_and_does_it_again(
    make_app: Callable[..., Any], settle: Any, storied: Path
) -> None:
    app = make_app(storied)
    async with app.run_test(size=(140, 40)) as pilot:
        await to_operation(app, pilot, settle, "Added to project_billing_tax")
        await pilot.press("x")
        await settle(pilot)
        assert stored(app, "project_billing_tax").body == "Ask the accountant."
        assert "↶ Undone by user:ana just now" in detail(app)
        assert "(undone) Added to" in screen_text(app)
        await pilot.press("x")
        await settle(pilot)
        assert stored(app, "project_billing_tax").body.endswith("Nonsense.")


async def test_a_refusal_says_what_stands_on_top_by_whom_and_when(
    make_app: Callable[..., Any], settle: Any, storied: Path, open_desk: Callable[..., Any]
) -> None:
    open_desk("user:bob").append("project_billing_tax", "On top.")
    app = make_app(storied)
    async with app.run_test(size=(140, 40)) as pilot:
        await settle(pilot)
        await pilot.press("5")
        await settle(pilot)
        keys = list(app.pane.list.keys())
        said = [s.name for s in app.pane.seen_many(keys)]
        app.pane.list.move_to(keys[said.index("Added to project_billing_tax", 1)])  # the older of the two
        await settle(pilot)
        await pilot.press("x")
        await settle(pilot)
        assert "Something stands on top" in message(app)
        assert "user:bob at 2025-06-15T12:01:00.000Z" in message(app)
        assert stored(app, "project_billing_tax").body.endswith("On top.")


@presses("history.walk")
async def test_g_goes_back_to_an_operation_after_showing_what_will_change(
    make_app: Callable[..., Any], settle: Any, storied: Path
) -> None:
    app = make_app(storied)
    async with app.run_test(size=(140, 45)) as pilot:
        await to_operation(app, pilot, settle, "Added to project_billing_tax")
        before = len(names(app))
        await pilot.press("g", "e")
        await settle(pilot)
        text = screen_text(app)
        for said in ("What will change", "Retired: 1", "Brought back: 1", "decision_sqlite_for_cache", "Reworded: 1",
                     "Will be undone: 4", "4 steps to take"):  # fmt: skip
            assert said in text
        await pilot.press("g")  # the key that started it confirms nothing
        await settle(pilot)
        assert len(app.pane.list.marked) == 0 and "What will change" in screen_text(app)
        await pilot.press("n")
        await settle(pilot)
        assert len(names(app)) == before
        await pilot.press("g", "e")
        await settle(pilot)
        await pilot.press("y")
        await settle(pilot)
        assert stored(app, "project_checkout_retries").body == OLD
        assert stored(app, "decision_sqlite_for_cache").state is State.ACTIVE
        assert len(names(app)) == before + 4
        await pilot.press("g", "m")
        await settle(pilot)
        assert "nothing to undo" in message(app)


@presses("history.retire")
async def test_walk_find_what_a_bad_session_wrote_retire_it_and_undo_that(
    make_app: Callable[..., Any], settle: Any, storied: Path
) -> None:
    app = make_app(storied)
    async with app.run_test(size=(140, 45)) as pilot:
        await settle(pilot)
        await pilot.press("5", "/", *"s-bad", "enter")
        await settle(pilot)
        assert names(app) == ["Added to project_billing_tax", "Added project_wrong", "Added atom_wrong"]
        await pilot.press("R", "s")
        await settle(pilot)
        text = screen_text(app)
        for said in (
            "3 entries will be deleted", "Written there: 2", "Made from these: 1",
            "decision_from_it (was distilled from atom_wrong)", "which stay: 1", "project_billing_tax",
        ):  # fmt: skip
            assert said in text
        await pilot.press("y")
        await settle(pilot)
        gone = ("atom_wrong", "project_wrong", "decision_from_it")
        assert [stored(app, n).state for n in gone] == [State.PURGED] * 3
        assert "Retired 3 entries that came from session s-bad" in message(app)
        await pilot.press("u")
        await settle(pilot)
        assert [stored(app, n).state for n in gone] == [State.ACTIVE] * 3


async def test_retiring_by_author_and_leaving_it(make_app: Callable[..., Any], settle: Any, storied: Path) -> None:
    app = make_app(storied)
    async with app.run_test(size=(140, 45)) as pilot:
        await to_operation(app, pilot, settle, "Added decision_from_it")
        await pilot.press("R")
        await settle(pilot)
        await pilot.press("s")  # no session is named here
        await settle(pilot)
        await pilot.press("a")
        await settle(pilot)
        assert "author user:bob" in screen_text(app)
        await pilot.press("escape")
        await settle(pilot)
        assert stored(app, "decision_from_it").state is State.ACTIVE


# -- odd things -------------------------------------------------------------------------------------------------------


async def test_hostile_text_cannot_change_the_screen(
    make_app: Callable[..., Any], settle: Any, desk_folder: Path, open_desk: Callable[..., Any]
) -> None:
    open_desk().edit("project_nasty", fields={"body": NASTY_BODY + " \x1b[2J[/red] more", "title": "[/] \u202e x"})
    app = make_app(desk_folder)
    async with app.run_test(size=(140, 40)) as pilot:
        await to_versions(app, pilot, settle, "project_nasty")
        for key in ("s", "b", "b", "s"):
            text = detail(app)
            assert "\x1b" not in text and "\u202e" not in text and visible(text) == text
            await pilot.press(key)
            await settle(pilot)
        assert "[/red]" in detail(app)
        assert app.live.faults == []


async def test_unfolding_shows_every_line_and_keeps_the_place(
    make_app: Callable[..., Any], settle: Any, storied: Path
) -> None:
    app = make_app(storied)
    async with app.run_test(size=(140, 60)) as pilot:
        await to_versions(app, pilot, settle)
        folded = detail(app)
        assert "- step 10" not in folded
        await pilot.press("z")
        await settle(pilot)
        assert "- step 10" in detail(app) and "equal lines" not in detail(app)
        await pilot.press("z")
        await settle(pilot)
        assert detail(app) == folded


async def test_a_body_of_256_kb_opens_and_scrolls(
    make_app: Callable[..., Any], settle: Any, desk_folder: Path, open_desk: Callable[..., Any]
) -> None:
    lines = [f"line {n} of a long text" for n in range(9_000)]
    old = "\n".join(lines)
    new = "\n".join(line.upper() if n % 500 == 0 else line for n, line in enumerate(lines))
    assert 200_000 < len(old) < 262_144
    desk = open_desk()
    desk.edit("project_billing_tax", fields={"body": old})
    desk.edit("project_billing_tax", fields={"body": new})
    app = make_app(desk_folder)
    async with app.run_test(size=(140, 40)) as pilot:
        await to_versions(app, pilot, settle, "project_billing_tax")
        sheet = pane(app).sheet
        assert sum(row.starts for row in sheet._text_rows) == 18
        await pilot.press("z", "v", "end")
        await settle(pilot)
        assert sheet._text_rows[-2].text.split() == ["9000", "9000", "line", "8999", "of", "a", "long", "text"]
        assert "line 8999 of a long text" in screen_text(app)

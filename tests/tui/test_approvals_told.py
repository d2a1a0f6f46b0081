"""What Approvals tells: after an undo, after a batch, at a filter, in the past, on a small screen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from approvals_pilot import LATER, LONG, ask, edit, line, open_as, pane, rows, sheet
from on_screen import message, screen_text

from memdesk.tui.message_line import MessageLine
from memdesk.tui.screens.reading import ReadingScreen
from memdesk.tui.widgets.entry_text import EntryText

Make = Callable[..., Any]


async def press(pilot: Any, settle: Any, *keys: str) -> None:
    for key in keys:
        await pilot.press(key)
        await settle(pilot)


def hint(app: Any) -> str:
    return str(app.screen_stack[0].query_one(MessageLine).hint)


async def test_what_one_decides_again_was_not_settled_elsewhere(
    make_app: Make, settle: Any, desk_folder: Path
) -> None:  # fmt: skip
    first = ask(desk_folder, edit("project_billing_export", description="One"), minutes=90)
    second = ask(desk_folder, edit("project_billing_tax", description="Two"))
    app = make_app(pane="approvals", moment=LATER)
    async with app.run_test(size=(160, 45)) as pilot:
        await settle(pilot)
        await press(pilot, settle, "a", "u")
        assert pane(app).list.cursor_key == first
        await press(pilot, settle, "U")
        assert message(app).startswith("Did again: Approved "), "not: settled elsewhere"
        await press(pilot, settle, "down", "u")
        assert pane(app).list.cursor_key == first, "the second undo brings the cursor back as the first one did"
        await press(pilot, settle, "r", *"no", "enter", "u", "U")
        assert message(app).startswith("Did again: Rejected ")
        assert pane(app).list.cursor_key == second


async def test_an_undo_in_another_pane_puts_the_cursor_on_what_came_back(
    make_app: Make, settle: Any, desk_folder: Path
) -> None:  # fmt: skip
    first = ask(desk_folder, edit("project_billing_export", description="One"), minutes=90)
    ask(desk_folder, edit("project_billing_tax", description="Two"), minutes=80)
    app = make_app(pane="approvals", moment=LATER)
    async with app.run_test(size=(160, 45)) as pilot:
        await settle(pilot)
        await press(pilot, settle, "a", "5", "u", "6")
        assert pane(app).list.cursor_key == first
        await press(pilot, settle, "5", "U", "6")
        assert "Settled elsewhere" not in message(app)


async def test_after_an_erase_no_undo_is_offered_but_the_way_to_older_ones(
    make_app: Make, settle: Any, desk_folder: Path
) -> None:  # fmt: skip
    def erase(desk: Any) -> None:
        desk.erase("project_old_dashboard", f"DELETE {desk.find('project_old_dashboard').id}")

    ask(desk_folder, edit("project_billing_export", description="One"), minutes=90)
    ask(desk_folder, erase)
    app = make_app(pane="approvals", moment=LATER)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, settle, "a")
        token = pane(app).review.token
        await pilot.press("a", *token, "enter")
        await settle(pilot)
        assert message(app).startswith("Approved ")
        assert hint(app).startswith("It cannot be undone. x in History (5) takes back what was done before it.")
        await press(pilot, settle, "u")
        assert "`" not in hint(app) and hint(app).startswith("x in History (5) takes back the one before it: Approved ")


async def test_keys_work_again_after_the_window_was_too_small(make_app: Make, settle: Any, desk_folder: Path) -> None:
    ask(desk_folder, edit("project_billing_export", description="One"), minutes=90)
    second = ask(desk_folder, edit("project_billing_tax", description="Two"))
    app = make_app(pane="approvals", moment=LATER)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.resize_terminal(20, 6)
        await settle(pilot)
        assert "The window is too" in screen_text(app)
        await pilot.resize_terminal(120, 40)
        await settle(pilot)
        await press(pilot, settle, "down")
        assert pane(app).list.cursor_key == second
        await press(pilot, settle, "1")
        await pilot.resize_terminal(20, 6)
        await settle(pilot)
        await pilot.resize_terminal(120, 40)
        await settle(pilot)
        at = app.pane.list.cursor_key
        await press(pilot, settle, "down")
        assert app.pane.list.cursor_key != at


async def test_the_past_says_that_nothing_waited_then(make_app: Make, settle: Any, desk_folder: Path) -> None:
    ask(desk_folder, edit("project_billing_export", description="One"))
    app = make_app(pane="approvals", moment=LATER)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        assert line(app).startswith("a  ")
        await press(pilot, settle, "T")
        await press(pilot, settle, *"2d", "enter")
        assert rows(app) == [] and "Nothing waited for you then." in screen_text(app)
        assert "No request is selected." in sheet(app) and line(app) == ""
        await press(pilot, settle, "escape")
        assert line(app).startswith("a  ") and "One" in sheet(app)


async def test_what_waited_in_the_past_is_not_offered(make_app: Make, settle: Any, desk_folder: Path) -> None:
    ask(desk_folder, edit("project_billing_export", description="One"), minutes=5 * 24 * 60)
    app = make_app(pane="approvals", moment=LATER)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, settle, "T")
        await press(pilot, settle, *"2d", "enter")
        assert len(rows(app)) == 1 and line(app).startswith("As it was: ")


async def test_nothing_waits_but_what_agents_did_about_the_person(
    make_app: Make, settle: Any, desk_folder: Path
) -> None:  # fmt: skip
    with open_as(desk_folder, "agent:scout", "orchestrator", minutes=50) as desk:
        desk.append("user_prefers_short_answers", "And no tables.")
    app = make_app(pane="approvals", moment=LATER)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        text = screen_text(app)
        assert "Nothing waits for you." in text and "s shows 1 write about you that an agent made" in text
        assert "1 flagged" in text.splitlines()[0]
        await press(pilot, settle, "s", "x")
        assert message(app).startswith("Kept: you have looked at it.")
        assert hint(app) == "Keeping is no operation: u undoes what you did before it."
        await press(pilot, settle, "s")
        assert "s shows" not in screen_text(app)


# -- several at once --------------------------------------------------------------------------------------------------


def shown(app: Any) -> str:
    """The text of the screen that is over the desk."""
    return str(app.screen.query_one(EntryText).plain_text())


def ask_for_six(folder: Path) -> list[str]:
    """Two that can be read, two long ones, two that are stale."""
    names = ["billing_export", "billing_tax", "repo_layout", "migrate_ci", "search_cjk", "search_typos"]
    ids = []
    for place, name in enumerate(names):
        fields = {"body": LONG} if place in (2, 3) else {"description": "Other"}
        ids.append(ask(folder, edit(f"project_{name}", **fields), minutes=90 - place))
    with open_as(folder, "user:bo", "user", minutes=30) as other:
        for name in names[4:]:
            other.edit(f"project_{name}", fields={"description": "Something else"})
    return ids


async def test_the_line_above_speaks_of_those_marked(make_app: Make, settle: Any, desk_folder: Path) -> None:
    ask_for_six(desk_folder)
    app = make_app(pane="approvals", moment=LATER)
    async with app.run_test(size=(160, 45)) as pilot:
        await settle(pilot)
        await press(pilot, settle, "down", "*")
        assert line(app) == "a  approves 2 of 6 marked: 2 not ready, 2 not read to the end"
        await press(pilot, settle, "escape")
        assert line(app) == "a  project_billing_tax: description changes"


async def test_a_batch_says_which_were_left_and_why(make_app: Make, settle: Any, desk_folder: Path) -> None:
    ids = ask_for_six(desk_folder)
    app = make_app(pane="approvals", moment=LATER)
    async with app.run_test(size=(160, 45)) as pilot:
        await settle(pilot)
        await press(pilot, settle, "down", "*", "a")
        text = shown(app)
        assert "Done: 2" in text and "Stays as it is, marked: 4" in text
        stay = "project_repo_layout, project_migrate_ci, project_search_cjk and project_search_typos"
        assert f"{stay}: You have not been shown this request whole yet." in text
        await press(pilot, settle, "escape")
        assert message(app).startswith("Approved 2 of 6 requests.") and hint(app) == "u undoes the last of them."
        await press(pilot, settle, "u")
        assert [app.live.desk.request(i).status for i in ids[:2]] == ["approved", "pending"]


async def test_several_dropped_or_rejected_are_listed(make_app: Make, settle: Any, desk_folder: Path) -> None:
    ids = ask_for_six(desk_folder)
    app = make_app(pane="approvals", moment=LATER)
    async with app.run_test(size=(160, 45)) as pilot:
        await settle(pilot)
        await press(pilot, settle, "*", "d")
        assert isinstance(app.screen, ReadingScreen)
        text = shown(app)
        assert "Done: 2" in text and "Stays as it is, marked: 4" in text and "project_billing_export, " in text
        await press(pilot, settle, "escape")
        assert message(app).startswith("Dropped 2 of 6 requests.") and hint(app) == "u undoes the last of them."
        await press(pilot, settle, "r", *"no", "enter")
        assert "Done: 4" in shown(app) and "Stays" not in shown(app)
        await press(pilot, settle, "escape")
        assert {app.live.desk.request(i).status for i in ids} == {"rejected"}
        await press(pilot, settle, "u")
        assert app.live.desk.request(ids[3]).status == "pending" and pane(app).list.cursor_key == ids[3]


# -- the filter, the words of the lines -------------------------------------------------------------------------------


async def test_the_filter_knows_what_the_row_says(make_app: Make, settle: Any, desk_folder: Path) -> None:
    ids = ask_for_six(desk_folder)
    told = ask(desk_folder, lambda d: d.append("project_rate_limits", "More."), actor="agent:s", role="specialist")
    bad = ask(desk_folder, edit("project_flaky_login", description="See https://evil.example.test/x"), minutes=40)
    app = make_app(pane="approvals", moment=LATER)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        for words, left in (("stale", ids[4:]), ("ready scout", [*ids[:4], bad]), ("proposal", [told]), ("!", [bad])):
            await press(pilot, settle, "/", *words, "enter")
            assert set(pane(app).list.keys()) == set(left), words
            await press(pilot, settle, "escape")


async def test_what_approving_needs_is_whole_on_a_small_screen(make_app: Make, settle: Any, desk_folder: Path) -> None:
    ask(desk_folder, edit("project_repo_layout", body=LONG))
    app = make_app(pane="approvals", moment=LATER)
    async with app.run_test(size=(60, 24)) as pilot:
        await settle(pilot)
        assert line(app).startswith("Read it to its end first: ")
        assert line(app).endswith(" lines.  v, then space.") and len(line(app)) <= 58


async def test_an_erase_cannot_be_worded(make_app: Make, settle: Any, desk_folder: Path) -> None:
    def erase(desk: Any) -> None:
        desk.erase("project_old_dashboard", f"DELETE {desk.find('project_old_dashboard').id}")

    ask(desk_folder, erase)
    app = make_app(pane="approvals", moment=LATER)
    async with app.run_test(size=(160, 45)) as pilot:
        await settle(pilot)
        assert pane(app).why_not("approvals.edit").startswith("It writes no text that could be worded otherwise")
        await press(pilot, settle, "e")
        assert message(app).startswith("It writes no text")


async def test_what_was_settled_elsewhere_is_told_until_one_goes_on(
    make_app: Make, settle: Any, desk_folder: Path
) -> None:  # fmt: skip
    ids = [ask(desk_folder, edit("project_billing_tax", description=f"{n}"), minutes=60 + n) for n in (4, 3, 2)]
    app = make_app(pane="approvals", moment=LATER)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        with open_as(desk_folder, "user:bo", "user", seed=5) as other:
            other.reject(ids[0], "No.")
        await app.poll_now()
        await settle(pilot)
        assert message(app).startswith("Settled elsewhere: ")
        await press(pilot, settle, "down")
        assert message(app) == ""


async def test_rejecting_what_another_desk_approved_points_to_the_way_back(
    make_app: Make, settle: Any, desk_folder: Path
) -> None:  # fmt: skip
    first = ask(desk_folder, edit("project_billing_tax", description="Two"))
    app = make_app(pane="approvals", moment=LATER)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, settle, "r", *"no")
        with open_as(desk_folder, "user:bo", "user", seed=5) as other:
            other.mark_request_shown(other.request(first))
            other.approve(first)
        await press(pilot, settle, "enter")
        assert message(app).startswith("Settled elsewhere: ") and "was approved by user:bo" in message(app)
        assert hint(app) == "x in History (5) takes it back."

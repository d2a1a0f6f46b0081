"""What each key of the Approvals pane decides, as a person presses it, and what is in the store afterwards."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from approvals_pilot import (
    LATER,
    LONG,
    Suspended,
    ask,
    bring,
    edit,
    line,
    open_as,
    pane,
    read_through,
    rejected_elsewhere,
    rows,
    sheet,
)
from covered_keys import presses
from on_screen import message, screen_text, stored

from memdesk.core.errors import NotFound
from memdesk.tui.batch_text import CONSENT
from memdesk.tui.screens.preview import PreviewScreen
from memdesk.tui.screens.reading import ReadingScreen
from memdesk.tui.widgets.compose import Compose
from memdesk.tui.widgets.dialogs import Ask, Confirm, Pick
from memdesk.tui.widgets.entry_text import EntryText
from memdesk.tui.widgets.stand_ins import SafeTextArea

Make = Callable[..., Any]
OLD = "one\ntwo\nthree\nfour\nfive\nsix\nseven"


def request(app: Any, request_id: str) -> Any:
    return app.live.desk.request(request_id)


def shown(app: Any) -> str:
    """The text of the screen that is over the desk."""
    return str(app.screen.query_one(EntryText).plain_text())


async def press(pilot: Any, settle: Any, *keys: str) -> None:
    for key in keys:
        await pilot.press(key)
        await settle(pilot)


@presses("approvals.reject")
async def test_a_rejection_takes_a_reason(make_app: Make, settle: Any, desk_folder: Path) -> None:
    first = ask(desk_folder, edit("project_billing_export", description="Export stops at 500 rows"))
    app = make_app(pane="approvals", moment=LATER)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, settle, "r", "enter")
        assert isinstance(app.screen, Ask), "an empty reason is none"
        await press(pilot, settle, *"stays", "enter")
        row = request(app, first)
        assert (row.status, row.reason, row.decided_by) == ("rejected", "stays", "user:ana")
        assert "Nothing waits for you." in screen_text(app)
        await press(pilot, settle, "u")
        assert request(app, first).status == "pending" and len(rows(app)) == 1


@presses("approvals.edit")
async def test_approving_with_ones_own_wording(make_app: Make, settle: Any, desk_folder: Path) -> None:
    first = ask(desk_folder, edit("project_billing_export", description="Asked line", body="Asked body"))
    app = make_app(pane="approvals", moment=LATER)
    async with app.run_test(size=(160, 45)) as pilot:
        await settle(pilot)
        await press(pilot, settle, "e")
        assert isinstance(app.screen, Pick)
        await press(pilot, settle, *"text", "enter")
        assert isinstance(app.screen, Compose)
        assert app.screen.query_one(SafeTextArea).raw == "Asked body"
        app.screen.query_one(SafeTextArea).load("My body")
        await press(pilot, settle, "ctrl+s")
        entry = stored(app, "project_billing_export")
        assert (entry.description, entry.body) == ("Asked line", "My body")
        assert request(app, first).status == "approved"
        assert message(app).startswith("Approved ") and "edited" in message(app)
        await press(pilot, settle, "u")
        assert stored(app, "project_billing_export").body == "Paging."


async def test_own_wording_needs_the_original_to_be_read(make_app: Make, settle: Any, desk_folder: Path) -> None:
    ask(desk_folder, edit("project_repo_layout", body=LONG))
    app = make_app(pane="approvals", moment=LATER)
    async with app.run_test(size=(120, 30)) as pilot:
        await settle(pilot)
        await press(pilot, settle, "e")
        assert message(app).startswith("Read it to its end first: ")


@presses("approvals.skip")
async def test_skipping_goes_on_and_decides_nothing(make_app: Make, settle: Any, desk_folder: Path) -> None:
    ask(desk_folder, edit("project_billing_export", description="One"), minutes=90)
    second = ask(desk_folder, edit("project_billing_tax", description="Two"))
    app = make_app(pane="approvals", moment=LATER)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, settle, "x")
        assert pane(app).list.cursor_key == second and "Two" in sheet(app)
        await press(pilot, settle, "x")
        assert message(app) == "That was the last one."
        assert [r.status for r in app.live.desk.requests(None)] == ["pending"] * 2


@presses("approvals.drop")
async def test_what_no_longer_applies_is_dropped(make_app: Make, settle: Any, desk_folder: Path) -> None:
    first = ask(desk_folder, edit("project_billing_export", description="One"), minutes=90)
    second = ask(desk_folder, edit("project_billing_tax", description="Two"))
    with open_as(desk_folder, "user:bo", "user", minutes=30) as other:
        other.edit("project_billing_tax", fields={"description": "Something else"})
    app = make_app(pane="approvals", moment=LATER)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, settle, "d")
        assert message(app).startswith("Only for what is stale, gone or settled; this is ready.")
        await press(pilot, settle, "down", "d")
        row = request(app, second)
        assert row.status == "rejected" and "user:bo" in row.reason
        assert pane(app).list.cursor_key == first


@presses("approvals.rebase")
async def test_a_stale_one_is_compared_made_anew_and_read_again(make_app: Make, settle: Any, desk_folder: Path) -> None:
    with open_as(desk_folder, "user:ana", "user", minutes=90) as desk:
        desk.edit("project_repo_layout", fields={"body": OLD})
    first = ask(desk_folder, edit("project_repo_layout", body=OLD.replace("two", "TWO")))
    with open_as(desk_folder, "user:bo", "user", minutes=30) as other:
        other.edit("project_repo_layout", fields={"body": OLD.replace("six", "SIX")})
    app = make_app(pane="approvals", moment=LATER)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        assert rows(app)[0][0] == "stale"
        await press(pilot, settle, "b")
        assert isinstance(app.screen, PreviewScreen)
        text = shown(app)
        for words in ("What the agent asked to change", "What was changed since", "What it would ask for now", "+ TWO",
                      "+ SIX", "user:bo"):  # fmt: skip
            assert words in text, words
        await press(pilot, settle, "y")
        assert [row[0] for row in rows(app)] == ["ready"]
        assert stored(app, "project_repo_layout").body == OLD.replace("six", "SIX"), "nothing is approved by it"
        await read_through(pilot, settle)
        await press(pilot, settle, "a")
        assert stored(app, "project_repo_layout").body == OLD.replace("six", "SIX").replace("two", "TWO")
        assert request(app, first).status == "approved"


async def test_where_both_differ_the_person_words_it(make_app: Make, settle: Any, desk_folder: Path) -> None:
    with open_as(desk_folder, "user:ana", "user", minutes=90) as desk:
        desk.edit("project_repo_layout", fields={"body": OLD})
    ask(desk_folder, edit("project_repo_layout", body=OLD.replace("two", "TWO")))
    with open_as(desk_folder, "user:bo", "user", minutes=30) as other:
        other.edit("project_repo_layout", fields={"body": OLD.replace("two", "zwei")})
    app = make_app(pane="approvals", moment=LATER)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, settle, "b")
        assert "1 place where both differ" in shown(app)
        await press(pilot, settle, "y")
        assert isinstance(app.screen, Compose)
        area = app.screen.query_one(SafeTextArea)
        assert "TWO" in area.raw and "zwei" in area.raw
        await press(pilot, settle, "ctrl+s")
        assert isinstance(app.screen, Compose), "with a mark in it, it is not settled"
        area.load(OLD.replace("two", "deux"))
        await press(pilot, settle, "ctrl+s")
        await read_through(pilot, settle)
        await press(pilot, settle, "a")
        assert stored(app, "project_repo_layout").body == OLD.replace("two", "deux")


async def test_only_a_stale_one_is_rebased(make_app: Make, settle: Any, desk_folder: Path) -> None:
    ask(desk_folder, edit("project_billing_export", description="One"))
    app = make_app(pane="approvals", moment=LATER)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, settle, "b")
        assert message(app).startswith("Only for what is stale; this is ready.")


async def test_an_erase_needs_the_token_of_the_reviewer(make_app: Make, settle: Any, desk_folder: Path) -> None:
    def erase(desk: Any) -> None:
        desk.erase("project_old_dashboard", f"DELETE {desk.find('project_old_dashboard').id}")

    ask(desk_folder, erase)
    app = make_app(pane="approvals", moment=LATER)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        entry = stored(app, "project_old_dashboard")
        await press(pilot, settle, "a")
        assert isinstance(app.screen, Confirm)
        await press(pilot, settle, "enter")
        assert isinstance(app.screen, Confirm), "not without the token"
        await press(pilot, settle, "escape")
        assert app.live.desk.store.entry(entry.id) is not None
        await press(pilot, settle, "a")
        await pilot.press(*f"DELETE {entry.id}", "enter")
        await settle(pilot)
        assert message(app).startswith("Approved ")
        with pytest.raises(NotFound):
            app.live.desk.show(entry.id)


async def test_a_batch_approves_what_is_ready_and_was_read(make_app: Make, settle: Any, desk_folder: Path) -> None:
    first = ask(desk_folder, edit("project_billing_export", description="One"), minutes=90)
    long = ask(desk_folder, edit("project_repo_layout", body=LONG), minutes=80)
    stale = ask(desk_folder, edit("project_billing_tax", description="Two"), minutes=70)
    last = ask(desk_folder, edit("project_search_cjk", description="Three"), minutes=60)
    with open_as(desk_folder, "user:bo", "user", minutes=30) as other:
        other.edit("project_billing_tax", fields={"description": "Something else"})
    app = make_app(pane="approvals", moment=LATER)
    async with app.run_test(size=(160, 40)) as pilot:
        await settle(pilot)
        await press(pilot, settle, "down", "down", "down", "*", "a")
        assert isinstance(app.screen, ReadingScreen)
        text = shown(app)
        assert "Done: 2" in text and "Stays as it is, marked: 2" in text
        assert "You have not been shown this request whole yet." in text and "stale" in text
        await press(pilot, settle, "escape")
        assert message(app).startswith("Approved 2 of 4 requests.") and "u undoes the last of them." in screen_text(app)
        assert {i: request(app, i).status for i in (first, long, stale, last)} == {
            first: "approved", long: "pending", stale: "pending", last: "approved",
        }  # fmt: skip
        assert pane(app).list.marked == {long, stale}
        assert stored(app, "project_search_cjk").description == "Three"


async def test_several_are_rejected_for_one_reason(make_app: Make, settle: Any, desk_folder: Path) -> None:
    ids = [ask(desk_folder, edit("project_billing_export", description=f"No {n}"), minutes=60 + n) for n in (3, 2, 1)]
    app = make_app(pane="approvals", moment=LATER)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, settle, "space", "space", "r", *"twice", "enter")
        assert [(request(app, i).status, request(app, i).reason) for i in ids] == [
            ("rejected", "twice"), ("rejected", "twice"), ("pending", None),
        ]  # fmt: skip
        assert pane(app).list.cursor_key == ids[2]


async def test_one_key_after_another_reaches_one_request_each(make_app: Make, settle: Any, desk_folder: Path) -> None:
    with open_as(desk_folder, "user:bo", "user", minutes=200) as other:
        names = ["project_billing_export", "project_billing_tax"]
        ids = [ask(desk_folder, edit(n, description=n), minutes=90 - i) for i, n in enumerate(names)]
        for name in names:
            other.edit(name, fields={"description": "Something else"})
    app = make_app(pane="approvals", moment=LATER)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, settle, "d", "d")
        assert [request(app, i).status for i in ids] == ["rejected"] * 2


async def test_a_decision_that_lost_is_told_until_it_is_put_away(
    make_app: Make, settle: Any, desk_folder: Path
) -> None:  # fmt: skip
    first = ask(desk_folder, edit("project_billing_export", description="One"))
    there = rejected_elsewhere(desk_folder, first, "It is 500 on purpose.")
    app = make_app(pane="approvals", moment=LATER)
    async with app.run_test(size=(160, 40)) as pilot:
        await settle(pilot)
        await press(pilot, settle, "a")
        assert request(app, first).status == "approved"
        assert stored(app, "project_billing_export").description == "One"
        bring(there, desk_folder)
        await app.poll_now()
        await settle(pilot)
        row = request(app, first)
        assert (row.status, row.decided_by) == ("rejected", "user:bo"), "the first decision stands"
        assert stored(app, "project_billing_export").description == "Export of invoices stops at 500"
        assert "Overruled" in screen_text(app) and "1 overruled" in screen_text(app)
        assert rows(app)[0][3] == "project_billing_export: you approved it; user:bo had rejected it first"
        assert "It is 500 on purpose." in sheet(app)
        await press(pilot, settle, "a")
        assert message(app).startswith("This only tells you of a decision that came first")
        await press(pilot, settle, "x")
        assert "Nothing waits for you." in screen_text(app) and "overruled" not in screen_text(app)
        assert app.live.desk.overruled() == ()


# -- what agents did on their own -----------------------------------------------------------------------------------


@pytest.fixture
def worked(desk_folder: Path) -> Path:
    """An agent adds to an entry about the person, and writes a thread."""
    with open_as(desk_folder, "agent:scout", "orchestrator", minutes=50) as desk:
        desk.append("user_prefers_short_answers", "And no tables.")
        desk.add(name="project_by_scout", body="Go.", klass="thread", status="open", description="By scout",
                 workspace="me")  # fmt: skip
    return desk_folder


@presses("approvals.view", "approvals.veto")
async def test_what_an_agent_did_about_the_person_is_vetoed(make_app: Make, settle: Any, worked: Path) -> None:
    app = make_app(pane="approvals", moment=LATER)
    async with app.run_test(size=(160, 45)) as pilot:
        await settle(pilot)
        await press(pilot, settle, "V")
        assert "s goes there" in message(app)
        await press(pilot, settle, "s")
        assert "On entries about you, until you keep or veto them" in screen_text(app)
        assert "And no tables." in sheet(app)
        await press(pilot, settle, "a")
        assert message(app) == "This is for what agents ask for; s goes back there."
        await press(pilot, settle, "V")
        assert "tables" not in stored(app, "user_prefers_short_answers").body
        assert message(app).startswith("Vetoed ")
        await press(pilot, settle, "U")
        assert "tables" in stored(app, "user_prefers_short_answers").body
        await press(pilot, settle, "s")
        assert "Nothing waits for you." in screen_text(app)


async def test_what_an_agent_did_is_kept(make_app: Make, settle: Any, worked: Path) -> None:
    app = make_app(pane="approvals", moment=LATER)
    async with app.run_test(size=(160, 45)) as pilot:
        await settle(pilot)
        await press(pilot, settle, "s")
        before = pane(app).list.total
        await press(pilot, settle, "x")
        assert pane(app).list.total == before - 1
        assert "On entries about you" not in screen_text(app)
        assert "tables" in stored(app, "user_prefers_short_answers").body


async def test_several_operations_are_vetoed_and_each_is_told(make_app: Make, settle: Any, worked: Path) -> None:
    app = make_app(pane="approvals", moment=LATER)
    async with app.run_test(size=(160, 45)) as pilot:
        await settle(pilot)
        await press(pilot, settle, "s", "space", "space", "V")
        assert isinstance(app.screen, ReadingScreen) and "Done: 2" in shown(app)
        assert "tables" not in stored(app, "user_prefers_short_answers").body
        await press(pilot, settle, "escape")
        assert "U brings the last of them back." in message(app)


# -- the batch in an editor -----------------------------------------------------------------------------------------


def editor(tmp_path: Path, code: str) -> str:
    path = tmp_path / "editor.py"
    read = f"text = open(path).read().replace({CONSENT!r}, '')"
    path.write_text(f"import sys\npath = sys.argv[1]\n{read}\n{code}\nopen(path, 'w').write(text)\n")
    return f"{sys.executable} {path}"


@presses("approvals.editor")
async def test_the_whole_batch_in_the_editor(
    make_app: Make, settle: Any, desk_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    first = ask(desk_folder, edit("project_billing_export", description="One line"), minutes=90)
    second = ask(desk_folder, edit("project_billing_tax", description="Two"), minutes=80)
    third = ask(desk_folder, edit("project_search_cjk", description="Three"), minutes=70)
    code = (
        f"text = text.replace('One line', 'My line').replace('approve {second}', 'reject: no tax {second}')"
        f".replace('approve {third}', 'skip {third}')"
    )
    monkeypatch.setenv("EDITOR", editor(tmp_path, code))
    monkeypatch.delenv("VISUAL", raising=False)
    app = make_app(pane="approvals", moment=LATER)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, settle, "E")
        assert message(app).startswith("This terminal cannot be handed to another program.")
        monkeypatch.setattr(app, "suspend", Suspended())
        await press(pilot, settle, "E", "g")
        assert isinstance(app.screen, PreviewScreen)
        assert "approves 1 (1 reworded), rejects 1, skips 1" in shown(app)
        await press(pilot, settle, "y")
        assert isinstance(app.screen, ReadingScreen) and "Done: 2" in shown(app)
        await press(pilot, settle, "escape")
        assert stored(app, "project_billing_export").description == "My line"
        assert [request(app, i).status for i in (first, second, third)] == ["approved", "rejected", "pending"]
        assert request(app, second).reason == "no tax"


async def test_a_batch_that_cannot_be_read_decides_nothing_and_is_kept(
    make_app: Make, settle: Any, desk_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    first = ask(desk_folder, edit("project_billing_export", description="One line"))
    monkeypatch.setenv("EDITOR", editor(tmp_path, "text += '\\nwhat is this\\n'"))
    monkeypatch.delenv("VISUAL", raising=False)
    app = make_app(pane="approvals", moment=LATER)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        monkeypatch.setattr(app, "suspend", Suspended())
        await press(pilot, settle, "E")
        assert "This cannot be read for certain" in screen_text(app)
        await press(pilot, settle, "escape")
        assert message(app).startswith("Nothing was decided; what you typed is kept")
        assert request(app, first).status == "pending"
        assert line(app).startswith("a  ")


async def test_marks_on_what_is_no_request_decide_nothing(make_app: Make, settle: Any, desk_folder: Path) -> None:
    lost = ask(desk_folder, edit("project_billing_tax", description="Two"), minutes=90)
    there = rejected_elsewhere(desk_folder, lost, "No.")
    with open_as(desk_folder, "user:ana", "user", minutes=20) as desk:
        desk.reject(lost, "Not now.")
    bring(there, desk_folder)
    first = ask(desk_folder, edit("project_billing_export", description="One"))
    app = make_app(pane="approvals", moment=LATER)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, settle, "home", "space")
        assert pane(app).list.cursor_key == first
        await press(pilot, settle, "a")
        assert message(app) == "Only requests are decided together; esc takes the marks away."
        assert request(app, first).status == "pending"


async def test_another_wording_than_the_one_on_screen_is_not_approved(
    make_app: Make, settle: Any, desk_folder: Path
) -> None:  # fmt: skip
    first = ask(desk_folder, edit("project_billing_export", description="One"))
    app = make_app(pane="approvals", moment=LATER)
    async with app.run_test(size=(160, 40)) as pilot:
        await settle(pilot)
        with open_as(desk_folder, "user:bo", "user", minutes=-1, seed=4) as other:
            op = other.edit_request(first, {"description": "Two"}).op_id
            await app.poll_now()
            await settle(pilot)
            assert "Two" in sheet(app)
            other.undo(op)  # the first wording, which was read as well, waits again
        await press(pilot, settle, "a")
        assert message(app).startswith("This request was worded anew by ")
        assert request(app, first).status == "pending" and "One" in sheet(app)
        await press(pilot, settle, "a")
        assert stored(app, "project_billing_export").description == "One", "read again, it is approved"


async def test_the_past_keeps_nothing(make_app: Make, settle: Any, worked: Path) -> None:
    app = make_app(pane="approvals", moment=LATER)
    async with app.run_test(size=(160, 45)) as pilot:
        await settle(pilot)
        await press(pilot, settle, "s", "T", *"10m", "enter")
        assert pane(app).list.total > 0
        await press(pilot, settle, "x")
        assert message(app).startswith("This is the memory as it was")
        assert list(app.live.desk.kept_work()) == []


async def test_the_batch_holds_what_is_listed(
    make_app: Make, settle: Any, desk_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    ask(desk_folder, edit("project_billing_export", description="One"), minutes=90)
    second = ask(desk_folder, edit("project_billing_tax", description="Two"), actor="agent:builder")
    monkeypatch.setenv("EDITOR", editor(tmp_path, ""))
    monkeypatch.delenv("VISUAL", raising=False)
    app = make_app(pane="approvals", moment=LATER)
    async with app.run_test(size=(120, 40)) as pilot:
        monkeypatch.setattr(app, "suspend", Suspended())
        await settle(pilot)
        await press(pilot, settle, "/", *"builder", "enter", "E")
        assert isinstance(app.screen, PreviewScreen)
        assert "The batch approves 1, rejects 0, skips 0" in shown(app)
        await press(pilot, settle, "y", "escape")
        assert [r.request_id for r in app.live.desk.requests("approved")] == [second]

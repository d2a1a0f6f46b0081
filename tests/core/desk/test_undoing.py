"""Undo and redo at the desk, on a real store (DESIGN 3.5; CASES "Review, approval, undo")."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memdesk.core.config import Config
from memdesk.core.desk import Actor, Desk
from memdesk.core.errors import CannotUndo, NeedsApproval, NotAllowed, NotFound
from memdesk.core.events import EDIT, OPERATION, Clock, from_record
from memdesk.core.hosts import Hosts
from memdesk.core.model import CHILD_OF, SUPERSEDES, Entry, State
from memdesk.core.store import Store

AsRole = Callable[..., Desk]


@pytest.fixture
def entry(desk: Desk) -> Entry:
    return desk.add(
        name="project_x", body="Body.", description="Why", klass="thread", status="open", workspace="lab"
    ).entry


@pytest.fixture
def other(desk: Desk, entry: Entry) -> Entry:
    return desk.add(name="project_y", body="Other.", description="Why", workspace="lab").entry


def read(desk: Desk, entry: Entry) -> Entry:
    found = desk.store.entry(entry.id)
    assert found is not None
    return found


VERBS: dict[str, Callable[[Desk], Any]] = {
    "edit": lambda d: d.edit("project_x", fields={"body": "New.", "title": "T"}, add_tags=["t"]),
    "append": lambda d: d.append("project_x", "More."),
    "reclassify": lambda d: d.reclassify("project_x", status="closed"),
    "reclassify out of thread": lambda d: d.reclassify("project_x", klass="anchor"),
    "delete": lambda d: d.delete("project_x", reason="old"),
    "rename": lambda d: d.rename("project_x", "project_z"),
    "move": lambda d: d.move_workspace(["project_x"], "me"),
    "supersede": lambda d: d.supersede("project_x", by="project_y"),
    "link": lambda d: d.link("project_x", CHILD_OF, "project_y"),
    "comment": lambda d: d.comment("project_x", "A remark."),
    "upsert": lambda d: d.add(name="project_x", body="Again.", workspace="lab"),
}


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_is_taken_back_and_done_again(desk: Desk, entry: Entry, other: Entry, verb: str) -> None:
    before = {e.id: e for e in map(desk.store.entry, (entry.id, other.id)) if e}
    edges = desk.store.edges()
    VERBS[verb](desk)
    after, after_edges = {i: desk.store.entry(i) for i in before}, desk.store.edges()
    receipt = desk.undo()
    assert receipt.changed and receipt.action == "undone" and receipt.summary.startswith("Undid: ")
    assert {i: desk.store.entry(i) for i in before} == before
    assert desk.store.edges() == edges
    receipt = desk.redo()
    assert receipt.action == "redone" and receipt.summary.startswith("Did again: ")
    assert {i: desk.store.entry(i) for i in before} == after
    assert desk.store.edges() == after_edges


def test_the_receipt_of_an_undo_has_the_entries_as_read_back(desk: Desk, entry: Entry) -> None:
    desk.edit("project_x", fields={"title": "T"})
    assert desk.undo().entries == (read(desk, entry),)


def test_undo_walks_back_to_the_beginning_and_then_says_that_nothing_is_left(desk: Desk, entry: Entry) -> None:
    desk.edit("project_x", fields={"title": "1"})
    desk.edit("project_x", fields={"title": "2"})
    titles = [desk.undo().entry.title for _ in range(2)]
    assert titles == ["1", None]
    assert desk.undo().entry.state is State.PURGED
    with pytest.raises(CannotUndo) as caught:
        desk.undo()
    assert caught.value.stable_code == "nothing_to_undo"
    assert [desk.redo().entry.title for _ in range(3)] == [None, "1", "2"]
    with pytest.raises(CannotUndo) as caught:
        desk.redo()
    assert caught.value.stable_code == "nothing_to_redo"


def test_a_name_is_free_again_once_its_creation_is_undone(desk: Desk, entry: Entry) -> None:
    desk.undo()
    again = desk.add(name="project_x", body="Fresh.", description="Why", workspace="lab").entry
    assert (again.shown_name, again.body, again.state) == ("project_x", "Fresh.", State.ACTIVE)
    desk.undo()
    assert [e.state for e in desk.store.lookup("project_x")] == [State.PURGED]


def test_several_steps_are_several_operations(desk: Desk, entry: Entry) -> None:
    for title in "123":
        desk.edit("project_x", fields={"title": title})
    receipt = desk.undo(steps=2)
    assert read(desk, entry).title == "1"
    assert len(receipt.results) == 2 and receipt.entries == (read(desk, entry),)
    receipt = desk.redo(steps=9)
    assert read(desk, entry).title == "3"
    assert receipt.warnings == ("Stopped after 2: There is nothing of user:ana to redo.",)


def test_undo_survives_a_restart(desk: Desk, entry: Entry, tmp_path: Path) -> None:
    desk.edit("project_x", fields={"title": "1"})
    folder = desk.store.folder
    desk.store.close()
    with Store.open(folder) as store:
        again = Desk(store, Actor("user:ana"), Hosts(store), Config())
        assert again.undo().entry.title is None
        assert again.redo().entry.title == "1"


# -- by name ------------------------------------------------------------------------------------------------------


def test_an_operation_is_named_by_its_id_or_a_prefix(desk: Desk, entry: Entry) -> None:
    op_id = desk.edit("project_x", fields={"title": "1"}).op_id
    desk.append("project_x", "More.")
    assert op_id is not None
    assert desk.logged(op_id[:-1]).op_id == op_id
    assert desk.undo(op_id).entry.title is None
    assert read(desk, entry).body == "Body.\n\nMore."
    with pytest.raises(NotFound):
        desk.undo("op_NONE")


def test_what_is_undone_already_says_so(desk: Desk, entry: Entry) -> None:
    op_id = desk.edit("project_x", fields={"title": "1"}).op_id
    undo = desk.undo(op_id)
    with pytest.raises(CannotUndo, match=r"already undone by user:ana at 20"):
        desk.undo(op_id)
    assert desk.undo(undo.op_id).action == "redone"


def test_the_log_tells_what_was_done_what_is_undone_and_by_whom(desk: Desk, agent: Desk, entry: Entry) -> None:
    agent.append("project_x", "More.")
    desk.undo(desk.log(1)[0].op_id)
    newest, appended, *_ = desk.log(entry_id=entry.id)
    assert (newest.verb, newest.undoes, newest.actor) == ("undo", appended.op_id, "user:ana")
    assert (appended.undone_by, appended.actor) == (newest.op_id, "agent:one")
    assert [r.actor for r in desk.log(by="agent:one")] == ["agent:one"]
    assert len(desk.log(None)) > len(desk.log(1)) == 1
    assert desk.log(1, before=newest.op_id) == [appended]


def test_what_comes_next_is_known_beforehand(desk: Desk, agent: Desk, entry: Entry) -> None:
    assert desk.next_redo() is None
    row = desk.next_undo()
    assert row is not None and row.verb == "add"
    assert agent.next_undo() is None
    desk.undo()
    assert desk.next_undo() is None
    redo = desk.next_redo()
    assert redo is not None and redo.undoes == row.op_id


# -- who may ------------------------------------------------------------------------------------------------------


def test_an_agent_takes_back_its_own_and_nothing_else(desk: Desk, agent: Desk, entry: Entry) -> None:
    op_id = desk.append("project_x", "Mine.").op_id
    agent.reclassify("project_x", status="closed")
    with pytest.raises(NotAllowed):
        agent.undo(op_id)
    assert agent.undo().entry.status == "open"
    with pytest.raises(CannotUndo):
        agent.undo()
    assert read(desk, entry).body == "Body.\n\nMine."


def test_a_person_may_take_back_anyones(desk: Desk, agent: Desk, entry: Entry) -> None:
    op_id = agent.append("project_x", "Theirs.").op_id
    assert desk.undo(op_id).entry.body == "Body."
    with pytest.raises(CannotUndo):
        agent.redo()  # the undo is the person's
    assert desk.redo().entry.body == "Body.\n\nTheirs."


def test_an_agent_that_takes_back_its_request_withdraws_it(desk: Desk, agent: Desk, entry: Entry) -> None:
    with pytest.raises(NeedsApproval) as caught:
        agent.edit("project_x", fields={"body": "New."})
    request_id = caught.value.extra["request_id"]
    agent.undo()
    assert desk.request(request_id).status == "withdrawn"
    assert desk.requests() == []


# -- what stands on top -------------------------------------------------------------------------------------------


def test_a_later_change_refuses_naming_who_when_and_what(desk: Desk, agent: Desk, entry: Entry) -> None:
    desk.append("project_x", "Mine.")
    later = agent.append("project_x", "Theirs.")
    with pytest.raises(CannotUndo) as caught:
        desk.undo()
    row = desk.logged(later.op_id or "")
    assert f"agent:one at {row.timestamp} (append: body of project_x)" in caught.value.message
    assert caught.value.hint == f"Undo that first: `memdesk undo {later.op_id}`."
    assert caught.value.extra["blockers"] == [
        {
            "op_id": later.op_id, "verb": "append", "author": "agent:one", "timestamp": row.timestamp,
            "entry": entry.id, "what": "body",
        }
    ]  # fmt: skip
    assert read(desk, entry).body == "Body.\n\nMine.\n\nTheirs."
    assert desk.log(1)[0].op_id == later.op_id, "a refused undo writes nothing"


def test_redo_after_a_new_change_on_top_is_refused(desk: Desk, entry: Entry) -> None:
    desk.edit("project_x", fields={"title": "1"})
    desk.undo()
    desk.edit("project_x", fields={"title": "2"})
    with pytest.raises(CannotUndo, match="stands on top"):
        desk.redo()
    assert read(desk, entry).title == "2"


def test_a_link_that_would_give_a_second_parent_or_a_circle_does_not_come_back(
    desk: Desk, entry: Entry, other: Entry
) -> None:
    third = desk.add(name="project_w", body="Third.", description="Why", workspace="lab").entry
    desk.link("project_x", CHILD_OF, "project_y")
    unlink = desk.unlink("project_x", CHILD_OF, "project_y")
    desk.link("project_x", CHILD_OF, "project_w")
    with pytest.raises(CannotUndo, match=r"project_x is part of project_w now"):
        desk.undo(unlink.op_id)
    desk.link("project_w", "derived_from", "project_x")
    unlink = desk.unlink("project_w", "derived_from", "project_x")
    desk.link("project_x", "derived_from", "project_w")
    with pytest.raises(CannotUndo, match="closes a circle"):
        desk.undo(unlink.op_id)
    assert {e.source for e in desk.store.edges()} == {entry.id}
    assert read(desk, third).state is State.ACTIVE


def test_a_move_between_parents_comes_back(desk: Desk, entry: Entry, other: Entry) -> None:
    desk.add(name="project_w", body="Third.", description="Why", workspace="lab")
    desk.link("project_x", CHILD_OF, "project_y")
    with desk.operation("regroup", "Moved project_x"):
        desk.unlink("project_x", CHILD_OF, "project_y")
        desk.link("project_x", CHILD_OF, "project_w")
    desk.undo()
    assert [e.target for e in desk.store.edges(kind=CHILD_OF)] == [other.id]


# -- what cannot be undone ----------------------------------------------------------------------------------------


def test_an_erase_cannot_be_undone_and_names_the_way_past_it(desk: Desk, entry: Entry, other: Entry) -> None:
    before = desk.append("project_y", "More.")
    desk.erase(entry.id, confirm=f"DELETE {entry.id}")
    with pytest.raises(CannotUndo, match="erase cannot be undone") as caught:
        desk.undo()
    assert before.op_id and f"`memdesk undo {before.op_id}`" in caught.value.hint
    assert desk.undo(before.op_id).entry.body == "Other."


def test_a_change_of_an_erased_entry_stays_and_says_why(desk: Desk, entry: Entry) -> None:
    edit = desk.edit("project_x", fields={"title": "1"})
    desk.erase(entry.id, confirm=f"DELETE {entry.id}")
    with pytest.raises(CannotUndo, match="erase"):
        desk.undo(edit.op_id)


def test_what_the_program_did_by_itself_is_walked_past(desk: Desk, entry: Entry) -> None:
    desk.edit("project_x", fields={"title": "1"})
    with desk.store.transaction() as tx:
        op_id = tx.begin("pull", "Pulled from Gaia", actor="user:ana")
        tx.write(EDIT, {"memory_id": entry.id, "patch": {"description": "host"}, "base": {}})
    assert desk.undo().entry.title is None
    assert read(desk, entry).description == "host"
    assert desk.undo(op_id).entry.description == "Why"


# -- two machines -------------------------------------------------------------------------------------------------


@pytest.fixture
def far(desk: Desk, tmp_path: Path) -> Desk:
    """Another machine's desk, five minutes ahead."""
    ticks = itertools.count(1_790_000_300_000, 1000)
    store = Store.open(tmp_path / "far", clock=Clock(lambda: next(ticks)))
    store.add_workspace("lab")
    return Desk(store, Actor("user:bob", on_terminal=True), Hosts(store), Config())


def exchange(*desks: Desk) -> None:
    for one, other in itertools.permutations(desks, 2):
        one.store.receive(list(other.store.events()))


def test_an_undo_made_elsewhere_does_not_overwrite_a_change_it_had_not_seen(
    desk: Desk, far: Desk, entry: Entry
) -> None:
    desk.edit("project_x", fields={"title": "1"})
    exchange(desk, far)
    desk.edit("project_x", fields={"title": "2"})
    far.undo(far.log(1)[0].op_id)
    assert read(far, entry).title is None
    exchange(desk, far)
    assert read(desk, entry) == read(far, entry)
    assert read(desk, entry).title == "2"
    desk.edit("project_x", fields={"title": "3"})
    assert desk.store.lost_edits() == []
    far.store.close()


def test_undo_after_another_machine_changed_the_entry_is_refused_naming_it(desk: Desk, far: Desk, entry: Entry) -> None:
    desk.edit("project_x", fields={"title": "1"})
    exchange(desk, far)
    far.edit("project_x", fields={"title": "2"})
    exchange(desk, far)
    with pytest.raises(CannotUndo, match="user:bob at 20"):
        desk.undo()
    far.undo()
    exchange(desk, far)
    assert desk.undo().entry.title is None
    far.store.close()


def test_both_machines_undoing_the_same_operation_leaves_it_undone(desk: Desk, far: Desk, entry: Entry) -> None:
    op_id = desk.edit("project_x", fields={"title": "1"}).op_id
    exchange(desk, far)
    desk.undo(op_id)
    far.undo(op_id)
    exchange(desk, far)
    assert read(desk, entry).title is None and read(desk, entry) == read(far, entry)
    far.store.close()


def test_undoing_a_lost_edit_changes_nothing_shown_and_settles_it(desk: Desk, far: Desk, entry: Entry) -> None:
    exchange(desk, far)
    lost = desk.edit("project_x", fields={"title": "ours"})
    far.edit("project_x", fields={"title": "theirs"})
    exchange(desk, far)
    assert [e.value for e in desk.store.lost_edits()] == ["ours"]
    undone = desk.undo(lost.op_id)
    assert undone.changed and read(desk, entry).title == "theirs"
    assert desk.store.lost_edits() == []
    assert [e.type for e in desk.store.events_of_op(undone.op_id or "")] == [OPERATION]
    far.store.close()


def test_undoing_a_supersede_brings_the_old_entry_back(desk: Desk, entry: Entry, other: Entry) -> None:
    desk.supersede("project_x", by="project_y")
    assert read(desk, entry).state is State.SUPERSEDED
    desk.undo()
    assert read(desk, entry).state is State.ACTIVE
    assert desk.store.edges(kind=SUPERSEDES) == []


@pytest.mark.parametrize("request_id", [None, 5, [], {}, ["req_1"]])
def test_undoing_what_another_program_wrote_strangely_is_no_fault(desk: Desk, request_id: object) -> None:
    ulid = "01K1AAAAAAAAAAAAAAAAAAAAAA"
    told = {"event_id": f"evt_{ulid}", "timestamp": "2026-01-01T00:00:00Z", "agent_id": "a", "op_id": f"op_{ulid}"}
    header = from_record({**told, "type": "desk.operation", "verb": "request", "summary": "Asked"})
    asked = from_record({**told, "event_id": f"evt_{ulid[:-1]}B", "type": "desk.request", "request_id": request_id})
    desk.store.receive([header, asked])
    assert desk.undo(f"op_{ulid}").action == "undone"


def test_a_walk_by_an_agent_leaves_what_others_did_and_says_so(desk: Desk, agent: Desk, entry: Entry) -> None:
    goal = desk.log(1)[0].op_id
    desk.append("project_x", "By ana.")
    agent.add(name="atom_mine", body="Mine.", description="Mine", workspace="lab")
    walk = agent.walk_to(goal, everybody=True)
    assert [(s.operation.actor, s.refusal is None) for s in walk.steps] == [("agent:one", True), ("user:ana", False)]
    receipt = agent.go(walk)
    assert any("Only a person may undo" in said for said in receipt.warnings)
    assert read(desk, entry).body.endswith("By ana.")
    assert agent.next_undo() is None


def test_an_agent_is_not_sent_to_undo_what_is_the_persons(desk: Desk, agent: Desk, entry: Entry) -> None:
    mine = agent.append(entry.id, "Theirs.")
    stands = desk.edit(entry.id, fields={"body": "The person's."})
    for who, named in ((agent, False), (desk, True)):
        with pytest.raises(CannotUndo) as refused:
            who.undo(mine.op_id)
        assert (f"memdesk undo {stands.op_id}" in refused.value.hint) is named, refused.value.hint
        assert "user:ana" in refused.value.message
    with pytest.raises(CannotUndo) as refused:
        agent.redo() if agent.next_undo() is None else agent.undo()
    assert "memdesk undo" not in refused.value.hint

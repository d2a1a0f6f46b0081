"""Undo, case by case: what it writes, what stands in its way, and what it refuses (DESIGN 3.5)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest
from pen import Pen

from memdesk.core.errors import CannotUndo
from memdesk.core.events import (
    APPEND,
    CREATE,
    DECISION,
    DELETE,
    EDGE_ADD,
    EDGE_REMOVE,
    EDIT,
    OPERATION,
    PURGE_EXECUTED,
    QUARANTINE,
    REQUEST,
    Event,
)
from memdesk.core.fold import fold_all
from memdesk.core.model import SUPERSEDES
from memdesk.core.undo import is_redoable, is_undoable, plan_undo


def pen_with(**fields: Any) -> Pen:
    pen = Pen()
    pen.create("A", **({"klass": "thread", "status": "open", "description": "d0", "tags": ["t0"]} | fields))
    pen.create("B")
    return pen


def written(pen: Pen, event: Event) -> list[tuple[str, dict[str, Any]]]:
    return list(pen.plan(pen.op_of(event)).writes)


# -- what it writes -----------------------------------------------------------------------------------------------


def test_an_edit_writes_the_old_values_on_top_of_the_tips() -> None:
    pen = pen_with(title=None)
    edit = pen.edit("A", description="d1", title="t1")
    tips = {"description": edit.event_id, "title": edit.event_id}
    assert written(pen, edit) == [
        (EDIT, {"memory_id": "A", "patch": {"title": None, "description": "d0"}, "base": tips})
    ]


def test_a_body_is_written_whole_on_top_of_all_heads() -> None:
    pen = pen_with(body="b0")
    other = Pen("agent:bob", "d_b")
    other.receive(pen)
    edit = pen.edit("A", body="b1")
    pen.now += 5
    other.now += 9
    more = other.append("A", "more")
    pen.receive(other)
    (write,) = written(pen, edit)
    assert write == (
        EDIT,
        {"memory_id": "A", "patch": {"body": "b0\n\nmore"}, "base": {"body": [edit.event_id, more.event_id]}},
    )


def test_an_append_is_taken_out_and_a_concurrent_one_stays() -> None:
    pen = pen_with(body="b0")
    other = Pen("agent:bob", "d_b")
    other.receive(pen)
    mine = pen.append("A", "mine")
    other.append("A", "theirs")
    pen.receive(other)
    pen.undo(pen.op_of(mine))
    assert pen.memory().entries["A"].entry.body == "b0\n\ntheirs"


def test_leaving_class_thread_comes_back_with_its_status() -> None:
    pen = pen_with()
    edit = pen.edit("A", klass="anchor", status=None)
    assert written(pen, edit)[0][1]["patch"] == {"class": "thread", "status": "open"}


def test_tags_are_given_back_and_taken_away() -> None:
    pen = pen_with()
    edit = pen.edit("A", add=["t1"], rm=["t0"])
    assert written(pen, edit) == [(EDIT, {"memory_id": "A", "add_tags": ["t0"], "rm_tags": ["t1"]})]


def test_a_creation_becomes_a_deletion_and_redo_brings_it_back() -> None:
    pen = pen_with()
    made = pen.create("C", title="t")
    assert written(pen, made) == [(DELETE, {"memory_id": "C", "reason": "undone"})]
    undo = pen.undo(pen.op_of(made))
    assert pen.memory().entries["C"].creation_undone
    redo = [(t, p["patch"]) for t, p in pen.plan(undo).writes]
    assert redo == [(EDIT, {"state": "active"})]
    pen.undo(undo)
    assert pen.memory().entries["C"].entry.title == "t"


@pytest.mark.parametrize(
    ("before", "change", "writes"),
    [
        ([], "delete", [(EDIT, {"state": "active"})]),
        (["delete"], "active", [(DELETE, None)]),
        (["superseded"], "active", [(EDIT, {"state": "superseded"})]),
        (["superseded"], "delete", [(EDIT, {"state": "superseded"})]),
        (["link", "delete"], "active", [(DELETE, None)]),
    ],
)
def test_states_come_back(before: list[str], change: str, writes: list[Any]) -> None:
    pen = pen_with()

    def step(name: str) -> Event:
        if name == "link":
            return pen.link("B", SUPERSEDES, "A")
        return pen.delete("A") if name == "delete" else pen.edit("A", state=name)

    for name in before:
        step(name)
    was = pen.memory().entries["A"].entry
    change_event = step(change)
    assert [(t, p.get("patch")) for t, p in written(pen, change_event)] == writes
    pen.undo(pen.op_of(change_event))
    assert pen.memory().entries["A"].entry == was


def test_undoing_a_supersede_is_unlink_and_state_active() -> None:
    pen = pen_with()
    link = pen.link("B", SUPERSEDES, "A")
    ends = {"from_id": "B", "edge_kind": SUPERSEDES, "to_id": "A"}
    plan = pen.plan(pen.op_of(link))
    assert [(t, p.get("patch", p)) for t, p in plan.writes] == [(EDGE_REMOVE, ends), (EDIT, {"state": "active"})]
    assert plan.entries == ("A", "B")


def test_a_link_that_comes_back_has_its_old_age() -> None:
    pen = pen_with()
    link = pen.link("A", "child_of", "B")
    pen.now += 5000
    unlink = pen.unlink("A", "child_of", "B")
    assert written(pen, unlink) == [
        (EDGE_ADD, {"from_id": "A", "edge_kind": "child_of", "to_id": "B", "created_at": link.timestamp})
    ]


def test_a_supersede_link_that_comes_back_leaves_a_restored_entry_active_for_every_reader() -> None:
    pen = pen_with()
    pen.link("B", SUPERSEDES, "A")
    pen.edit("A", state="active")
    unlink = pen.unlink("B", SUPERSEDES, "A")
    assert [t for t, _ in written(pen, unlink)] == [EDGE_ADD, EDIT]
    pen.undo(pen.op_of(unlink))
    plain = fold_all(replace(e, payload={**e.payload, "undoes": None}) for e in pen.log.values())
    assert plain.entries["A"].entry.state == pen.memory().entries["A"].entry.state == "active"


def test_on_a_gaia_host_the_edge_alone_says_it_and_the_times_are_the_hosts() -> None:
    pen = pen_with(host="gaia:1", created_at="2020-01-01T00:00:00Z", updated_at="2020-01-01T00:00:00Z")
    link = pen.link("B", SUPERSEDES, "A")
    assert [t for t, _ in written(pen, link)] == [EDGE_REMOVE]
    edit = pen.edit("A", title="t1")
    assert written(pen, edit)[0][1]["updated_at"] == "2020-01-01T00:00:00Z"


def test_on_a_gaia_host_a_deletion_is_taken_back_by_the_state() -> None:
    pen = pen_with(host="gaia:1")
    pen.link("B", SUPERSEDES, "A")
    delete = pen.delete("A")
    assert written(pen, delete)[0][1]["patch"] == {"state": "superseded"}
    undo = pen.undo(pen.op_of(delete))
    assert pen.memory().entries["A"].entry.state == "superseded"
    assert [t for t, _ in pen.plan(undo).writes] == [DELETE]


def test_the_undo_of_a_losing_decision_does_not_come_along() -> None:
    pen = pen_with()
    other_edit, edit = pen.edit("A", title="1"), pen.edit("A", description="1")
    with pen.operation("approve"):
        pen.put(DECISION, request_id="r", outcome="rejected", base=[])
    with pen.operation("approve", undoes=other_edit.op_id):
        pen.put(DECISION, request_id="r", outcome="approved", base=[])
    assert written(pen, edit)[0][1]["patch"] == {"description": "d0"}


def test_links_are_removed_before_others_are_added() -> None:
    pen = pen_with()
    pen.create("C")
    pen.link("A", "child_of", "B")
    with pen.operation("move") as op:
        pen.unlink("A", "child_of", "B")
        pen.link("A", "child_of", "C")
    assert [(t, p["to_id"]) for t, p in pen.plan(op).writes] == [(EDGE_REMOVE, "C"), (EDGE_ADD, "B")]


def test_an_operation_on_several_entries_is_taken_back_whole() -> None:
    pen = pen_with()
    before = pen.memory()
    with pen.operation("merge") as op:
        pen.edit("A", body="both", add=["t1"])
        pen.link("A", SUPERSEDES, "B")
        pen.create("C")
        pen.link("C", "child_of", "A")
    pen.undo(op)
    after = pen.memory()
    assert {i: after.entries[i].entry for i in "AB"} == {i: before.entries[i].entry for i in "AB"}
    assert after.entries["C"].creation_undone
    assert not any(s.present for s in after.edges.values())


def test_undoing_an_edit_that_had_lost_writes_nothing_and_settles_it() -> None:
    pen, other = pen_with(), Pen("agent:bob", "d_b")
    other.receive(pen)
    other.now += 9
    lost = pen.edit("A", description="ours")
    other.edit("A", description="theirs")
    pen.receive(other)
    assert written(pen, lost) == []
    pen.undo(pen.op_of(lost))
    assert pen.memory().entries["A"].lost == ()


def test_undo_walks_back_over_ones_own_operations() -> None:
    pen = pen_with()
    a, b = pen.edit("A", description="a"), pen.edit("A", description="b")
    pen.undo(pen.op_of(b))
    pen.undo(pen.op_of(a))
    assert pen.memory().entries["A"].entry.description == "d0"


# -- what stands in the way ---------------------------------------------------------------------------------------


@dataclass
class Case:
    first: Callable[[Pen], Event]
    later: Callable[[Pen], Event]
    what: str | None


CASES = {
    "the same field": Case(lambda p: p.edit("A", title="1"), lambda p: p.edit("A", title="2"), "title"),
    "another field": Case(lambda p: p.edit("A", title="1"), lambda p: p.edit("A", description="2"), None),
    "the same field of another entry": Case(lambda p: p.edit("A", title="1"), lambda p: p.edit("B", title="2"), None),
    "an append on an edit": Case(lambda p: p.edit("A", body="1"), lambda p: p.append("A", "2"), "body"),
    "an edit on an append": Case(lambda p: p.append("A", "1"), lambda p: p.edit("A", body="2"), "body"),
    "an append on an append": Case(lambda p: p.append("A", "1"), lambda p: p.append("A", "2"), "body"),
    "the same tag": Case(lambda p: p.edit("A", add=["t"]), lambda p: p.edit("A", rm=["t"]), "tag t"),
    "another tag": Case(lambda p: p.edit("A", add=["t"]), lambda p: p.edit("A", add=["u"]), None),
    "a restore on a delete": Case(lambda p: p.delete("A"), lambda p: p.edit("A", state="active"), "state"),
    "a delete on a restore": Case(lambda p: p.edit("A", state="active"), lambda p: p.delete("A"), "state"),
    "an edit of a deleted entry": Case(lambda p: p.delete("A"), lambda p: p.edit("A", title="2"), None),
    "the same link": Case(lambda p: p.link("A", "x", "B"), lambda p: p.unlink("A", "x", "B"), "link"),
    "the same symmetric link from its other end": Case(
        lambda p: p.link("A", "related_to", "B"), lambda p: p.unlink("B", "relates_to", "A"), "link"
    ),
    "another link": Case(lambda p: p.link("A", "x", "B"), lambda p: p.link("A", "y", "B"), None),
    "a second supersedes onto the same entry": Case(
        lambda p: p.link("B", SUPERSEDES, "A"), lambda p: p.link("C", SUPERSEDES, "A"), None
    ),
    "any edit of what was created": Case(lambda p: p.create("N"), lambda p: p.edit("N", summary="2"), "summary"),
    "a link to what was created": Case(lambda p: p.create("N"), lambda p: p.link("A", "x", "N"), "link"),
    "a deletion of what was created": Case(lambda p: p.create("N"), lambda p: p.delete("N"), "state"),
    "a tag on what was created": Case(lambda p: p.create("N"), lambda p: p.edit("N", add=["t"]), "tag t"),
    "an erase": Case(lambda p: p.edit("A", title="1"), lambda p: p.put(PURGE_EXECUTED, memory_id="A"), "erase"),
    "an edit without a base": Case(
        lambda p: p.edit("A", title="1"), lambda p: p.put(EDIT, memory_id="A", patch={"title": "2"}), "title"
    ),
    "a decision on a request": Case(
        lambda p: p.put(REQUEST, request_id="r", refs=["A"]),
        lambda p: p.put(DECISION, request_id="r", outcome="approved", base=[]),
        "decision",
    ),
    "a decision on another request": Case(
        lambda p: p.put(REQUEST, request_id="r", refs=["A"]),
        lambda p: p.put(DECISION, request_id="s", outcome="approved", base=[]),
        None,
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_what_stands_on_top_of_an_operation(case: Case) -> None:
    pen = pen_with()
    pen.create("C")
    first = case.first(pen)
    with pen.operation("later", author="agent:bob") as op:
        later = case.later(pen)
    blockers = pen.plan(pen.op_of(first)).blockers
    if case.what is None:
        assert blockers == ()
        return
    (blocker,) = blockers
    assert (blocker.op_id, blocker.event_id, blocker.what) == (op, later.event_id, case.what)
    assert (blocker.verb, blocker.author, blocker.timestamp) == ("later", "agent:bob", later.timestamp)


@pytest.mark.parametrize("case", [c for c in CASES.values() if c.what not in (None, "erase")])
def test_once_that_is_undone_it_stands_in_the_way_no_more(case: Case) -> None:
    pen = pen_with()
    pen.create("C")
    first = case.first(pen)
    later = case.later(pen)
    pen.undo(pen.op_of(later))
    assert pen.plan(pen.op_of(first)).blockers == ()


def test_a_change_on_top_of_a_change_on_top_is_in_the_way_too() -> None:
    pen = pen_with()
    first = pen.edit("A", title="1")
    second = pen.edit("A", title="2")
    pen.undo(pen.op_of(second))
    third = pen.edit("A", title="3")
    assert [b.event_id for b in pen.plan(pen.op_of(first)).blockers] == [third.event_id]


def test_a_concurrent_change_of_the_field_is_not_on_top() -> None:
    pen, other = pen_with(), Pen("agent:bob", "d_b")
    other.receive(pen)
    other.now += 9
    mine = pen.edit("A", title="1")
    other.edit("A", title="2")
    pen.receive(other)
    assert pen.plan(pen.op_of(mine)).blockers == ()


def test_redo_after_a_new_change_on_top_is_refused() -> None:
    pen = pen_with()
    undo = pen.undo(pen.op_of(pen.edit("A", title="1")))
    later = pen.edit("A", title="2")
    assert [b.event_id for b in pen.plan(undo).blockers] == [later.event_id]


def test_redo_after_a_change_elsewhere_goes() -> None:
    pen = pen_with()
    undo = pen.undo(pen.op_of(pen.edit("A", title="1")))
    pen.edit("A", description="2")
    pen.undo(undo)
    entry = pen.memory().entries["A"].entry
    assert (entry.title, entry.description) == ("1", "2")


def test_each_operation_on_top_is_named_once_a_thing_oldest_first() -> None:
    pen = pen_with()
    first = pen.edit("A", title="1", body="1")
    two = pen.edit("A", title="2", body="2")
    three = pen.append("A", "3")
    found = [(b.op_id, b.what) for b in pen.plan(pen.op_of(first)).blockers]
    assert found == [(two.op_id, "body"), (two.op_id, "title"), (three.op_id, "body")]


def test_a_foreign_change_without_an_operation_is_named_by_its_event() -> None:
    pen = pen_with()
    first = pen.edit("A", title="1")
    foreign = replace(pen.edit("A", title="2"), op_id=None, agent_id="agent:thrum")
    pen.log[foreign.event_id] = foreign
    (blocker,) = pen.plan(pen.op_of(first)).blockers
    assert (blocker.op_id, blocker.event_id, blocker.author, blocker.verb) == (
        None, foreign.event_id, "agent:thrum", EDIT,
    )  # fmt: skip


# -- what it refuses ----------------------------------------------------------------------------------------------


def refusal(pen: Pen, op_id: str) -> str:
    with pytest.raises(CannotUndo) as error:
        pen.plan(op_id)
    assert error.value.hint
    return error.value.message


def test_an_erase_and_a_quarantine_cannot_be_undone() -> None:
    pen = pen_with()
    assert "erase cannot be undone" in refusal(pen, pen.op_of(pen.put(PURGE_EXECUTED, memory_id="A")))
    assert "quarantine" in refusal(pen, pen.op_of(pen.put(QUARANTINE, event_ids=[])))


def test_what_is_undone_already_says_by_whom_and_when() -> None:
    pen = pen_with()
    edit = pen.edit("A", title="1")
    undo = pen.undo(pen.op_of(edit))
    assert refusal(pen, pen.op_of(edit)) == f"This is already undone by user:ana at {pen.headers[undo].timestamp}."
    pen.undo(undo)
    assert pen.plan(pen.op_of(edit)).blockers == ()


def test_an_unknown_operation_and_that_of_a_losing_decision_are_refused() -> None:
    pen = pen_with()
    assert "no operation" in refusal(pen, "op_none")
    for _ in range(2):
        with pen.operation("approve") as op:
            pen.put(DECISION, request_id="r", outcome="approved", base=[])
    assert "another decision" in refusal(pen, op)


def test_two_undos_of_one_operation_are_redone_only_together() -> None:
    pen, other = pen_with(), Pen("agent:bob", "d_b")
    edit = pen.edit("A", title="1")
    other.receive(pen)
    one, two = pen.undo(pen.op_of(edit)), other.undo(pen.op_of(edit))
    pen.receive(other)
    pen.undo(one)
    assert pen.memory().entries["A"].entry.title is None
    pen.undo(two)
    assert pen.memory().entries["A"].entry.title == "1"


# -- which is next ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Row:
    op_id: str
    verb: str = "edit"
    undoes: str | None = None
    undone_by: str | None = None


def test_undo_takes_live_operations_that_are_no_undo_and_not_the_programs_own() -> None:
    assert is_undoable(Row("1"))
    assert not is_undoable(Row("1", undone_by="2"))
    assert not is_undoable(Row("2", undoes="1"))
    for verb in ("pull", "receive", "sync", "push"):
        assert not is_undoable(Row("1", verb))


def test_redo_takes_live_undos_and_not_redos() -> None:
    undoes = {"2": "1", "3": "2", "4": "3"}
    assert is_redoable(Row("2", undoes="1"), undoes)
    assert not is_redoable(Row("2", undoes="1", undone_by="3"), undoes)
    assert not is_redoable(Row("3", undoes="2"), undoes)
    assert is_redoable(Row("4", undoes="3"), undoes)
    assert not is_redoable(Row("1"), undoes)


def test_the_plan_does_not_depend_on_order_or_repetition_and_asks_only_for_what_is_touched() -> None:
    pen = pen_with()
    edit = pen.edit("A", title="1", body="1")
    plan = pen.plan(pen.op_of(edit))
    own = [
        e for e in pen.log.values() if "A" in (e.memory_id, e.other_id) and e.type in (CREATE, EDIT, APPEND, OPERATION)
    ]
    again = plan_undo(
        pen.op_of(edit), [*reversed(own), *own], pen.memory().standing, undoes=pen.undoes, headers=pen.headers
    )
    assert again == plan

"""Operations, requests, and what this machine alone keeps (DESIGN 3.5, 4)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from memdesk.core.events import DECISION, EDGE_ADD, EDIT, REQUEST
from memdesk.core.store import Project, Store, Workspace

from .conftest import NOW, FakeClock
from .writing import act, add, edit


def ask(store: Store, request_id: str, memory_id: str, *, actor: str = "agent:bo") -> str:
    payload = {
        "request_id": request_id, "verb": "edit", "refs": [memory_id], "args": {"ref": memory_id},
        "base": {memory_id: {}}, "rationale": "because", "asked_by": actor, "patch": {"body": "new"},
    }  # fmt: skip
    return act(store, "request", REQUEST, payload, actor=actor)


def decide(store: Store, request_id: str, outcome: str, reason: str = "") -> str:
    base = [e.event_id for e in store.decisions_on(request_id)]
    payload = {"request_id": request_id, "outcome": outcome, "reason": reason, "base": base}
    return act(store, outcome, DECISION, payload)


# -- operations ---------------------------------------------------------------------------------------------------


def test_operations_newest_first_with_what_they_touched(store: Store) -> None:
    a, b = add(store, "atom_a"), add(store, "atom_b", actor="agent:bo")
    link = act(store, "link", EDGE_ADD, {"from_id": a, "edge_kind": "child_of", "to_id": b})
    rows = store.operations()
    assert [(o.verb, o.entries) for o in rows] == [("link", (a, b)), ("add", (b,)), ("add", (a,))]
    assert [o.actor for o in store.operations(actor="agent:bo")] == ["agent:bo"]
    assert [o.op_id for o in store.operations(entry_id=b)] == [link, rows[1].op_id]
    assert store.operations(limit=1) == rows[:1] and store.operations(before=link) == rows[1:]
    assert store.operations(limit=None, after=rows[1].op_id) == rows[:1] and store.operations(after="") == rows


@pytest.mark.parametrize("length", [12, 20, 29])
def test_an_operation_by_the_beginning_of_its_id(store: Store, length: int) -> None:
    add(store)
    (row,) = store.operations()
    ref = row.op_id[:length]
    assert store.operation(ref) == store.operation(ref.removeprefix("op_").lower()) == row
    assert [store.operation(none) for none in ("op_", "op", "o", "", "zzz")] == [None] * 5


def test_a_beginning_that_fits_two_operations_names_neither(store: Store) -> None:
    add(store)
    add(store)
    assert store.operation(store.operations()[0].op_id[:8]) is None


def test_what_undoes_what_and_the_headers(store: Store) -> None:
    memory_id = add(store)
    changed = edit(store, memory_id, body="second")
    undo = edit(store, memory_id, undoes=changed, body="text")
    assert store.undoes() == {undo: changed}
    headers = store.headers([changed, undo, "op_none"])
    assert {i: e.payload["verb"] for i, e in headers.items()} == {changed: "edit", undo: "undo"}
    standing = store.standing_for(store.events_of(memory_id))
    assert (standing.dead, standing.undoing) == ({changed}, {undo}) == (store.standing().dead, store.standing().undoing)


def test_news_go_by_arrival(make_store: Callable[..., Store]) -> None:
    here, there = make_store(seed=1), make_store(seed=2)
    add(there, "atom_old")
    assert isinstance(here.clock, FakeClock)
    here.clock.now = NOW + 60_000
    add(here, "atom_here")
    assert here.last_seen("user:ana") is None
    here.mark_seen("user:ana")
    seen = here.last_seen("user:ana")
    assert seen == here.operations()[0].op_id and here.last_seen_at("user:ana") is not None
    assert here.operations(after=seen) == []
    here.receive(there.events())  # made before, arrived after
    assert [o.summary for o in here.operations(after=seen)] == ["Added atom_old"]


# -- requests -----------------------------------------------------------------------------------------------------


def test_a_request_and_its_decision(store: Store) -> None:
    memory_id = add(store)
    ask(store, "req_01A", memory_id)
    ask(store, "req_01B", memory_id)
    first, second = store.requests("pending")
    assert (first.request_id, first.verb, first.asked_by, first.rationale) == ("req_01A", "edit", "agent:bo", "because")
    assert (first.refs, first.args, first.base, first.patch) == (
        (memory_id,), {"ref": memory_id}, {memory_id: {}}, {"body": "new"},
    )  # fmt: skip
    assert store.counts().requests == 2 and store.counts().oldest_request == first.asked_at
    op_id = decide(store, "req_01A", "rejected", "no need")
    decide(store, "req_01B", "approved")
    (rejected,) = store.requests("rejected")
    assert (rejected.reason, rejected.decided_by, rejected.op_id) == ("no need", "user:ana", op_id)
    assert [r.status for r in store.requests(entry_id=memory_id)] == ["rejected", "approved"]
    assert store.request("req_01b") == store.request("01B") == store.request("req_01B")
    assert store.request("req_01") is None
    assert second.request_id == "req_01B" and store.counts().requests == 0


def test_an_undone_decision_opens_the_request_again(store: Store) -> None:
    memory_id = add(store)
    ask(store, "req_1", memory_id)
    rejected = decide(store, "req_1", "rejected", "no")
    act(store, "undo", EDIT, {"memory_id": memory_id, "patch": {}}, undoes=rejected)
    assert [r.status for r in store.requests()] == ["pending"]
    decide(store, "req_1", "approved")
    assert [r.status for r in store.requests()] == ["approved"]


def test_of_two_decisions_the_smaller_stands_and_the_other_does_nothing(make_store: Callable[..., Store]) -> None:
    one, other = make_store(seed=1), make_store(seed=2)
    memory_id = add(one)
    ask(one, "req_1", memory_id)
    other.receive(one.events())
    decide(one, "req_1", "rejected", "no")
    assert isinstance(other.clock, FakeClock)
    other.clock.now = NOW + 60_000
    with other.transaction() as tx:
        lost = tx.begin("approve", "Approved it", actor="user:eve")
        tx.write(DECISION, {"request_id": "req_1", "outcome": "approved", "base": []})
        tx.write(EDIT, {"memory_id": memory_id, "patch": {"body": "new"}})
    assert [r.status for r in other.requests()] == ["approved"]
    one.receive(other.events())
    other.receive(one.events())
    for store in (one, other):
        entry = store.entry(memory_id)
        assert entry is not None and entry.body == "text"
        assert [r.status for r in store.requests()] == ["rejected"]
        row = store.operation(lost)
        assert row is not None and row.ignored and store.check() == []


def test_a_withdrawn_question(store: Store) -> None:
    memory_id = add(store)
    asked = ask(store, "req_1", memory_id)
    act(store, "undo", EDIT, {"memory_id": memory_id, "patch": {}}, undoes=asked, actor="agent:bo")
    assert [r.status for r in store.requests()] == ["withdrawn"]


# -- local registrations ------------------------------------------------------------------------------------------


def test_workspaces_are_registered_or_named_by_entries(store: Store) -> None:
    assert store.add_workspace("lab", identity="github.com/x/lab") is True
    assert store.add_workspace("lab", host="gaia:1") is False
    add(store, workspace="other")
    lab, other = store.workspaces()
    assert (lab.name, lab.identity, lab.host, lab.status) == ("lab", "github.com/x/lab", "gaia:1", "active")
    assert other == Workspace("other")
    assert store.workspace("lab") == lab and store.workspace("none") is None


def test_projects(store: Store) -> None:
    assert store.add_project("lab", "b", identity="/x/b/.git", path="/x/b") is True
    assert store.add_project("lab", "a", identity="/x/a/.git") is True
    assert store.add_project("lab", "a", identity="/y/a/.git") is False
    assert store.projects("lab") == [
        Project("lab", "a", "/y/a/.git"), Project("lab", "b", "/x/b/.git", "/x/b"),
    ]  # fmt: skip
    assert store.projects("other") == [] and len(store.projects()) == 2
    assert list(store.events()) == []


def test_notes_and_reports(store: Store) -> None:
    store.set_note("k", "one")
    store.set_note("k", "two")
    assert store.note("k") == "two"
    store.set_note("k", None)
    assert store.note("k") is None
    store.report("skewed", "agent:bo", "older")
    store.report("skewed", "agent:bo", "newer")
    assert [(r.kind, r.detail) for r in store.reports()] == [("skewed", "newer")] and store.reports("other") == []
    store.settle_report("skewed", "agent:bo")
    assert store.reports() == []


def test_bookkeeping_joins_an_open_transaction(store: Store) -> None:
    with pytest.raises(ZeroDivisionError), store.transaction():
        store.add_workspace("lab")
        store.set_note("k", "v")
        raise ZeroDivisionError
    assert store.workspaces() == [] and store.note("k") is None


def test_a_counter_has_two_kinds(store: Store) -> None:
    with pytest.raises(ValueError, match="no counter"):
        store.bump(["A"], "kernel")  # type: ignore[arg-type]
    store.bump([], "injection")

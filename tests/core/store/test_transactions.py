"""One write transaction: all or nothing, seen at once, ids above everything seen (DESIGN 3.2 "Clock", 3.5)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from memdesk.core.events import APPEND, CREATE, DELETE, EDGE_ADD, EDGE_REMOVE, EDIT, OPERATION, Event, rfc3339
from memdesk.core.model import Edge, State
from memdesk.core.store import Store

from .conftest import NOW, FakeClock
from .writing import act, add, edit


def test_an_operation_is_its_header_and_then_its_events(store: Store) -> None:
    with store.transaction() as tx:
        op_id = tx.begin(
            "add", "Added atom_x", actor="agent:bo", role="specialist", session_id="s1", on_behalf_of="user:ana"
        )
        memory_id = tx.new_id()
        event = tx.write(CREATE, {"memory_id": memory_id, "workspace": "w", "name": "atom_x", "type": "atom"})
    header, written = store.events()
    assert (header.type, written) == (OPERATION, event)
    assert header.payload == {"verb": "add", "summary": "Added atom_x", "undoes": None, "role": "specialist"}
    for one in (header, written):
        assert (one.op_id, one.agent_id, one.session_id, one.on_behalf_of) == (op_id, "agent:bo", "s1", "user:ana")
        assert (one.origin, one.timestamp) == (store.origin, rfc3339(NOW))
    assert op_id[3:] < header.order < memory_id < written.order


def test_a_no_op_writes_nothing(store: Store) -> None:
    with store.transaction() as tx:
        tx.begin("edit", "Changed nothing", actor="user:ana")
        assert not tx.wrote
    assert list(store.events()) == [] and store.operations() == []


def test_an_undo_that_changes_no_value_is_still_one(store: Store) -> None:
    memory_id = add(store)
    changed = edit(store, memory_id, body="text")
    with store.transaction() as tx:
        undo = tx.begin("undo", "Undid it", actor="user:ana", undoes=changed)
        tx.mark()
        tx.mark()
    row = store.operation(changed)
    assert row is not None and row.undone_by == undo
    assert [e.type for e in store.events_of_op(undo)] == [OPERATION] and store.check() == []
    with pytest.raises(RuntimeError, match="begin"), store.transaction() as tx:
        tx.mark()


def test_bookkeeping_needs_no_operation(store: Store) -> None:
    with store.transaction() as tx:
        tx.db.execute("INSERT INTO hosts (host_id, kind, path) VALUES ('gaia:1', 'gaia', '/x')")
    assert store.db.execute("SELECT count(*) FROM hosts").fetchone()[0] == 1
    with pytest.raises(RuntimeError, match="begin"), store.transaction() as tx:
        tx.write(EDIT, {"memory_id": "A"})


def test_an_exception_leaves_nothing(store: Store) -> None:
    memory_id = add(store)
    before = [e.line() for e in store.events()]
    with pytest.raises(ZeroDivisionError), store.transaction() as tx:
        tx.begin("edit", "Changed it", actor="user:ana")
        tx.write(EDIT, {"memory_id": memory_id, "patch": {"body": "other"}})
        assert store.lookup("atom_x")[0].body == "other"
        raise ZeroDivisionError
    assert [e.line() for e in store.events()] == before
    assert store.lookup("atom_x")[0].body == "text"
    assert store.check() == []
    edit(store, memory_id, body="again")  # the thread's transaction is closed


def test_reads_inside_see_what_was_written(store: Store) -> None:
    with store.transaction() as tx:
        tx.begin("add", "Added two", actor="user:ana")
        ids = [tx.new_id(), tx.new_id()]
        for memory_id in ids:
            name = f"atom_{memory_id[-1].lower()}"
            tx.write(CREATE, {"memory_id": memory_id, "workspace": "w", "name": name, "type": "atom"})
        tx.write(EDGE_ADD, {"from_id": ids[0], "edge_kind": "supersedes", "to_id": ids[1]})
        superseded = store.entry(ids[1])
        assert superseded is not None and superseded.state is State.SUPERSEDED
        assert store.out_degree(ids[0]) == 1
        tx.write(APPEND, {"memory_id": ids[0], "text": "more", "base": []})
        assert [h.entry_row.id for h in store.search("more")] == [ids[0]]
        assert len(store.keys()) == 1 and store.counts().entries == 2


def test_transactions_do_not_nest(store: Store) -> None:
    with store.transaction(), pytest.raises(RuntimeError, match="already"), store.transaction():
        pass


def test_ids_rise_even_when_the_clock_falls(store: Store) -> None:
    clock = store.clock
    assert isinstance(clock, FakeClock)
    for now in (NOW, NOW - 5000, NOW - 3_600_000, NOW):
        clock.now = now
        add(store, f"atom_{now}_{len(list(store.events()))}")
    ids = [e.order for e in sorted(store.events(), key=lambda e: e.timestamp)]
    stamps = [e.timestamp for e in store.events()]
    assert ids == sorted(ids) and stamps == sorted(stamps)
    assert stamps[-1] == rfc3339(NOW + 3)  # each transaction one millisecond after the newest


def test_ids_rise_above_what_was_received(store: Store) -> None:
    ahead = FakeClock(NOW + 9 * 60_000).mint(None).ulid()
    payload = {"memory_id": "A", "name": "atom_a"}
    store.receive([Event("evt_" + ahead, "memory.create", "", "agent:bo", payload=payload)])
    edit(store, "A", body="I have seen it")
    entry = store.entry("A")
    assert entry is not None and entry.body == "I have seen it"
    assert max(e.order for e in store.events()) > ahead


# -- what is read back --------------------------------------------------------------------------------------------


def test_an_entry_is_read_back_whole(store: Store) -> None:
    memory_id = add(
        store, "project_x", **{"class": "thread"}, status="open", title="T", description="D", summary="S",
        tags=["b", "a"], project_ref="/x/repo/.git", initiative="repo", audience="executor", origin_session_id="s1",
    )  # fmt: skip
    store.bump([memory_id], "deliberate")
    folded, entry = store.folded(memory_id), store.entry(memory_id)
    assert folded is not None and folded.entry == entry and entry is not None
    assert (entry.title, entry.tags, entry.status, entry.audience) == ("T", ("a", "b"), "open", "executor")
    assert entry.telemetry.deliberate_count == 1 and entry.created_at == rfc3339(NOW)
    assert store.entries_of([memory_id, "none"]) == [entry]
    assert store.entry("none") is None and store.folded("none") is None and store.row_of("none") is None


def test_undo_and_redo_show_at_once_and_leave_the_log_alone(store: Store) -> None:
    memory_id = add(store)
    changed = edit(store, memory_id, body="second")
    undo = edit(store, memory_id, undoes=changed, body="text")
    assert [o.undone_by for o in store.operations()] == [None, undo, None]
    assert body(store, memory_id) == "text"
    redo = edit(store, memory_id, undoes=undo, body="second")
    assert body(store, memory_id) == "second"
    assert [o.undone_by for o in store.operations()] == [None, redo, None, None]
    assert len(list(store.events())) == 8 and store.check() == []


def test_an_undone_creation_reads_purged_and_is_not_listed(store: Store) -> None:
    memory_id = add(store)
    op_id = store.operations()[0].op_id
    act(store, "undo", DELETE, {"memory_id": memory_id}, undoes=op_id)
    folded = store.folded(memory_id)
    assert folded is not None and folded.creation_undone and folded.entry.state is State.PURGED
    assert store.counts().entries == 0 and list(store.keys()) == []
    again = add(store)
    entry = store.entry(again)
    assert entry is not None and entry.shown_name == "atom_x"  # the undone one claims no name
    owner = store.name_owner("w", "atom_x")
    assert owner is not None and owner.id == again


def body(store: Store, memory_id: str) -> str:
    entry = store.entry(memory_id)
    assert entry is not None
    return entry.body


# -- finding ------------------------------------------------------------------------------------------------------


def test_every_way_to_name_an_entry(store: Store) -> None:
    first, second = add(store, "atom_x"), add(store, "atom_x")
    elsewhere = add(store, "atom_x", workspace="v")
    slashes = add(store, "user_a/b c", workspace="lab/one")

    def ids(ref: str, workspace: str | None = None) -> list[str]:
        return [e.id for e in store.lookup(ref, workspace)]

    assert ids("atom_x") == [elsewhere, first]
    assert ids("atom_x", "w") == ids("w/atom_x") == [first]
    assert ids("atom_x~2") == ids("w/atom_x~2") == [second]
    assert ids("lab/one/user_a/b c") == ids("user_a/b c") == [slashes]
    assert ids(first) == [first] and ids(first, "v") == []
    assert ids(first[:25]) == ids(first[:25].lower()) == [first]
    assert set(ids(first[:6])) == {first, second, elsewhere, slashes}
    assert ids(first[:5]) == ids("nothing_here") == ids("") == []
    act(store, "delete", DELETE, {"memory_id": elsewhere})
    assert ids("atom_x") == [elsewhere, first]
    assert [e.id for e in store.lookup("atom_x", include_purged=False)] == [first]


def test_a_name_beats_the_beginning_of_an_id(store: Store) -> None:
    memory_id = add(store)
    namesake = add(store, memory_id[:8])
    assert [e.id for e in store.lookup(memory_id[:8])] == [namesake]


def test_names_are_taken_by_purged_entries_too(store: Store) -> None:
    memory_id = add(store)
    act(store, "delete", DELETE, {"memory_id": memory_id})
    owner = store.name_owner("w", "atom_x")
    assert owner is not None and (owner.id, owner.state) == (memory_id, State.PURGED)
    assert store.name_owner("v", "atom_x") is None


def test_edges_from_both_ends(store: Store) -> None:
    a, b, c = (add(store, f"atom_{n}") for n in "abc")
    for kind, source, target in (("relates_to", b, a), ("child_of", a, c), ("supersedes", c, b)):
        act(store, "link", EDGE_ADD, {"from_id": source, "edge_kind": kind, "to_id": target})
    stamp = store.edges()[0].created_at
    assert store.edges_of(a) == [Edge(a, "child_of", c, stamp), Edge(b, "related_to", a, stamp)]
    assert store.edges(kind="related_to", source=a) == [Edge(b, "related_to", a)]
    assert store.edges(kind="relates_to", target=a) == [Edge(b, "related_to", a)]
    assert store.edges(source=a) == [Edge(a, "child_of", c)] and store.edges(kind="child_of", source=c) == []
    assert len(store.edges()) == 3 and store.out_degree(a) == 1
    act(store, "unlink", EDGE_REMOVE, {"from_id": a, "edge_kind": "related_to", "to_id": b})  # from the other end
    assert [e.kind for e in store.edges_of(a)] == ["child_of"] and store.check() == []


def test_the_events_behind_an_entry(store: Store) -> None:
    a, b = add(store, "atom_a"), add(store, "atom_b")
    op_id = act(store, "link", EDGE_ADD, {"from_id": a, "edge_kind": "related_to", "to_id": b})
    edit(store, b, body="other")
    assert [e.type for e in store.events_of(b)] == [CREATE, EDGE_ADD, EDIT]
    assert [e.type for e in store.events_of_op(op_id)] == [OPERATION, EDGE_ADD]
    everything = list(store.events())
    assert [e for _, e in store.events_since()] == everything
    half = everything[3].event_id
    assert list(store.events(after=half)) == everything[4:]
    assert store.events_by_id([half, "evt_none"]) == {half: everything[3]}


def test_two_reports_of_one_host_fact_are_one_entry(store: Store) -> None:
    first = add(store, host="gaia:1", host_ref="gaia:1/memory/x")
    second = add(store, host="gaia:1", host_ref="gaia:1/memory/x", body="later")
    edit(store, second, title="named by its alias")
    entry = store.entry(second)
    assert entry is not None and (entry.id, entry.title, entry.body) == (first, "named by its alias", "text")
    assert [e.id for e in store.lookup(second)] == [first]
    assert store.counts().entries == 1 and store.check() == []
    assert store.events_of(first) == store.events_of(second)


def test_detached_hosts_are_left_out_of_every_reading(make_store: Callable[..., Store]) -> None:
    store = make_store()
    own, hosted = add(store, "atom_own"), add(store, "atom_hosted", workspace="g", host="gaia:1")
    act(store, "link", EDGE_ADD, {"from_id": own, "edge_kind": "related_to", "to_id": hosted})
    with store.transaction() as tx:
        tx.db.execute("INSERT INTO hosts (host_id, kind, path, state) VALUES ('gaia:1', 'gaia', '/x', 'detached')")
    assert [e.id for e in store.entries()] == [own]
    assert store.count() == store.counts().entries == 1
    assert store.lookup("atom_hosted") == [] and store.name_owner("g", "atom_hosted") is None
    assert store.edges() == [] and store.edges_of(own) == [] and store.search("text")[0].entry_row.id == own
    assert len(store.search("text")) == 1 and [w.name for w in store.workspaces()] == ["w"]
    with store.transaction() as tx:
        tx.db.execute("UPDATE hosts SET state = 'attached'")
    assert store.count() == 2 and len(store.edges()) == 1

"""Merging another store's events: clocks, copies, tombstones, what waits (DESIGN 3.2 "Clock", 3.3)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from memdesk.core.events import (
    CREATE,
    DELETE,
    EDIT,
    PURGE_EXECUTED,
    QUARANTINE,
    QUARANTINE_MS,
    REQUEST,
    SKEW_MS,
    Event,
    tombstone,
)  # fmt: skip
from memdesk.core.store import Store
from memdesk.core.store.transaction import newest

from .conftest import NOW, FakeClock
from .writing import act, add, edit


def event(kind: str, payload: dict[str, Any], *, at: int = NOW - 1000, seed: int = 1, **envelope: Any) -> Event:
    ulid = FakeClock(at, seed=seed).mint(None).ulid()
    return Event("evt_" + ulid, kind, "2026-11-29T23:59:59Z", "agent:bo", origin="d_far", payload=payload, **envelope)


def created(memory_id: str = "A", body: str = "a secret text", **where: Any) -> Event:
    payload = {"memory_id": memory_id, "workspace": "w", "name": "atom_a", "type": "atom", "body": body}
    return event(CREATE, payload, **where)


def test_what_is_new_applies_once(store: Store) -> None:
    assert store.receive([created(), created()]).applied == 1
    again = store.receive([created()])
    assert (again.applied, again.duplicate, again.read) == (0, 1, 1)
    assert store.counts().entries == 1


def test_an_edit_before_its_create_waits(store: Store) -> None:
    late = event(EDIT, {"memory_id": "A", "patch": {"title": "early"}}, seed=2)
    received = store.receive([late])
    assert (received.applied, received.waiting) == (0, 1)
    assert store.counts().waiting == 1 and store.entry("A") is None
    assert store.receive([created()]).applied == 1
    entry = store.entry("A")
    assert entry is not None and entry.title == "early" and store.counts().waiting == 0


def test_ten_minutes_ahead_is_applied_and_reported(store: Store) -> None:
    received = store.receive([created(at=NOW + SKEW_MS), created("B", at=NOW + SKEW_MS + 60_000, seed=2)])
    assert received.applied == 2 and received.skewed == ("agent:bo@d_far",) and received.op_id is None
    assert [(r.kind, r.subject) for r in store.reports()] == [("skewed", "agent:bo@d_far")]
    assert "11 minutes ahead" in store.reports()[0].detail


def test_more_than_a_day_ahead_is_quarantined_for_ever(store: Store) -> None:
    far, near = created(at=NOW + QUARANTINE_MS + 1), created("B", seed=2)
    received = store.receive([far, near])
    assert received.quarantined == (far.event_id,) and received.applied == 1 and received.read == 2
    assert store.entry("A") is None and store.entry("B") is not None
    named = [e for e in store.events() if e.type == QUARANTINE]
    assert [e.payload["event_ids"] for e in named] == [[far.event_id]]
    operation = store.operations()[0]
    assert (operation.op_id, operation.verb) == (received.op_id, "quarantine")
    assert store.receive([far]).duplicate == 1
    assert store.check() == []


def test_a_quarantined_id_never_advances_the_clock(store: Store) -> None:
    far = created(at=NOW + 40 * QUARANTINE_MS)
    store.receive([far])
    add(store, "atom_now")
    top = newest(store.db)
    assert top is not None and top < far.order
    ours = [e for e in store.events() if e.event_id != far.event_id]
    assert all(e.timestamp.startswith("2026-11-30T00:00:00") for e in ours)


def test_a_quarantine_travels(make_store: Callable[..., Store]) -> None:
    one, other = make_store(seed=1), make_store(seed=2)
    far = created(at=NOW + 2 * QUARANTINE_MS)
    one.receive([far])
    assert isinstance(other.clock, FakeClock)
    other.clock.now = NOW + 2 * QUARANTINE_MS  # here it is not the future any more
    other.receive([far])
    assert other.entry("A") is not None
    other.receive(one.events())
    assert other.entry("A") is None and other.check() == []


def test_one_id_with_two_contents_is_settled_and_reported(make_store: Callable[..., Store]) -> None:
    first, second = created(body="one"), created(body="other")
    kept = min(first, second, key=Event.digest)
    for order in ([first, second], [second, first]):
        store = make_store()
        results = [store.receive([e]) for e in order]
        assert results[1].differing == (first.event_id,)
        entry = store.entry("A")
        assert entry is not None and entry.body == kept.payload["body"]
        assert list(store.events()) == [kept]
        assert store.db.execute("SELECT count(*) FROM events").fetchone()[0] == 2  # the loser stays in the log
        assert [r.kind for r in store.reports()] == ["differing"]
        assert store.receive(order).duplicate == 2 and store.check() == []


def test_a_tombstone_without_its_purge_takes_nothing_away(store: Store) -> None:
    full = created()
    store.receive([full])
    received = store.receive([tombstone(full)])
    assert received.waiting == 1
    entry = store.entry("A")
    assert entry is not None and entry.body == "a secret text"
    assert store.receive([tombstone(full)]).duplicate == 1
    purge = event(PURGE_EXECUTED, {"memory_id": "A"}, seed=3)
    store.receive([purge])
    assert store.entry("A") is None
    assert list(store.events()) == [tombstone(full), purge]
    assert store.db.execute("SELECT count(*) FROM held").fetchone()[0] == 0


def test_a_tombstone_and_its_purge_in_any_order(make_store: Callable[..., Store]) -> None:
    full, purge = created(), event(PURGE_EXECUTED, {"memory_id": "A"}, seed=3)
    for order in ([tombstone(full), purge], [purge, tombstone(full)], [tombstone(full), full, purge], [purge, full]):
        store = make_store()
        received = store.receive(order)
        assert received.read == len(order) and received.waiting == 0
        assert sorted(e.line() for e in store.events()) == sorted([tombstone(full).line(), purge.line()])
        assert store.check() == []


def test_text_of_an_erased_entry_is_residue_and_never_resurrects(store: Store) -> None:
    full, purge = created(), event(PURGE_EXECUTED, {"memory_id": "A"}, seed=3)
    late = event(EDIT, {"memory_id": "A", "patch": {"body": "a secret text again"}}, seed=4)
    store.receive([full, purge])
    received = store.receive([full, late])
    assert received.residue == (full.event_id, late.event_id)
    assert store.entry("A") is None
    assert not any("secret" in line for (line,) in store.db.execute("SELECT line FROM events"))
    assert {r.subject for r in store.reports("residue")} == {full.event_id, late.event_id}


def test_events_that_cannot_be_stored_are_named(store: Store) -> None:
    good = created()
    unusable = [
        replace(good, event_id="evt_01M8MRJSC00000000000000002", payload={"name": "x"}),
        replace(good, event_id="evt_01M8MRJSC00000000000000003", agent_id="lone \ud83d"),
        event("memory.edge.add", {"from_id": "A"}, seed=5),
        event("desk.verdict", {"memory_id": "A", "to_id": "lone \ud83d", "verdict": "different"}, seed=6),
    ]
    received = store.receive([good, *unusable])
    assert received.applied == 1 and [i for i, _ in received.bad] == [e.event_id for e in unusable]
    assert [why for _, why in received.bad] == [
        "no memory_id", "an id that is not text", "no to_id", "an id that is not text",
    ]  # fmt: skip


def test_odd_payloads_are_kept_and_do_no_harm(store: Store) -> None:
    odd: dict[str, Any] = {
        "memory_id": "A", "workspace": None, "name": 7, "type": ["x"], "body": {"x": 1}, "tags": "t", "class": [],
        "title": "lone \ud83d", "status": 3,
    }  # fmt: skip
    odd_edit = {"memory_id": "A", "patch": ["no"], "base": 5, "add_tags": [1, "ok", "lone \udc00"]}
    undecided = event("desk.decision", {"request_id": []}, seed=3)
    store.receive([event(CREATE, odd), event(EDIT, odd_edit, seed=2), undecided])
    entry = store.entry("A")
    assert entry is not None and (entry.name, entry.title, entry.tags) == ("7", "lone \ufffd", ("lone \ufffd", "ok"))
    assert store.check() == []
    assert next(store.events()).payload["title"] == "lone \ud83d"


def test_a_merge_runs_in_bounded_transactions(store: Store) -> None:
    events = [created(f"E{n:03}", seed=n + 1) for n in range(250)]
    seen: list[str] = []
    store.db.set_trace_callback(lambda sql: seen.append(sql) if sql.startswith("BEGIN") else None)
    assert store.receive(iter(events), batch=100).applied == 250
    store.db.set_trace_callback(None)
    assert seen == ["BEGIN IMMEDIATE"] * 3
    assert store.counts().entries == 250


def test_two_stores_with_concurrent_edits_keep_the_lost_one(make_store: Callable[..., Store]) -> None:
    one, other = make_store(seed=1), make_store(seed=2)
    memory_id = add(one, description="first")
    other.receive(one.events())
    assert isinstance(other.clock, FakeClock)
    other.clock.now = NOW + 60_000
    edit(one, memory_id, description="mine")
    edit(other, memory_id, description="theirs")
    one.receive(other.events())
    (lost,) = one.lost_edits()
    assert (lost.field, lost.value, lost.entry_id) == ("description", "mine", memory_id)
    assert one.counts().lost_edits == 1 and one.lost_edits("elsewhere") == []
    settled = {"patch": {"description": "mine and theirs"}, "base": {"description": [lost.event_id, lost.winner_id]}}
    act(one, "settle", EDIT, {"memory_id": memory_id, **settled})
    assert one.lost_edits() == []


def test_a_delete_elsewhere_frees_no_name(make_store: Callable[..., Store]) -> None:
    one, other = make_store(seed=1), make_store(seed=2)
    first = add(one)
    second = add(other)
    act(one, "delete", DELETE, {"memory_id": first})
    one.receive(other.events())
    other.receive(one.events())
    for store in (one, other):
        names = {e.id: e.shown_name for e in store.entries_of([first, second])}
        assert sorted(names.values()) == ["atom_x", "atom_x~2"] and store.check() == []
    assert one.entries_of([first, second]) == other.entries_of([first, second])


def test_a_request_about_an_erased_entry_comes_without_its_text(store: Store) -> None:
    store.receive([created(), event(PURGE_EXECUTED, {"memory_id": "A"}, seed=2)])
    asked = {"request_id": "req_1", "verb": "edit", "refs": ["A"], "args": {"fields": {"body": "the secret again"}}}
    received = store.receive([event(REQUEST, asked, seed=3)])
    assert len(received.residue) == 1
    assert "secret" not in "".join(e.line() for e in store.events())
    assert [r.status for r in store.requests()] == ["withdrawn"]


def test_a_tombstone_is_let_in_where_its_entry_is_known_to_be_erased_under_another_id(store: Store) -> None:
    # One row of a host, reported twice: the machine that knew both reports erased both, this one knows one by name.
    first, second = created("D", at=NOW - 2000, host_ref="gaia:1/r"), created("A", seed=2, host_ref="gaia:1/r")
    purge = event(PURGE_EXECUTED, {"memory_id": "A"}, seed=3)
    store.receive([purge])
    assert store.receive([tombstone(first)]).waiting == 1
    store.receive([tombstone(second)])
    assert {e.event_id for e in store.events()} == {first.event_id, second.event_id, purge.event_id}
    assert store.receive([tombstone(first)]).duplicate == 1
    assert store.check() == []

"""Requests in the store: their wordings, the lists of them, and decisions that lost (DESIGN 3.3, 4)."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memdesk.core import schema
from memdesk.core.events import DECISION, EDIT, PURGE_EXECUTED, REQUEST, wish_of
from memdesk.core.store import RequestRow, Store
from memdesk.core.store.opening import connect

from .conftest import NOW, FakeClock
from .writing import act, add

Make = Callable[..., Store]


def asking(request_id: str, *refs: str, text: str = "first", **more: Any) -> dict[str, Any]:
    return {
        "request_id": request_id, "verb": "edit", "refs": list(refs), "args": {"fields": {"body": text}}, "base": {},
        "rationale": "because", "asked_by": "agent:bo", "kind": "request", **more,
    }  # fmt: skip


def ask(store: Store, request_id: str, *refs: str, **more: Any) -> str:
    return act(store, "request", REQUEST, asking(request_id, *refs, **more), actor="agent:bo", session_id="s1")


def revise(store: Store, request_id: str, *refs: str, text: str, actor: str = "user:ana") -> str:
    row = one(store)
    return act(store, "revise", REQUEST, asking(request_id, *refs, text=text, revises=row.revision_id), actor=actor)


def decide(store: Store, outcome: str, *, actor: str = "user:ana", **more: Any) -> str:
    base = [e.event_id for e in store.decisions_on("req_1")]
    payload = {"request_id": "req_1", "outcome": outcome, "reason": f"{actor} said so", "base": base, **more}
    return act(store, outcome, DECISION, payload, actor=actor)


def undo(store: Store, op_id: str) -> None:
    with store.transaction() as tx:
        tx.begin("undo", "Undid it", actor="user:ana", undoes=op_id)
        tx.mark()


def one(store: Store) -> RequestRow:
    (row,) = store.requests()
    return row


def text(row: RequestRow) -> str:
    return str(row.args["fields"]["body"])


def test_the_newest_wording_holds_and_the_asker_stays(store: Store) -> None:
    entry_id = add(store)
    ask(store, "req_1", entry_id)
    first = one(store)
    assert (first.revision_id, first.revised_by, first.revised_at) == (first.event_id, None, None)
    assert (first.session_id, first.origin) == ("s1", store.origin)
    op_id = revise(store, "req_1", entry_id, text="second")
    row = one(store)
    assert (text(row), row.asked_by, row.asked_at, row.event_id) == (
        "second", "agent:bo", first.asked_at, first.event_id,
    )  # fmt: skip
    assert row.revised_by == "user:ana" and row.revised_at and row.revision_id > row.event_id
    assert row.session_id == "s1"
    undo(store, op_id)
    assert one(store) == first, "undoing a revision falls back"


def test_the_wording_that_was_decided_on_is_kept_whatever_arrives(make_store: Make) -> None:
    here, there = make_store(seed=1), make_store(seed=2)
    entry_id = add(here)
    ask(here, "req_1", entry_id)
    there.receive(here.events())
    assert isinstance(there.clock, FakeClock)
    there.clock.now = NOW + 60_000
    decision = decide(here, "approved", revision=one(here).revision_id)
    revise(there, "req_1", entry_id, text="second")
    here.receive(there.events())
    there.receive(here.events())
    for store in (here, there):
        assert (one(store).status, text(one(store))) == ("approved", "first")
        assert store.check() == []
    undo(here, decision)
    assert (one(here).status, text(one(here))) == ("pending", "second")


def test_wordings_converge_in_any_order(make_store: Make) -> None:
    source = make_store(seed=1)
    entry_id = add(source)
    ask(source, "req_1", entry_id)
    revise(source, "req_1", entry_id, text="second")
    undo(source, revise(source, "req_1", entry_id, text="third"))
    decide(source, "rejected", revision=one(source).revision_id)
    events = list(source.events())
    for seed in range(6):
        other = make_store(seed=seed + 2)
        random.Random(seed).shuffle(events)
        for event in events:
            other.receive([event])
        assert one(other) == one(source)
        other.rebuild()
        assert one(other) == one(source)


def test_an_erase_takes_the_text_of_every_wording(store: Store) -> None:
    entry_id = add(store)
    ask(store, "req_1", entry_id, text="a secret one")
    revise(store, "req_1", entry_id, text="a secret two")
    act(store, "erase", PURGE_EXECUTED, {"memory_id": entry_id})
    assert (one(store).status, one(store).args) == ("withdrawn", {})
    assert "secret" not in "".join(e.line() for e in store.events())


def test_an_erase_reaches_a_request_that_was_about_the_entry_before_it_was_worded_anew(store: Store) -> None:
    first, then = add(store, "atom_a"), add(store, "atom_b")
    ask(store, "req_1", first, text="a secret one")
    revise(store, "req_1", then, text="another")
    act(store, "erase", PURGE_EXECUTED, {"memory_id": first})
    found = one(store)
    assert "secret" not in "".join(e.line() for e in store.events())
    store.rebuild()
    assert one(store) == found and found.status == "withdrawn"


def test_an_erase_ends_a_request_whose_later_wording_is_about_the_entry(store: Store) -> None:
    entry_id = add(store)
    ask(store, "req_1", text="first")
    revise(store, "req_1", entry_id, text="a secret one")
    act(store, "erase", PURGE_EXECUTED, {"memory_id": entry_id})
    assert (one(store).status, one(store).args) == ("withdrawn", {}) and one(store).reason
    assert "secret" not in "".join(e.line() for e in store.events())


def test_taking_back_the_question_withdraws_it_however_it_was_worded_since(store: Store) -> None:
    entry_id = add(store)
    op_id = ask(store, "req_1", entry_id)
    revise(store, "req_1", entry_id, text="second")
    undo(store, op_id)
    assert one(store).status == "withdrawn"


def test_lists_of_requests(store: Store) -> None:
    here, there = add(store, "atom_a"), add(store, "atom_b", workspace="v")
    ask(store, "req_1", here)
    ask(store, "req_2", there)
    ask(store, "req_3", args={"name": "atom_c", "workspace": "v"}, verb="add")
    ask(store, "req_4", args={"title": "c", "parent": here}, verb="create")
    decide(store, "rejected")
    assert store.request_keys() == ["req_1", "req_2", "req_3", "req_4"]
    assert store.request_keys("pending") == ["req_2", "req_3", "req_4"]
    assert store.request_keys(workspace="v") == ["req_2", "req_3"]
    assert store.request_keys(workspace="w") == ["req_1", "req_4"]
    assert [r.request_id for r in store.requests_of(["req_3", "req_none", "req_1"])] == ["req_3", "req_1"]
    assert [r.request_id for r in store.requests("pending", entry_id=there)] == ["req_2"]
    wish = wish_of("agent:bo", store.requests_of(["req_3"])[0].payload)
    assert [r.request_id for r in store.requests("pending", wish=wish)] == ["req_3"]
    assert store.requests("rejected", wish=wish) == store.requests(wish="") == []


def test_a_losing_decision_is_listed_until_its_author_takes_it_back(make_store: Make) -> None:
    here, there = make_store(seed=1), make_store(seed=2)
    entry_id = add(here)
    ask(here, "req_1", entry_id)
    there.receive(here.events())
    assert isinstance(there.clock, FakeClock)
    there.clock.now = NOW + 60_000
    decide(here, "rejected")
    lost = decide(there, "approved", actor="user:bo")
    here.receive(there.events())
    there.receive(here.events())
    for store in (here, there):
        (found,) = store.lost_decisions()
        assert (found.request_id, found.decision.agent_id, found.decision.op_id) == ("req_1", "user:bo", lost)
        assert store.lost_decisions(actor="user:bo", request_id="req_1") == [found]
        assert store.lost_decisions(actor="user:ana") == store.lost_decisions(request_id="req_2") == []
    undo(there, lost)
    assert there.lost_decisions() == []


def test_a_store_of_before_gets_what_it_knows_of_its_requests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Store.open(tmp_path / "now") as store:
        entry_id = add(store)
        ask(store, "req_1", entry_id)
        wanted, events = one(store), list(store.events())
    with monkeypatch.context() as patch:
        patch.setattr(schema, "MIGRATIONS", schema.MIGRATIONS[:3])
        patch.setattr(schema, "VERSION", 3)
        (tmp_path / "old").mkdir()
        (tmp_path / "old" / "memdesk.db").touch()
        conn = connect(tmp_path / "old" / "memdesk.db", read_only=False, wait_ms=1000)
        schema.migrate(conn)
    for event in events:
        sql = "INSERT INTO events (event_id, type, other_id, agent_id, timestamp, line) VALUES (?, ?, ?, '', '', ?)"
        conn.execute(sql, (event.event_id, event.type, event.payload.get("request_id"), event.line()))
    conn.execute(
        "INSERT INTO requests (request_id, event_id, verb, asked_by, asked_at, status, payload) "
        "VALUES ('req_1', ?, 'edit', 'agent:bo', ?, 'pending', '{}')", (wanted.event_id, wanted.asked_at),
    )  # fmt: skip
    conn.close()
    with Store.open(tmp_path / "old") as store:
        row = one(store)
        assert (row.revision_id, row.revised_by, row.session_id, row.origin) == (
            wanted.event_id, None, "s1", wanted.origin,
        )  # fmt: skip


def test_many_entries_and_names_at_once(store: Store) -> None:
    ids = [add(store, f"atom_{n}") for n in range(5)]
    act(store, "edit", EDIT, {"memory_id": ids[0], "patch": {"body": "new"}})
    found = store.folded_of([*ids, "none"])
    assert list(found) == ids
    for entry_id in ids:
        alone = store.folded(entry_id)
        assert alone is not None
        assert (found[entry_id].entry, found[entry_id].tips, found[entry_id].body_heads) == (
            alone.entry, alone.tips, alone.body_heads,
        )  # fmt: skip
    owners = store.name_owners([("w", "atom_1"), ("w", "atom_none"), ("v", "atom_1")])
    assert owners == {("w", "atom_1"): store.name_owner("w", "atom_1")}

"""The projection equals the fold of the whole log, whatever arrives in whatever order; stores converge (DESIGN 3.3)."""

from __future__ import annotations

import random
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memdesk.core.events import Event, parse_line
from memdesk.core.fold import fold_all
from memdesk.core.store import Store

from .conftest import NOW, FakeClock

_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def ulid(number: int, ms: int = NOW - 3_600_000) -> str:
    """A ULID: the time plus `number` milliseconds, the randomness all zero."""
    value = (ms + number) << 80
    return "".join(_ALPHABET[(value >> shift) & 31] for shift in range(125, -1, -5))


IDS = [ulid(n) for n in range(48)]
ENTRIES = ["A", "B", "C", "D"]
OPS = [f"op_{ulid(n)}" for n in (2, 9, 17, 26, 33, 41)]
REFS = ["gaia:1/r1", "gaia:1/r2"]
REQUESTS = ["req_1", "req_2"]

entry_id = st.sampled_from(ENTRIES)
event_id = st.sampled_from(IDS).map(lambda i: "evt_" + i)
text = st.sampled_from(["one", "two", "Müller", "日本", "C++", "lone \ud83d", ""])
values = st.fixed_dictionaries(
    {},
    optional={
        "workspace": st.sampled_from(["w", "v"]), "name": st.sampled_from(["atom_x", "atom_y", "atom_x~2"]),
        "class": st.sampled_from(["anchor", "thread", "log"]), "status": st.sampled_from(["open", "closed", None]),
        "title": text, "description": text, "body": text,
    },
)  # fmt: skip
tags = st.lists(st.sampled_from(["t", "u"]), max_size=2)
seen = st.lists(event_id, max_size=3)


def draw_payload(draw: st.DrawFn, kind: str, about: str) -> dict[str, Any]:
    """A payload of this kind about this entry; foreign shapes and dangling ids are part of the game."""
    payload: dict[str, Any] = {"memory_id": about}
    if kind == "memory.create":
        payload |= {"workspace": "w", "name": "atom_x", "type": "atom", **draw(values), "tags": draw(tags)}
        if draw(st.booleans()):
            payload["host"] = draw(st.sampled_from(["gaia:1", "thrum:1"]))
    elif kind == "memory.edit":
        patch = draw(values)
        if draw(st.booleans()):
            patch["state"] = draw(st.sampled_from(["active", "superseded", "purged"]))
        payload |= {"patch": patch, "add_tags": draw(tags), "rm_tags": draw(tags)}
        if draw(st.booleans()):
            payload["base"] = {name: draw(seen) for name in patch}
    elif kind == "memory.append":
        payload |= {"text": draw(text), "base": draw(seen)}
    elif kind.startswith("memory.edge"):
        edge = draw(st.sampled_from(["supersedes", "supersedes", "related_to", "relates_to", "child_of"]))
        payload = {"from_id": about, "edge_kind": edge, "to_id": draw(entry_id)}
    elif kind == "desk.operation":
        payload = {"verb": "v", "summary": "s", "undoes": draw(st.sampled_from([None, *OPS]))}
    elif kind == "desk.request":
        payload = {"request_id": draw(st.sampled_from(REQUESTS)), "verb": "edit", "refs": [about]}
    elif kind == "desk.decision":
        outcome = draw(st.sampled_from(["approved", "rejected"]))
        payload = {"request_id": draw(st.sampled_from(REQUESTS)), "outcome": outcome, "base": draw(seen)}
        payload |= draw(st.fixed_dictionaries({}, optional={"revision": event_id}))
    elif kind == "desk.quarantine":
        payload = {"event_ids": draw(seen)}
    return payload


_KINDS = [
    "memory.create", "memory.edit", "desk.operation", "memory.edge.add", "memory.create", "memory.append",
    "desk.decision", "memory.edit", "memory.edge.remove", "memory.delete", "desk.operation", "memory.create",
    "desk.request", "memory.edge.add", "memory.edit", "desk.quarantine", "memory.purge_executed", "desk.operation",
    "desk.unknown",
]  # fmt: skip


@st.composite
def events(draw: st.DrawFn) -> Event:
    """Any event. One id names one kind of event about one entry (and one fact of a host); its content may differ."""
    number = draw(st.integers(0, len(IDS) - 1))
    kind = _KINDS[number % len(_KINDS)]
    return Event(
        event_id="evt_" + IDS[number], type=kind, timestamp=f"2026-11-29T23:00:0{draw(st.integers(0, 9))}Z",
        agent_id=draw(st.sampled_from(["user:ana", "agent:bo"])), origin="d_x",
        # Hosts report what became of memory; headers, requests and decisions are no facts of theirs.
        op_id=draw(st.sampled_from([None, *OPS])),
        host_ref=[None, *REFS, None][number % 4] if kind.startswith("memory.") else None,
        payload=draw_payload(draw, kind, ENTRIES[number % 7 % len(ENTRIES)]),
    )  # fmt: skip


@contextmanager
def fresh(blank: Path, seed: int = 0) -> Iterator[Store]:
    folder = Path(tempfile.mkdtemp(prefix="memdesk-test-"))
    try:
        shutil.copytree(blank, folder / "s")
        with Store.open(folder / "s", clock=FakeClock(seed=seed)) as store:
            yield store
    finally:
        shutil.rmtree(folder)


TABLES = {
    "entries": "id, workspace, name, shown_name, type, class, status, state, title, description, summary, body, "
    "created_at, updated_at, updated_key, last_edited_by, edit_count, host, creation_undone, body_chars",
    "tags": "*", "edges": "*", "waiting": "*", "lost_edits": "*", "operations": "*", "op_standing": "*",
    "requests": "*", "request_refs": "*", "request_wishes": "*", "aliases": "*", "shadowed": "*", "erased": "*",
    "losing_decisions": "*",
}  # fmt: skip


def projection(store: Store) -> dict[str, list[Any]]:
    """Every projected table, without the row numbers, which tell the order of arrival."""
    selects = {name: f"SELECT {columns} FROM {name}" for name, columns in TABLES.items()}
    return {name: sorted(map(repr, store.db.execute(sql))) for name, sql in selects.items()}


def hand_over(store: Store, log: list[Event], shuffled: random.Random) -> None:
    """Receive a log in random pieces."""
    at = 0
    while at < len(log):
        step = shuffled.randint(1, 12)
        store.receive(log[at : at + step], batch=shuffled.randint(1, 8))
        at += step


SETTINGS = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


@SETTINGS
@given(log=st.lists(events(), max_size=40), seed=st.integers(0, 2**32))
def test_any_order_and_repetition_gives_one_projection(blank: Path, log: list[Event], seed: int) -> None:
    converges(blank, log, seed)


def converges(blank: Path, log: list[Event], seed: int) -> None:
    """Two stores that receive the same events differently show the same."""
    shuffled = random.Random(seed)
    with fresh(blank, 1) as one, fresh(blank, 2) as other:
        hand_over(one, log, shuffled)
        assert one.check() == []
        again = log + shuffled.sample(log, len(log) // 2)
        shuffled.shuffle(again)
        hand_over(other, again, shuffled)
        assert other.check() == []
        assert projection(one) == projection(other)
        assert {e.event_id for e in one.events()} == {e.event_id for e in log}
        whole = fold_all(log)
        assert set(whole.entries) == {i for (i,) in one.db.execute("SELECT id FROM entries")}
        assert {k for k, s in whole.edges.items() if s.present} == {e.key for e in one.edges()}


@SETTINGS
@given(log=st.lists(events(), max_size=30), seed=st.integers(0, 2**32))
def test_two_stores_that_exchange_everything_agree(blank: Path, log: list[Event], seed: int) -> None:
    shuffled = random.Random(seed)
    with fresh(blank, 1) as one, fresh(blank, 2) as other:
        for event in log:
            shuffled.choice((one, other)).receive([event])
        for _ in range(2):  # the second time for a tombstone that took the place of a copy the other side never saw
            lanes = [list(one.events()), list(other.events())]
            for lane in lanes:
                shuffled.shuffle(lane)
            one.receive(lanes[1])
            other.receive(lanes[0])
        assert one.check() == [] and other.check() == []
        assert projection(one) == projection(other)
        assert [e.line() for e in one.events()] == [e.line() for e in other.events()]


@SETTINGS
@given(log=st.lists(events(), max_size=40))
def test_a_rebuild_changes_nothing(blank: Path, log: list[Event]) -> None:
    with fresh(blank) as store:
        store.receive(log)
        before = projection(store)
        store.rebuild()
        assert projection(store) == before
        assert store.check() == []


@SETTINGS
@given(log=st.lists(events(), max_size=40))
def test_every_event_read_is_counted_once(blank: Path, log: list[Event]) -> None:
    with fresh(blank) as store:
        assert store.receive(log).read == len(log)
        again = store.receive(log)
        assert (again.read, again.applied) == (len(log), 0)


def test_events_survive_the_round_trip(store: Store) -> None:
    payload = {"x": [1.5, {"y": None}]}
    event = Event("evt_" + IDS[0], "desk.unknown", "2026-11-29T23:00:00Z", "user:ana", payload=payload)
    store.receive([event])
    assert list(store.events()) == [event] == [parse_line(event.line())]


@pytest.mark.soak
@settings(max_examples=3000, deadline=None, suppress_health_check=list(HealthCheck))
@given(log=st.lists(events(), max_size=60), seed=st.integers(0, 2**32))
def test_any_order_soak(blank: Path, log: list[Event], seed: int) -> None:
    converges(blank, log, seed)

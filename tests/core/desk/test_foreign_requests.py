"""Requests of other programs, or broken ones, are listed and turned down like any other; nothing trips over them."""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from memdesk.core.config import Config
from memdesk.core.desk import Actor, Desk
from memdesk.core.desk.deciding import METHODS
from memdesk.core.errors import MemdeskError
from memdesk.core.events import REQUEST, Clock
from memdesk.core.hosts import Hosts
from memdesk.core.store import Store

from .conftest import NOON

NAMES = [
    "ref", "refs", "name", "fields", "body", "text", "source", "kind", "target", "by", "old", "into", "to", "parent",
    "anchor", "payload", "remove", "add", "tags", "add_tags", "rm_tags", "klass", "status", "state", "workspace",
    "project", "initiative", "verdict", "confirm", "reason", "title", "oneline", "short", "full", "audience",
]  # fmt: skip
INNER = st.sampled_from(["resumen", "pendientes", "name", "body", "description", "text", "title", "x"])
PLAIN = st.none() | st.booleans() | st.integers(-1, 3) | st.sampled_from(["", "atom_a", "A", "lab", "thread", "\ud83d"])
ANY = st.recursive(
    PLAIN, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(INNER, inner, max_size=3), max_leaves=8
)
ids: dict[str, str] = {}


@pytest.fixture(scope="module")
def desk() -> Iterator[Desk]:
    with tempfile.TemporaryDirectory() as folder:
        ticks = itertools.count(NOON, 1000)
        store = Store.open(Path(folder), clock=Clock(lambda: next(ticks)))
        store.add_workspace("lab")
        desk = Desk(store, Actor("user:ana", on_terminal=True), Hosts(store), Config())
        for name in ("atom_a", "atom_b"):
            ids[name] = desk.add(name=name, body=f"Text of {name}.", description="a", workspace="lab").entry.id
        yield desk
        store.close()


@example(verb="add", args={}, refs=["\ud83d"], base={}, rationale=None)  # what it is filed under
@settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(
    verb=st.sampled_from([*METHODS, "conjure", ""]),
    args=st.dictionaries(st.sampled_from(NAMES), ANY, max_size=6) | ANY,
    refs=st.lists(st.sampled_from(["atom_a", "atom_b", "none"]), max_size=2) | ANY,
    base=st.dictionaries(st.sampled_from(["body", "tags", "state", "title"]), ANY, max_size=3) | ANY, rationale=ANY,
)  # fmt: skip
def test_whatever_a_request_says(desk: Desk, verb: str, args: Any, refs: Any, base: Any, rationale: Any) -> None:
    if isinstance(refs, list):
        refs = [ids.get(r, r) if isinstance(r, str) else r for r in refs]
    with desk.store.transaction() as tx:
        tx.begin("request", "Asked for something", actor="agent:x")
        request_id = "req_" + tx.new_id()
        tx.write(REQUEST, {
            "request_id": request_id, "verb": verb, "args": args, "refs": refs,
            "base": dict.fromkeys(ids.values(), base), "rationale": rationale,
        })  # fmt: skip
    row = desk.request(request_id)
    state = desk.request_state(row)
    assert state in ("ready", "stale", "gone", "settled")
    assert bool(desk.why_not_ready(row)) is (state != "ready")
    assert all(isinstance(text, str) for text in desk.request_texts(row).values())
    assert desk.plan_rebase(request_id).possible in (True, False)
    assert request_id in desk.request_keys() and desk.request_keys(text="agent:x")
    desk.request_keys(workspace="lab")
    desk.mark_request_shown(row)
    before = desk.store.entries_of(ids.values())
    for call in (
        lambda: desk.rebase_request(request_id), lambda: desk.edit_request(request_id, desk.request_texts(row)),
        lambda: desk.approve(request_id),
    ):  # fmt: skip
        try:
            call()
        except MemdeskError as error:
            assert error.message
    if desk.request(request_id).status == "approved":
        desk.undo()
        assert desk.store.entries_of(ids.values()) == before
    desk.reject(request_id, "No.")
    assert desk.request(request_id).status == "rejected"

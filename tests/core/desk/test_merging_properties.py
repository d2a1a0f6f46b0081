"""Any graph, any order of merges: every group keeps a live member, nothing is lost, undo restores all (issue 3)."""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memdesk.core import graph
from memdesk.core.config import Config
from memdesk.core.desk import Actor, Desk
from memdesk.core.errors import EdgeRefused, InvalidValue
from memdesk.core.events import Clock
from memdesk.core.hosts import Hosts
from memdesk.core.model import ACYCLIC_KINDS, CHILD_OF, State, edge_key
from memdesk.core.policy import Role
from memdesk.core.store import Store

#: Replacing is where a merge could retire the wrong one, so it comes often.
KINDS = ("supersedes", "supersedes", "supersedes", "child_of", "derived_from", "graduated_to", "related_to", "about")
MEMBERS = 5
MOST, DEPTH = 6, 5


@dataclass(frozen=True)
class Case:
    texts: list[str]
    links: list[tuple[int, str, int]]
    unlinked: list[int]
    restored: list[int]
    merges: list[tuple[list[int], int, str]]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    node = st.integers(0, MEMBERS + 2)
    member = st.integers(0, MEMBERS - 1)
    group = st.lists(member, min_size=2, max_size=4, unique=True)
    merge = st.tuples(group, st.integers(0, 3), st.sampled_from(["", "left", "right", "both"]))
    words = st.lists(st.sampled_from(["alpha", "beta", "gamma", "delta"]), min_size=1, max_size=3)
    return Case(
        [" ".join(draw(words)) + f"\n\nown {n}" for n in range(MEMBERS)],
        draw(st.lists(st.tuples(node, st.sampled_from(KINDS), node), max_size=14)),
        draw(st.lists(st.integers(0, 13), max_size=3)),
        draw(st.just(list(range(MEMBERS + 3))) | st.lists(node, max_size=3)),
        draw(st.lists(merge, min_size=1, max_size=6)),
    )  # fmt: skip


@contextmanager
def opened() -> Iterator[Desk]:
    ticks = itertools.count(1_790_000_000_000, 1000)
    with tempfile.TemporaryDirectory() as folder:
        store = Store.open(Path(folder) / "store", clock=Clock(lambda: next(ticks)))
        store.add_workspace("me")
        config = Config(edges_per_memory=MOST, edge_depth=DEPTH)
        try:
            yield Desk(store, Actor("user:ana", Role.USER, on_terminal=True), Hosts(store), config)
        finally:
            store.close()


def build(desk: Desk, case: Case) -> list[str]:
    ids = [
        desk.add(name=f"project_{n}", body=text, description=f"d{n}", workspace="me", klass="anchor").entry.id
        for n, text in enumerate([*case.texts, "far a", "far b", "far c"])
    ]
    for n in range(MEMBERS):
        desk.edit(ids[n], add_tags=[f"tag{n}"])
    made = []
    for a, kind, b in case.links:
        try:
            made.append((ids[a], kind, ids[b]))
            desk.link(*made[-1], force=True)
        except EdgeRefused:
            pass
    for place in case.unlinked:
        if place < len(made):
            desk.unlink(*made[place])
    for n in case.restored:
        desk.restore(ids[n])
    return ids


def picture(desk: Desk, ids: list[str]) -> Any:
    entries = [desk.store.entry(i) for i in ids]
    shown = [(e.state, e.body, e.title, e.description, tuple(sorted(e.tags)), e.updated_at) for e in entries if e]
    return shown, {e.key for e in desk.store.edges()}


def check_edges(desk: Desk, plan: Any, before: set[tuple[str, str, str]]) -> None:
    """Each edge of the absorbed is on the survivor, or named as dropped; edges of others are left alone."""
    after = {e.key for e in desk.store.edges()}
    inside = {plan.survivor.id, *(e.id for e in plan.absorbed)}
    named = {lost.edge.key for lost in plan.dropped}
    for source, kind, target in before:
        ends = {source, target} & inside
        if not ends - {plan.survivor.id}:
            if not ends:
                assert (source, kind, target) in after
            continue
        new_source, new_target = (plan.survivor.id if n in inside else n for n in (source, target))
        moved = edge_key(new_source, kind, new_target)
        expected = (source, kind, target) in named or moved in after
        within = source in inside and target in inside
        assert expected or (within and kind == "supersedes"), (source, kind, target)
    for kind in ACYCLIC_KINDS:
        assert graph.cycles(desk.store.edges(), kind) == []
    assert all(desk.store.out_degree(i) <= MOST for i in inside)


def check_merge(desk: Desk, case: Case, ids: list[str], merge: tuple[list[int], int, str]) -> bool:
    group, keep, choice = merge
    refs = [ids[n] for n in group]
    into = refs[keep % len(refs)]
    before, live = {e.key for e in desk.store.edges()}, {i for i in ids if is_live(desk, i)}
    parents = len(graph.several_parents(desk.store.edges()))
    seen = picture(desk, ids)
    fields = {"body": choice} if choice else None
    try:
        plan = desk.merge_plan(refs, into=into, fields=fields)
        receipt = desk.merge(refs, into=into, fields=fields)
    except (EdgeRefused, InvalidValue):
        assert picture(desk, ids) == seen, "a refusal changes nothing"
        return False
    gone = {e.id for e in plan.absorbed}
    assert {i for i in ids if is_live(desk, i)} == live - gone, "only the absorbed leave"
    assert is_live(desk, into)
    if not receipt.changed:
        assert picture(desk, ids) == seen
        return False
    check_edges(desk, plan, before)
    assert len(graph.several_parents(desk.store.edges())) <= parents, (CHILD_OF, plan)
    survivor = desk.find(into)
    assert {t for e in (plan.survivor, *plan.absorbed) for t in e.tags} <= set(survivor.tags)
    for entry in (plan.survivor, *plan.absorbed):
        assert entry.body in texts_of(desk, entry.id), "every text stays in the history"
    if choice == "both":
        assert all(line in survivor.body for e in (plan.survivor, *plan.absorbed) for line in e.body.split("\n"))
    after = picture(desk, ids)
    assert not desk.merge(refs, into=into, fields=fields).changed and picture(desk, ids) == after
    found = {hit.entry_row.id for hit in desk.search("own", workspace="me", limit=99).hits}
    assert into in found and not gone & found
    return True


def texts_of(desk: Desk, entry_id: str) -> set[str]:
    """Every body that an entry had, and has."""
    return {desk.find(entry_id).body, *(
        text for v in desk.history(entry_id)[1] for change in v.changes if change.field == "body"
        for text in (change.before, change.after) if text
    )}  # fmt: skip


def is_live(desk: Desk, entry_id: str) -> bool:
    entry = desk.store.entry(entry_id)
    return entry is not None and entry.state is State.ACTIVE


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(cases())
def test_any_order_of_merges_keeps_what_matters_and_undo_restores_all(case: Case) -> None:
    with opened() as desk:
        ids = build(desk, case)
        pictures = [picture(desk, ids)]
        for merge in case.merges:
            if check_merge(desk, case, ids, merge):
                pictures.append(picture(desk, ids))
        while len(pictures) > 1:
            assert picture(desk, ids) == pictures.pop()
            assert desk.undo().changed
        assert picture(desk, ids) == pictures[0]

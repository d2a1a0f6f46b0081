"""The fold over random sets of events: order, repetition and the way between stores cannot matter (DESIGN 3.3)."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from pen import Pen
from random_work import GROUPS, STEP, work

from memdesk.core.events import APPEND, CREATE, DECISION, EDIT, PURGE_EXECUTED, QUARANTINE, Event, parse_line
from memdesk.core.fold import Memory, fold_all, fold_edges, fold_entry
from memdesk.core.standing import canonical, standing_of

IDS = ("A", "B", "C")


def facts(memory: Memory) -> tuple[Any, ...]:
    """Everything a fold says."""
    lost = {i: f.lost for i, f in memory.entries.items()}
    return memory.entries, memory.edges, lost, memory.standing, memory.waiting, memory.residue


@st.composite
def logs(draw: st.DrawFn) -> list[Event]:
    """Events of two authors; bases, undos, host facts, decisions and erases are drawn from what came before."""
    pen = Pen()
    pick = random.Random(draw(st.integers(0, 2**32)))
    ops: list[str] = []
    made: list[Event] = []
    for _ in range(draw(st.integers(1, 25))):
        undoes = pick.choice(ops) if ops and pick.random() < 0.25 else None
        with pen.operation("x", undoes=undoes, author=pick.choice(["user:ana", "agent:bob"])) as op:
            for _ in range(pick.randint(1, 3)):
                made.append(_any_event(pen, pick, made))
        ops.append(op)
    return list(pen.log.values())


def _any_event(pen: Pen, pick: random.Random, made: list[Event]) -> Event:
    def ids() -> list[str]:
        return [e.event_id for e in pick.sample(made, min(len(made), pick.randint(0, 3)))]

    entry_id = pick.choice(IDS)
    host_ref = pick.choice([None, None, None, "h:1", "h:2"])
    roll = pick.random()
    if roll < 0.25:
        fields = {"workspace": "w", "name": pick.choice(["x", "y"]), "type": "atom", "body": pick.choice("ab")}
        extra = {"host": pick.choice([None, "gaia:1"]), "tags": ["t"], "class": pick.choice(["thread", "log"])}
        return pen.put(CREATE, host_ref=host_ref, memory_id=entry_id, **fields, **extra)
    if roll < 0.55:
        patch = {pick.choice(["title", "body", "status", "name"]): pick.choice("abc")}
        if pick.random() < 0.2:
            patch["state"] = pick.choice(["active", "superseded", "purged"])
        base = pick.choice([None, {name: ids() for name in patch}])
        tags = {"add_tags": [pick.choice("tu")], "rm_tags": [pick.choice("tu")]} if pick.random() < 0.3 else {}
        return pen.put(EDIT, host_ref=host_ref, memory_id=entry_id, patch=patch, base=base, **tags)
    if roll < 0.7:
        return pen.put(APPEND, memory_id=entry_id, text=pick.choice("xyz"), base=ids())
    if roll < 0.77:
        return pen.delete(entry_id)
    if roll < 0.94:
        write = pick.choice([pen.link, pen.link, pen.unlink])
        return write(entry_id, pick.choice(["supersedes", "related_to"]), pick.choice(IDS))
    if roll < 0.97:
        return pen.put(DECISION, request_id="req_1", outcome="approved", base=ids())
    if roll < 0.985:
        return pen.put(QUARANTINE, event_ids=ids())
    return pen.put(PURGE_EXECUTED, memory_id=entry_id)


@settings(max_examples=300, deadline=None)
@given(logs(), st.randoms(use_true_random=False))
def test_any_order_and_any_repetition_give_the_same(log: list[Event], shuffle: random.Random) -> None:
    expected = facts(fold_all(log))
    again = log + shuffle.sample(log, shuffle.randint(0, len(log)))
    shuffle.shuffle(again)
    assert facts(fold_all(again)) == expected


@settings(max_examples=200, deadline=None)
@given(logs(), st.randoms(use_true_random=False))
def test_two_stores_that_exchange_what_they_have_converge(log: list[Event], deal: random.Random) -> None:
    one = {e.event_id: e for e in log if deal.random() < 0.6}
    other = {e.event_id: e for e in log if e.event_id not in one or deal.random() < 0.3}
    fold_all(one.values())  # a partial log folds without complaint
    ours = facts(fold_all((one | other).values()))
    theirs = facts(fold_all(parse_line(e.line()) for e in (other | one).values()))
    assert ours == theirs == facts(fold_all(log))


@settings(max_examples=200, deadline=None)
@given(logs())
def test_folding_one_entry_or_one_edge_alone_gives_the_same_as_folding_all(log: list[Event]) -> None:
    memory = fold_all(log)
    standing = standing_of(canonical(log).values())
    for entry_id in IDS:
        if standing.real_id(entry_id) != entry_id:
            continue
        own = [e for e in log if entry_id in {standing.real_id(i or "") for i in (e.memory_id, e.other_id)}]
        alone = fold_entry(entry_id, own, standing)
        whole = memory.entries.get(entry_id)
        assert (alone is None) == (whole is None)
        if alone is not None and whole is not None:
            assert (alone.tips, alone.body_heads, alone.lost, alone.values) == (
                whole.tips, whole.body_heads, whole.lost, whole.values,
            )  # fmt: skip
            assert alone.entry.body == whole.entry.body and alone.entry.state == whole.entry.state
    assert {s.edge.key: s for s in fold_edges(log, standing)} == memory.edges


@settings(max_examples=200, deadline=None)
@given(logs())
def test_a_fold_never_breaks_its_own_promises(log: list[Event]) -> None:
    memory = fold_all(log)
    known = {e.event_id for e in log}
    erased = memory.standing.erased
    assert not erased & memory.entries.keys()
    assert not {end for key in memory.edges for end in (key[0], key[2])} & erased
    shown = [(f.entry.workspace, f.entry.shown_name) for f in memory.entries.values()]
    assert len(set(shown)) == len(shown)
    for folded in memory.entries.values():
        entry = folded.entry
        assert entry.status is None or entry.klass == "thread"
        assert folded.body_heads and set(folded.body_heads) <= known
        assert all(set([tip] if isinstance(tip, str) else tip) <= known for tip in folded.tips.values())
        assert all(lost.winner_id > lost.event_id for lost in folded.lost)


@settings(max_examples=150, deadline=None)
@given(GROUPS, GROUPS, GROUPS)
def test_two_machines_that_worked_apart_see_the_same_and_whoever_has_seen_everything_wins(
    before: Any, ours: Any, theirs: Any
) -> None:
    one, other = Pen(origin="d_a"), Pen("agent:bob", "d_b")
    work(one, before)
    other.receive(one)
    other.now += 7
    work(one, ours)
    work(other, theirs)
    one.receive(other)
    other.receive(one)
    assert facts(one.memory()) == facts(other.memory())
    for entry_id, folded in one.memory().entries.items():
        if folded.creation_undone:
            continue
        one.edit(entry_id, body="final", title="final", state="active")
        now = one.memory().entries[entry_id]
        assert (now.entry.body, now.entry.title, now.entry.state) == ("final", "final", "active")


@settings(max_examples=150, deadline=None)
@given(st.lists(STEP, max_size=12))
def test_one_author_at_one_store_never_loses_an_edit(steps: Any) -> None:
    pen = Pen()
    work(pen, [[step] for step in steps])
    assert all(folded.lost == () for folded in pen.memory().entries.values())


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(["title", "description", "summary", "body"]), st.lists(STEP, max_size=5), st.integers(0, 40))
def test_two_concurrent_edits_of_one_field_lose_exactly_one_until_one_edit_names_both(
    name: str, before: Any, ahead: int
) -> None:
    one, other = Pen(origin="d_a"), Pen("agent:bob", "d_b")
    one.create("A")
    work(one, [[step] for step in before if step[0] not in ("append", "create")])
    other.receive(one)
    one.now += 20
    other.now += ahead
    edits = [one.edit("A", **{name: "ours"}), other.edit("A", **{name: "theirs"})]
    one.receive(other)
    lost = one.memory().entries["A"].lost
    assert [(x.field, x.event_id) for x in lost] == [(name, min(e.event_id for e in edits))]
    one.put(EDIT, memory_id="A", patch={name: "both"}, base={name: [e.event_id for e in edits]})
    assert one.memory().entries["A"].lost == ()

"""Every row of DESIGN 3.3's table, by name. "Two machines" is two pens that have not read each other yet.

Each case is folded in several orders of arrival, with repeats, and must come out the same.
"""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest
from pen import Pen

from memdesk.core.events import DECISION, DELETE, EDIT, PURGE_EXECUTED, Event, tombstone
from memdesk.core.fold import Folded, Memory, fold_all
from memdesk.core.model import SUPERSEDES, Entry


def two(**fields: Any) -> tuple[Pen, Pen]:
    """Two machines that share the entry A; what the second writes has the larger ULID."""
    one, other = Pen(origin="d_a"), Pen("agent:bob", "d_b")
    one.create("A", **({"description": "d0", "title": "t0", "body": "b0"} | fields))
    other.receive(one)
    one.now += 10
    other.now += 20
    return one, other


def merged(*pens: Pen) -> Memory:
    """The fold of everything, checked to be the same in any order of arrival."""
    events = [e for pen in pens for e in pen.log.values()]
    memory = fold_all(events)
    for seed in range(4):
        shuffled = events + random.Random(seed).sample(events, len(events) // 2)
        random.Random(seed).shuffle(shuffled)
        again = fold_all(shuffled)
        assert (again.entries, again.edges, again.waiting, again.residue) == (
            memory.entries, memory.edges, memory.waiting, memory.residue,
        )  # fmt: skip
    return memory


def entry(*pens: Pen, entry_id: str = "A") -> Entry:
    return merged(*pens).entries[entry_id].entry


def folded(*pens: Pen) -> Folded:
    return merged(*pens).entries["A"]


# -- the seven rows of the memory-maintenance seed, and the two about edges ---------------------------------------


def test_edits_of_different_fields_both_apply() -> None:
    one, other = two()
    one.edit("A", title="t1")
    other.edit("A", description="d1")
    assert (entry(one, other).title, entry(one, other).description) == ("t1", "d1")
    assert folded(one, other).lost == ()


def test_of_edits_of_one_field_the_larger_ulid_wins_and_the_loser_stays_in_the_log() -> None:
    one, other = two()
    lost = one.edit("A", title="t1")
    won = other.edit("A", title="t2")
    result = folded(one, other)
    assert result.entry.title == "t2"
    assert [(x.field, x.event_id, x.value, x.author, x.winner_id) for x in result.lost] == [
        ("title", lost.event_id, "t1", "user:ana", won.event_id)
    ]


def test_concurrent_deletes_are_idempotent() -> None:
    one, other = two()
    one.delete("A")
    other.delete("A")
    other.delete("A")
    assert entry(one, other).state == "purged"


def test_an_edit_against_a_delete_with_the_larger_ulid_is_purged() -> None:
    one, other = two()
    one.edit("A", state="active", title="t1")
    other.delete("A")
    assert (entry(one, other).state, entry(one, other).title) == ("purged", "t1")


def test_an_edit_with_the_larger_ulid_that_sets_state_active_undeletes() -> None:
    one, other = two()
    one.delete("A")
    other.edit("A", state="active")
    assert entry(one, other).state == "active"


def test_an_edit_with_the_larger_ulid_that_does_not_touch_state_applies_and_purged_stays() -> None:
    one, other = two()
    one.delete("A")
    other.edit("A", body="b1", add=["t"])
    result = entry(one, other)
    assert (result.body, result.tags, result.state) == ("b1", ("t",), "purged")


def test_an_edit_with_a_smaller_ulid_than_the_delete_still_applies() -> None:
    one, other = two()
    one.edit("A", body="b1")
    other.delete("A")
    assert (entry(one, other).body, entry(one, other).state) == ("b1", "purged")


def test_a_supersedes_edge_makes_its_target_superseded() -> None:
    pen, _ = two()
    pen.create("B")
    pen.link("B", SUPERSEDES, "A")
    assert (entry(pen).state, entry(pen, entry_id="B").state) == ("superseded", "active")


def test_removing_the_only_supersedes_edge_changes_nothing_else() -> None:
    pen, _ = two()
    pen.create("B")
    pen.link("B", SUPERSEDES, "A")
    pen.unlink("B", SUPERSEDES, "A")
    memory = merged(pen)
    assert memory.entries["A"].entry.state == "superseded"
    assert [s.present for s in memory.edges.values()] == [False]
    pen.edit("A", state="active")
    assert entry(pen).state == "active"


def test_a_supersedes_edge_does_not_bring_back_a_purged_entry() -> None:
    one, other = two()
    one.create("B")
    other.receive(one)
    one.delete("A")
    other.link("B", SUPERSEDES, "A")
    assert entry(one, other).state == "purged"
    other.receive(one)
    other.edit("A", state="active")
    assert entry(one, other).state == "active"


# -- state is two bits --------------------------------------------------------------------------------------------

STATES = [
    (["delete"], "purged"),
    (["delete", "active"], "active"),
    (["delete", "superseded"], "superseded"),
    (["superseded", "delete"], "purged"),
    (["superseded", "active"], "active"),
    (["purged"], "purged"),
    (["purged", "link"], "purged"),
    (["link", "purged"], "purged"),
    (["link", "delete", "active"], "active"),
    (["link", "delete", "superseded"], "superseded"),
    (["link", "active"], "active"),
    (["active", "link"], "superseded"),
    (["link", "unlink"], "superseded"),
    (["link", "active", "unlink"], "active"),
    (["link", "active", "link"], "superseded"),
    (["delete", "link", "active"], "active"),
]


@pytest.mark.parametrize(("steps", "state"), STATES, ids=["-".join(s) for s, _ in STATES])
def test_state_is_two_bits(steps: list[str], state: str) -> None:
    pen, _ = two()
    pen.create("B")
    for step in steps:
        if step == "delete":
            pen.delete("A")
        elif step in ("link", "unlink"):
            (pen.link if step == "link" else pen.unlink)("B", SUPERSEDES, "A")
        else:
            pen.edit("A", state=step)
    assert entry(pen).state == state


@pytest.mark.parametrize(
    ("steps", "state"),
    [
        (["link"], "superseded"),
        (["link", "unlink"], "active"),
        (["link", "active"], "superseded"),
        (["link", "link2", "unlink"], "superseded"),
        (["superseded"], "active"),
        (["link", "delete"], "purged"),
        (["link", "delete", "active"], "superseded"),
        (["link", "delete", "unlink"], "purged"),
    ],
)
def test_on_a_gaia_host_an_entry_is_superseded_exactly_while_an_edge_says_so(steps: list[str], state: str) -> None:
    pen, _ = two(host="gaia:1")
    pen.create("B")
    pen.create("C")
    for step in steps:
        if step == "delete":
            pen.delete("A")
        elif "link" in step:
            (pen.unlink if step == "unlink" else pen.link)("C" if step == "link2" else "B", SUPERSEDES, "A")
        else:
            pen.edit("A", state=step)
    assert entry(pen).state == state


def test_a_create_may_state_its_state_and_an_undone_creation_is_purged_all_the_same() -> None:
    pen = Pen()
    made = pen.create("A", state="superseded")
    assert entry(pen).state == "superseded"
    pen.undo(pen.op_of(made))
    assert (entry(pen).state, folded(pen).creation_undone) == ("purged", True)
    pen.edit("A", state="active")
    assert (entry(pen).state, folded(pen).creation_undone) == ("active", False)


# -- appends ------------------------------------------------------------------------------------------------------


def test_appends_of_two_machines_both_stay_in_ulid_order() -> None:
    one, other = two()
    other.append("A", "theirs")
    one.append("A", "ours")
    assert entry(one, other).body == "b0\n\nours\n\ntheirs"


def test_an_append_that_the_winning_edit_had_not_seen_stays_after_its_text() -> None:
    one, other = two()
    one.append("A", "more")
    other.edit("A", body="b1")
    assert entry(one, other).body == "b1\n\nmore"


def test_an_append_that_the_winning_edit_had_seen_is_part_of_its_text() -> None:
    one, other = two()
    one.append("A", "more")
    other.receive(one)
    other.edit("A", body="b0 and more")
    assert entry(one, other).body == "b0 and more"


def test_an_append_seen_by_way_of_a_later_append_counts_as_seen() -> None:
    pen, _ = two()
    pen.append("A", "x")
    pen.append("A", "y")
    pen.edit("A", body="b1")
    pen.append("A", "z")
    assert entry(pen).body == "b1\n\nz"


def test_an_append_stays_although_a_losing_edit_had_seen_it() -> None:
    one, other = two()
    one.append("A", "more")
    one.edit("A", body="b0 and more")
    other.edit("A", body="b1")
    assert entry(one, other).body == "b1\n\nmore"


def test_a_foreign_edit_without_a_base_replaces_all_it_could_see() -> None:
    pen, _ = two()
    pen.append("A", "more")
    pen.put(EDIT, memory_id="A", patch={"body": "b1"})
    pen.append("A", "later")
    assert entry(pen).body == "b1\n\nlater"
    pen.edit("A", body="b2")
    assert entry(pen).body == "b2"


def test_blank_appends_and_bodies_leave_no_blank_lines() -> None:
    pen, _ = two(body="")
    pen.append("A", "")
    pen.append("A", "x")
    assert entry(pen).body == "x"


def test_bases_that_name_each_other_in_a_circle_leave_a_head() -> None:
    pen, _ = two()
    first, second = pen.append("A", "x"), pen.append("A", "y")
    pen.log[first.event_id] = replace(
        first, payload={**first.payload, "base": [second.event_id, *first.payload["base"]]}
    )
    assert folded(pen).body_heads == [second.event_id]


def test_the_heads_of_a_body_are_what_no_other_part_of_it_names() -> None:
    one, other = two()
    created = next(e for e in one.log.values() if e.type == "memory.create")
    assert folded(one).body_heads == [created.event_id]
    a = one.append("A", "a")
    assert folded(one).body_heads == [a.event_id]
    b = other.append("A", "b")
    one.receive(other)
    assert folded(one).body_heads == [a.event_id, b.event_id]
    c = one.append("A", "c")
    assert c.payload["base"] == [a.event_id, b.event_id]
    assert folded(one).body_heads == [c.event_id]
    assert folded(one).base("body") == [c.event_id]


# -- tags and edges -----------------------------------------------------------------------------------------------


def test_tags_are_last_write_wins_each() -> None:
    one, other = two(tags=["keep", "drop"])
    one.edit("A", rm=["drop"], add=["ours"])
    other.edit("A", add=["theirs", "drop"])
    assert entry(one, other).tags == ("drop", "keep", "ours", "theirs")
    one.receive(other)
    one.edit("A", rm=["theirs"])
    assert entry(one, other).tags == ("drop", "keep", "ours")


def test_in_one_event_removing_a_tag_comes_after_adding_it() -> None:
    pen, _ = two()
    pen.edit("A", add=["t"], rm=["t"])
    assert entry(pen).tags == ()


def test_an_edge_is_last_write_wins_per_ends_and_kind() -> None:
    one, other = two()
    one.create("B")
    one.link("A", "child_of", "B")
    one.link("A", "derived_from", "B")
    other.receive(one)
    other.unlink("A", "child_of", "B")
    present = {k: s.present for k, s in merged(one, other).edges.items()}
    assert present == {("A", "child_of", "B"): False, ("A", "derived_from", "B"): True}
    one.receive(other)
    one.link("A", "child_of", "B")
    assert merged(one, other).edges["A", "child_of", "B"].present


def test_a_symmetric_edge_is_one_from_either_end_and_relates_to_is_related_to() -> None:
    pen, _ = two()
    pen.create("B")
    pen.link("B", "relates_to", "A")
    pen.link("A", "related_to", "B")
    assert list(merged(pen).edges) == [("A", "related_to", "B")]
    pen.unlink("A", "related_to", "B")
    assert not merged(pen).edges["A", "related_to", "B"].present


def test_adding_an_edge_that_stands_does_not_make_it_younger() -> None:
    pen, _ = two()
    pen.create("B")
    first = pen.link("A", "child_of", "B")
    pen.now += 1000
    pen.link("A", "child_of", "B")
    state = merged(pen).edges["A", "child_of", "B"]
    assert state.edge.created_at == first.timestamp
    pen.unlink("A", "child_of", "B")
    again = pen.link("A", "child_of", "B")
    assert merged(pen).edges["A", "child_of", "B"].edge.created_at == again.timestamp


def test_a_soft_delete_keeps_the_edges() -> None:
    pen, _ = two()
    pen.create("B")
    pen.link("A", "child_of", "B")
    pen.delete("A")
    assert merged(pen).edges["A", "child_of", "B"].present


# -- registers that show elsewhere --------------------------------------------------------------------------------


def test_outside_class_thread_the_status_reads_null_whatever_its_register_holds() -> None:
    pen, _ = two(klass="thread", status="open")
    pen.edit("A", klass="log")
    assert (entry(pen).klass, entry(pen).status) == ("log", None)
    assert folded(pen).values["status"] == "open"
    pen.edit("A", klass="thread")
    assert entry(pen).status == "open"


@pytest.mark.parametrize(
    ("field", "value", "shown"),
    [("klass", "weird", "anchor"), ("status", "weird", None), ("audience", None, "any"), ("title", None, None)],
)
def test_values_outside_their_enumeration_do_not_break_the_fold(field: str, value: Any, shown: Any) -> None:
    pen, _ = two(klass="thread")
    pen.edit("A", **{field: value})
    assert getattr(entry(pen), field) == shown


def test_odd_payloads_do_not_break_the_fold() -> None:
    pen, _ = two()
    for patch in ([], "x", None, {"title": 7, "body": ["x"], "nope": 1}):
        pen.put(EDIT, memory_id="A", patch=patch, base=7, add_tags="t", rm_tags=[1, None])
    pen.put("memory.append", memory_id="A", text=None, base=[7])
    pen.put("memory.edge.add", from_id="A")
    pen.put(EDIT, memory_id=["A"], patch={})
    result = entry(pen)
    assert (result.title, result.body, result.tags) == ("7", "['x']", ())


# -- arrival ------------------------------------------------------------------------------------------------------


def test_an_edit_or_delete_before_its_create_waits_and_applies_when_the_create_comes() -> None:
    pen, _ = two()
    edit, delete = pen.edit("A", title="t1"), pen.delete("A")
    early = fold_all(e for e in pen.log.values() if e.type != "memory.create")
    assert early.entries == {} and early.waiting == [edit.event_id, delete.event_id]
    assert merged(pen).waiting == []
    assert (entry(pen).title, entry(pen).state) == ("t1", "purged")


def test_of_two_creates_of_one_id_the_smaller_ulid_is_the_create() -> None:
    one, other = Pen(origin="d_a"), Pen("agent:bob", "d_b")
    other.now += 5
    one.create("A", title="ours")
    other.create("A", title="theirs")
    assert (entry(one, other).title, entry(one, other).created_by) == ("ours", "user:ana")


def test_of_one_id_with_two_contents_the_smaller_hash_wins() -> None:
    pen, _ = two()
    edit = pen.edit("A", title="x")
    twin = replace(edit, payload={**edit.payload, "patch": {"title": "y"}})
    kept = min(edit, twin, key=Event.digest)
    for order in ([edit, twin], [twin, edit]):
        memory = fold_all([e for e in pen.log.values() if e is not edit] + order)
        assert memory.entries["A"].entry.title == kept.payload["patch"]["title"]


def test_the_tombstone_of_an_erased_event_beats_its_full_copy() -> None:
    pen, _ = two()
    edit = pen.edit("A", title="secret")
    for order in ([edit, tombstone(edit)], [tombstone(edit), edit]):
        memory = fold_all([e for e in pen.log.values() if e is not edit] + order)
        assert memory.entries["A"].entry.title == "t0"


# -- names --------------------------------------------------------------------------------------------------------


def test_of_equal_names_a_hosts_own_row_keeps_it_then_the_smaller_id() -> None:
    pen = Pen()
    for entry_id, fields in (("C", {}), ("B", {}), ("D", {"host": "gaia:1"}), ("A", {"workspace": "other"})):
        pen.create(entry_id, **({"name": "atom_x"} | fields))
    shown = {i: f.entry.shown_name for i, f in merged(pen).entries.items()}
    assert shown == {"D": "atom_x", "B": "atom_x~2", "C": "atom_x~3", "A": "atom_x"}
    assert {f.entry.name for f in merged(pen).entries.values()} == {"atom_x"}


def test_names_clash_by_rename_too_and_a_purged_entry_keeps_its_name() -> None:
    one, other = two()
    other.create("B")
    one.edit("A", name="atom_x")
    one.delete("A")
    other.edit("B", name="atom_x")
    shown = {i: f.entry.shown_name for i, f in merged(one, other).entries.items()}
    assert shown == {"A": "atom_x", "B": "atom_x~2"}
    one.receive(other)
    one.edit("B", name="atom_y")
    assert entry(one, other, entry_id="B").shown_name == "atom_y"


def test_a_display_name_is_not_one_that_another_entry_really_has() -> None:
    pen = Pen()
    for entry_id, name in (("A", "x"), ("B", "x"), ("C", "x~2"), ("D", "x")):
        pen.create(entry_id, name=name)
    assert {i: f.entry.shown_name for i, f in merged(pen).entries.items()} == {
        "A": "x", "B": "x~3", "C": "x~2", "D": "x~4",
    }  # fmt: skip


def test_an_entry_whose_creation_was_undone_claims_no_name() -> None:
    pen = Pen()
    pen.undo(pen.op_of(pen.create("A", name="atom_x")))
    pen.create("B", name="atom_x")
    assert merged(pen).entries["A"].creation_undone
    assert {i: f.entry.shown_name for i, f in merged(pen).entries.items()} == {"A": "atom_x~2", "B": "atom_x"}


# -- one fact of a host, seen twice -------------------------------------------------------------------------------


def test_two_events_with_one_host_ref_are_one_and_the_other_id_becomes_an_alias() -> None:
    one, other = Pen(origin="d_a"), Pen("agent:bob", "d_b")
    other.now += 5
    one.create("A", host_ref="gaia:1/memory/w/x", title="t0")
    other.create("Z", host_ref="gaia:1/memory/w/x", title="t0")
    other.edit("Z", title="t1")
    other.create("B")
    other.link("B", SUPERSEDES, "Z")
    one.edit("A", add=["t"])
    memory = merged(one, other)
    assert memory.standing.aliases == {"Z": "A"}
    assert set(memory.entries) == {"A", "B"}
    result = memory.entries["A"].entry
    assert (result.title, result.tags, result.state, result.edit_count) == ("t1", ("t",), "superseded", 2)
    assert list(memory.edges) == [("B", SUPERSEDES, "A")]


def test_a_base_that_names_the_second_report_of_a_fact_has_seen_the_first() -> None:
    one, other = two()
    kept = one.put(EDIT, memory_id="A", patch={"title": "host"}, base={}, host_ref="h:7")
    other.put(EDIT, memory_id="A", patch={"title": "host"}, base={}, host_ref="h:7")
    other.edit("A", title="t2")
    result = folded(one, other)
    assert (result.entry.title, result.lost, result.entry.edit_count) == ("t2", (), 2)
    assert kept.event_id not in merged(one, other).standing.shadowed


def test_aliases_that_go_in_a_circle_end() -> None:
    pen = Pen()
    pen.create("A", host_ref="1")
    pen.create("B", host_ref="2")
    pen.create("B", host_ref="1")
    pen.create("A", host_ref="2")
    assert set(merged(pen).entries) == {"A", "B"}


# -- decisions ----------------------------------------------------------------------------------------------------


def decide(pen: Pen, outcome: str, *, base: list[str] | None = None, **patch: Any) -> Event:
    with pen.operation("approve"):
        decision = pen.put(DECISION, request_id="req_1", outcome=outcome, base=base or [])
        if patch:
            pen.edit("A", **patch)
    return decision


def test_of_two_decisions_the_smaller_id_stands_and_the_others_operation_is_ignored() -> None:
    one, other = two()
    decide(one, "rejected")
    lost = decide(other, "approved", title="t1")
    memory = merged(one, other)
    assert memory.entries["A"].entry.title == "t0"
    assert memory.standing.ignored == {lost.op_id}
    assert memory.entries["A"].lost == ()


def test_an_edit_made_on_top_of_a_losing_decision_stands_and_had_seen_what_was_before() -> None:
    one, other = two()
    one.edit("A", title="before")
    other.receive(one)
    decide(one, "rejected")
    decide(other, "approved", title="t1")
    other.edit("A", title="t2")
    result = folded(one, other)
    assert (result.entry.title, result.lost) == ("t2", ())


def test_a_decision_made_after_an_earlier_one_was_undone_stands() -> None:
    pen, _ = two()
    first = decide(pen, "approved", title="t1")
    pen.undo(pen.op_of(first))
    decide(pen, "approved", base=[first.event_id], title="t2")
    memory = merged(pen)
    assert (memory.entries["A"].entry.title, memory.standing.ignored) == ("t2", set())


def test_an_erase_is_not_taken_back_by_a_losing_decision() -> None:
    one, other = two()
    decide(one, "rejected")
    with other.operation("approve"):
        other.put(DECISION, request_id="req_1", outcome="approved", base=[])
        other.put(PURGE_EXECUTED, memory_id="A")
    assert merged(one, other).entries == {}


# -- updated_at ---------------------------------------------------------------------------------------------------


def test_updated_at_is_the_time_of_the_newest_change_of_the_entry_itself() -> None:
    pen, _ = two()
    pen.create("B")
    for change in (
        lambda: pen.edit("A", title="t1"),
        lambda: pen.append("A", "x"),
        lambda: pen.edit("A", add=["t"]),
        lambda: pen.delete("A"),
        lambda: pen.edit("A", state="active"),
    ):
        pen.now += 1000
        changed = change()
        assert entry(pen).updated_at == changed.timestamp
    before = entry(pen).updated_at
    pen.now += 1000
    pen.link("B", SUPERSEDES, "A")
    pen.link("A", "related_to", "B")
    assert entry(pen).updated_at == before


def test_undoing_puts_an_entry_back_in_its_place() -> None:
    pen, _ = two()
    before = entry(pen)
    pen.now += 1000
    undo = pen.undo(pen.op_of(pen.edit("A", title="t1")))
    assert entry(pen) == before
    pen.now += 1000
    pen.undo(undo)
    assert entry(pen).updated_at == min(
        e.timestamp for e in pen.log.values() if e.payload.get("patch") == {"title": "t1"}
    )


@pytest.mark.parametrize("value", ["2020-01-01T00:00:00Z", None])
def test_an_event_pulled_from_a_host_carries_the_hosts_own_time_null_included(value: str | None) -> None:
    pen = Pen()
    pen.create("A", host_ref="h:1", created_at=value, updated_at=value)
    assert (entry(pen).created_at, entry(pen).updated_at) == (value, value)
    pen.put(EDIT, memory_id="A", patch={"title": "x"}, base={}, updated_at=value, host_ref="h:2")
    assert entry(pen).updated_at == value
    edit = pen.edit("A", title="y")
    assert entry(pen).updated_at == edit.timestamp


# -- erase --------------------------------------------------------------------------------------------------------


def test_events_after_an_erase_never_resurrect_and_are_listed_as_residue() -> None:
    one, other = two()
    one.create("B")
    one.link("A", "child_of", "B")
    erase = one.put(PURGE_EXECUTED, memory_id="A")
    late = other.edit("A", title="late", state="active")
    again = other.create("A", title="again")
    memory = merged(one, other)
    assert set(memory.entries) == {"B"} and memory.edges == {}
    full = {e.event_id for e in one.log.values() if e.memory_id == "A" and e.type != PURGE_EXECUTED}
    assert set(memory.residue) == (full | {late.event_id, again.event_id}) - {
        e.event_id for e in one.log.values() if e.type == "memory.edge.add"
    }
    assert erase.event_id not in memory.residue
    bare = fold_all(tombstone(e) if e.type not in (PURGE_EXECUTED, "desk.operation") else e for e in one.log.values())
    assert bare.residue == []


def test_erasing_under_an_alias_erases_the_entry_itself() -> None:
    one, other = Pen(origin="d_a"), Pen("agent:bob", "d_b")
    other.now += 5
    one.create("A", host_ref="h:1")
    other.create("Z", host_ref="h:1")
    other.put(PURGE_EXECUTED, memory_id="Z")
    assert merged(one, other).entries == {}


def test_an_entry_that_an_erased_one_had_replaced_stays_superseded_and_on_gaia_becomes_active() -> None:
    for host, state in ((None, "superseded"), ("gaia:1", "active")):
        pen, _ = two(host=host)
        pen.create("B")
        link = pen.link("B", SUPERSEDES, "A")
        pen.put(PURGE_EXECUTED, memory_id="B")
        assert entry(pen).state == state
        pen.log[link.event_id] = tombstone(link)
        assert entry(pen).state == state


# -- who and how often --------------------------------------------------------------------------------------------


def test_created_by_edited_by_and_the_count_follow_the_events_that_count() -> None:
    pen, _ = two()
    with pen.operation(author="agent:bob") as op:
        pen.edit("A", title="t1")
    assert (entry(pen).created_by, entry(pen).last_edited_by, entry(pen).edit_count) == ("user:ana", "agent:bob", 1)
    pen.append("A", "x")
    pen.delete("A")
    assert (entry(pen).last_edited_by, entry(pen).edit_count) == ("user:ana", 2)
    pen.undo(op)
    assert entry(pen).edit_count == 1


# -- lost edits ---------------------------------------------------------------------------------------------------


def test_a_chain_of_edits_that_had_seen_each_other_loses_nothing() -> None:
    pen, _ = two()
    for n in range(5):
        pen.edit("A", title=f"t{n}", body=f"b{n}")
        pen.append("A", "x")
    assert folded(pen).lost == ()


def test_a_lost_edit_is_settled_by_an_edit_that_names_both() -> None:
    one, other = two()
    lost = one.edit("A", title="t1")
    won = other.edit("A", title="t2")
    one.receive(other)
    seen = one.edit("A", title="t3")
    assert seen.payload["base"] == {"title": won.event_id}
    assert [x.event_id for x in folded(one).lost] == [lost.event_id]
    one.put(EDIT, memory_id="A", patch={"title": "both"}, base={"title": [lost.event_id, seen.event_id]})
    assert folded(one).lost == ()


@pytest.mark.parametrize("theirs", ["t1", "t1 ", "t1\r\n", "\u00a0t1"])
def test_two_edits_to_the_same_text_lose_nothing(theirs: str) -> None:
    one, other = two()
    one.edit("A", title="t1")
    other.edit("A", title=theirs)
    assert folded(one, other).lost == ()


def test_an_undone_edit_is_not_lost_and_the_one_it_beat_shows_again() -> None:
    one, other = two()
    one.edit("A", title="t1")
    won = other.edit("A", title="t2")
    one.receive(other)
    one.undo(one.op_of(won))
    assert (folded(one).entry.title, folded(one).lost) == ("t1", ())


def test_an_undo_that_had_not_seen_a_change_does_not_hide_it_and_the_next_edit_has_seen_both() -> None:
    one, other = two()
    base = one.edit("A", title="t1")
    other.receive(one)
    theirs = one.edit("A", title="t2")
    undo = other.undo(other.op_of(base))
    one.receive(other)
    result = folded(one)
    assert result.entry.title == "t2"
    tip = next(e for e in one.log.values() if e.op_id == undo and e.type == EDIT)
    assert result.base("title") == [theirs.event_id, tip.event_id]
    one.edit("A", title="t3")
    assert folded(one).lost == ()


def test_the_same_for_the_body() -> None:
    one, other = two()
    base = one.append("A", "x")
    other.receive(one)
    theirs = one.edit("A", body="b2")
    other.undo(other.op_of(base))
    one.receive(other)
    assert folded(one).entry.body == "b2"
    assert theirs.event_id in folded(one).body_heads and len(folded(one).body_heads) == 2
    one.edit("A", body="b3")
    assert (folded(one).entry.body, folded(one).lost) == ("b3", ())


def test_an_edit_lost_behind_the_last_of_a_branch_is_reported_once() -> None:
    one, other = two()
    one.edit("A", title="t1")
    last = one.edit("A", title="t1b")
    other.edit("A", title="t2")
    assert [x.event_id for x in folded(one, other).lost] == [last.event_id]


def test_deleting_is_no_lost_edit() -> None:
    one, other = two()
    one.put(DELETE, memory_id="A")
    other.edit("A", state="active")
    assert folded(one, other).lost == ()

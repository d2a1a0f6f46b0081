"""Versions, replay, words and diffs (DESIGN 3.3, 3.5; thrum/SPEC 11)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pen import Pen
from random_work import STEP, work

from memdesk.core.fold import fold_all
from memdesk.core.history import Version, as_it_happened, as_of, field_diff, snapshot, version_diff, versions
from memdesk.core.model import SUPERSEDES


def history(pen: Pen, entry_id: str = "A", names: dict[str, str] | None = None) -> list[Version]:
    own = [e for e in pen.log.values() if entry_id in (e.memory_id, e.other_id) or e.type == "desk.operation"]
    return versions(entry_id, own, pen.memory().standing, names)


def phrases(pen: Pen, **names: str) -> list[str]:
    return [v.summary for v in history(pen, names=names)]


def test_each_version_says_what_it_changed_in_plain_words() -> None:
    pen = Pen()
    pen.create("A", klass="thread", status="carry_forward", body="one")
    pen.create("B")
    pen.edit("A", description="why")
    pen.append("A", "two")
    pen.edit("A", status="closed")
    pen.edit("A", add=["t"], rm=[])
    pen.edit("A", body="0123456789", title="T")
    pen.edit("A", body="0")
    pen.edit("A", name="atom_new")
    pen.edit("A", workspace="v")
    pen.delete("A")
    pen.edit("A", state="active")
    pen.link("B", SUPERSEDES, "A")
    pen.unlink("B", SUPERSEDES, "A")
    pen.edit("A", description=None)
    assert [(v.kind, v.summary) for v in history(pen, names={"B": "atom_b"})] == [
        ("create", "created"),
        ("edit", "gave the description"),
        ("append", "added 3 characters to the text"),
        ("reclassify", "moved to “Closed”"),
        ("tag", "tagged t"),
        ("edit", "gave the title; changed the text (+25 %)"),
        ("edit", "changed the text (−90 %)"),
        ("rename", "renamed from atom_A to atom_new"),
        ("move", "moved from workspace w to v"),
        ("delete", "deleted"),
        ("restore", "brought back"),
        ("link", "is replaced by atom_b"),
        ("unlink", "no longer is replaced by atom_b"),
        ("edit", "cleared the description"),
    ]


def test_a_version_names_who_when_and_for_whom() -> None:
    pen = Pen("agent:bob")
    event = pen.create("A")
    (version,) = history(pen)
    assert (version.event_id, version.op_id, version.author, version.timestamp, version.on_behalf_of) == (
        event.event_id, event.op_id, "agent:bob", event.timestamp, None,
    )  # fmt: skip


def test_an_undone_version_is_marked_and_the_undo_is_a_version_that_puts_the_values_back() -> None:
    pen = Pen()
    pen.create("A", description="old")
    edit = pen.edit("A", description="new")
    undo = pen.undo(pen.op_of(edit))
    changed = history(pen)
    assert [(v.kind, v.undone) for v in changed] == [("create", False), ("edit", True), ("undo", False)]
    assert (changed[2].changes[0].before, changed[2].changes[0].after) == ("new", "old")
    assert changed[2].summary == "took back: edit"
    pen.undo(undo)
    assert [(v.kind, v.undone) for v in history(pen)[1:]] == [("edit", False), ("undo", True), ("redo", False)]


def test_an_edit_that_lost_to_one_that_had_not_seen_it_is_marked() -> None:
    one, two = Pen(origin="d_a"), Pen("agent:bob", "d_b")
    one.create("A", description="old")
    two.receive(one)
    two.now += 5
    lost = one.edit("A", description="ours")
    two.edit("A", description="theirs")
    one.receive(two)
    assert [v.event_id for v in history(one) if v.lost] == [lost.event_id]


def test_links_are_versions_of_both_ends() -> None:
    pen = Pen()
    pen.create("A")
    pen.create("B")
    pen.link("A", "child_of", "B")
    assert history(pen, "A")[-1].edge == ("child_of", "B", True)
    assert history(pen, "B")[-1].edge == ("child_of", "A", False)
    assert history(pen, "B")[-1].changes == ()


def test_a_supersedes_link_is_a_version_that_changes_the_state() -> None:
    pen = Pen()
    pen.create("A")
    pen.create("B")
    pen.link("B", SUPERSEDES, "A")
    pen.link("B", SUPERSEDES, "A")
    changed = history(pen, "A")
    assert [[(c.field, c.after) for c in v.changes] for v in changed[1:]] == [[("state", "superseded")], []]
    assert [v.changes for v in history(pen, "B")[1:]] == [(), ()]


def test_a_body_written_without_having_seen_an_append_keeps_it() -> None:
    one, two = Pen(origin="d_a"), Pen("agent:bob", "d_b")
    one.create("A", body="b0")
    two.receive(one)
    two.now += 5
    one.append("A", "more")
    two.edit("A", body="b1")
    two.append("A", "last")
    one.receive(two)
    bodies = [v.change("body") for v in history(one)]
    assert [c.after for c in bodies if c] == ["b0", "b0\n\nmore", "b1\n\nmore", "b1\n\nmore\n\nlast"]


def test_an_append_that_a_later_rewrite_had_not_seen_stays_beside_one_that_it_had() -> None:
    one, two = Pen(origin="d_a"), Pen("agent:bob", "d_b")
    one.create("A", body="b0")
    two.receive(one)
    two.now += 5
    one.append("A", "ours")
    two.append("A", "theirs")
    two.edit("A", body="b1")
    two.edit("A", title="t1")
    one.receive(two)
    assert one.memory().entries["A"].entry.body == "b1\n\nours"
    each_version_is_the_fold_up_to_it(one, "A")


def test_what_the_fold_puts_aside_is_no_version() -> None:
    pen = Pen()
    pen.create("A", host_ref="h:1", description="x")
    pen.put("memory.edit", memory_id="A", patch={"description": "y"}, base={}, host_ref="h:2")
    pen.put("memory.edit", memory_id="A", patch={"description": "z"}, base={}, host_ref="h:2")
    assert [v.kind for v in history(pen)] == ["create", "edit"]


def test_an_entry_whose_create_has_not_come_and_an_erased_one_have_no_versions() -> None:
    pen = Pen()
    pen.put("memory.edit", memory_id="A", patch={"description": "y"}, base={})
    assert history(pen) == []
    pen.create("A")
    assert len(history(pen)) == 1
    pen.put("memory.purge_executed", memory_id="A")
    assert history(pen) == []


def test_as_of_gives_the_entry_as_it_stood() -> None:
    pen = Pen()
    pen.create("A", description="one")
    edit = pen.edit("A", description="two")
    pen.edit("A", description="three")
    versions_ = history(pen)
    assert as_of(versions_, edit.event_id)["description"] == "two"
    assert as_of(versions_, versions_[0].event_id)["body"] == "first"
    assert as_of(versions_, "evt_0") == {}


def test_a_log_without_headers_still_ends_in_what_is_shown() -> None:
    pen = Pen()
    pen.create("A", description="old")
    pen.undo(pen.op_of(pen.edit("A", description="new")))
    own = [e for e in pen.log.values() if e.memory_id == "A"]
    assert as_of(versions("A", own, pen.memory().standing), "evt_Z")["description"] == "old"


def each_version_is_the_fold_up_to_it(pen: Pen, entry_id: str) -> None:
    found = history(pen, entry_id)
    for version in found:
        upto = fold_all(e for e in pen.log.values() if e.event_id <= version.event_id).entries[entry_id]
        fields = as_of(found, version.event_id)
        assert fields == {k: v for k, v in snapshot(upto.entry).items() if k in fields}


GROUPS = st.lists(st.lists(st.one_of(STEP, st.tuples(st.just("undo"), st.integers(0, 9))), min_size=1), max_size=7)


def play(pen: Pen, groups: list[list[tuple[Any, ...]]]) -> None:
    for group in groups:
        undo = next((s for s in group if s[0] == "undo"), None)
        if undo is None:
            work(pen, [group])
            continue
        live = sorted(op for op in pen.headers if op not in pen.memory().standing.dead)
        if live and not pen.plan(live[undo[1] % len(live)]).blockers:
            pen.undo(live[undo[1] % len(live)])


@settings(max_examples=200, deadline=None)
@given(GROUPS, GROUPS, GROUPS)
def test_replay_is_exact_whatever_happened_on_two_machines(before: Any, ours: Any, theirs: Any) -> None:
    one, two = Pen(origin="d_a"), Pen("agent:bob", "d_b")
    play(one, before)
    two.receive(one)
    two.now += 3
    play(one, ours)
    play(two, theirs)
    one.receive(two)
    memory = one.memory()
    for entry_id, folded in memory.entries.items():
        found = history(one, entry_id)
        fields: dict[str, Any] = {}
        for version in found:
            for change in version.changes:
                assert fields.get(change.field, () if change.field == "tags" else None) == change.before
                fields[change.field] = change.after
        assert fields == {k: v for k, v in snapshot(folded.entry).items() if k in fields}
        assert {k for k in snapshot(folded.entry) if snapshot(folded.entry)[k] not in (None, ())} <= set(fields)
        each_version_is_the_fold_up_to_it(one, entry_id)
    # every stored text is the body or field of some version
    for event in one.log.values():
        patch = event.payload.get("patch", {}) if event.op_id not in memory.standing.undoing else {}
        if "description" in patch:
            texts = [
                c.after for v in history(one, event.memory_id or "") for c in v.changes if c.field == "description"
            ]
            before_texts = [
                c.before for v in history(one, event.memory_id or "") for c in v.changes if c.field == "description"
            ]
            assert patch["description"] in texts + before_texts


# -- diffs --------------------------------------------------------------------------------------------------------


def applied(lines: list[str], before: str) -> str:
    """Apply a unified diff, strictly: every context and removed line must be there."""
    old, new, place = before.split("\n"), [], 0
    for line in lines[2:]:
        if line.startswith("@@"):
            start, _, length = line.split()[1][1:].partition(",")
            at = int(start) - (length != "0")
            new += old[place:at]
            place = at
        elif line[0] == "+":
            new.append(line[1:])
        else:
            assert old[place] == line[1:]
            place += 1
            if line[0] == " ":
                new.append(line[1:])
    return "\n".join(new + old[place:])


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from("abcd")), st.lists(st.sampled_from("abcd")), st.integers(0, 3), st.integers(0, 30))
def test_a_diff_applied_gives_the_new_text(a: list[str], b: list[str], context: int, shared: int) -> None:
    lead = ["same"] * shared
    before, after = "\n".join(lead + a + lead), "\n".join(lead + b + lead)
    lines = field_diff("body", before, after, context=context)
    assert applied(lines, before) == after if before != after else lines == []


def test_a_diff_reads_like_a_unified_diff() -> None:
    assert field_diff("body", "a\nb\nc", "a\nB\nc") == [
        "--- body",
        "+++ body",
        "@@ -1,3 +1,3 @@",
        " a",
        "-b",
        "+B",
        " c",
    ]
    assert field_diff("tags", ("a", "b"), ("a",)) == ["--- tags", "+++ tags", "@@ -1,2 +1 @@", " a", "-b"]
    assert field_diff("title", None, "T") == ["--- title", "+++ title", "@@ -0,0 +1 @@", "+T"]
    assert field_diff("body", "a", "a\n") == ["--- body", "+++ body", "@@ -1 +1,2 @@", " a", "+"]
    assert field_diff("body", "a\x0bb", "a\x0bc")[-1] == "+a\x0bc"


@pytest.mark.timeout(20)
def test_two_huge_texts_without_a_common_line_are_shown_as_one_block_out_and_one_in() -> None:
    before = "\n".join(f"old {n % 50}" for n in range(60_000))
    after = "\n".join(f"new {n % 50}" for n in range(60_000))
    lines = field_diff("body", "head\n" + before + "\ntail", "head\n" + after + "\ntail")
    assert len(lines) == 3 + 1 + 60_000 * 2 + 1
    assert applied(lines, "head\n" + before + "\ntail") == "head\n" + after + "\ntail"


def test_the_diff_of_a_version_has_every_field_it_changed() -> None:
    pen = Pen()
    pen.create("A", body="one")
    pen.edit("A", body="two", title="T")
    assert [line for line in version_diff(history(pen)[-1]) if line.startswith("---")] == ["--- title", "--- body"]


def test_a_link_that_a_host_reported_late_is_told_where_it_happened() -> None:
    def version(kind: str, stamp: str, edge: tuple[str, str, bool] | None = None) -> Version:
        return Version(
            event_id=kind + stamp, op_id=None, timestamp=stamp, author="gaia", on_behalf_of=None, kind=kind, changes=(),
            summary="", edge=edge,
        )  # fmt: skip

    changed = [version("create", "2026-09-01T00:00:00Z"), version("edit", "2026-11-20T00:00:00Z")]
    link = version("link", "2026-11-10T00:00:00Z", ("related_to", "x", True))
    newest = version("link", "2026-11-28T00:00:00Z", ("related_to", "y", True))
    assert as_it_happened([*changed, newest, link]) == [changed[0], link, changed[1], newest]

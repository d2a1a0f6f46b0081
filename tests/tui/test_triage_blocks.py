"""What Triage asks the digest for, previews of decisions, and the ways up for what is below the cut."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from memdesk.core.digest import Digest, Mode, PlainRow, Why, changed, render
from memdesk.tui.panes.triage_blocks import (
    DECISIONS,
    Ask,
    Decision,
    PreviewRows,
    as_decided,
    blocks_of,
    budget_beside,
    decision_of,
    lifts,
    parse_budget,
    preview,
    pushed_out,
)

NOW = "2026-03-10T12:00:00.000Z"


def thread(name: str, minute: int, group: str | None, status: str = "open") -> PlainRow:
    when = f"2026-03-10T10:{59 - minute:02d}:00Z"
    return PlainRow(
        name, "me", name, "project", "thread", status, description="d" * 40, initiative=group, updated_at=when
    )


ROWS = [
    *(thread(f"project_p{i}", i, f"area{i}") for i in range(6)),
    thread("project_behind", 30, "area0", "carry_forward"),
    PlainRow("user_me", "me", "user_me", "user", "anchor", updated_at="2026-03-01T10:00:00Z", body_chars=3),
    PlainRow("atom_a", "me", "atom_a", "atom", "anchor", description="fact", updated_at="2026-03-02T10:00:00Z"),
]
TIGHT = Ask(max_chars=735)


def bodies(ids: Sequence[str]) -> Mapping[str, str]:
    return {i: "Ana" for i in ids if i == "user_me"}


def names(blocks: Sequence[Digest]) -> list[list[str]]:
    return [[i.row.name for i in d.items] for d in blocks]


def listed(shown: PreviewRows) -> list[tuple[str, str, str, str]]:
    """(section, sign, name, what happens) of every row."""
    found = []
    for section in shown.sections():
        for row in shown.page(section.keys):
            assert row is not None
            what = row.cells[1]
            found.append((section.header, row.sign, str(row.cells[0]), what if isinstance(what, str) else what.text))
    return found


def test_a_worklist_start_has_two_blocks_as_a_session_gets_them() -> None:
    work, anchors = blocks_of(ROWS, TIGHT, bodies)
    assert work == render(ROWS, max_chars=735)
    assert anchors.block == "## Memory — About you / What I know\n\n- user_me: Ana\n- atom_a: fact"
    assert anchors.max_chars == 735


def test_sections_are_one_block() -> None:
    (only,) = blocks_of(ROWS, Ask(Mode.SECTIONS), bodies)
    assert only.mode is Mode.SECTIONS
    assert only.items[0].row.name == "project_behind"


def test_an_initiative_is_one_block_without_a_budget() -> None:
    (only,) = blocks_of(ROWS, Ask(Mode.INITIATIVE, initiative="area0"), bodies)
    assert names([only]) == [["project_p0", "project_behind"]]
    assert only.max_chars == 0


@pytest.mark.parametrize(
    ("now", "step", "wanted"),
    [(1500, 1, 2000), (1500, -1, 1200), (1000, 1, 1200), (1000, -1, 800), (400, -1, 400), (200, -1, 200),
     (6000, 1, 6000), (9000, 1, 9000)],
)  # fmt: skip
def test_budgets_step_and_stay_at_the_ends(now: int, step: int, wanted: int) -> None:
    assert budget_beside(now, step) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [("1500", 1500), (" 1,500 ", 1500), ("900 characters", 900), ("80", 80), ("79", None), ("", None), ("-5", None),
     ("lots", None), ("1e3", None), ("٣٠٠", None), ("99999999", None)],
)  # fmt: skip
def test_a_typed_budget_is_read_or_refused(text: str, wanted: int | None) -> None:
    assert parse_budget(text) == wanted


@pytest.mark.parametrize("decision", DECISIONS, ids=lambda d: d.action)
def test_a_preview_is_what_the_changed_rows_give(decision: Decision) -> None:
    found = decision_of(decision.action)
    assert found is decision
    ids = ["project_p0", "project_p3"]
    shown = preview(ROWS, TIGHT, bodies, found, ids, now=NOW)
    after = changed(ROWS, {i: found.patch for i in ids}, now=NOW)
    assert shown.after == blocks_of(after, TIGHT, bodies)
    assert shown.before == blocks_of(ROWS, TIGHT, bodies)


def test_an_action_that_is_no_decision_on_a_set_has_no_preview() -> None:
    assert decision_of("entry.append") is None


def test_a_preview_lists_what_stays_comes_in_and_leaves() -> None:
    close = decision_of("entry.close")
    assert close is not None
    shown = preview(ROWS, TIGHT, bodies, close, ["project_p0", "project_p5"], now=NOW)
    assert names(shown.before)[0] == ["project_p0", "project_p1", "project_p2"]
    assert names(shown.after)[0] == ["project_p1", "project_p2", "project_p3"]
    assert listed(PreviewRows(shown)) == [
        ("The block as it would be", "○", "project_p1", "Open threads"),
        ("The block as it would be", "○", "project_p2", "Open threads"),
        ("The block as it would be", "+", "project_p3", "comes in"),
        ("Leaves the block", "-", "project_p0", "closed"),
        ("The anchors as they would be", "@", "user_me", "About you"),
        ("The anchors as they would be", "◆", "atom_a", "What we know"),
        ("Not in the block, before or after", "○", "project_p5", "closed"),
    ]
    before, after = shown.used
    assert shown.sentence == f"Close 2 entries: {before} → {after} characters, 1 leaves, 1 comes in"


def test_a_preview_says_what_falls_below_and_why() -> None:
    carry = decision_of("entry.carry")
    assert carry is not None
    shown = preview(ROWS, TIGHT, bodies, carry, ["project_p5"], now=NOW)
    rows = listed(PreviewRows(shown))
    assert ("The block as it would be", "+", "project_p5", "comes in") in rows
    assert ("Leaves the block", "-", "project_p2", "falls below: over the budget") in rows


def test_a_preview_that_changes_nothing_says_so() -> None:
    close = decision_of("entry.close")
    assert close is not None
    shown = preview(ROWS, TIGHT, bodies, close, ["project_p5"], now=NOW)
    assert shown.sentence == f"Close 1 entry: {shown.used[1]} characters as before, the same entries"


def test_an_anchor_moved_to_the_log_leaves_the_anchors() -> None:
    log = decision_of("entry.log")
    assert log is not None
    shown = preview(ROWS, TIGHT, bodies, log, ["atom_a"], now=NOW)
    assert ("Leaves the anchors", "-", "atom_a", "moved to the log") in listed(PreviewRows(shown))


def row(klass: str = "thread", status: str | None = "open", type_: str = "project") -> PlainRow:
    return PlainRow("x", "me", "x", type_, klass, status)


@pytest.mark.parametrize(
    ("entry", "why", "mode", "ways"),
    [
        (row(), Why.BUDGET, Mode.WORKLIST, ["entry.carry", "entry.append", "entry.reword"]),
        (row(status="carry_forward"), Why.NOT_TOP, Mode.WORKLIST, ["-entry.carry", "entry.append", "entry.reword"]),
        (row(), Why.QUOTA, Mode.SECTIONS, ["entry.carry"]),
        (row(status="carry_forward"), Why.QUOTA, Mode.SECTIONS, ["-entry.carry", "entry.append", "entry.reword"]),
        (row("anchor", None, "atom"), Why.BUDGET, Mode.WORKLIST, ["entry.append", "entry.reword"]),
        (row("anchor", None, "user"), Why.TOO_LONG, Mode.WORKLIST, ["entry.reword"]),
        (row("anchor", None, "user"), Why.EMPTY, Mode.SECTIONS, ["entry.reword"]),
    ],
)
def test_only_what_the_rules_allow_moves_an_entry_up(entry: PlainRow, why: Why, mode: Mode, ways: list[str]) -> None:
    assert [("-" if way.why_not else "") + way.action for way in lifts(entry, why, mode)] == ways


@pytest.mark.parametrize("action", ["entry.carry", "entry.append"])
def test_moving_up_says_what_it_pushes_out(action: str) -> None:
    before = blocks_of(ROWS, TIGHT, bodies)
    way = next(w for w in lifts(ROWS[5], Why.BUDGET, Mode.WORKLIST) if w.action == action)
    after = as_decided(ROWS, TIGHT, bodies, {"project_p5": way.patch}, now=NOW)
    assert pushed_out(before, after, "project_p5") == (True, ["project_p2"])
    assert pushed_out(before, before, "project_p5") == (False, [])

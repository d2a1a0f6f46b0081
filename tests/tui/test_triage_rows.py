"""The rows of Triage: order, the cut, what is below it and why, costs that add up to the block."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from memdesk.core.digest import PlainRow, Why, changed, render
from memdesk.tui.panes.triage_rows import (
    COLUMNS,
    Board,
    Marked,
    cost,
    cut_line,
    moved,
    name_cell,
    role_sign,
    words_filter,
)
from memdesk.tui.widgets.row_draw import fit
from memdesk.tui.widgets.rows import Cell

NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)


def thread(name: str, hours: int, group: str | None = None, status: str = "open", **more: Any) -> PlainRow:
    when = f"2026-03-10T{11 - hours:02d}:30:00Z"
    return PlainRow(name, "me", name, "project", "thread", status, initiative=group, updated_at=when, **more)


def anchor(name: str, type_: str = "atom", hours: int = 1, **more: Any) -> PlainRow:
    return PlainRow(name, "me", name, type_, "anchor", updated_at=f"2026-03-09T{11 - hours:02d}:30:00Z", **more)


ROWS = [
    thread("project_bill_a", 1, "billing", "carry_forward", description="first of billing"),
    thread("project_bill_b", 3, "billing"),
    thread("project_bill_c", 4, "billing"),
    thread("project_search", 2, "search", description="index rebuild"),
    thread("project_loose", 5),
    thread("project_shut", 0, "billing", "closed"),
    thread("project_gone", 0, "billing", state="purged"),
]


def board(rows: list[PlainRow] = ROWS, *, max_chars: int = 1500, **more: Any) -> Board:
    return Board([render(rows, max_chars=max_chars)], now=NOW, **more)


def plain(cell: str | Cell) -> str:
    return cell if isinstance(cell, str) else cell.lead + cell.text


def texts(shown: Board) -> list[str]:
    """The list as one reads it: headers, names, dividers."""
    lines = []
    for section in shown.sections():
        if section.header:
            lines.append(f"# {section.header} ({section.note})")
        for index in range(len(section.keys) + 1):
            lines += [f"---- {text}" for at, text in section.dividers if at == index]
            if index < len(section.keys):
                row = shown.page([section.keys[index]])[0]
                assert row is not None
                lines.append(plain(row.cells[0]))
    return lines


def cells(shown: Board, key: str) -> dict[str, str]:
    row = shown.page([key])[0]
    assert row is not None
    found = {column.name: plain(cell) for column, cell in zip(COLUMNS, row.cells, strict=True)}
    return found | {"sign": row.sign, "tone": row.tone}


def test_the_worklist_stands_in_the_order_of_the_block_with_the_cut_under_it() -> None:
    digest = render(ROWS)
    chars = sum(i.chars for i in digest.items)
    assert texts(board()) == [
        f"# Worklist (3 initiatives, {chars} characters + {digest.used - chars} frame)",
        "bill_a",
        "search",
        "loose",
        f"---- cut: {digest.used} of 1,500 characters",
        "# Below the cut: behind the freshest of its initiative (2)",
        "bill_b",
        "bill_c",
    ]


def test_closed_and_deleted_entries_never_stand_in_the_list() -> None:
    shown = board()
    assert shown.spot("project_shut") is None
    assert shown.spot("project_gone") is None
    assert shown.page(["project_gone"]) == [None]


@pytest.mark.parametrize("max_chars", [80, 600, 640, 680, 800, 1500])
def test_the_cut_falls_where_the_digest_says(max_chars: int) -> None:
    rows = [thread(f"project_p{i}", i, f"area{i}", description="x" * 40) for i in range(8)]
    digest = render(rows, max_chars=max_chars)
    shown = board(rows, max_chars=max_chars)
    first = shown.sections()[0]
    assert list(first.keys) == list(digest.shown_ids)
    assert first.dividers == ((len(digest.items), cut_line(digest)),)
    rest = [k for s in shown.sections()[1:] for k in s.keys]
    assert sorted(rest) == sorted(b.row.id for b in digest.below)


def test_why_an_entry_is_below_the_cut_is_its_section() -> None:
    rows = [thread(f"project_p{i:02d}", i, f"area{i}") for i in range(11)] + [thread("project_behind", 11, "area3")]
    shown = board(rows, max_chars=620)
    headers = [s.header for s in shown.sections()]
    assert headers == [
        "Worklist",
        "Below the cut: over the budget",
        "Below the cut: over the number of places",
        "Below the cut: behind the freshest of its initiative",
    ]
    for why, key in ((Why.BUDGET, "project_p09"), (Why.QUOTA, "project_p10"), (Why.NOT_TOP, "project_behind")):
        spot = shown.spot(key)
        assert spot is not None and spot.why is why
        assert not spot.injected


def test_a_row_shows_role_age_initiative_what_is_behind_it_and_its_cost() -> None:
    shown = board()
    found = cells(shown, "project_bill_a")
    item = render(ROWS).items[0]
    assert found == {
        "name": "bill_a", "says": "first of billing", "role": "For this session", "age": "1h",
        "initiative": "billing", "more": "+2", "cost": str(item.chars), "sign": "»", "tone": "",
    }  # fmt: skip
    assert cells(shown, "project_loose")["initiative"] == "otros"
    assert cells(shown, "project_bill_b") | {"cost": ""} == {
        "name": "bill_b", "says": "", "role": "Open threads", "age": "3h", "initiative": "billing", "more": "",
        "cost": "", "sign": "○", "tone": "muted",
    }  # fmt: skip


def test_the_costs_add_up_to_the_block() -> None:
    digest = render(ROWS, pointer=False)
    assert digest.used == len("## Memory — Pendientes vivos por proyecto\n\n") + sum(i.chars for i in digest.items) - 1


@pytest.mark.parametrize("behind", [0, 1, 9, 10, 120])
def test_what_a_top_below_the_cut_would_cost_is_what_it_costs_in_the_block(behind: int) -> None:
    rows = [thread("project_first", 0, "first", description="d" * 50), thread("project_tail", 2, "tail")]
    rows += [replace(thread("project_tail", 9, "tail"), id=f"t{i}", name=f"project_t{i}") for i in range(behind)]
    tight = render(rows, max_chars=560)
    below = next(b for b in tight.below if b.row.name == "project_tail")
    assert below.why is Why.BUDGET
    spot = Board([tight], now=NOW).spot("project_tail")
    assert spot is not None and spot.more == behind
    wide = next(i for i in render(rows, max_chars=9000).items if i.row.name == "project_tail")
    assert spot.chars == wide.chars == cost(below, tight, behind)


def test_one_group_over_the_budget_stays_and_the_cut_says_how_much_over() -> None:
    rows = [thread("project_" + "long" * 40, 1, "only", description="d" * 90)]
    digest = render(rows, max_chars=80)
    assert digest.over > 0
    cut = f"---- cut: {digest.used} of 80 characters, {digest.over} over, nothing below it"
    assert texts(Board([digest], now=NOW))[-1] == cut


def test_an_empty_store_has_an_empty_list() -> None:
    assert list(board([]).sections()) == []
    assert board([]).text == ""


def test_sections_stand_in_their_order_and_the_cut_closes_them() -> None:
    rows = [
        thread("project_now", 1, "a", "carry_forward", description="now"),
        thread("project_open", 2, "a", "open", description="open"),
        anchor("user_name", "user"),
        anchor("atom_fact", description="a fact"),
        anchor("user_blank", "user"),
    ]
    digest = render(rows, mode="sections", bodies=lambda ids: {"user_name": "Ana"})
    found = [line.split(" (")[0] for line in texts(Board([digest], now=NOW))]
    assert found == [
        "# For this session", "now", "# About you", "user_name", "# What we know", "atom_fact",
        "# Open threads", "open", f"---- {cut_line(digest)}", "# Never injected: no text", "user_blank",
    ]  # fmt: skip


def test_the_two_blocks_of_a_session_start_stand_one_under_the_other_each_with_its_cut() -> None:
    rows = [*ROWS, anchor("user_name", "user", body_chars=3), anchor("atom_fact", description="a fact")]
    work = render(rows)
    known = render(rows, mode="sections", wanted=("anchor",), pointer=False, bodies=lambda ids: {"user_name": "Ana"})
    shown = Board([work, known], now=NOW)
    heads = [s.header for s in shown.sections()]
    assert heads == ["Worklist", "Below the cut: behind the freshest of its initiative", "About you", "What we know"]
    assert shown.sections()[-1].dividers == ((1, f"cut: {known.used} of 1,500 characters, nothing below it"),)
    assert shown.text == work.block + "\n\n" + known.block
    assert cells(shown, "user_name")["cost"] == str(len("- user_name: Ana\n"))
    assert [cells(shown, k)["sign"] for k in ("user_name", "atom_fact")] == ["@", "◆"]


def test_what_an_anchor_below_the_cut_would_cost() -> None:
    rows = [anchor(f"atom_fact{i:02d}", description="f" * 80) for i in range(9)]
    tight = render(rows, mode="sections", wanted=("anchor",), pointer=False, max_chars=300)
    shown = Board([tight], now=NOW)
    below = tight.below[0]
    spot = shown.spot(below.row.id)
    assert spot is not None and spot.why is Why.BUDGET
    assert spot.chars == tight.items[0].chars


def test_one_initiative_is_uncapped_and_counts_its_bodies() -> None:
    digest = render(ROWS, mode="initiative", key="billing", bodies=lambda ids: {i: "body of " + i for i in ids})
    shown = Board([digest], now=NOW)
    assert [line.split(" (")[0] for line in texts(shown)] == [
        "# All of billing", "bill_a", "bill_b", "bill_c",
    ]  # fmt: skip
    spot = shown.spot("project_bill_b")
    assert spot is not None
    assert spot.chars == len("- project_bill_b\n") + len("body of project_bill_b")
    assert "body of project_bill_c" in shown.text


def test_a_filter_hides_rows_and_leaves_the_cut_its_figures() -> None:
    whole, found = board(), board(fits=words_filter(" Billing  PROJECT_BILL_B "))
    assert [k for s in found.sections() for k in s.keys] == ["project_bill_b"]
    assert f"---- {cut_line(whole.main)}" in texts(found)
    assert found.sections()[-1].note == "1 of 2"
    assert [k for s in board(fits=words_filter("for this session")).sections() for k in s.keys] == ["project_bill_a"]


def test_titles_stand_before_the_description_and_nothing_is_parsed() -> None:
    nasty = "[/red] x \x1b]52;c;aGk=\x07"
    asked = []

    def titles(ids: Sequence[str]) -> Mapping[str, str]:
        asked.append(list(ids))
        return {"project_search": nasty, "project_loose": nasty}

    shown = board(titles=titles)
    assert cells(shown, "project_search")["says"] == f"{nasty} · index rebuild"
    assert cells(shown, "project_loose")["says"] == nasty
    assert cells(shown, "project_bill_a")["says"] == "first of billing"
    assert asked == [["project_search"], ["project_loose"], ["project_bill_a"]]


def test_anchors_that_were_not_read_are_counted_where_they_are_below() -> None:
    rows = [anchor(f"atom_fact{i:02d}", description="f") for i in range(30)]
    known = render(rows, mode="sections", wanted=("anchor",), pointer=False)
    assert Board([known], now=NOW, unread=500).sections()[-1].note == "10 of 510"
    assert Board([known], now=NOW).sections()[-1].note == "10"


@pytest.mark.parametrize(
    ("klass", "status", "type_", "sign"),
    [
        ("thread", "carry_forward", "project", "»"),
        ("thread", "open", "project", "○"),
        ("thread", "closed", "project", "·"),
        ("thread", None, "project", "·"),
        ("anchor", None, "user", "@"),
        ("anchor", None, "atom", "◆"),
        ("log", None, "feedback", "·"),
    ],
)
def test_every_role_has_a_sign(klass: str, status: str | None, type_: str, sign: str) -> None:
    assert role_sign(PlainRow("x", "me", "x", type_, klass, status=status)) == sign


NOW_TEXT = "2026-03-10T12:00:00.000Z"


def test_closing_a_top_says_who_moved_up() -> None:
    before = render(ROWS)
    after = render(changed(ROWS, {"project_bill_a": {"status": "closed"}}, now=NOW_TEXT))
    assert moved([before], [after], {"project_bill_a"}) == "project_bill_b moved up"


def test_lifting_an_entry_says_what_it_pushes_out() -> None:
    rows = [thread(f"project_p{i}", i, f"area{i}", description="x" * 40) for i in range(8)]
    before = render(rows, max_chars=750)
    assert [b.row.id for b in before.below][:1] == ["project_p4"]
    after = render(changed(rows, {"project_p7": {"status": "carry_forward"}}, now=NOW_TEXT), max_chars=750)
    assert moved([before], [after], {"project_p7"}) == "project_p7 is in the block now, project_p3 fell below the cut"
    assert moved([before], [before], {"project_p7"}) == ""


def test_a_row_shows_what_is_being_written_and_what_was_kept() -> None:
    busy = {"project_search"}
    kept = {"project_loose", "project_search"}
    shown = Marked(board(), lambda: busy, kept.__contains__)
    keys = ["project_bill_a", "project_search", "project_loose", "gone"]
    assert [row and row.sign for row in shown.page(keys)] == ["»", "…", "○=", None]
    busy.clear()
    assert [row and row.sign for row in shown.page(keys)] == ["»", "○=", "○=", None]
    assert shown.sections() == board().sections()


@pytest.mark.parametrize(
    ("name", "lead", "text"),
    [
        ("project_search_accents", "", "search_accents"),
        ("decision_search", "decision_", "search"),
        ("project_decision_search", "project_", "decision_search"),
        ("lab_note", "", "lab_note"),
        ("project_", "", "project_"),
        ("odd", "", "odd"),
    ],
)
def test_the_type_of_a_name_is_quieter_and_the_common_one_left_out(name: str, lead: str, text: str) -> None:
    found = name_cell(name)
    assert (found.lead, found.text) == (lead, text)


def test_no_two_names_look_the_same() -> None:
    names = [f"{a}{b}{c}" for a in ("project_", "decision_", "") for b in ("project_", "decision_", "") for c in "ab"]
    shown = {name: plain(name_cell(name)) for name in names if name.count("_")}
    assert len(set(shown.values())) == len(shown)


@pytest.mark.parametrize(("columns", "says"), [(80 - 6, 28), (120 - 6, 48), (132 - 6, 58), (160 * 3 // 5 - 6, 40)])
def test_what_an_entry_says_has_the_room(columns: int, says: int) -> None:
    widths = {COLUMNS[index].name: width for index, width in fit(COLUMNS, columns)}
    assert widths["says"] >= says and widths["name"] >= 22
    assert {"more", "age", "cost"} <= widths.keys()


def test_without_live_threads_the_worklist_says_so() -> None:
    rows = [anchor("atom_fact", description="a fact")]
    shown = Board([render(rows), render(rows, mode="sections", wanted=("anchor",), pointer=False)], now=NOW)
    assert texts(shown)[:3] == [
        "# Worklist ()", "---- no thread is live: the next session starts without open work",
        f"# What we know (1 entry, {shown.blocks[1].items[0].chars} characters)",
    ]  # fmt: skip

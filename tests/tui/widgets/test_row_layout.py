"""Sections as lines, and a cursor that follows its key: against naive models."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memdesk.tui.widgets.row_draw import cell_segments, fit
from memdesk.tui.widgets.row_layout import PAGE, PAGES_KEPT, RowLayout, RowPages, follow
from memdesk.tui.widgets.rows import Column, Row, Section


def build(spec: list[tuple[bool, int, list[int]]]) -> list[Section]:
    """Sections from (has a header, number of keys, divider places), with running keys."""
    sections, start = [], 0
    for header, size, breaks in spec:
        dividers = [(min(place, size), f"cut {place}") for place in breaks]
        sections.append(Section(range(start, start + size), "Head" if header else "", dividers=dividers))
        start += size
    return sections


def naive(sections: list[Section]) -> list[tuple[str, object]]:
    lines: list[tuple[str, object]] = []
    for section in sections:
        if section.header:
            lines.append(("header", section.header))
        for index in range(len(section.keys) + 1):
            lines += [
                ("divider", text) for place, text in sorted(section.dividers, key=lambda d: d[0]) if place == index
            ]
            if index < len(section.keys):
                lines.append(("row", section.keys[index]))
    return lines


SPEC = st.lists(st.tuples(st.booleans(), st.integers(0, 6), st.lists(st.integers(0, 7), max_size=3)), max_size=5)


@given(SPEC)
def test_lines_are_those_of_a_flat_list(spec: list[tuple[bool, int, list[int]]]) -> None:
    sections = build(spec)
    layout, lines = RowLayout(sections), naive(sections)
    assert layout.line_count == len(lines)
    for number, (kind, value) in enumerate(lines):
        line = layout.line_at(number)
        assert line.kind == kind
        if kind == "row":
            assert layout.key_at(line.ordinal) == value
            assert layout.line_of(line.ordinal) == number
            assert layout.ordinal_of(value) == line.ordinal  # type: ignore[arg-type]
        else:
            assert line.text == value


KEYS = st.lists(st.integers(0, 12).map(str), unique=True, max_size=10)


@given(KEYS, KEYS, st.integers(0, 9))
def test_a_cursor_follows_its_key_else_the_next_else_the_previous(old: list[str], new: list[str], at: int) -> None:
    cursor = min(at, len(old) - 1)
    went = follow(RowLayout([Section(old)]), RowLayout([Section(new)]), cursor)
    if not new:
        assert went == -1
        return
    survivors = [key for key in old[max(cursor, 0) :] if key in new] or [
        key for key in old[: max(cursor, 0)][::-1] if key in new
    ]
    assert went == (new.index(survivors[0]) if survivors else min(max(cursor, 0), len(new) - 1))


def test_a_range_is_not_walked_for_a_foreign_key() -> None:
    layout = RowLayout([Section(range(10**12))])
    assert layout.ordinal_of("x") is None
    assert layout.ordinal_of(10**12 - 1) == 10**12 - 1


class Counting:
    def __init__(self, count: int) -> None:
        self.count = count
        self.fetched: list[list[int]] = []

    def sections(self) -> list[Section]:
        return [Section(range(self.count))]

    def page(self, keys: object) -> list[Row]:
        self.fetched.append(list(keys))  # type: ignore[call-overload]
        return [Row([str(key)]) for key in keys]  # type: ignore[attr-defined]


def test_pages_are_fetched_when_looked_at_and_the_oldest_are_dropped() -> None:
    rows = Counting(PAGE * (PAGES_KEPT + 5))
    pages = RowPages(rows, RowLayout(rows.sections()))
    assert pages.row(3) == pages.row(5).__class__(["3"])
    assert rows.fetched == [list(range(PAGE))]
    for page in range(1, PAGES_KEPT + 5):
        pages.row(page * PAGE)
    assert len(pages._pages) == PAGES_KEPT
    pages.row(0)
    assert rows.fetched[-1] == list(range(PAGE))
    pages.forget([1])
    pages.row(0)
    assert rows.fetched[-2:] == [list(range(PAGE))] * 2


COLUMNS = [
    Column("title", flex=1, min_width=10),
    Column("initiative", width=12, priority=3),
    Column("chars", width=5, priority=2),
    Column("age", width=8, priority=1),
]


@pytest.mark.parametrize(
    ("width", "fitted"),
    [
        (80, [(0, 49), (1, 12), (2, 5), (3, 8)]),
        (41, [(0, 10), (1, 12), (2, 5), (3, 8)]),
        (40, [(0, 23), (2, 5), (3, 8)]),
        (26, [(0, 16), (3, 8)]),
        (12, [(0, 12)]),
        (3, [(0, 3)]),
    ],
)
def test_columns_drop_by_priority(width: int, fitted: list[tuple[int, int]]) -> None:
    assert fit(COLUMNS, width) == fitted


@given(st.text(max_size=20), st.integers(1, 12), st.booleans())
def test_a_cell_has_exactly_its_width(text: str, width: int, right: bool) -> None:
    from rich.style import Style

    segments = cell_segments(text, width, Style.null(), Style(reverse=True), right=right)
    assert sum(segment.cell_length for segment in segments) == width

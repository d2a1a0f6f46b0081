"""Sections of rows flattened into numbered lines, without a list of lines; and how a cursor follows its
key. Pure.

A *line* counts headers and dividers, an *ordinal* counts rows only (both from 0).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from .rows import Key, Row, Rows, Section

#: Rows fetched in one go: a screenful, so that a page key costs one or two fetches.
PAGE = 64
#: Pages kept: enough to scroll about in without fetching again.
PAGES_KEPT = 64


@dataclass(frozen=True, slots=True)
class Line:
    """What stands on one line: `ordinal` is -1 except for a row, `text` and `note` are empty for a row."""

    kind: Literal["row", "header", "divider"]
    ordinal: int = -1
    text: str = ""
    note: str = ""


class _Block:
    """One section placed: where it starts, and where its dividers stand."""

    __slots__ = ("breaks", "first_line", "first_ordinal", "head", "section", "texts")

    def __init__(self, section: Section, first_line: int, first_ordinal: int) -> None:
        self.section = section
        self.first_line = first_line
        self.first_ordinal = first_ordinal
        self.head = 1 if section.header else 0
        placed = sorted(section.dividers, key=lambda divider: divider[0])
        last = len(section.keys)
        self.breaks = [min(max(index, 0), last) for index, _ in placed]
        self.texts = [text for _, text in placed]

    @property
    def line_count(self) -> int:
        return self.head + len(self.section.keys) + len(self.breaks)

    def line_of(self, index: int) -> int:
        return self.first_line + self.head + index + bisect_right(self.breaks, index)

    def line_at(self, line: int) -> Line:
        local = line - self.first_line - self.head
        if local < 0:
            return Line("header", text=self.section.header, note=self.section.note)
        passed = 0
        for number, index in enumerate(self.breaks):
            if index + number == local:
                return Line("divider", text=self.texts[number])
            if index + number > local:
                break
            passed += 1
        return Line("row", ordinal=self.first_ordinal + local - passed)


class RowLayout:
    """The lines of a list of sections."""

    def __init__(self, sections: Sequence[Section] = ()) -> None:
        self._blocks: list[_Block] = []
        self.line_count = 0
        self.total = 0
        for section in sections:
            block = _Block(section, self.line_count, self.total)
            self._blocks.append(block)
            self.line_count += block.line_count
            self.total += len(section.keys)
        self._starts_line = [block.first_line for block in self._blocks]
        self._starts_ordinal = [block.first_ordinal for block in self._blocks]
        self._ordinals: dict[Key, int] | None = None

    def line_at(self, line: int) -> Line:
        """Return what stands on a line, 0 <= line < line_count."""
        return self._blocks[bisect_right(self._starts_line, line) - 1].line_at(line)

    def line_of(self, ordinal: int) -> int:
        """Return the line of a row."""
        block = self._block_of(ordinal)
        return block.line_of(ordinal - block.first_ordinal)

    def key_at(self, ordinal: int) -> Key | None:
        """Return the key of a row, or None outside the list."""
        if not 0 <= ordinal < self.total:
            return None
        block = self._block_of(ordinal)
        return block.section.keys[ordinal - block.first_ordinal]

    def ordinal_of(self, key: Key) -> int | None:
        """Return where a key stands, or None."""
        for block in self._blocks:
            keys = block.section.keys
            # A range answers by arithmetic for whole numbers, and would be walked for anything else.
            if isinstance(keys, range) and isinstance(key, int) and key in keys:
                return block.first_ordinal + keys.index(key)
        if self._ordinals is None:
            self._ordinals = {
                key: block.first_ordinal + index
                for block in reversed(self._blocks)
                if not isinstance(block.section.keys, range)
                for index, key in enumerate(block.section.keys)
            }
        return self._ordinals.get(key)

    def keys(self) -> Iterator[Key]:
        """Yield every key in order."""
        for block in self._blocks:
            yield from block.section.keys

    def row_near(self, line: int, step: int) -> int | None:
        """Return the ordinal of the first row from `line` on, walking by `step` (1 or -1), or None."""
        while 0 <= line < self.line_count:
            found = self.line_at(line)
            if found.kind == "row":
                return found.ordinal
            line += step
        return None

    def slice_keys(self, ordinal: int, count: int) -> tuple[int, Sequence[Key]]:
        """Return the keys of the page that holds a row, and the ordinal of the first of them."""
        block = self._block_of(ordinal)
        index = (ordinal - block.first_ordinal) // count * count
        return block.first_ordinal + index, block.section.keys[index : index + count]

    def _block_of(self, ordinal: int) -> _Block:
        return self._blocks[bisect_right(self._starts_ordinal, ordinal) - 1]


class RowPages:
    """Rows fetched from a provider a page at a time, when looked at; the oldest pages are dropped."""

    def __init__(self, rows: Rows, layout: RowLayout) -> None:
        self._rows = rows
        self._layout = layout
        self._pages: dict[int, Sequence[Row | None]] = {}

    def row(self, ordinal: int) -> Row | None:
        """Return a row, None where it has vanished. Raises whatever the provider raises."""
        first, keys = self._layout.slice_keys(ordinal, PAGE)
        page = self._pages.get(first)
        if page is None:
            page = self._rows.page(keys)
            while len(self._pages) >= PAGES_KEPT:
                del self._pages[next(iter(self._pages))]
            self._pages[first] = page
        index = ordinal - first
        return page[index] if index < len(page) else None

    def forget(self, ordinals: Iterable[int] | None = None) -> None:
        """Drop the pages of these rows, all pages by default."""
        if ordinals is None:
            self._pages.clear()
            return
        for ordinal in ordinals:
            self._pages.pop(self._layout.slice_keys(ordinal, PAGE)[0], None)


def follow(old: RowLayout, new: RowLayout, ordinal: int) -> int:
    """Return where a cursor on `old` goes in `new`: to its key, else to the next row that is still there,
    else to the previous one, else to the same place counted from the top; -1 in an empty list (DESIGN 9
    rule 1)."""
    if new.total == 0:
        return -1
    for candidate in range(max(ordinal, 0), old.total):
        found = _find(old, new, candidate)
        if found is not None:
            return found
    for candidate in range(min(ordinal, old.total) - 1, -1, -1):
        found = _find(old, new, candidate)
        if found is not None:
            return found
    return min(max(ordinal, 0), new.total - 1)


def _find(old: RowLayout, new: RowLayout, ordinal: int) -> int | None:
    key = old.key_at(ordinal)
    return None if key is None else new.ordinal_of(key)

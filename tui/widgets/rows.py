"""What a row list shows: cells, rows, columns, sections, and the provider that hands rows out a page at a
time.

All texts here are raw and untrusted; the list makes them safe when it draws them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

#: Identity of a row: an entry id, a request id, an event number. Unique within one list.
Key = int | str

#: How something is coloured. A tone never carries meaning alone: a word or a sign stands beside it.
Tone = Literal["", "muted", "accent", "good", "warn", "bad"]


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell whose tone differs from its row's.

    `lead` is the program's own text before it, muted and drawn as it is, runs of blanks included: the guides of a tree.
    """

    text: str
    tone: Tone = ""
    lead: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """One row: cells in column order, a sign of at most two cells at the left, a tone for the whole row."""

    cells: Sequence[str | Cell]
    sign: str = ""
    tone: Tone = ""


@dataclass(frozen=True, slots=True)
class Column:
    """One column. Give `width` (fixed, in cells) or `flex` (a share of what the fixed ones leave, at least
    `min_width`).

    Where the list is too narrow, the column with the highest `priority` number above 0 drops first; 0 never
    drops. One with `wide` stands only in lists that have at least so many cells for their columns. `middle` cuts a
    text that is too long in its middle: names that begin alike stay apart.
    """

    name: str
    width: int = 0
    flex: int = 0
    min_width: int = 4
    priority: int = 0
    align: Literal["left", "right"] = "left"
    tone: Tone = ""
    title: str = ""
    wide: int = 0
    middle: bool = False

    @property
    def least(self) -> int:
        """The fewest cells the column needs."""
        return self.min_width if self.flex else self.width


@dataclass(frozen=True, slots=True)
class Section:
    """A run of rows under an optional header line.

    `note` stands at the right end of the header line. `dividers` are lines that cannot be selected, each
    drawn before the key at its index (the number of keys: after the last). A `range` as keys costs nothing,
    whatever its length.
    """

    keys: Sequence[Key]
    header: str = ""
    note: str = ""
    dividers: Sequence[tuple[int, str]] = ()


class Rows(Protocol):
    """A snapshot of rows. Called on the screen's thread: `page` should answer within some 5 ms."""

    def sections(self) -> Sequence[Section]:
        """Return the sections in order."""
        ...

    def page(self, keys: Sequence[Key]) -> Sequence[Row | None]:
        """Return the rows of these keys, in their order; None for one that has vanished meanwhile."""
        ...


class StaticRows:
    """Rows over plain values, for short lists and pickers."""

    def __init__(self, sections: Sequence[Section] = (), rows: Mapping[Key, Row] | None = None) -> None:
        self._sections = sections
        self._rows = rows or {}

    def sections(self) -> Sequence[Section]:
        return self._sections

    def page(self, keys: Sequence[Key]) -> Sequence[Row | None]:
        return [self._rows.get(key) for key in keys]

"""What a read view shows, block by block. All texts are raw and untrusted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .rows import Tone


@dataclass(frozen=True, slots=True)
class Title:
    """The title of the view, with a note in a quieter voice below it."""

    text: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading inside the view, such as "Summary"."""

    text: str


@dataclass(frozen=True, slots=True)
class Facts:
    """Labels and values: one pair a row, or all in one flowing line where `inline`."""

    pairs: Sequence[tuple[str, str]]
    inline: bool = False


@dataclass(frozen=True, slots=True)
class Body:
    """Markdown shown as typed: lightly styled, nothing hidden or moved, links not live."""

    text: str


@dataclass(frozen=True, slots=True)
class Plain:
    """Text without any styling of its own."""

    text: str
    tone: Tone = ""


@dataclass(frozen=True, slots=True)
class Line:
    """One line with a sign at its left, as in a diff."""

    text: str
    sign: str = ""
    tone: Tone = ""


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines with signs, in one column."""

    lines: Sequence[Line]


@dataclass(frozen=True, slots=True)
class Gap:
    """An empty row."""


@dataclass(frozen=True, slots=True)
class Fold:
    """Blocks behind a name; `open` is how it starts, the view remembers what the reader does with it."""

    name: str
    blocks: Sequence[Block]
    open: bool = False


Block = Title | Heading | Facts | Body | Plain | Lines | Gap | Fold

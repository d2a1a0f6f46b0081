"""What a diff view shows beside ordinary blocks: the diff of a field, and a text with who wrote each line. Raw text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...core.diff import Diff
from .blocks import Block
from .rows import Tone


@dataclass(frozen=True, slots=True)
class DiffBlock:
    """The diff of one field.

    Attributes:
        key: unique within the view; names its folds.
        heading: "The text", with what became of it beside it in `note`.
        whole: no stretch of equal lines is ever folded away: who decides on a text is shown all of it.
        marks: passages of the new text that are shown marked, none of them over a line's end.
    """

    key: str
    heading: str
    diff: Diff
    note: str = ""
    whole: bool = False
    marks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BlameLine:
    """One line of a text: who wrote it and when, said only where that differs from the line above."""

    who: str
    when: str
    text: str
    tone: Tone = ""


@dataclass(frozen=True, slots=True)
class BlameBlock:
    """A text, each line with its origin."""

    lines: Sequence[BlameLine]


SheetBlock = Block | DiffBlock | BlameBlock

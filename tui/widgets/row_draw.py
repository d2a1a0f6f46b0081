"""Rows drawn as strips: columns fitted to a width, cells made safe, cut and padded by terminal cells."""

from __future__ import annotations

from collections.abc import Sequence

from rich.segment import Segment
from rich.style import Style

from ...core.text import has_marks, one_line, pieces
from ..safe_text import cells, cut, cut_middle, pad
from .rows import Cell, Column, Row

GAP = 2


def fit(columns: Sequence[Column], width: int, gap: int = GAP) -> list[tuple[int, int]]:
    """Return (column index, its cells) for the columns that fit into `width` cells, `gap` cells between them.

    The column with the highest priority number drops first (of equals the rightmost); priority 0 stays,
    squeezed if it must.
    """
    kept = [index for index, column in enumerate(columns) if column.wide <= width]

    def least() -> int:
        return sum(columns[index].least for index in kept) + gap * (len(kept) - 1)

    while len(kept) > 1 and least() > width:
        droppable = [index for index in kept if columns[index].priority > 0]
        if not droppable:
            break
        kept.remove(max(droppable, key=lambda index: (columns[index].priority, index)))
    widths = {index: columns[index].least for index in kept}
    spare = width - least()
    flexible = [index for index in kept if columns[index].flex]
    shares = sum(columns[index].flex for index in flexible)
    for index in flexible:
        share = spare * columns[index].flex // shares
        spare, shares = spare - share, shares - columns[index].flex
        widths[index] = max(widths[index] + share, 1)
    return [(index, widths[index]) for index in kept]


def cell_segments(text: str, width: int, style: Style, mark_style: Style, *, right: bool = False) -> list[Segment]:
    """Return untrusted text as segments of exactly `width` cells, on one line, hidden characters as marks."""
    # A cell shows at most `width` characters, plus combining marks; the rest need not be read.
    head = text[: width * 8 + 64]
    if not has_marks(head):
        return [Segment(pad(one_line(head), width, align="right" if right else "left"), style)]
    segments: list[Segment] = []
    room = width
    parts = [(shown if is_mark else _spaces(shown), is_mark) for shown, is_mark in pieces(head)]
    whole = sum(cells(shown) for shown, _ in parts)
    if whole > width:
        room -= 1
    for shown, is_mark in parts:
        shown = cut(shown, room, ellipsis="")
        room -= cells(shown)
        segments.append(Segment(shown, style + mark_style if is_mark else style))
    if whole > width:
        segments.append(Segment("…", style))
    if room > 0:
        blank = Segment(" " * room, style)
        segments = [blank, *segments] if right else [*segments, blank]
    return segments


def row_segments(
    row: Row,
    columns: Sequence[Column],
    widths: Sequence[tuple[int, int]],
    styles: RowStyles,
    gap: int = GAP,
) -> list[Segment]:
    """Return the cells of a row, gaps between them."""
    segments: list[Segment] = []
    for place, (index, width) in enumerate(widths):
        if place:
            segments.append(Segment(" " * gap, styles.base))
        cell = row.cells[index] if index < len(row.cells) else ""
        text, tone, lead = (cell.text, cell.tone, cell.lead) if isinstance(cell, Cell) else (cell, "", "")
        column = columns[index]
        style = styles.tone(tone or row.tone or column.tone)
        if lead:
            lead = cut(lead, width)
            segments.append(Segment(lead, styles.tone("muted")))
            width -= cells(lead)
        if column.middle and not has_marks(text):
            text = cut_middle(one_line(text), width)
        segments += cell_segments(text, width, style, styles.mark, right=column.align == "right")
    return segments


def sign_segments(row: Row, width: int, styles: RowStyles) -> list[Segment]:
    """Return the sign of a row in `width` cells and one blank."""
    sign = pad(one_line(row.sign), width)
    return [Segment(sign, styles.tone(row.tone)), Segment(" ", styles.base)]


class RowStyles:
    """The styles of one line: its base, a style per tone on that base, and the one for hidden characters."""

    __slots__ = ("_tones", "base", "mark")

    def __init__(self, base: Style, tones: dict[str, Style], mark: Style, *, plain: bool = False) -> None:
        """`plain` drops the tones: on a reversed line their colours would read as backgrounds."""
        self.base = base
        self.mark = mark
        self._tones = {} if plain else {tone: base + style for tone, style in tones.items()}

    def tone(self, tone: str) -> Style:
        """Return the style of a tone; the base for "" and for an unknown one."""
        return self._tones.get(tone, self.base)


def _spaces(text: str) -> str:
    """Fold white space inside a piece without stripping it: the pieces around it share its line."""
    folded = one_line(text)
    return (" " if text[:1].isspace() else "") + folded + (" " if folded and text[-1:].isspace() else "")

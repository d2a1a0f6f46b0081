"""Diffs and blamed texts laid out as rows of a given width, lazily, unified or side by side. Pure.

A sign stands beside every colour, and changed words are underlined as well, so that nothing is told by colour alone.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise, zip_longest
from typing import Final

from ...core.diff import Diff, Pair, Row, Spans, pairs, rows, words
from ..safe_text import cells, cut, pad
from .blocks import Block
from .diff_blocks import BlameBlock, DiffBlock, SheetBlock
from .text_layout import Span, TextRow, lay_out, parts_of, safe_spans, wrapped

#: Styles of a diff; the view has a component class for each.
DIFF_STYLES: Final = (
    "diff-field", "diff-number", "diff-fold", "diff-gone", "diff-gone-word", "diff-new", "diff-new-word", "diff-moved",
    "diff-empty", "diff-mark",
)  # fmt: skip
SIGNS: Final = {"same": " ", "gone": "-", "new": "+"}
#: Cells from which line numbers are shown, and from which two columns are worth it.
_NUMBERED: Final = 64
SIDE_BY_SIDE: Final = 76
#: Characters of a line that are laid out in one go, so that one huge line is as lazy as many short ones.
_PART: Final = 4096

#: A line in (text, style) pieces, raw; and the same in parts of bounded length, hidden characters as marks.
Pieces = Iterable[tuple[str, str]]


def lay_out_sheet(
    blocks: Sequence[SheetBlock], width: int, folds: Mapping[str, bool], opened: Collection[str] | None, side: bool
) -> Iterator[TextRow]:
    """Yield the rows of a sheet.

    Args:
        blocks: ordinary blocks, diffs and blamed texts.
        width: in cells.
        folds: which ordinary folds the reader has opened or closed.
        opened: names of the stretches of equal lines that are open; None opens all.
        side: show diffs in two columns, where there is room.
    """
    line = 0
    plain: list[Block] = []
    for block in [*blocks, None]:
        if isinstance(block, Block):
            plain.append(block)
            continue
        made = lay_out(plain, width, folds) if plain else iter(())
        last = -1
        for row in made:
            last = row.line
            yield replace(row, line=line + row.line)
        line += last + 1
        plain = []
        if isinstance(block, DiffBlock):
            two = side and width >= SIDE_BY_SIDE
            for row in _in_two(block, width, opened) if two else _unified(block, width, opened):
                yield replace(row, line=line + row.line)
                last = row.line
            line += last + 1
        elif isinstance(block, BlameBlock):
            for row in _blamed(block, width):
                yield replace(row, line=line + row.line)
                last = row.line
            line += last + 1


def _heading(block: DiffBlock) -> TextRow:
    gone, new = block.diff.counts
    note = block.note or f"-{gone:,} +{new:,}"
    spans = [*safe_spans(block.heading, "diff-field"), ("  ", ""), *safe_spans(note, "muted")]
    return TextRow(spans, 0)


def _opened(block: DiffBlock, opened: Collection[str] | None) -> Collection[int] | None:
    if opened is None or block.whole:
        return None
    stem = f"{block.key}:"
    return {int(name.removeprefix(stem)) for name in opened if name.startswith(stem)}


def _unified(block: DiffBlock, width: int, opened: Collection[str] | None) -> Iterator[TextRow]:
    diff = block.diff
    numbers = _digits(diff) if width >= _NUMBERED else 0
    yield _heading(block)
    number, before = 0, ""
    for row in rows(diff, opened=_opened(block, opened)):
        number += 1
        if row.kind == "fold":
            yield _fold_row(block, row.old, row.count, width, number)
        else:
            starts = row.kind != "same" and before not in ("gone", "new")
            gutter = f"{_number(row.old, numbers)}{_number(row.new, numbers)}{SIGNS[row.kind]} "
            pieces = _pieces(diff, row)
            if row.kind != "gone":
                pieces = _marked(pieces, block.marks)
            yield from _lines(pieces, gutter, _tone(row), width, number, starts)
        before = row.kind
    yield from _ending(diff, number + 1)


def _digits(diff: Diff) -> int:
    """Cells of a line number; none for a field of one line."""
    most = max(len(diff.old), len(diff.new))
    return len(str(most)) if most > 1 else 0


def _number(line: int, digits: int) -> str:
    if not digits:
        return ""
    return f"{line + 1 if line >= 0 else '':>{digits}} "


def _tone(row: Row) -> str:
    if row.kind == "same":
        return ""
    return "diff-moved" if row.moved >= 0 else f"diff-{row.kind}"


def _pieces(diff: Diff, row: Row) -> Pieces:
    """The line of a row, the words that differ from the line beside it in a style of their own."""
    tone = _tone(row)
    if row.moved >= 0:
        where = f"to line {row.moved + 1:,}" if row.kind == "gone" else f"from line {row.moved + 1:,}"
        return [(row.text, tone), (f"  ⇄ moved {where}", "muted")]
    if row.beside < 0:
        return [(row.text, tone)]
    old, new = (row.text, diff.new[row.beside]) if row.kind == "gone" else (diff.old[row.beside], row.text)
    left, right = words(old, new)
    return _worded(left if row.kind == "gone" else right, tone)


def _worded(spans: Spans, tone: str) -> Pieces:
    return [(text, f"{tone}-word" if differs else tone) for text, differs in spans]


def _marked(pieces: Pieces, marks: Sequence[str]) -> Pieces:
    """The pieces of a line, what is marked of it in a style of its own."""
    line = "".join(text for text, _ in pieces) if marks else ""
    found = [m.span() for mark in marks if mark in line for m in re.finditer(re.escape(mark), line)]
    if not found:
        yield from pieces
        return
    at = 0
    for text, style in pieces:
        cuts = sorted({0, len(text), *(edge - at for span in found for edge in span if 0 < edge - at < len(text))})
        for start, end in pairwise(cuts):
            marked = any(a <= at + start and at + end <= b for a, b in found)
            yield text[start:end], "diff-mark" if marked else style
        at += len(text)


def _lines(pieces: Pieces, gutter: str, tone: str, width: int, number: int, starts: bool) -> Iterator[TextRow]:
    """One line of a diff in rows: the gutter stays free beside the further ones, the ground reaches the edge."""
    room = max(width - cells(gutter), 4)
    first = True
    for part in _parts(pieces):
        for row in wrapped(part, 0, room, number):
            lead = gutter if first else " " * cells(gutter)
            style = tone or "diff-number"
            over = cells(row.text) - room  # white space at a break may reach past the edge
            text = _shortened(row.spans, over) if over > 0 else [*row.spans, (" " * -over, tone)]
            yield TextRow([(lead, style), *text], number, starts=starts and first)
            first = False


def _shortened(spans: Sequence[Span], over: int) -> list[Span]:
    """The spans without the last `over` cells, all of them spaces."""
    kept = list(spans)
    while over > 0 and kept:
        text, style = kept.pop()
        cut_off = min(over, len(text))
        over -= cut_off
        if len(text) > cut_off:
            kept.append((text[: len(text) - cut_off], style))
    return kept


def _parts(pieces: Pieces) -> Iterator[list[Span]]:
    """A line in parts of bounded length, hidden characters as marks; one part, maybe empty, at least."""
    part: list[Span] = []
    size = 0
    for text, style in pieces:
        for cut_text in parts_of(text):
            if size and size + len(cut_text) > _PART:
                yield part
                part, size = [], 0
            part += safe_spans(cut_text, style)
            size += len(cut_text)
    yield part


def _fold_row(block: DiffBlock, first: int, count: int, width: int, number: int) -> TextRow:
    text = f" ⋯ {count:,} equal lines ".center(min(width, 60), "·")
    return TextRow([(pad(cut(text, width), width), "diff-fold")], number, fold=f"{block.key}:{first}")


def _ending(diff: Diff, number: int) -> Iterator[TextRow]:
    if not diff.changes:
        yield TextRow([("  nothing differs", "muted")], number)
    yield TextRow([], number + 1)


# -- side by side -------------------------------------------------------------------------------------------------


def _in_two(block: DiffBlock, width: int, opened: Collection[str] | None) -> Iterator[TextRow]:
    diff = block.diff
    digits = _digits(diff)
    half = (width - 3) // 2
    yield _heading(block)
    number, before = 0, "same"
    for pair in pairs(diff, opened=_opened(block, opened)):
        number += 1
        if pair.kind == "fold":
            yield _fold_row(block, pair.old, pair.count, width, number)
        else:
            starts = pair.kind != "same" and before in ("same", "fold")
            left, right = _columns(pair, digits, half, number, block.marks)
            for one, other in zip_longest(left, right):
                spans = [*(one.spans if one else [(" " * half, "diff-empty")]), (" │ ", "diff-number")]
                spans += other.spans if other else [(" " * half, "diff-empty")]
                yield TextRow(spans, number, starts=starts)
                starts = False
        before = pair.kind
    yield from _ending(diff, number + 1)


def _columns(
    pair: Pair, digits: int, half: int, number: int, marks: Sequence[str]
) -> tuple[Iterator[TextRow], Iterator[TextRow]]:  # fmt: skip
    left, right = [(pair.left, False)], [(pair.right, False)]
    if pair.kind == "change":
        left, right = words(pair.left, pair.right)
    made: list[Iterator[TextRow]] = []
    for line, spans, tone, sign in ((pair.old, left, "diff-gone", "-"), (pair.new, right, "diff-new", "+")):
        if line < 0:
            made.append(iter(()))
            continue
        tone = "" if pair.kind == "same" else "diff-moved" if pair.moved >= 0 else tone
        gutter = f"{_number(line, digits)}{sign if tone else ' '} "
        pieces = list(_worded(spans, tone))
        if sign == "+":
            pieces = list(_marked(pieces, marks))
        if pair.moved >= 0:
            pieces.append((f"  ⇄ {pair.moved + 1:,}", "muted"))
        made.append(_lines(pieces, gutter, tone, half, number, False))
    return made[0], made[1]


# -- blame --------------------------------------------------------------------------------------------------------


def _blamed(block: BlameBlock, width: int) -> Iterator[TextRow]:
    widest = max((cells(line.who) for line in block.lines), default=0)
    who_width = min(widest, 18 if width >= 70 else 12)
    when_width = 9
    before = ("", "")
    for number, line in enumerate(block.lines):
        said = (line.who, line.when)
        shown = said if said != before else ("", "")
        gutter = f"{pad(shown[0], who_width)} {pad(shown[1], when_width, align='right')} │ "
        room = max(width - cells(gutter), 4)
        first = True
        for part in _parts([(line.text, "")]):
            for row in wrapped(part, 0, room, number):
                lead = gutter if first else " " * (cells(gutter) - 2) + "│ "
                yield TextRow([*safe_spans(lead, line.tone or "muted"), *row.spans], number, continues=row.continues)
                first = False
        before = said

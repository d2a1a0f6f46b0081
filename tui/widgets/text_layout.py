"""Blocks laid out as rows of a given width, lazily: the first screen of a 256 KB body costs a screen. Pure.

Markdown is styled in place and never rewritten: whatever is in the text is in the rows, HTML comments and
link targets included, because a renderer that hides them would let a proposal show its reviewer less than
it says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from ...core.text import pieces
from ..safe_text import cells, pad, wrap
from .blocks import Block, Body, Facts, Fold, Gap, Heading, Line, Lines, Plain, Title

#: Styles a span can have; the view has a component class for each.
STYLES = [
    "title",
    "note",
    "heading",
    "label",
    "code",
    "quote",
    "bullet",
    "strong",
    "em",
    "link",
    "fold",
    "hidden",
    "muted",
    "accent",
    "good",
    "warn",
    "bad",
]
#: A line longer than this is laid out in parts, so that one huge line is as lazy as many short ones.
PART = 4096

#: Cells that a wide indent must leave for words.
_LEAST_ROOM = 12

_FENCE = re.compile(r"\s{0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r"#{1,6}\s")
_QUOTE = re.compile(r"\s{0,3}>")
_RULE = re.compile(r"\s{0,3}([-*_])(\s*\1){2,}\s*$")
_BULLET = re.compile(r"(\s*)([-*+]|\d{1,9}[.)])(\s+\[[ xX]\])?\s+")
# Bounded repeats: hostile text must not make the search slow.
_INLINE = re.compile(
    r"(?P<code>`[^`\n]{1,400}`)|(?P<strong>\*\*[^*\n]{1,400}\*\*)"
    r"|(?P<link>https?://[^\s<>\"']{1,2000}|\[\[[^\]\n]{1,200}\]\]|\[[^\]\n]{1,200}\]\([^)\n]{1,500}\))"
    r"|(?P<em>(?<![\w*])\*[^*\s][^*\n]{0,400}\*(?![\w*])|(?<!\w)_[^_\s][^_\n]{0,400}_(?!\w))"
)

Span = tuple[str, str]


@dataclass(frozen=True, slots=True)
class TextRow:
    """One row on screen: (text, style name) spans; `line` numbers the logical line it belongs to;
    `continues` where the next row goes on with the same line; `fold` names the fold whose header it is; `starts`
    where a change of a diff begins."""

    spans: Sequence[Span]
    line: int
    continues: bool = False
    fold: str = ""
    starts: bool = False

    @property
    def text(self) -> str:
        """What the row shows, without styles."""
        return "".join(text for text, _ in self.spans)


def lay_out(blocks: Sequence[Block], width: int, folds: Mapping[str, bool]) -> Iterator[TextRow]:
    """Yield the rows of the blocks at `width` cells. `folds` says which folds the reader has opened or closed."""
    for number, (spans, indent, fold) in enumerate(_lines(blocks, folds)):
        if fold:
            yield TextRow(spans, number, fold=fold)
        else:
            yield from wrapped(spans, indent, width, number)


# A logical line: its spans, the indent of the rows after its first, and the fold it opens or closes.
_Logical = tuple[list[Span], int, str]


def _lines(blocks: Sequence[Block], folds: Mapping[str, bool]) -> Iterator[_Logical]:
    for block in blocks:
        match block:
            case Title(text, note):
                yield from _each(text, "title")
                if note:
                    yield from _each(note, "note")
            case Heading(text):
                yield from _each(text, "heading")
            case Facts(pairs, inline):
                yield from _inline_facts(pairs) if inline else _facts(pairs)
            case Body(text):
                yield from _markdown(text)
            case Plain(text, tone):
                yield from _each(text, tone)
            case Lines(lines):
                yield from _signed(lines)
            case Gap():
                yield [], 0, ""
            case Fold(name, inner, is_open):
                shown = folds.get(name, is_open)
                yield [("▾ " if shown else "▸ ", "fold"), *safe_spans(name, "fold")], 0, name
                if shown:
                    yield from _indented(_lines(inner, folds))


def _indented(lines: Iterator[_Logical]) -> Iterator[_Logical]:
    for spans, indent, fold in lines:
        yield ([("  ", ""), *spans] if spans else spans), indent + 2, fold


def _split(text: str) -> list[str]:
    lines = text.replace("\r\n", "\n").split("\n")
    return lines[:-1] if len(lines) > 1 and not lines[-1] else lines


def _each(text: str, style: str) -> Iterator[_Logical]:
    for line in _split(text):
        for part in parts_of(line):
            yield safe_spans(part, style), 0, ""


def _facts(pairs: Sequence[tuple[str, str]]) -> Iterator[_Logical]:
    widest = max((cells(label) for label, _ in pairs), default=0)
    indent = min(widest, 16) + 2
    for label, value in pairs:
        for number, line in enumerate(_split(value)):
            head = pad(label if not number else "", indent - 2) + "  "
            yield [*safe_spans(head, "label"), *safe_spans(line, "")], indent, ""


def _inline_facts(pairs: Sequence[tuple[str, str]]) -> Iterator[_Logical]:
    spans: list[Span] = []
    for label, value in pairs:
        if spans:
            spans.append(("  ·  ", "muted"))
        spans += [*safe_spans(label, "label"), (" " if label else "", ""), *safe_spans(value.replace("\n", " "), "")]
    yield spans, 0, ""


def _signed(lines: Sequence[Line]) -> Iterator[_Logical]:
    widest = max((cells(line.sign) for line in lines), default=0)
    indent = widest + 1 if widest else 0
    for line in lines:
        for number, part in enumerate(parts_of(line.text.rstrip("\r\n"))):
            sign = line.sign if not number else ""
            yield [(pad(sign, indent), line.tone), *safe_spans(part, line.tone)], indent, ""


def _markdown(text: str) -> Iterator[_Logical]:
    fence = ""
    for line in _split(text):
        mark = _FENCE.match(line)
        if fence:
            if mark and mark[1].startswith(fence):
                fence = ""
            style = "code"
        elif mark:
            fence, style = mark[1], "code"
        elif _HEADING.match(line):
            style = "heading"
        elif _QUOTE.match(line):
            style = "quote"
        else:
            style = ""
        for number, part in enumerate(parts_of(line)):
            yield _prose(part, number) if not style else (safe_spans(part, style), _hang(part), "")


def _prose(line: str, number: int) -> _Logical:
    if _RULE.match(line):
        return safe_spans(line, "muted"), 0, ""
    bullet = _BULLET.match(line) if not number else None
    if bullet is None:
        return _inline(line), _hang(line) if not number else 0, ""
    head = bullet[0]
    return [*safe_spans(head, "bullet"), *_inline(line[len(head) :])], min(cells(head.expandtabs(4)), 12), ""


def _hang(line: str) -> int:
    """Return the indent of a line, which its further rows keep."""
    return min(len(line) - len(line.lstrip(" ")), 12)


def _inline(line: str) -> list[Span]:
    """Style code, emphasis and links inside a line, keeping every character."""
    spans: list[Span] = []
    start = 0
    for found in _INLINE.finditer(line):
        spans += safe_spans(line[start : found.start()], "")
        spans += safe_spans(found[0], found.lastgroup or "")
        start = found.end()
    return spans + safe_spans(line[start:], "")


def safe_spans(text: str, style: str) -> list[Span]:
    """Return untrusted text as spans: hidden characters as marks, tabs as spaces."""
    if not text:
        return []
    return [
        (shown.expandtabs(4) if "\t" in shown else shown, "hidden" if is_mark else style)
        for shown, is_mark in pieces(text, keep_newlines=False)
    ]


def parts_of(line: str) -> Iterator[str]:
    """Cut a very long line into parts, at a space where there is one near."""
    while len(line) > PART:
        space = line.rfind(" ", PART - 200, PART)
        end = space + 1 if space > 0 else PART
        yield line[:end]
        line = line[end:]
    yield line


def wrapped(spans: list[Span], indent: int, width: int, number: int) -> Iterator[TextRow]:
    """Yield a logical line in rows of at most `width` cells, the further ones indented."""
    text = "".join(span for span, _ in spans)
    if len(text) <= width and cells(text) <= width:
        yield TextRow(spans, number)
        return
    styles = [style for span, style in spans for _ in span]
    # On a very narrow view an indent would leave no room for words.
    indent = indent if indent * 2 <= width or width - indent >= _LEAST_ROOM else 0
    rows = _break(text, width, indent)
    start = 0
    for count, row in enumerate(rows):
        styled = zip(row, styles[start : start + len(row)], strict=True)
        runs = [("".join(char for char, _ in run), style) for style, run in groupby(styled, lambda pair: pair[1])]
        start += len(row)
        lead = [(" " * indent, "")] if count and indent else []
        yield TextRow([*lead, *runs], number, continues=count + 1 < len(rows))


def _break(text: str, width: int, indent: int) -> list[str]:
    """Break a line into rows, of which all but the first leave `indent` cells."""
    if not indent:
        return wrap(text, width)
    first = wrap(text, width)[0]
    rest = text[len(first) :]
    if rest and cells(first) <= indent:
        # Only the label fits before a value without a space: the value begins beside it all the same.
        start, *rows = wrap(rest, width - indent)
        return [first + start, *rows]
    return [first, *wrap(rest, width - indent)] if rest else [first]

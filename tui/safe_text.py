"""Untrusted text as something Textual or Rich can draw, and its width in terminal cells.

Nothing here parses markup: memory text becomes `Content` or `Text` objects, with hidden characters as marks
in a style of their own (DESIGN 9 rule 3). `cut`, `pad` and `wrap` never split a wide character, an emoji or
a base from its combining marks.
"""

from __future__ import annotations

import re
from typing import Literal

from rich.cells import cell_len, split_graphemes
from rich.text import Text
from textual.content import Content, Span

from ..core.text import pieces

#: Reverse works in every theme and without colour.
MARK_STYLE = "reverse"

#: After these a long word may be broken.
_SIGNS = "/\\-_.,;:&?="
_WORD = re.compile(r"\S+|\s+")


def safe_text(text: str, style: str = "", *, mark_style: str = MARK_STYLE, keep_newlines: bool = True) -> Text:
    """Return a Rich `Text` of the text as typed, its hidden characters as marks in `mark_style`."""
    result = Text(style=style)
    for shown, is_mark in pieces(text, keep_newlines=keep_newlines):
        result.append(shown, mark_style if is_mark else None)
    return result


def safe_content(text: str, style: str = "", *, mark_style: str = MARK_STYLE, keep_newlines: bool = True) -> Content:
    """Return a Textual `Content` of the text as typed, its hidden characters as marks in `mark_style`."""
    parts = pieces(text, keep_newlines=keep_newlines)
    plain = "".join(shown for shown, _ in parts)
    spans = [Span(0, len(plain), style)] if style else []
    offset = 0
    for shown, is_mark in parts:
        if is_mark:
            spans.append(Span(offset, offset + len(shown), mark_style))
        offset += len(shown)
    return Content(plain, spans)


def cells(text: str) -> int:
    """Return the width of the text in terminal cells."""
    return cell_len(text)


def cut(text: str, width: int, *, ellipsis: str = "…") -> str:
    """Return the text cut to at most `width` cells, the cut shown by `ellipsis`."""
    if width <= 0:
        return ""
    if cell_len(text) <= width:
        return text
    room = width - cell_len(ellipsis)
    if room < 0:
        return _head(text, width)
    return _head(text, room) + ellipsis


def cut_middle(text: str, width: int) -> str:
    """Return the text cut to at most `width` cells, its start and up to two fifths of its end kept."""
    if cell_len(text) <= width or width < 8:
        return cut(text, width)
    tail, used = "", 0
    for start, end, size in reversed(split_graphemes(text[-width * 4 :])[0]):
        if used + size > width * 2 // 5:
            break
        tail, used = text[-width * 4 :][start:end] + tail, used + size
    return cut(text, width - used) + tail


def pad(text: str, width: int, *, align: Literal["left", "right", "center"] = "left") -> str:
    """Return the text in exactly `width` cells: cut if it is too long, else filled with spaces."""
    text = cut(text, width)
    space = max(width - cell_len(text), 0)
    if align == "right":
        return " " * space + text
    if align == "center":
        return " " * (space // 2) + text + " " * (space - space // 2)
    return text + " " * space


def wrap(text: str, width: int) -> list[str]:
    """Return one logical line as rows of at most `width` cells, broken after white space where there is some.

    Joined, the rows give the text back, so that nothing a reviewer must see is dropped at a break; only white space
    at the end of a row may reach past the width.
    """
    width = max(width, 2)
    if cell_len(text) <= width:
        return [text]
    rows: list[str] = []
    row, used = "", 0
    for word in _WORD.findall(text):
        size = cell_len(word)
        if used + size <= width:
            row, used = row + word, used + size
            continue
        if word.isspace():
            # White space at a break hangs over the edge, where nobody misses it.
            row, used = row + word, used + size
            continue
        if row:
            rows.append(row)
        *full, row = _chop(word, width) if size > width else [word]
        rows.extend(full)
        used = cell_len(row)
    rows.append(row)
    return rows


def _head(text: str, width: int) -> str:
    """Return the longest beginning of whole graphemes within `width` cells."""
    if text[: width + 1].isascii():
        return text[:width]
    used = 0
    spans, _ = split_graphemes(text[: width * 12 + 12])
    for start, _end, size in spans:
        if used + size > width:
            return text[:start]
        used += size
    return text[: spans[-1][1]] if spans else ""


def _chop(word: str, width: int) -> list[str]:
    """Return an unbroken run in parts of at most `width` cells."""
    parts: list[str] = []
    if word.isascii():
        while len(word) > width:
            # A path or an address is broken after one of its signs, where one is near.
            at = max(word.rfind(sign, width // 2, width) for sign in _SIGNS)
            end = at + 1 if at >= 0 else width
            parts.append(word[:end])
            word = word[end:]
        return [*parts, word]
    begin = used = 0
    for start, _end, size in split_graphemes(word)[0]:
        if used + size > width and start > begin:
            parts.append(word[begin:start])
            begin, used = start, 0
        used += size
    parts.append(word[begin:])
    return parts

"""A text cut into sentences, with the Markdown around them understood.

Pure. A bullet, a table row, a line of code and a "key: value" line are sentences; the lines of a wrapped paragraph are
joined; headings are kept beside the sentences below them, because "port 8080" under "Staging" and under "Production"
are two statements. Source: SIMILARITY "Contradictions".
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

#: A sentence longer than this is cut: what follows in it is not compared. No sentence of prose comes near.
MAX_SENTENCE: Final = 1200
#: Sentences read of one text; a body may hold 256 KB.
MAX_SENTENCES: Final = 3000

_FENCE: Final = re.compile(r"\s*(?:```|~~~)")
_HEADING: Final = re.compile(r"\s{0,3}#{1,6}\s+")
_MARKER: Final = re.compile(r"\s*(?:>\s*)*(?:(?:[-*+•]|\d{1,3}[.)])\s+)?(?:\[[ xX]\]\s+)?")
_ITEM: Final = re.compile(r"\s*(?:>\s*)*(?:[-*+•]|\d{1,3}[.)])\s+\S|\s*\|")
_PAIR: Final = re.compile(r"\s*\**[\w`][\w `./-]{0,40}\**\s*[:=]\s*\S")
_RULE: Final = re.compile(r"\s*(?:[-=*_|:]\s*){3,}\Z")
_END: Final = re.compile(
    r"(?<=[.!?…])[\"')\]*`»”]*\s+(?=[\"'(\[*`¿¡«“]*[^\W_a-zà-ÿ])|(?<=[;])\s+|(?<=[?!。！？])\s*(?=\S)"
)
_ABBREVIATION: Final = re.compile(
    r"(?:\b(?i:e\.g|i\.e|etc|vs|approx|no|nr|mr|mrs|ms|dr|st|fig|sec|min|max|incl|excl|cf|p\.ej|ej|sr|sra|núm|pág)|\b[A-Z])\.\Z",
)
_MARKS: Final = re.compile(r"[`*\"'“”‘’«»]+")


@dataclass(frozen=True, slots=True)
class Sentence:
    """One statement of a text.

    Attributes:
        text: as it stands in the text.
        start: its offset there.
        heading: the nearest heading above it, "" where there is none.
        folded: the form in which two sentences are the same words: no marks, case or white space.
    """

    text: str
    start: int
    heading: str
    folded: str


def split(text: str) -> list[Sentence]:
    """The sentences of a Markdown text in order, at most `MAX_SENTENCES`."""
    found: list[Sentence] = []
    for start, end, heading in _statements(text):
        start, end = _trimmed(text, start, min(end, start + MAX_SENTENCE))
        if start < end and len(found) < MAX_SENTENCES:
            found.append(Sentence(text[start:end], start, heading, fold(text[start:end])))
    return found


def fold(text: str) -> str:
    """The comparing form of a sentence."""
    plain = text if text.isascii() else unicodedata.normalize("NFC", text)
    return " ".join(_MARKS.sub("", plain).split()).rstrip(" .!;:,").casefold()


def _statements(text: str) -> Iterator[tuple[int, int, str]]:
    heading = ""
    for start, end, is_heading in _blocks(text):
        if is_heading:
            heading = text[start:end].strip(" #\t\r\n")
            yield start, end, ""
            continue
        for first, last in _cut(text, start, end):
            yield first, last, heading


def _blocks(text: str) -> Iterator[tuple[int, int, bool]]:
    """Paragraphs, items, rows, lines of code and headings: (start, end, is a heading)."""
    start = end = -1
    fenced = False
    offset = 0
    for line in text.splitlines(keepends=True):
        here, offset = offset, offset + len(line)
        body = line.rstrip()
        alone = fenced or _HEADING.match(line) is not None
        starts = alone or _ITEM.match(line) is not None or _PAIR.match(line) is not None
        if start >= 0 and (starts or not body or _FENCE.match(line) or _RULE.match(body)):
            yield start, end, False
            start = -1
        if _FENCE.match(line):
            fenced = not fenced
        elif body and not _RULE.match(body):
            inside = here + _marker_length(line)
            if alone:
                yield inside, here + len(body), not fenced
            else:
                start, end = (inside if start < 0 else start), here + len(body)
    if start >= 0:
        yield start, end, False


def _marker_length(line: str) -> int:
    found = _HEADING.match(line) or _MARKER.match(line)
    return found.end() if found else 0


def _cut(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    for found in _END.finditer(text, start, end):
        if _ABBREVIATION.search(text, start, found.start()) is None:
            yield start, found.start()
            start = found.end()
    yield start, end


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end

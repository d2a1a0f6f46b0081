"""Why two texts are alike and where they differ: what a reviewer sees beside a pair. Pure; loads rapidfuzz when asked.

Source: SIMILARITY "Evidence on a pair", DESIGN 6. Nothing here finds a pair or decides one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ..tokens import words
from .signatures import jaccard

Span = tuple[int, int]

#: Spellings this close are one word, where neither holds a digit: 8080 and 8081 must never pass for one.
_SAME_WORD: Final = 0.85
_SOFT_LENGTH: Final = 4
#: Left-over words compared with each other at most; two whole books are not aligned word by word.
_SOFT_MOST: Final = 400
_ALIGNED: Final = 0.5
#: Sentences of one text that are aligned; a body may hold 256 KB.
_SENTENCES: Final = 200
_LINE: Final = re.compile(r"[^\n]+")
_END: Final = re.compile(r"(?<=[.!?;。！？])\s+")
_PIECE: Final = re.compile(r"\s+|[^\W_]+|[\W_]", re.UNICODE)


@dataclass(frozen=True, slots=True)
class Aligned:
    """Two sentences that answer each other, as offsets into their texts.

    Attributes:
        left, right: where the sentences stand.
        left_spans, right_spans: the parts in which they differ; both empty where they say the same.
        score: how alike they are, 0 to 1.
    """

    left: Span
    right: Span
    left_spans: tuple[Span, ...]
    right_spans: tuple[Span, ...]
    score: float


@dataclass(frozen=True, slots=True)
class Evidence:
    """How alike two texts are.

    Attributes:
        score: exact Jaccard of their word sets.
        soft: the same with differently spelled words counted as one; ranks, never finds.
        title: how alike the titles are, 0 to 1; None where one is missing.
        shared, left_only, right_only: words, sorted.
    """

    score: float
    soft: float
    title: float | None
    shared: tuple[str, ...]
    left_only: tuple[str, ...]
    right_only: tuple[str, ...]


def evidence(
    left: frozenset[str], right: frozenset[str], left_title: str | None = None, right_title: str | None = None
) -> Evidence:
    """How alike two texts are, by their word sets and titles."""
    from rapidfuzz.distance import Indel

    title = None
    if left_title and right_title:
        title = float(Indel.normalized_similarity(left_title.casefold(), right_title.casefold()))
    return Evidence(
        score=jaccard(left, right), soft=soft_jaccard(left, right), title=title, shared=tuple(sorted(left & right)),
        left_only=tuple(sorted(left - right)), right_only=tuple(sorted(right - left)),
    )  # fmt: skip


def soft_jaccard(left: frozenset[str], right: frozenset[str]) -> float:
    """Jaccard where left-over words of four letters or more, without digits, also match when spelled alike."""
    from rapidfuzz.distance import Indel
    from rapidfuzz.process import cdist

    shared = len(left & right)
    ones, others = _spelled(left - right), _spelled(right - left)
    if ones and others:
        scores = cdist(ones, others, scorer=Indel.normalized_similarity, score_cutoff=_SAME_WORD)
        ranked = sorted((-float(scores[i, j]), i, j) for i, j in zip(*map(list, scores.nonzero()), strict=True))
        used: tuple[set[int], set[int]] = (set(), set())
        for _, i, j in ranked:
            if i not in used[0] and j not in used[1]:
                used[0].add(i)
                used[1].add(j)
        shared += len(used[0])
    return shared / (len(left) + len(right) - shared) if shared else 0.0


def _spelled(left_over: frozenset[str]) -> list[str]:
    fit = (w for w in left_over if len(w) >= _SOFT_LENGTH and not any(c.isdigit() for c in w))
    return sorted(fit)[:_SOFT_MOST]


def align(left: str, right: str) -> list[Aligned]:
    """The sentences of two texts that answer each other, in the order of the left one, with where they differ.

    One to one: equal sentences first, then the most alike by their words. A sentence without a partner is not listed.
    """
    lefts, rights = sentences(left)[:_SENTENCES], sentences(right)[:_SENTENCES]
    partners = _partners([left[a:b] for a, b in lefts], [right[a:b] for a, b in rights])
    found = []
    for i, j, score in sorted(partners):
        (a, b), (c, d) = lefts[i], rights[j]
        here, there = differing(left[a:b], right[c:d])
        found.append(Aligned(
            lefts[i], rights[j], tuple((s + a, e + a) for s, e in here), tuple((s + c, e + c) for s, e in there), score,
        ))  # fmt: skip
    return found


def _partners(left: Sequence[str], right: Sequence[str]) -> list[tuple[int, int, float]]:
    waiting: dict[str, list[int]] = {}
    for j, text in enumerate(right):
        waiting.setdefault(_folded(text), []).append(j)
    found: list[tuple[int, int, float]] = []
    for i, text in enumerate(left):
        same = waiting.get(_folded(text))
        if same:
            found.append((i, same.pop(0), 1.0))
    done_left, done_right = {i for i, _, _ in found}, {j for _, j, _ in found}
    rest_right = [(j, words(right[j])) for j in range(len(right)) if j not in done_right]
    scored = []
    for i in range(len(left)):
        if i in done_left:
            continue
        own = words(left[i])
        for j, theirs in rest_right:
            both = len(own) + len(theirs)
            score = 2 * len(own & theirs) / both if both else 0.0
            if score >= _ALIGNED:
                scored.append((-score, abs(i - j), i, j))
    for negative, _, i, j in sorted(scored):
        if i not in done_left and j not in done_right:
            done_left.add(i)
            done_right.add(j)
            found.append((i, j, -negative))
    return found


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()


def sentences(text: str) -> list[Span]:
    """Where the sentences of a text stand: every line is cut at ends of sentences, blank ones left out."""
    found = []
    for line in _LINE.finditer(text):
        begin = line.start()
        for end in [*(m.start() for m in _END.finditer(text, line.start(), line.end())), line.end()]:
            piece = text[begin:end]
            first, last = begin + len(piece) - len(piece.lstrip()), begin + len(piece.rstrip())
            if first < last:
                found.append((first, last))
            begin = end
    return found


def differing(left: str, right: str) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    """The parts of two sentences in which they differ, by whole words; white space alone is no difference."""
    from rapidfuzz.distance import Indel

    ones, others = _pieces(left), _pieces(right)
    known: dict[str, int] = {}
    coded = [[known.setdefault(text, len(known)) for text, _ in pieces] for pieces in (ones, others)]
    here: list[Span] = []
    there: list[Span] = []
    for op in Indel.opcodes(*coded):
        if op.tag == "equal":
            continue
        if op.src_start < op.src_end:
            _extend(here, ones[op.src_start][1][0], ones[op.src_end - 1][1][1], left)
        if op.dest_start < op.dest_end:
            _extend(there, others[op.dest_start][1][0], others[op.dest_end - 1][1][1], right)
    return tuple(here), tuple(there)


def _pieces(text: str) -> list[tuple[str, Span]]:
    return [(m.group(), m.span()) for m in _PIECE.finditer(text) if not m.group().isspace()]


def _extend(spans: list[Span], begin: int, end: int, text: str) -> None:
    """Add a span; one that only white space parts from the last is joined to it."""
    if spans and not text[spans[-1][1] : begin].strip():
        begin = spans.pop()[0]
    spans.append((begin, end))

"""Which sentence answers which, and which word which word: the only module here that calls rapidfuzz. Pure.

Source: SIMILARITY "Contradictions" (drop what stands verbatim in the other text, align the rest one to one, >= 0.5).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from .reading import Reading
from .sentences import Sentence


@lru_cache(maxsize=1)
def _fuzz() -> Any:
    # Imported at the first comparison: a command that compares nothing starts without it.
    from rapidfuzz.distance import Indel

    return Indel


def likeness(left: str, right: str) -> float:
    """How alike two words are spelled, from 0 to 1."""
    return float(_fuzz().normalized_similarity(left, right))


def encode(*sequences: Sequence[str]) -> list[str]:
    """Each sequence of keys as a string, one character a key, the same character for the same key."""
    codes: dict[str, str] = {}
    # Surrogates have no place in a string that C code reads; no two sentences have so many different words.
    return ["".join(codes.setdefault(key, chr(0x100 + len(codes))) for key in keys[:20000]) for keys in sequences]


def common(left: Sequence[str], right: Sequence[str]) -> list[tuple[int, int]]:
    """Positions of a longest run of keys that both sequences hold in the same order."""
    first, second = encode(left, right)
    return [
        (op.src_start + i, op.dest_start + i)
        for op in _fuzz().opcodes(first, second)
        if op.tag == "equal"
        for i in range(op.src_end - op.src_start)
    ]


@dataclass(frozen=True, slots=True)
class Partner:
    """Two sentences that answer each other, by their index in their text, and how alike their content is (0 to 1)."""

    left: int
    right: int
    score: float


def unmatched(left: Sequence[Sentence], right: Sequence[Sentence]) -> tuple[list[int], list[int]]:
    """Indexes of the sentences that do not stand verbatim in the other text."""
    here, there = {s.folded for s in left}, {s.folded for s in right}
    return [i for i, s in enumerate(left) if s.folded not in there], [
        i for i, s in enumerate(right) if s.folded not in here
    ]


def align(left: Iterable[tuple[int, Reading]], right: Iterable[tuple[int, Reading]], cutoff: float) -> list[Partner]:
    """The one-to-one alignment of two lists of sentences, best first: Dice on content words, values blanked out.

    Args:
        left, right: index in the text, and the reading.
        cutoff: the least likeness of two partners.
    """
    lefts, rights = list(left), list(right)
    found: list[tuple[float, float, int, int, int]] = []
    for i, j in _candidates(lefts, rights):
        (at, one), (to, other) = lefts[i], rights[j]
        score = _dice(one.shapes, other.shapes)
        if score >= cutoff:
            # Equal values break the tie between the rows of a list; then the place in the text.
            found.append((-score - _dice(one.keys, other.keys), -score, abs(i - j), at, to))
    found.sort()
    used_left: set[int] = set()
    used_right: set[int] = set()
    partners: list[Partner] = []
    for _, score, _, at, to in found:
        if at not in used_left and to not in used_right:
            used_left.add(at)
            used_right.add(to)
            partners.append(Partner(at, to, -score))
    return partners


def _candidates(
    lefts: Sequence[tuple[int, Reading]], rights: Sequence[tuple[int, Reading]]
) -> Iterator[tuple[int, int]]:
    """Pairs that share a shape at all: two long texts have few."""
    where: dict[str, list[int]] = {}
    for j, (_, reading) in enumerate(rights):
        for shape in set(reading.shapes):
            where.setdefault(shape, []).append(j)
    for i, (_, reading) in enumerate(lefts):
        hits = Counter(j for shape in set(reading.shapes) for j in where.get(shape, ())[:200])
        for j, _ in hits.most_common(50):
            yield i, j


def _dice(left: Sequence[str], right: Sequence[str]) -> float:
    # Sorted, the longest common subsequence of two sequences is what they share, so that word order plays no part.
    first, second = encode(left, right)
    return (
        float(_fuzz().normalized_similarity("".join(sorted(first)), "".join(sorted(second))))
        if first or second
        else 0.0
    )

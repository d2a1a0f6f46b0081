"""Counting exactly what one set shares with a few others, and how that is kept. Pure Python."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

#: Of one text's pairs so many are kept at most below `above`; the next full run keeps fewer.
_MOST: Final = 200
_ABOVE: Final = 0.5


class Likeness(NamedTuple):
    """A set that is like the one asked about: its number, the words that both have, and the exact Jaccard."""

    key: int
    shared: int
    score: float


def ranked(words: frozenset[str], others: Mapping[int, frozenset[str]], threshold: float) -> list[Likeness]:
    """Those of `others` whose Jaccard with `words` is strictly above `threshold`, the most similar first."""
    found = []
    for key, theirs in others.items():
        shared = len(words & theirs)
        score = shared / (len(words) + len(theirs) - shared) if shared else 0.0
        if score > max(threshold, 0.0):
            found.append(Likeness(key, shared, score))
    return sorted(found, key=lambda like: (-like.score, like.key))


def partner_list(likes: Sequence[Likeness]) -> bytes:
    """Partners of one set, the most similar first, in the form that `pairs.from_lists` reads; bounded."""
    kept = [like for place, like in enumerate(likes) if place < _MOST or like.score > _ABOVE]
    return struct.pack(f"<{2 * len(kept)}I", *(value for like in kept for value in (like.key, like.shared)))

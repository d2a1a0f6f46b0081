"""Parity signatures: a fixed width of bits a text, whose distance never exceeds that of the word sets.

Bit `crc32(word) mod 1024` is flipped for each word, so a bit in which two signatures differ stands for at least one
word that only one of the texts has: Hamming(A, B) <= |A symmetric-difference B|. And J > t exactly where that
difference is small enough for the two sizes (`most_apart`). So a scan of signatures misses nothing. Pure Python
integers, no numpy: one text against a few thousand needs no more, and a command that only adds does not load it.
Source: SIMILARITY "The method that won"; Sandes, Teodoro, Melo, 2020 (bitmap filter).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final
from zlib import crc32

BITS: Final = 1024
BYTES: Final = BITS // 8
#: Raised whenever a signature of the same words may come out otherwise, so that stored ones are made anew.
SIGNATURE_VERSION: Final = 1

_MASKS: Final = tuple(1 << bit for bit in range(BITS))


def bit_of(word: str) -> int:
    """The bit of the signature that a word flips, 0 to 1023."""
    return crc32(word.encode("utf-8", "surrogatepass")) % BITS


def signature(words: Iterable[str]) -> bytes:
    """The signature of a set of words, 128 bytes, the lowest bit first. Each word must come once."""
    value = 0
    for word in words:
        value ^= _MASKS[bit_of(word)]
    return value.to_bytes(BYTES, "little")


def jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    """|A and B| / |A or B|; 0 for two empty sets: texts without a word have nothing in common."""
    shared = len(one & other)
    return shared / (len(one) + len(other) - shared) if shared else 0.0


def most_apart(total: int, threshold: float) -> int:
    """The largest symmetric difference of two sets with `total` words together that still gives J above `threshold`.

    Exact, for the same floating-point division as the plain count; -1 where none does.
    """
    apart = min(total, int(total * (1 - threshold) / (1 + threshold)) + 2)
    apart -= (apart - total) & 1  # |A|+|B| and the difference are odd or even together
    while apart >= 0 and not (total + apart and (total - apart) / (total + apart) > threshold):
        apart -= 2
    return max(apart, -1)


def near_signatures(
    own: bytes, size: int, others: Iterable[tuple[int, int, bytes]], threshold: float
) -> Iterator[int]:
    """Keys of the texts that may have J above `threshold` with one; none that has is missing.

    Args:
        own: the signature of the one text, `size` its number of words.
        others: (key, number of words, signature) of each text to compare it with.
        threshold: 0 to 1.
    """
    mine = int.from_bytes(own, "little")
    reach: dict[int, int] = {}
    for key, their_size, theirs in others:
        limit = reach.get(their_size)
        if limit is None:
            fits = min(size, their_size) > threshold * max(size, their_size) * (1 - 1e-9)
            limit = reach[their_size] = most_apart(size + their_size, threshold) if fits else -1
        if limit >= 0 and (mine ^ int.from_bytes(theirs, "little")).bit_count() <= limit:
            yield key

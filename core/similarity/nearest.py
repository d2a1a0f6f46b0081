"""One set against all: what a changed text is rescored with, and what `similar` asks. Loads numpy."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import numpy as np

from .corpus import I64, U64
from .join import reach_table
from .ranking import Likeness, ranked
from .signatures import BYTES, signature

_CHUNK = 16_384


class Signed:
    """Signatures of many sets in one block of memory, 136 bytes each. Grows by `add`, never shrinks.

    A set that is gone is simply not found again by who asks for its words.
    """

    def __init__(self) -> None:
        self._count = 0
        self._keys: I64 = np.zeros(0, np.int64)
        self._sizes: I64 = np.zeros(0, np.int64)
        self._signatures: U64 = np.zeros((0, BYTES // 8), np.uint64)

    def __len__(self) -> int:
        return self._count

    def add(self, rows: Iterable[tuple[int, int, bytes]]) -> None:
        """Add sets: (number, words, signature of 128 bytes)."""
        new = list(rows)
        if not new:
            return
        end = self._count + len(new)
        if end > len(self._keys):
            self._grow(max(end, len(self._keys) * 3 // 2))
        self._keys[self._count : end] = [key for key, _, _ in new]
        self._sizes[self._count : end] = [size for _, size, _ in new]
        block = np.frombuffer(b"".join(mark for _, _, mark in new), "<u8").reshape(-1, BYTES // 8)
        self._signatures[self._count : end] = block
        self._count = end

    def _grow(self, room: int) -> None:
        keys, sizes, signatures = self._keys, self._sizes, self._signatures
        self._keys, self._sizes = np.zeros(room, np.int64), np.zeros(room, np.int64)
        self._signatures = np.zeros((room, BYTES // 8), np.uint64)
        self._keys[: self._count], self._sizes[: self._count] = keys[: self._count], sizes[: self._count]
        self._signatures[: self._count] = signatures[: self._count]

    def candidates(self, own: bytes, size: int, threshold: float) -> list[int]:
        """Numbers of the sets that may have J above `threshold` with one of `size` words; none that has is missing."""
        if not self._count or not size:
            return []
        sizes = self._sizes[: self._count]
        limits = reach_table(size + int(sizes.max()), threshold)
        mine = np.frombuffer(own, "<u8")
        found: list[int] = []
        for begin in range(0, self._count, _CHUNK):
            part = slice(begin, min(begin + _CHUNK, self._count))
            apart = np.bitwise_count(self._signatures[part] ^ mine).sum(axis=1, dtype=np.int64)
            near = np.flatnonzero(apart <= limits[sizes[part] + size]) + begin
            found += self._keys[near].tolist()
        return found


def one_against_all(
    words: frozenset[str], signed: Signed, words_of: Callable[[list[int]], Mapping[int, frozenset[str]]],
    threshold: float,
) -> list[Likeness]:  # fmt: skip
    """The sets whose Jaccard with `words` is strictly above `threshold`, the most similar first. Exact.

    Args:
        words: the one set.
        signed: the signatures of the others.
        words_of: the words of some of them, by number; asked for the few candidates only, and free to leave out those
            that no longer exist.
        threshold: 0 to 1.
    """
    keys = signed.candidates(signature(words), len(words), max(threshold, 0.0))
    return ranked(words, words_of(keys), threshold) if keys else []

"""Pairs as columns of numbers: a million of them in a dozen megabytes. Loads numpy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

U32 = npt.NDArray[np.uint32]
I64 = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

#: What is worth keeping of the pairs of a large memory (SIMILARITY "Keeping it fresh").
KEEP_ABOVE: Final = 0.5
KEEP_BEST: Final = 20


class Pairs:
    """Pairs of numbered sets, with the words that they share and the words that they have together.

    Attributes:
        left, right: the two sets of each pair, the smaller number left.
        shared: |A and B|. total: |A| + |B|.
    """

    def __init__(self, left: U32, right: U32, shared: U32, total: U32) -> None:
        self.left, self.right, self.shared, self.total = left, right, shared, total

    def __len__(self) -> int:
        return len(self.left)

    def __iter__(self) -> Iterator[tuple[int, int, float]]:
        """(left, right, exact Jaccard) of each pair."""
        yield from zip(self.left.tolist(), self.right.tolist(), self.scores().tolist(), strict=True)

    def scores(self) -> npt.NDArray[np.float64]:
        """The exact Jaccard of each pair, by the same division as `jaccard` makes."""
        union = self.total.astype(np.int64) - self.shared
        scores: npt.NDArray[np.float64] = self.shared / np.maximum(union, 1)
        return scores

    def where(self, mask: Mask) -> Pairs:
        """Only these pairs."""
        return Pairs(self.left[mask], self.right[mask], self.shared[mask], self.total[mask])

    def above(self, threshold: float) -> Pairs:
        """Only those strictly above `threshold`."""
        return self.where(self.scores() > threshold)

    def worst_first(self) -> Pairs:
        """The most similar first; ties by number, so that the order is always the same."""
        order = np.lexsort((self.right, self.left, -self.scores()))
        return Pairs(self.left[order], self.right[order], self.shared[order], self.total[order])

    def renamed(self, names: Sequence[int] | I64) -> Pairs:
        """The same pairs with set i called `names[i]`."""
        table = np.asarray(names, np.uint32)
        one, other = table[self.left], table[self.right]
        return Pairs(np.minimum(one, other), np.maximum(one, other), self.shared, self.total)

    def worth_keeping(self, above: float = KEEP_ABOVE, best: int = KEEP_BEST) -> Pairs:
        """The pairs above `above`, and of the rest those among the `best` of either of their sets.

        What is left grows with the number of sets and of near copies, not with its square.
        """
        scores = self.scores()
        kept = scores > above
        size = int(self.right.max()) + 1 if len(self) else 0
        room = best - np.bincount(self.left[kept], minlength=size) - np.bincount(self.right[kept], minlength=size)
        rest = np.flatnonzero(~kept)
        rest = rest[(room[self.left[rest]] > 0) | (room[self.right[rest]] > 0)]
        ends = np.concatenate((self.left[rest], self.right[rest])).astype(np.int64)
        pairs = np.concatenate((rest, rest))
        order = np.lexsort((pairs, -scores[pairs], ends))
        ends, pairs = ends[order], pairs[order]
        first = np.searchsorted(ends, ends)  # where the run of this set begins
        kept[pairs[np.arange(len(ends)) - first < room[ends]]] = True
        return self.where(kept)

    def lists(self) -> Iterator[tuple[int, bytes]]:
        """The pairs as a list for each larger number: (number, bytes of (smaller number, shared) pairs)."""
        order = np.argsort(self.right, kind="stable")
        right = self.right[order]
        cells = np.stack((self.left[order], self.shared[order]), axis=1).astype("<u4")
        turns = (np.flatnonzero(right[1:] != right[:-1]) + 1).tolist()
        for begin, end in zip([0, *turns], [*turns, len(right)], strict=True):
            if begin < end:
                yield int(right[begin]), cells[begin:end].tobytes()


class Builder:
    """Collects pairs part by part."""

    def __init__(self) -> None:
        self._parts: list[tuple[U32, U32, U32, U32]] = []

    def add(self, one: I64, other: I64, shared: I64, total: I64) -> None:
        """Add pairs, in whichever order their two numbers stand."""
        left, right = np.minimum(one, other), np.maximum(one, other)
        self._parts.append((
            left.astype(np.uint32), right.astype(np.uint32), shared.astype(np.uint32), total.astype(np.uint32),
        ))  # fmt: skip

    def done(self) -> Pairs:
        """Everything added, as one."""
        if not self._parts:
            return nothing()
        left, right, shared, total = (np.concatenate(column) for column in zip(*self._parts, strict=True))
        return Pairs(left, right, shared, total)


def nothing() -> Pairs:
    """No pairs."""
    return Pairs(*(np.empty(0, np.uint32) for _ in range(4)))


def from_lists(lists: Iterable[tuple[int, bytes]], sizes: Mapping[int, int]) -> Pairs:
    """Pairs from the lists of `lists`; those with a set that `sizes` does not know are left out.

    Args:
        lists: (number of the set, its list).
        sizes: words of each set that still exists, by its number.
    """
    if not sizes:
        return nothing()
    owners, blobs = [], []
    for owner, blob in lists:
        owners.append(owner)
        blobs.append(blob)
    cells = np.frombuffer(b"".join(blobs), "<u4").reshape(-1, 2).astype(np.int64)
    owner_of = np.repeat(np.array(owners, np.int64), [len(blob) // 8 for blob in blobs])
    known = np.fromiter(sizes.keys(), np.int64, len(sizes))
    size_of = np.fromiter(sizes.values(), np.int64, len(sizes))
    order = np.argsort(known)
    known, size_of = known[order], size_of[order]
    total = np.zeros(len(cells), np.int64)
    alive = np.ones(len(cells), np.bool_)
    for ends in (owner_of, cells[:, 0]):
        place = np.searchsorted(known, ends).clip(0, len(known) - 1)
        alive &= known[place] == ends
        total += size_of[place]
    built = Builder()
    built.add(owner_of[alive], cells[alive, 0], cells[alive, 1], total[alive])
    return built.done()

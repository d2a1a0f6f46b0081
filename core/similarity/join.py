"""All pairs of sets with Jaccard strictly above a threshold, exact (SIMILARITY "The method that won").

Signatures folded to the cheapest width find candidates in tiles; the full width thins them; rapidfuzz counts what two
sets share. Nothing is estimated but the width. Loads numpy: import it only where scoring happens.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from .corpus import I64, Corpus, Ready
from .pairs import Builder, Pairs
from .running import Progress, Stop, Stopped, ignore, never

#: A tile: its temporary arrays stay in the processor's cache, and a step takes well under a millisecond.
_ROWS: Final = 32
_COLUMNS: Final = 4096
#: Limits of a tile are counted in sixteenths, in 16 bits.
_PARTS: Final = 16
_BITS_ROOM: Final = 1023 * _PARTS
#: Candidates looked at together at full width.
_BATCH: Final = 8192
#: What rapidfuzz may do in one call, in steps of its inner loop, about 1 ns each: it holds the interpreter meanwhile.
_WORK: Final = 500_000
_PAIR_WORK: Final = 500
_WIDTHS: Final = (1, 2, 4, 8, 16)
#: Rough costs in ns that only choose the width: a word of 64 bits scanned, a survivor of the scan looked at again.
_SCAN_NS: Final = 0.9
_SURVIVOR_NS: Final = 60.0
_SAMPLE: Final = 4000
_BANDS: Final = 8


def all_pairs(
    corpus: Corpus, threshold: float, *, progress: Progress | None = None, stop: Stop | None = None
) -> Pairs:
    """Every pair of different sets whose Jaccard is strictly above `threshold`, once each.

    Equal sets are one set here (`corpus.sets_of`): they do not make pairs, whatever their number.

    Args:
        corpus: the sets.
        threshold: 0 to 1; below 0 counts as 0, so that sets without a common word never pair.
        progress: told the part done, 0 to 1, between tiles.
        stop: asked between tiles; True ends the work.

    Raises:
        Stopped: `stop` said so.
        TooManyWords: see `Corpus.ready`.
    """
    return Join(corpus.ready(), max(threshold, 0.0)).run(progress or ignore, stop or never)


@dataclass(slots=True)
class _Tile:
    rows: slice
    columns: slice


class Join:
    """One run over the sets of a corpus."""

    def __init__(self, ready: Ready, threshold: float) -> None:
        self._ready = ready
        self._threshold = threshold
        self._sizes = ready.sizes
        largest = int(self._sizes[-1]) if len(ready) else 0
        self._most = reach_table(2 * largest, threshold)
        #: One past the last set that is small enough to pair with each.
        self._until = self._partners()
        self._folded = {16: np.ascontiguousarray(ready.signatures.T)}
        for width in (8, 4, 2, 1):
            wide = self._folded[2 * width]
            self._folded[width] = np.ascontiguousarray(wide[:width] ^ wide[width:])
        self._widths = self._choose_widths()
        cells = _ROWS * _COLUMNS
        self._xor, self._count = np.empty(cells, np.uint64), np.empty(cells, np.uint8)
        self._sum = np.empty(cells, np.uint8)
        self._apart, self._limit = np.empty(cells, np.int16), np.empty(cells, np.int16)
        ratio = (1 - threshold) / (1 + threshold)
        # Linear form of `most_apart`, less the words that no other set has, in sixteenths and rounded up: the sum of
        # two is a little generous, never too small. The clip is beyond any distance of two signatures.
        room = np.ceil((self._sizes * ratio - ready.alone) * _PARTS + 1e-6)
        self._room = room.clip(-_BITS_ROOM, _BITS_ROOM).astype(np.int16)

    def run(self, progress: Progress, stop: Stop) -> Pairs:
        """Scan tile by tile.

        Raises:
            Stopped: `stop` said so.
        """
        found = Builder()
        waiting: list[tuple[I64, I64]] = []
        held = 0
        whole = max(1, int((self._until - np.arange(len(self._until)) - 1).clip(0).sum()))
        done = 0
        for tile in self._tiles():
            if stop():
                raise Stopped
            left, right = self._scan(tile)
            waiting.append((left, right))
            held += len(left)
            if held >= _BATCH:
                self._settle(waiting, found, stop)
                waiting, held = [], 0
            done += (tile.rows.stop - tile.rows.start) * (tile.columns.stop - tile.columns.start)
            progress(min(1.0, done / whole))
        self._settle(waiting, found, stop)
        progress(1.0)
        return found.done()

    # -- which sets to look at ------------------------------------------------------------------------------------

    def _partners(self) -> I64:
        """Sizes rise, so the partners of a set that are not smaller are the ones just behind it."""
        if self._threshold <= 0:
            return np.full(len(self._sizes), len(self._sizes), np.int64)
        # The same division as the count itself would make for a set that holds the smaller one whole.
        largest = np.floor(self._sizes / self._threshold).astype(np.int64) + 1
        return np.searchsorted(self._sizes, largest, side="right")

    def _tiles(self) -> Iterator[_Tile]:
        first = int(np.searchsorted(self._sizes, 1))  # the empty set pairs with nothing
        for top in range(first, len(self._sizes), _ROWS):
            bottom = min(top + _ROWS, len(self._sizes))
            end = int(self._until[bottom - 1])
            for begin in range(top, end, _COLUMNS):
                yield _Tile(slice(top, bottom), slice(begin, min(begin + _COLUMNS, end)))

    def _choose_widths(self) -> npt.NDArray[np.int64]:
        """For a few bands of sets the width whose scan and survivors cost least, judged by a sample of pairs."""
        count = len(self._sizes)
        random = np.random.default_rng(count)
        chosen = np.full(_BANDS, 16, np.int64)
        for band in range(_BANDS):
            begin, end = count * band // _BANDS, count * (band + 1) // _BANDS
            if end - begin < 1:
                continue
            left = random.integers(begin, end, _SAMPLE)
            room = self._until[left] - left - 1
            left, room = left[room > 0], room[room > 0]
            if not len(left):
                continue
            right = left + 1 + (random.random(len(left)) * room).astype(np.int64)
            limit = self._allowed(left, right)
            costs = []
            for width in _WIDTHS:
                words = self._folded[width]
                apart = np.bitwise_count(words[:, left] ^ words[:, right]).sum(axis=0, dtype=np.int64)
                costs.append(_SCAN_NS * (width + 1) + _SURVIVOR_NS * float((apart <= limit).mean()))
            chosen[band] = _WIDTHS[int(np.argmin(costs))]
        return chosen

    # -- candidates -----------------------------------------------------------------------------------------------

    def _scan(self, tile: _Tile) -> tuple[I64, I64]:
        """Pairs of a tile that the folded signatures leave possible."""
        rows, columns = tile.rows, tile.columns
        high, wide = rows.stop - rows.start, columns.stop - columns.start
        width = int(self._widths[min(_BANDS - 1, rows.start * _BANDS // len(self._sizes))])
        words = self._folded[width]
        xor, count, total, apart, limit = (
            buffer[: high * wide].reshape(high, wide)
            for buffer in (self._xor, self._count, self._sum, self._apart, self._limit)
        )
        for number in range(width):
            np.bitwise_xor(words[number, rows, None], words[number, None, columns], out=xor)
            np.bitwise_count(xor, out=count if number % 4 else total)
            if number % 4:
                # Four words have 256 bits: should all differ, the sum wraps to 0, which only lets a pair through.
                np.add(total, count, out=total)
            if number % 4 == 3 or number + 1 == width:
                np.copyto(apart, total) if number < 4 else np.add(apart, total, out=apart)
        np.add(self._room[rows, None], self._room[None, columns], out=limit)
        np.right_shift(limit, _PARTS.bit_length() - 1, out=limit)
        left, right = np.divmod(np.flatnonzero(apart <= limit), wide)
        left, right = left + rows.start, right + columns.start
        keep = (right > left) & (right < self._until[left])
        return left[keep], right[keep]

    def _allowed(self, left: I64, right: I64) -> I64:
        """The exact limit on the distance of each pair's signatures."""
        alone = self._ready.alone
        limit: I64 = self._most[self._sizes[left] + self._sizes[right]] - alone[left] - alone[right]
        return limit

    def _settle(self, waiting: list[tuple[I64, I64]], found: Builder, stop: Stop) -> None:
        """Thin the candidates at full width and count exactly what is left."""
        if not waiting:
            return
        left = np.concatenate([pair[0] for pair in waiting])
        right = np.concatenate([pair[1] for pair in waiting])
        signatures = self._ready.signatures
        for begin in range(0, len(left), _BATCH):
            if stop():
                raise Stopped
            a, b = left[begin : begin + _BATCH], right[begin : begin + _BATCH]
            apart = np.bitwise_count(signatures[a] ^ signatures[b]).sum(axis=1, dtype=np.int64)
            near = apart <= self._allowed(a, b)
            a, b = a[near], b[near]
            shared = shared_words(self._ready.strings, self._ready.sizes, a, b)
            total = self._sizes[a] + self._sizes[b]
            hit = (shared > 0) & (shared / np.maximum(total - shared, 1) > self._threshold)
            a, b = a[hit], b[hit]
            found.add(self._ready.order[a], self._ready.order[b], shared[hit], total[hit])


def reach_table(largest: int, threshold: float) -> I64:
    """`most_apart` for every total from 0 to `largest`."""
    total = np.arange(largest + 1)
    apart = np.minimum(total, (total * (1 - threshold) / (1 + threshold)).astype(np.int64) + 2)
    apart -= (apart - total) & 1
    with np.errstate(invalid="ignore", divide="ignore"):
        for _ in range(4):
            apart = np.where((apart >= 0) & ~((total - apart) / (total + apart) > threshold), apart - 2, apart)
    return np.maximum(apart, -1)


def shared_words(strings: list[str], lengths: I64, left: I64, right: I64) -> I64:
    """How many words the sets of each pair share: for ascending strings exactly the longest common subsequence."""
    from rapidfuzz.distance import LCSseq
    from rapidfuzz.process import cpdist

    ones, others = [strings[i] for i in left.tolist()], [strings[i] for i in right.tolist()]
    cost = np.cumsum(_PAIR_WORK + lengths[left] * (lengths[right] // 64 + 1))
    found = np.empty(len(ones), np.int64)
    begin = 0
    while begin < len(ones):
        spent = int(cost[begin - 1]) if begin else 0
        end = max(begin + 1, int(np.searchsorted(cost, spent + _WORK)))
        found[begin:end] = cpdist(ones[begin:end], others[begin:end], scorer=LCSseq.similarity, dtype=np.int32)
        begin = end
    return found

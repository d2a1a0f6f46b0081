"""Word sets made ready for comparison: words as numbers, equal sets as one, signatures, rapidfuzz strings.

Loads numpy: import it only where scoring happens.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from itertools import islice
from typing import Final

import numpy as np
import numpy.typing as npt

from .signatures import BITS, BYTES, bit_of

U8 = npt.NDArray[np.uint8]
U32 = npt.NDArray[np.uint32]
U64 = npt.NDArray[np.uint64]
I64 = npt.NDArray[np.int64]

#: Texts signed in one go: small enough that no step holds the interpreter for more than a few milliseconds.
_SIGN_CHUNK: Final = 256
#: Code points of a rapidfuzz string: all but the surrogates, which no text encoding lets through.
_SURROGATES: Final = range(0xD800, 0xE000)
_CODES: Final = 0x110000 - len(_SURROGATES)


class TooManyWords(ValueError):
    """More distinct shared words than there are code points: over a million, beyond any memory of notes."""


class _Numbers(dict[str, int]):
    """Numbers words in the order in which they are met."""

    def __missing__(self, word: str) -> int:
        self[word] = number = len(self)
        return number


class Corpus:
    """Word sets in the order in which they were added, equal ones kept once.

    A text costs 4 bytes a word here, so that a hundred thousand fit beside what already holds them.
    """

    def __init__(self) -> None:
        self._ids = _Numbers()
        self._bits = array("H")
        self._flat = array("I")
        self._ends = array("Q")
        self._seen: dict[bytes, int] = {}
        #: For each text the index of its set.
        self.sets_of = array("I")

    def add(self, words: Iterable[str]) -> int:
        """Add a text by its distinct words; returns the index of its set, an old one if an equal set was added."""
        own = array("I", sorted(map(self._ids.__getitem__, words)))
        index = self._seen.setdefault(own.tobytes(), len(self._ends))
        if index == len(self._ends):
            self._flat.extend(own)
            self._ends.append(len(self._flat))
        self.sets_of.append(index)
        return index

    def __len__(self) -> int:
        """How many different sets there are."""
        return len(self._ends)

    def ready(self) -> Ready:
        """The sets so far, sorted by size and signed. The corpus may grow on afterwards.

        Raises:
            TooManyWords: more than a million words that two sets share.
        """
        self._bits.extend(map(bit_of, islice(self._ids, len(self._bits), None)))
        flat = np.frombuffer(self._flat, np.uint32) if self._flat else np.empty(0, np.uint32)
        ends = np.frombuffer(self._ends, np.uint64).astype(np.int64) if self._ends else np.empty(0, np.int64)
        bits = np.frombuffer(self._bits, np.uint16) if self._bits else np.empty(0, np.uint16)
        return Ready(flat.copy(), ends, bits.copy())


class Ready:
    """Sets sorted by size, as the join needs them. All arrays run in that order; `order` gives the corpus's index.

    Attributes:
        order: place -> index of the set in the corpus.
        sizes: words of each set.
        alone: words of each set that no other set has. They count towards every difference, exactly.
        signatures: (sets, 16) of the words that several sets have.
    """

    def __init__(self, flat: U32, ends: I64, bits: npt.NDArray[np.uint16]) -> None:
        starts = np.concatenate(([0], ends[:-1])) if len(ends) else ends
        self.order: I64 = np.argsort(ends - starts, kind="stable")
        self.sizes: I64 = (ends - starts)[self.order]
        self._starts, self._flat = starts[self.order], flat
        shared = np.bincount(flat, minlength=len(bits)) > 1
        rank = np.cumsum(shared) - 1
        if shared.any() and int(rank[-1]) >= _CODES:
            raise TooManyWords(f"{int(rank[-1]) + 1:,} words are shared, and only {_CODES:,} can be told apart")
        codes = (rank + (rank >= _SURROGATES.start) * len(_SURROGATES)).astype(np.uint32)
        self._sign(bits, shared, codes)

    def __len__(self) -> int:
        return len(self.order)

    def _sign(self, bits: npt.NDArray[np.uint16], shared: npt.NDArray[np.bool_], codes: U32) -> None:
        count = len(self.order)
        self.signatures: U64 = np.zeros((count, BYTES // 8), np.uint64)
        self.alone: I64 = np.zeros(count, np.int64)
        self.strings: list[str] = []
        for first in range(0, count, _SIGN_CHUNK):
            last = min(count, first + _SIGN_CHUNK)
            sizes = self.sizes[first:last]
            rows = np.repeat(np.arange(last - first), sizes)
            begins = np.repeat(self._starts[first:last] - np.concatenate(([0], np.cumsum(sizes)[:-1])), sizes)
            ids = self._flat[begins + np.arange(len(rows))]
            kept = shared[ids]
            rows, ids = rows[kept], ids[kept]
            flips = np.bincount(rows * BITS + bits[ids], minlength=(last - first) * BITS) & 1
            packed = np.packbits(flips.astype(np.uint8), bitorder="little").view(np.uint64)
            self.signatures[first:last] = packed.reshape(last - first, -1)
            held = np.bincount(rows, minlength=last - first)
            self.alone[first:last] = sizes - held
            raw, ends = codes[ids].tobytes(), np.cumsum(held) * 4
            begin = 0
            for end in ends.tolist():
                self.strings.append(raw[begin:end].decode("utf-32-le"))
                begin = end

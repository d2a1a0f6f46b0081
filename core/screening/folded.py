"""A text as it is searched: without what hides in it, in plain letters, each place known in the text as given. Pure."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

from ..text import has_marks
from .flags import Found

#: Everything that is not searched as it stands: other letters, controls, white space that is not one space or line end.
_ODD: Final = re.compile(r"\s{2,}|[^\x00-\x7f]|[\x00-\x09\x0b-\x1f\x7f]")

#: Letters of other scripts that look like Latin ones; what they look like.
_LOOKALIKES: Final = dict(
    zip(
        "аеорсхуіјѕһԁԛԝАВЕКМНОРСТХІЈЅοαινρΑΒΕΖΗΙΚΜΝΟΡΤΥΧıɡ’‘“”",
        "aeopcxyijshdqwABEKMHOPCTXIJSoaivpABEZHIKMNOPTYXig''\"\"",
        strict=True,
    )
)


class Folded:
    """A text without hidden characters and accents, compatibility forms and look-alikes as plain letters, every run of
    white space as one space or line end.

    Attributes:
        text: what is searched.
        lower: the same in lower case, character by character.
    """

    def __init__(self, text: str) -> None:
        pieces: list[str] = []
        # Where each piece begins, here and in the text as given, and whether it stands here as it was given.
        self._starts: list[int] = [0]
        self._given: list[int] = [0]
        self._same: list[bool] = [True]
        at, upto = 0, 0
        for odd in _ODD.finditer(text):
            run = odd[0]
            plain = ("\n" if "\n" in run else " ") if len(run) > 1 else _plain(run)
            if plain == run:
                continue
            pieces += [text[upto : odd.start()], plain]
            at += odd.start() - upto
            self._note(at, odd.start(), same=False)
            at, upto = at + len(plain), odd.end()
            self._note(at, upto, same=True)
        pieces.append(text[upto:])
        self.text = "".join(pieces)
        lower = self.text.lower()
        self.lower = lower if len(lower) == len(self.text) else "".join(c.lower()[:1] for c in self.text)

    def _note(self, at: int, given: int, *, same: bool) -> None:
        self._starts.append(at)
        self._given.append(given)
        self._same.append(same)

    def given(self, start: int, end: int) -> tuple[int, int]:
        """The place, in the text as given, of a passage of the folded text that is not empty."""
        return self._of(start, after=False), self._of(end - 1, after=True)

    def _of(self, index: int, *, after: bool) -> int:
        # The last piece that begins there: one that was taken out is empty, and the next begins at the same place.
        piece = bisect_right(self._starts, index) - 1
        if self._same[piece]:
            return self._given[piece] + index - self._starts[piece] + int(after)
        return self._given[piece + 1] if after else self._given[piece]

    def occurrences(self, word: str, *, exact: bool = False) -> Iterator[int]:
        """Where a literal stands in the folded text, case aside unless `exact`."""
        text = self.text if exact else self.lower
        at = text.find(word)
        while at >= 0:
            yield at
            at = text.find(word, at + 1)

    def apart(self, found: Iterable[Found]) -> list[Found]:
        """The same at their places in the text as given; of those that overlap only the first, the longest of these."""
        kept: list[Found] = []
        for one in sorted(found, key=lambda f: (f.start, -f.end)):
            start, end = self.given(one.start, one.end)
            if not kept or start >= kept[-1].end:
                kept.append(Found(start, end, one.words, one.shown))
        return kept


@lru_cache(maxsize=4096)
def _plain(char: str) -> str:
    """A character as it is searched; "" for what hides, and for accents."""
    if char in "\t\v\f":
        return " "
    if char == "\r":
        return "\n"
    if has_marks(char):
        return ""
    parts = (p for p in unicodedata.normalize("NFKD", char) if unicodedata.category(p) not in ("Mn", "Me", "Cf"))
    return "".join(_LOOKALIKES.get(p, p) for p in parts)

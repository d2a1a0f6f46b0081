"""Verdicts and whether they hold: as long as both texts still say what was judged (DESIGN 6). Pure."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from enum import StrEnum
from typing import Final

from ..store.pairs import Judged, KeptText


class Verdict(StrEnum):
    """The curator's judgement on a pair of entries (DESIGN 1, 3.2)."""

    DIFFERENT = "different"
    DUPLICATE = "duplicate"
    CONTRADICTION = "contradiction"
    KEEP_BOTH = "keep_both"
    LATER = "later"  # stays in the queue, at its end
    WITHDRAWN = "withdrawn"


#: With these a pair leaves the queue until one of its texts changes.
SETTLED: Final = frozenset({Verdict.DIFFERENT, Verdict.KEEP_BOTH})


class Verdicts:
    """The verdicts that hold: those whose two texts still say what was judged.

    A verdict on two texts holds for their exact copies too: one decision settles forty equal pairs.
    """

    def __init__(self, judged: Iterable[Judged], contents: Mapping[str, str]) -> None:
        self._by_ids: dict[tuple[str, str], str] = {}
        self._by_contents: dict[tuple[str, str], str] = {}
        self._others: dict[str, list[str]] = {}
        for one in judged:
            if one.verdict == Verdict.WITHDRAWN or not holds(one, contents):
                continue
            self._by_ids[one.one, one.other] = one.verdict
            self._others.setdefault(one.one, []).append(one.other)
            self._others.setdefault(one.other, []).append(one.one)
            if one.content_one != one.content_other:
                self._by_contents[_pair(one.content_one, one.content_other)] = one.verdict

    def on(self, one: KeptText, other: KeptText) -> str:
        """The verdict on these two texts, or ""."""
        found = self._by_ids.get(_pair(one.entry_id, other.entry_id))
        return found or self._by_contents.get(_pair(one.content, other.content), "")

    def among_copies(self, one: KeptText, copies: Container[str]) -> set[str]:
        """The verdicts on this text and copies of it: what was said of each by name, since they say the same.

        Args:
            copies: ids of entries. Looked up, never walked: there may be thousands.
        """
        others = self._others.get(one.entry_id, ())
        return {self._by_ids[_pair(one.entry_id, other)] for other in others if other in copies}


def holds(judged: Judged, contents: Mapping[str, str]) -> bool:
    """Whether both texts still say what was judged; an entry that `contents` does not know has changed."""
    said = contents.get(judged.one), contents.get(judged.other)
    return said == (judged.content_one, judged.content_other)


def _pair(one: str, other: str) -> tuple[str, str]:
    return (one, other) if one < other else (other, one)

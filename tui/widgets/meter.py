"""A budget on one line: used, limit and share in words, and a bar that says the same."""

from __future__ import annotations

from ...core.text import one_line
from ..safe_text import cells
from ..words import number
from .one_line import OneLine, Part

BAR_MOST = 24
BAR_LEAST = 6


class Meter(OneLine):
    """How much of a budget is used, such as the digest's characters."""

    def __init__(
        self,
        used: int = 0,
        limit: int = 0,
        *,
        label: str = "digest",
        unit: str = "characters",
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        super().__init__(id=id, classes=classes)
        self._used = used
        self._limit = limit
        self._label = label
        self._unit = unit
        self._note = ""

    def show(self, used: int, limit: int, note: str = "") -> None:
        """Show other numbers; `note` stands at the end, such as "3 groups below the cut"."""
        self._used, self._limit, self._note = used, limit, note
        self.refresh()

    def parts(self, width: int) -> list[Part]:
        label = (f" {one_line(self._label)} ", "muted")
        note = (f"  {one_line(self._note)}", "muted") if self._note else ("", "")
        if self._limit <= 0:
            return [label, (f"{number(self._used)} {self._unit}, no limit", ""), note]
        over = self._used - self._limit
        tone = "bad" if over > 0 else "warn" if self._used * 10 > self._limit * 9 else "good"
        state = f"! {number(over)} over" if over > 0 else f"{self._used * 100 // self._limit} %"
        used = f"{number(self._used)} of {number(self._limit)}"
        for words, with_note, most in (
            (f"{used} {self._unit}", True, BAR_MOST),
            (f"{used} {self._unit}", False, BAR_MOST),
            (used, False, BAR_MOST),
            (used, False, 0),
        ):
            tail = note if with_note else ("", "")
            fixed = sum(cells(text) for text in (label[0], words, state, tail[0])) + 5
            bar = min(width - fixed, most)
            if bar >= BAR_LEAST:
                return [
                    label,
                    (words, ""),
                    ("  ", ""),
                    *_bar(self._used, self._limit, bar, tone),
                    ("  " + state, tone),
                    tail,
                ]
        return [label, (used, ""), ("  " + state, tone)]


def _bar(used: int, limit: int, width: int, tone: str) -> list[Part]:
    """Return a bar that is only full when the budget is, and only empty when nothing is used."""
    full = min(used * width // limit, width)
    if used and not full:
        full = 1
    return [("━" * full, tone), ("─" * (width - full), "muted")]

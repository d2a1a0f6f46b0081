"""Numbers with units, versions, dates and times: read from words, and compared by what they mean. Pure.

"0.5 GB" is "512 MB", "60 seconds" a minute, "Python 3.11" holds "3.11.4", "9:30 pm" is 21:30.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number with what it counts.

    Attributes:
        value: in the base unit of the dimension, per second where it is a rate.
        raw: the number as written.
        dimension: such as "bytes", "time" or "count:req/time"; "" for a bare number.
        unit: as written, folded.
    """

    value: float
    raw: float
    dimension: str = ""
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Version:
    """A release number; a shorter one stands for all that begin with it."""

    parts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Day:
    """A date, None where the text names no year, month or day."""

    year: int | None
    month: int | None
    day: int | None


@dataclass(frozen=True, slots=True)
class Clock:
    """A time of day in minutes; `loose` where morning and afternoon cannot be told apart."""

    minutes: int
    loose: bool = False


Value = Quantity | Version | Day | Clock

# 1 GB is 1000 MB to some and 1024 MB to others.
_BINARY: Final = tuple(1.024**power for power in (-3, -2, -1, 0, 1, 2, 3))
_TOLERANCE: Final = 1e-6
_GROUPED: Final = re.compile(r"\d{1,3}(?:[,_'’]\d{3})+(?:\.\d+)?\Z")
_DECIMAL_COMMA: Final = re.compile(r"\d+,\d{1,2}\Z")
_MAGNITUDE: Final = {"k": 1e3, "m": 1e6, "bn": 1e9}


def number(text: str) -> float | None:
    """The number that digits stand for: "1,000", "1_000", "0,5" and "0.5"; None where they stand for none."""
    if _GROUPED.match(text):
        text = re.sub(r"[,_'’]", "", text)
    elif _DECIMAL_COMMA.match(text):
        text = text.replace(",", ".")
    try:
        return float(text)
    except ValueError:
        return None


def magnitude(suffix: str) -> float | None:
    """What "k" in "100k" multiplies by."""
    return _MAGNITUDE.get(suffix)


def same(left: Value, right: Value) -> bool:
    """Whether two values of one kind can be meant by one statement."""
    if isinstance(left, Quantity) and isinstance(right, Quantity):
        return _same_quantity(left, right)
    if isinstance(left, Version) and isinstance(right, Version):
        shared = min(len(left.parts), len(right.parts))
        return left.parts[:shared] == right.parts[:shared]
    if isinstance(left, Day) and isinstance(right, Day):
        pairs = ((left.year, right.year), (left.month, right.month), (left.day, right.day))
        return all(a is None or b is None or a == b for a, b in pairs)
    if isinstance(left, Clock) and isinstance(right, Clock):
        span = 720 if left.loose or right.loose else 1440
        return left.minutes % span == right.minutes % span
    return False


def _same_quantity(left: Quantity, right: Quantity) -> bool:
    if left.dimension != right.dimension:
        if "count:time" in (left.dimension, right.dimension) and left.dimension[:5] == right.dimension[:5]:
            return _close(left.raw, right.raw)  # "retry 3 times" and "3 retries"
        # A unit on one side only is left out, not contradicted: "timeout 30" and "timeout 30 s".
        return not (left.dimension and right.dimension) and _close(left.raw, right.raw)
    factors = _BINARY if left.dimension.startswith("bytes") else (1.0,)
    return any(_close(left.value, right.value * factor) for factor in factors)


def _close(left: float, right: float) -> bool:
    return abs(left - right) <= _TOLERANCE * max(abs(left), abs(right), _TOLERANCE)


def version(text: str) -> Version:
    """The release number written as "v1.2.x", "18" or "2.0.0-rc1"; a final ".x", ".*" or "+" stands for anything."""
    parts = re.split(r"[.\-+]", text.lower().lstrip("v").rstrip("+"))
    while parts and parts[-1] in ("x", "*", ""):
        parts.pop()
    return Version(tuple(parts))


def day(text: str) -> Day | None:
    """A date written in digits: 2024-05-01, 01/05/2024 (day and month only where one reading is possible)."""
    if found := re.match(r"(\d{4})[-/](\d{2})(?:[-/](\d{2}))?", text):
        return Day(int(found[1]), int(found[2]), int(found[3]) if found[3] else None)
    if found := re.match(r"(\d{1,2})[/.](\d{1,2})[/.](\d{2,4})", text):
        first, second, year = int(found[1]), int(found[2]), int(found[3])
        year += 2000 if year < 100 else 0
        if first > 12:
            return Day(year, second, first)
        return Day(year, first, second)
    return None


def clock(text: str) -> Clock | None:
    """A time of day: 9:30, 9:30 pm, 9am, 14h30."""
    found = re.match(r"(\d{1,2})(?:[:h.](\d{2}))?(?::\d{2})?\s?(?:([ap])\.?\s?m\.?)?", text, re.IGNORECASE)
    if found is None:
        return None
    hour, minute, half = int(found[1]), int(found[2] or 0), (found[3] or "").lower()
    if hour > 24 or minute > 59:
        return None
    if half:
        return Clock(hour % 12 * 60 + minute + (720 if half == "p" else 0))
    return Clock(hour * 60 + minute, loose=1 <= hour <= 12 and not found[1].startswith("0"))

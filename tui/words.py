"""Ages, counts and sizes in words, the same in every pane and command. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from ..core.text import LONG, times_as_long

_MINUTE = 60
_HOUR = 60 * _MINUTE
_DAY = 24 * _HOUR
_WEEK = 7 * _DAY
_MONTH = 30 * _DAY
_YEAR = 365 * _DAY


def age(then: datetime | str | None, now: datetime) -> str:
    """Return how long ago `then` was: "just now", "5 min", "2 h", "3 days", "3 weeks", "4 months", "2 years".

    `then` may be RFC 3339 text; None, or text that is no time, is "unknown age". A time ahead of `now` by
    more than a minute is "in the future": another machine's clock is wrong, and saying "just now" would
    hide it.
    """
    seconds = _seconds(then, now)
    if seconds is None:
        return "unknown age"
    if seconds < -_MINUTE:
        return "in the future"
    if seconds < _MINUTE:
        return "just now"
    if seconds < _HOUR:
        return f"{seconds // _MINUTE} min"
    if seconds < _DAY:
        return f"{seconds // _HOUR} h"
    if seconds < 2 * _WEEK:
        return count(seconds // _DAY, "day")
    if seconds < 9 * _WEEK:
        return count(seconds // _WEEK, "week")
    if seconds < 2 * _YEAR:
        return count(seconds // _MONTH, "month")
    return count(seconds // _YEAR, "year")


def age_short(then: datetime | str | None, now: datetime) -> str:
    """Return the age in at most four characters: "now", "5m", "2h", "3d", "3w", "4mo", "2y", "?"."""
    seconds = _seconds(then, now)
    if seconds is None:
        return "?"
    if seconds < -_MINUTE:
        return "ahead"
    for limit, unit, name in (
        (_MINUTE, 0, "now"),
        (_HOUR, _MINUTE, "m"),
        (_DAY, _HOUR, "h"),
        (2 * _WEEK, _DAY, "d"),
        (9 * _WEEK, _WEEK, "w"),
        (2 * _YEAR, _MONTH, "mo"),
    ):
        if seconds < limit:
            return f"{seconds // unit}{name}" if unit else name
    return f"{seconds // _YEAR}y"


def ago(then: datetime | str | None, now: datetime) -> str:
    """Return the age as part of a sentence: "3 days ago", "just now", "at an unknown time"."""
    words = age(then, now)
    if words == "unknown age":
        return "at an unknown time"
    return words if words in ("just now", "in the future") else f"{words} ago"


def moment_of(then: datetime | str | None) -> float:
    """Return a time as a number to sort by; what is no time comes before all others."""
    found = _time(then)
    return float("-inf") if found is None else found.timestamp()


def number(n: int) -> str:
    """Return the number with separators: "1,204"."""
    return f"{n:,}"


def count(n: int, one: str, many: str = "") -> str:
    """Return "1 entry", "1,204 entries"; the plural is the English one unless given."""
    return f"{n:,} {one if n == 1 else many or _plural(one)}"


def size(n_bytes: int) -> str:
    """Return a size in bytes as words: "1 byte", "812 bytes", "14 KB", "1.2 MB" (1 KB is 1,024 bytes)."""
    if n_bytes < 1024:
        return count(n_bytes, "byte")
    amount = n_bytes / 1024
    for unit in ("KB", "MB"):
        if amount < 1000:
            return f"{_short(amount)} {unit}"
        amount /= 1024
    return f"{_short(amount)} GB"


def change(before: int, after: int) -> str:
    """Return how much something grew or shrank: "-80 %", "+12 %", "same length", "new", "-100 %"."""
    if before == after:
        return "same length"
    if before == 0:
        return "new"
    if after / before >= LONG:
        return times_as_long(after / before)
    percent = round((after - before) * 100 / before)
    if percent == 0:
        return "under 1 %"
    return f"{percent:+,} %"


def listing(words: Sequence[str], limit: int = 3) -> str:
    """Return "a", "a and b", "a, b and c", "a, b, c and 4 more"."""
    if len(words) > limit:
        return f"{', '.join(words[:limit])} and {len(words) - limit:,} more"
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"


def _time(then: datetime | str | None) -> datetime | None:
    if isinstance(then, str):
        try:
            then = datetime.fromisoformat(then)
        except ValueError:
            return None
    # Hosts store times without a zone; they mean UTC.
    return then.replace(tzinfo=UTC) if then is not None and then.tzinfo is None else then


def _seconds(then: datetime | str | None, now: datetime) -> int | None:
    then = _time(then)
    if then is None:
        return None
    if now.tzinfo is None:
        now = now.replace(tzinfo=UTC)
    return int((now - then).total_seconds())


def _plural(one: str) -> str:
    if one.endswith("y") and one[-2:-1] not in "aeiou":
        return one[:-1] + "ies"
    if one.endswith(("s", "x", "ch", "sh")):
        return one + "es"
    return one + "s"


def _short(amount: float) -> str:
    return f"{amount:.1f}" if amount < 10 and round(amount, 1) % 1 else f"{amount:,.0f}"

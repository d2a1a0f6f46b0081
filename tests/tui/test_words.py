"""Ages, counts and sizes in words."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from memdesk.tui.words import age, age_short, ago, change, count, listing, number, size

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("past", "words", "short"),
    [
        (timedelta(seconds=-30), "just now", "now"),
        (timedelta(minutes=-5), "in the future", "ahead"),
        (timedelta(seconds=59), "just now", "now"),
        (timedelta(minutes=1), "1 min", "1m"),
        (timedelta(minutes=59, seconds=59), "59 min", "59m"),
        (timedelta(hours=2), "2 h", "2h"),
        (timedelta(days=1), "1 day", "1d"),
        (timedelta(days=13, hours=23), "13 days", "13d"),
        (timedelta(days=14), "2 weeks", "2w"),
        (timedelta(weeks=8), "8 weeks", "8w"),
        (timedelta(days=120), "4 months", "4mo"),
        (timedelta(days=800), "2 years", "2y"),
    ],
)
def test_age(past: timedelta, words: str, short: str) -> None:
    assert age(NOW - past, NOW) == words
    assert age_short(NOW - past, NOW) == short


@pytest.mark.parametrize("then", [None, "", "yesterday"])
def test_no_time_is_an_unknown_age(then: str | None) -> None:
    assert age(then, NOW) == "unknown age"
    assert age_short(then, NOW) == "?"
    assert ago(then, NOW) == "at an unknown time"


def test_text_and_zoneless_times_are_utc() -> None:
    assert age("2026-03-01T09:00:00Z", NOW) == "3 h"
    assert age("2026-03-01 09:00:00", NOW) == "3 h"
    assert age(datetime(2026, 3, 1, 9), NOW) == "3 h"
    assert ago("2026-03-01T09:00:00Z", NOW) == "3 h ago"
    assert ago(NOW, NOW) == "just now"


def test_counts() -> None:
    assert count(1, "entry") == "1 entry"
    assert count(0, "entry") == "0 entries"
    assert count(1204, "entry") == "1,204 entries"
    assert count(2, "day") == "2 days"
    assert count(2, "match") == "2 matches"
    assert count(2, "child", "children") == "2 children"
    assert number(1204) == "1,204"


def test_sizes_and_changes() -> None:
    assert [size(n) for n in (1, 812, 1024, 14 * 1024, 1_258_291, 1_073_741_824)] == [
        "1 byte",
        "812 bytes",
        "1 KB",
        "14 KB",
        "1.2 MB",
        "1 GB",
    ]
    assert change(100, 20) == "-80 %"
    assert change(100, 112) == "+12 %"
    assert change(5, 5) == "same length", "the text itself may well have changed"
    assert change(0, 5) == "new"
    assert change(1000, 1001) == "under 1 %"


def test_listing() -> None:
    assert listing([]) == ""
    assert listing(["a"]) == "a"
    assert listing(["a", "b", "c"]) == "a, b and c"
    assert listing(list("abcdefg")) == "a, b, c and 4 more"

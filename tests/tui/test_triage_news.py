"""What others changed since the curator was last here: one row an entry, newest first."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime

import pytest

from memdesk.core.digest import PlainRow
from memdesk.tui.panes.triage_news import NEWS_COLUMNS, News, news_of, without_name

NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Done:
    summary: str
    timestamp: str
    entries: tuple[str, ...]
    actor: str = "agent:scout"


ROWS = {
    "a": PlainRow("a", "me", "project_a", "project", "thread", status="open"),
    "b": PlainRow("b", "me", "project_b", "project", "thread", status="closed", description="billing"),
    "c": PlainRow("c", "me", "atom_c", "atom", "anchor", state="purged"),
}
DONE = [
    Done("Added to project_a", "2026-03-10T09:00:00Z", ("a",)),
    Done("Closed 2 entries", "2026-03-10T10:00:00Z", ("a", "b"), "agent:mapper"),
    Done("Deleted atom_c", "2026-03-10T11:00:00Z", ("c",)),
    Done("Renamed x", "2026-03-10T11:30:00Z", ("erased",)),
]


def cells(news: News) -> list[list[str]]:
    found = []
    for section in news.sections():
        for row in news.page(section.keys):
            assert row is not None
            found.append([row.sign, *(c if isinstance(c, str) else c.lead + c.text for c in row.cells)])
    return found


def news(filter_text: str = "") -> News:
    return news_of(DONE, ROWS, since="2026-03-08T12:00:00Z", now=NOW, filter_text=filter_text)


def test_one_row_an_entry_newest_first_with_who_and_what() -> None:
    assert cells(news()) == [
        ["x", "atom_c", "Deleted", "deleted", "agent:scout", "1h"],
        ["○", "a", "Closed 2 entries (and 1 change before)", "Open threads", "agent:mapper", "2h"],
        ["·", "b", "Closed 2 entries", "Closed", "agent:mapper", "2h"],
    ]
    assert all(len(row) == len(NEWS_COLUMNS) + 1 for row in cells(news()))


def test_the_line_counts_entries_and_says_since_when() -> None:
    assert news().line == "3 entries changed by others since you were here 2 days ago"
    assert replace(news(), since=None).line == "3 entries changed by others so far"


def test_nothing_changed_says_nothing() -> None:
    quiet = news_of([], {}, since=None, now=NOW)
    assert quiet.line == ""
    assert list(quiet.sections()) == []


def test_the_filter_narrows_by_entry_by_what_and_by_whom() -> None:
    assert [row[1] for row in cells(news("billing"))] == ["b"]
    assert [row[1] for row in cells(news("closed project_a"))] == ["a"]
    assert [row[1] for row in cells(news("SCOUT"))] == ["atom_c"]
    assert cells(news("nothing like it")) == []


def test_a_row_gives_the_entry_as_it_is_now() -> None:
    assert news().row_of("b") is ROWS["b"]
    assert news().row_of("erased") is None
    assert news().page(["erased"]) == [None]


@pytest.mark.parametrize(
    ("summary", "told"),
    [
        ("Added project_a", "Added"),
        ("Added to project_a", "Added to it"),
        ("Edited description of project_a", "Edited description"),
        ("Moved project_a to “Open threads”", "Moved to “Open threads”"),
        ("project_a was distilled from atom_b", "was distilled from atom_b"),
        ("atom_b replaces project_a", "atom_b replaces it"),
        ("Closed project_ab", "Closed project_ab"),
    ],
)
def test_what_happened_does_not_name_the_entry_again(summary: str, told: str) -> None:
    assert without_name(summary, "project_a") == told

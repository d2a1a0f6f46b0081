"""Bringing two wordings of one text together: the laws that git's merge keeps, and single cases."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memdesk.core.diff import lines_of
from memdesk.core.three_way import BETWEEN, CLOSE, OPEN, has_marks, three_way

LINE = st.sampled_from(["", "a", "b", "c", "d", "e", "- f", "g h"])
TEXT = st.lists(LINE, max_size=12).map("\n".join)
WIDE = st.lists(st.text(alphabet="xyz \t#", max_size=3), max_size=30).map("\n".join)
MARKS = {OPEN, BETWEEN, CLOSE}
MANY = settings(max_examples=400, deadline=None)


@MANY
@given(base=TEXT | WIDE, side=TEXT | WIDE)
def test_a_side_that_changed_nothing_gives_way(base: str, side: str) -> None:
    for merged in (three_way(base, side, base), three_way(base, base, side)):
        assert (merged.text, merged.conflicts) == (side, 0)


@MANY
@given(base=TEXT, side=TEXT)
def test_the_same_change_on_both_sides_is_made_once(base: str, side: str) -> None:
    assert (three_way(base, side, side).text, three_way(base, side, side).conflicts) == (side, 0)


@MANY
@given(base=TEXT, asked=TEXT, now=TEXT)
def test_the_sides_may_change_places(base: str, asked: str, now: str) -> None:
    one, other = three_way(base, asked, now), three_way(base, now, asked)
    assert one.conflicts == other.conflicts
    if not one.conflicts:
        assert one == other


@MANY
@given(base=TEXT, asked=TEXT, now=TEXT)
def test_no_line_that_either_wrote_is_lost_and_none_is_made_up(base: str, asked: str, now: str) -> None:
    merged = Counter(lines_of(three_way(base, asked, now).text))
    was, ours, theirs = (Counter(lines_of(text)) for text in (base, asked, now))
    for line in {*ours, *theirs} - MARKS:
        if line not in was:
            assert merged[line] >= max(ours[line], theirs[line])
    assert set(merged) <= {*was, *ours, *theirs, *MARKS}


@MANY
@given(base=TEXT, asked=TEXT, now=TEXT)
def test_each_side_can_be_read_out_of_a_conflict(base: str, asked: str, now: str) -> None:
    merged = three_way(base, asked, now)
    lines = lines_of(merged.text)
    assert (lines.count(OPEN), lines.count(CLOSE)) == (merged.conflicts, merged.conflicts)
    assert has_marks(merged.text) is (merged.conflicts > 0)
    if merged.conflicts and set(lines_of(base)).isdisjoint({*lines_of(asked), *lines_of(now)}):
        # Nothing is shared with the base, so all of both sides is in the one conflict.
        assert (read(lines, ours=True), read(lines, ours=False)) == (lines_of(asked), lines_of(now))


def read(lines: list[str], *, ours: bool) -> list[str]:
    made, side = [], "both"
    for line in lines:
        if line in MARKS:
            side = {OPEN: "ours", BETWEEN: "theirs", CLOSE: "both"}[line]
        elif side == "both" or (side == "ours") is ours:
            made.append(line)
    return made


BASE = "one\ntwo\nthree\nfour\nfive"
CASES = {
    "apart": ("ONE\ntwo\nthree\nfour\nfive", "one\ntwo\nthree\nfour\nFIVE", "ONE\ntwo\nthree\nfour\nFIVE", 0),
    "one goes, another comes": ("two\nthree\nfour\nfive", f"{BASE}\nsix", "two\nthree\nfour\nfive\nsix", 0),
    "the same line": (
        "one\nTWO\nthree\nfour\nfive", "one\n2\nthree\nfour\nfive",
        f"one\n{OPEN}\nTWO\n{BETWEEN}\n2\n{CLOSE}\nthree\nfour\nfive", 1,
    ),
    "both go on at the end": (f"{BASE}\nmine", f"{BASE}\nyours", f"{BASE}\n{OPEN}\nmine\n{BETWEEN}\nyours\n{CLOSE}", 1),
    "what both added alike stands once": (
        f"{BASE}\nsix\nmine", f"{BASE}\nsix\nyours", f"{BASE}\nsix\n{OPEN}\nmine\n{BETWEEN}\nyours\n{CLOSE}", 1,
    ),
    "one side is empty": ("", f"{BASE}\nsix", f"{OPEN}\n{BETWEEN}\n{BASE}\nsix\n{CLOSE}", 1),
}  # fmt: skip


@pytest.mark.parametrize(("asked", "now", "wanted", "conflicts"), CASES.values(), ids=CASES)
def test_cases(asked: str, now: str, wanted: str, conflicts: int) -> None:
    merged = three_way(BASE, asked, now)
    assert (merged.text, merged.conflicts) == (wanted, conflicts)


def test_null_is_an_empty_text() -> None:
    assert three_way(None, "x", None).text == three_way(None, None, "x").text == "x"
    assert three_way(None, None, None).text == ""
    assert three_way("x", None, "x").text == ""


def test_a_text_about_marks_is_no_conflict() -> None:
    assert not has_marks("=======\n<<<<<<< asked, as git says\n")
    assert has_marks(f"a\n{OPEN}\nb\n{BETWEEN}\nc\n{CLOSE}")

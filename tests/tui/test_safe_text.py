"""Untrusted text as drawable objects, and its width in cells."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memdesk.core.text import visible
from memdesk.tui.safe_text import cells, cut, cut_middle, pad, safe_content, safe_text, wrap

HOSTILE = "[/red] [b]x[/b] [@click=app.quit]bye[/] \x1b[2J\u202e"
FAMILY = "\U0001f469\u200d\U0001f469\u200d\U0001f467"
CHARS = [*"ab漢字 e\u0301é—…ｗ ", FAMILY, "❤️", "👍", "👍🏽"]
TEXT = st.lists(st.sampled_from(CHARS), max_size=30).map("".join)


def test_hostile_text_stays_as_typed_and_its_hidden_parts_stand_out() -> None:
    for built in (safe_text(HOSTILE), safe_content(HOSTILE)):
        assert built.plain == visible(HOSTILE)
        marked = [built.plain[span.start : span.end] for span in built.spans if span.style == "reverse"]
        assert marked == ["␛", "‹U+202E›"]


def test_content_carries_no_action() -> None:
    content = safe_content("[@click=app.quit]bye[/]", "bold")
    assert [span.style for span in content.spans] == ["bold"]


@pytest.mark.parametrize(
    ("text", "width", "result"),
    [
        ("abc", 3, "abc"),
        ("abcd", 3, "ab…"),
        ("漢字漢字", 5, "漢字…"),
        ("漢字漢字", 4, "漢…"),
        ("e\u0301e\u0301e\u0301", 2, "e\u0301…"),
        (FAMILY + "ab", 3, FAMILY + "…"),
        ("abc", 0, ""),
        ("漢", 1, "…"),
    ],
)
def test_cut(text: str, width: int, result: str) -> None:
    assert cut(text, width) == result


@given(TEXT, st.integers(0, 20))
def test_cut_and_pad_keep_their_width(text: str, width: int) -> None:
    assert cells(cut(text, width)) <= width
    for align in ("left", "right", "center"):
        assert cells(pad(text, width, align=align)) == width  # type: ignore[arg-type]


@given(TEXT, st.integers(2, 20))
def test_wrap_drops_nothing_and_fits(text: str, width: int) -> None:
    rows = wrap(text, width)
    assert "".join(rows) == text
    assert all(cells(row.rstrip()) <= width for row in rows)


def test_wrap_breaks_at_spaces_and_chops_long_runs() -> None:
    assert wrap("the quick brown fox", 10) == ["the quick ", "brown fox"]
    assert wrap("the quick  brown fox", 9) == ["the quick  ", "brown fox"]
    assert wrap("x" * 25, 10) == ["x" * 10, "x" * 10, "x" * 5]
    assert wrap("", 10) == [""]


@pytest.mark.parametrize(
    ("text", "width", "shown"),
    [
        ("ledger_webhook_sequence", 23, "ledger_webhook_sequence"),
        ("ledger_webhook_sequence", 15, "ledger_w…quence"),
        ("検索検索検索検索", 9, "検索検…索"),
        ("abcdefghij", 5, "abcd…"),
    ],
)
def test_a_cut_in_the_middle_keeps_both_ends(text: str, width: int, shown: str) -> None:
    assert cut_middle(text, width) == shown and cells(shown) <= width

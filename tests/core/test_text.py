"""Hidden characters become marks, emoji stay, comparing folds (DESIGN 3.1, 9 rule 3; CASES "Terminal")."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memdesk.core.text import (
    excerpt,
    fold_text,
    has_marks,
    marks,
    marks_summary,
    one_line,
    pieces,
    same_text,
    visible,
)

FAMILY = "\U0001f469\u200d\U0001f469\u200d\U0001f467"
HEART = "\u2764\ufe0f"
KEYCAP = "1\ufe0f\u20e3"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain text, Müller, 漢字, Ünïcode", "plain text, Müller, 漢字, Ünïcode"),
        ("tab\tand\nline end", "tab\tand\nline end"),
        ("a\r\nb", "a\nb"),
        ("a\rb", "a␍b"),
        ("\x1b[31mred\x1b[0m", "␛[31mred␛[0m"),
        ("\x1b]52;c;aGk=\x07", "␛]52;c;aGk=␇"),
        ("\x1b]0;unterminated", "␛]0;unterminated"),
        ("\x1b[6n\x1bc", "␛[6n␛c"),
        ("\x9b31m", "‹U+009B›31m"),
        ("a\x00b\x7f", "a␀b␡"),
        ("a\u200bb", "a‹U+200B›b"),
        ("a\u200db", "a‹U+200D›b"),
        ("a\u200cb", "a‹U+200C›b"),
        ("\ufeffbom", "‹U+FEFF›bom"),
        ("soft\u00adhyphen", "soft‹U+00AD›hyphen"),
        ("abc\u202edcba", "abc‹U+202E›dcba"),
        ("\u2066x\u2069", "‹U+2066›x‹U+2069›"),
        ("\U000e0041", "‹U+E0041›"),
        ("a\u2028b\u2029", "a‹U+2028›b‹U+2029›"),
        ("\ud800", "‹U+D800›"),
        (FAMILY, FAMILY),
        (HEART, HEART),
        (KEYCAP, KEYCAP),
        ("1\ufe0f", "1‹U+FE0F›"),
        ("x\ufe0f", "x‹U+FE0F›"),
        (HEART + "\ufe0f", HEART + "‹U+FE0F›"),
        ("\U0001f469\u200d", "\U0001f469‹U+200D›"),
        ("\U0001f469\u200d\u200d\U0001f467", "\U0001f469‹U+200D›‹U+200D›\U0001f467"),
        ("A\U000e0100", "A‹U+E0100›"),
        ("[/red] [@click=app.quit]bye[/]", "[/red] [@click=app.quit]bye[/]"),
    ],
)
def test_visible(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_without_newlines_the_result_is_one_line() -> None:
    assert visible("a\r\nb\nc\rd", keep_newlines=False) == "a␊b␊c␍d"


def _forbidden(char: str) -> bool:
    """What no output may hold outside an emoji, asked of the Unicode data and not of our own table."""
    if char in "\n\t":
        return False
    category = unicodedata.category(char)
    return category in ("Cc", "Cs", "Zl", "Zp") or (category == "Cf" and not _prepended(char))


def _prepended(char: str) -> bool:
    # Visible number signs of Arabic and the like, and hieroglyph joiners: format characters that do draw.
    return char in "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd" or (
        "\U00013430" <= char <= "\U0001343f"
    )


HIDDEN = "\x00\x07\x1b\r\n\t\x7f\x85\x9b\u00ad\u200b\u200c\u200d\u200e\u202e\u2066\u2028\ufeff\ufe0f\ufe0e\ud800"
TAGS = "\U000e0001\U000e0041\U000e007f"
ODD = st.sampled_from([*HIDDEN, *TAGS, "\r\n", FAMILY, HEART, KEYCAP, "\U0001f469", "1", "\u20e3", "a"])
ANY_TEXT = st.one_of(
    st.text(st.characters(exclude_categories=[])),
    st.lists(ODD, max_size=12).map("".join),
)


@given(ANY_TEXT)
@example("\r\u200d\n")
def test_visible_is_idempotent_and_clean(text: str) -> None:
    shown = visible(text)
    assert visible(shown) == shown
    for index, char in enumerate(shown):
        if char == "\u200d":
            around = shown[index - 1] + shown[index + 1]
            assert not any(part.isalnum() for part in around)
        else:
            assert not _forbidden(char), ascii(char)


@given(ANY_TEXT)
def test_one_line_visible_has_no_line_end(text: str) -> None:
    shown = visible(text, keep_newlines=False)
    assert shown.splitlines() in ([shown], [])
    assert len(one_line(text).splitlines()) <= 1


@given(ANY_TEXT)
def test_pieces_and_marks_agree_with_visible(text: str) -> None:
    assert "".join(shown for shown, _ in pieces(text)) == visible(text)
    assert [mark.shown for mark in marks(text)] == [shown for shown, is_mark in pieces(text) if is_mark]
    assert has_marks(text) == bool(marks(text))
    assert all(text[mark.start : mark.end] == mark.char for mark in marks(text))


@pytest.mark.parametrize(
    ("char", "kind", "name"),
    [
        ("\x1b", "escape", "escape"),
        ("\x9d", "control", "operating system command"),
        ("\x01", "control", "control character U+0001"),
        ("\u202e", "bidi", "right-to-left override"),
        ("\u200b", "zero-width", "zero width space"),
        ("\U000e0041", "tag", "tag latin capital letter a"),
        ("\u2028", "separator", "line separator"),
        ("\ud801", "surrogate", "surrogate character U+D801"),
        ("\ufe0f", "variation", "variation selector-16"),
    ],
)
def test_a_mark_says_what_it_stands_for(char: str, kind: str, name: str) -> None:
    (mark,) = marks(f"ab{char}c")
    assert (mark.start, mark.end, mark.kind, mark.name) == (2, 3, kind, name)


def test_a_summary_names_the_kinds_once() -> None:
    assert marks_summary("clean\r\n" + FAMILY) == ""
    assert marks_summary("a\u200bb") == "1 hidden character: zero width space"
    assert marks_summary("\u200b\u200b\u202e") == "3 hidden characters: zero width space, right-to-left override"
    assert marks_summary("\u200b\u202e\x1b\x07\x00").endswith("escape and 2 more kinds")


def test_one_line_folds_white_space_and_cuts() -> None:
    assert one_line("  a \r\n\t b\u00a0c  ") == "a b c"
    assert one_line("abcdef", 4) == "abc…"
    assert one_line("abcd", 4) == "abcd"
    assert one_line("x" + " " * 1000 + "y", 4) == "x…"
    assert one_line("a\x1bb") == "a␛b"


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("text ", "text", True),
        ("a\u00a0b", "a b", True),
        ("a\r\nb\r\n", "a\nb", True),
        ("cafe\u0301", "café", True),
        ("a b", "ab", False),
        ("Text", "text", False),
        ("a\u200bb", "ab", False),
    ],
)
def test_texts_are_compared_folded(first: str, second: str, same: bool) -> None:
    assert same_text(first, second) is same
    assert (fold_text(first) == fold_text(second)) is same


LONG = "the quick brown fox jumps over the lazy dog and then runs away to the hills"


@pytest.mark.parametrize(
    ("limit", "around", "result"),
    [
        (100, "", LONG),
        (30, "", "the quick brown fox jumps…"),
        (30, "LAZY", "…over the lazy dog and then…"),
        (30, "hills", "…then runs away to the hills"),
        (30, "absent", "the quick brown fox jumps…"),
        (1, "", "…"),
    ],
)
def test_excerpt(limit: int, around: str, result: str) -> None:
    assert excerpt(LONG, limit, around=around) == result


@given(ANY_TEXT, st.integers(0, 40), st.text(max_size=3))
def test_excerpt_keeps_its_limit(text: str, limit: int, around: str) -> None:
    assert len(excerpt(text, limit, around=around)) <= limit

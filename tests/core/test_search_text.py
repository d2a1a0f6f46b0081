"""Reading a query and folding text: pure (CASES "Text and search")."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memdesk.core.search_text import MAX_TERMS, fold, parse, search_text, snippet


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Müller", "muller"), ("Mu\u0308ller", "muller"), ("NAÏVE", "naive"), ("Straße", "strasse"), ("ΑΘΉΝΑ", "αθηνα"),
        ("ＡＢＣ", "abc"), ("don’t", "don't"), ("Ёж", "еж"), ("한글", "한글"), ("C++", "c++"), ("İ", "i"),
        ("हिन्दी", "हिन्दी"),
    ],
)  # fmt: skip
def test_folding(text: str, folded: str) -> None:
    assert fold(text) == folded


def test_cjk_characters_become_words() -> None:
    assert (search_text("東京tower") or "").split() == ["東", "京", "tower"]
    assert search_text("plain ASCII") == "plain ASCII"
    assert search_text(None) is None


@given(st.text())
def test_folding_twice_changes_nothing(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@given(st.text(max_size=60), st.booleans())
def test_parsing_never_raises_and_is_always_quoted(text: str, typing: bool) -> None:
    parsed = parse(text, typing=typing)
    assert parsed.match.count('"') == 2 * len(parsed.terms) <= 2 * MAX_TERMS
    assert parsed.empty is not bool(parsed.terms or parsed.signs)
    parsed.fits([text])
    snippet([text], parsed)


@given(st.text(alphabet="abc #+-.'/東ü", min_size=1, max_size=20))
def test_a_text_fits_the_query_that_it_is(text: str) -> None:
    parsed = parse(f'"{text}"')
    assert parsed.fits([text])


@pytest.mark.parametrize(
    ("query", "text", "fits"),
    [
        ("C++", "use C++ now", True), ("C++", "c and more", False), ("#12", "see #12.", True),
        ("#12", "see #123", False),
        ("a.b", "a.bc", False), ("a.b", "xa.b", False), ("a.b/", "a.b/c", True), ("foo-bar", "FOO-BAR", True),
        ("foo-bar", "foo bar", False), ("don't", "don’t", True), ("word", "nothing", True),
    ],
)  # fmt: skip
def test_signs_must_stand_as_typed(query: str, text: str, fits: bool) -> None:
    assert parse(query).fits([None, text]) is fits


def test_prefixes_and_phrases() -> None:
    assert parse('foo "a b" c*').match == '"foo" AND "a b" AND "c" *'
    assert parse("foo ba", typing=True).match == '"foo" AND "ba" *'
    assert parse("foo ba ", typing=True).match == '"foo" AND "ba"'
    assert parse('"foo ba"', typing=True).match == '"foo ba"'
    assert parse("foo foo FOO").match == '"foo"'

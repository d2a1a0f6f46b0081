"""DESIGN 6: the word set, and the text of an entry that is compared."""

from __future__ import annotations

import pytest

from memdesk.core.tokens import STOP_WORDS, entry_text, topic_of, word_list, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", set()),
        ("the of and", set()),
        ("Rate limit: 100 req/min", {"rate", "limit", "100", "req", "min"}),
        ("x 5 é 7", {"5", "7"}),
        ("snake_case and kebab-case", {"snake", "case", "kebab"}),
        ("CAFE\u0301 caf\u00e9 CAFÉ", {"café"}),
        ("No usar nunca la caché sin permiso", {"no", "usar", "nunca", "caché", "sin", "permiso"}),
        ("never, not, no, without, none", {"never", "not", "no", "without", "none"}),
        ("turn it off before and after", {"turn", "off", "before", "after"}),
        ("メモリ 記憶", {"メモリ", "記憶"}),
        ("Don't", {"don"}),
        ("\ud800 lone\ud800surrogate", {"lone", "surrogate"}),
    ],
)
def test_words(text: str, expected: set[str]) -> None:
    assert words(text) == expected


def test_word_list_keeps_order_and_repetition() -> None:
    assert word_list("Deploy to prod, then deploy to staging") == ["deploy", "prod", "deploy", "staging"]


@pytest.mark.parametrize(
    "word", ["not", "no", "never", "without", "nor", "cannot", "sin", "nunca", "jamás", "ni", "off"]
)
def test_what_turns_a_statement_round_is_no_stop_word(word: str) -> None:
    assert word not in STOP_WORDS


def test_stop_words_are_in_the_form_that_is_looked_up() -> None:
    import unicodedata

    assert {w for w in STOP_WORDS if w != unicodedata.normalize("NFC", w.lower())} == set()


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        (("api_limit", "API limit", None, "100 a minute"), "api limit\n\nAPI limit\n\n100 a minute"),
        (("x", None, None, None), "x"),
        (("", " ", "", "body"), "body"),
    ],
)
def test_entry_text(parts: tuple[str, str | None, str | None, str | None], expected: str) -> None:
    assert entry_text(*parts) == expected


@pytest.mark.parametrize(
    ("name", "type_", "topic"),
    [
        ("atom_api_limit", "atom", "api_limit"),
        ("thread handoff", "thread", "thread handoff"),
        ("atomic", "atom", "atomic"),
    ],
)
def test_topic_of(name: str, type_: str, topic: str) -> None:
    assert topic_of(name, type_) == topic

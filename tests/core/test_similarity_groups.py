"""Groups, not pairs; and what a reviewer sees beside a pair (issue 3, CASES "Duplicates")."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memdesk.core.similarity.evidence import align, differing, evidence, sentences, soft_jaccard
from memdesk.core.similarity.groups import grouped
from memdesk.core.similarity.prepared import content_hash, prepare
from memdesk.core.tokens import words

Scored = list[tuple[int, int, float]]


def keys(pairs: Scored, **options: object) -> list[set[int]]:
    return [{m.key for m in group.members} for group in grouped(pairs, **options)]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        ([], []),
        ([(1, 2, 0.9)], [{1, 2}]),
        ([(1, 2, 0.9), (1, 3, 0.8), (2, 3, 0.8)], [{1, 2, 3}]),
        ([(1, 2, 0.9), (3, 4, 0.8)], [{1, 2}, {3, 4}]),
        # the far end of a chain is a row of its own, with the one it is like
        ([(1, 2, 0.9), (2, 3, 0.8), (3, 4, 0.7)], [{1, 2, 3}, {3, 4}]),
        # two near copies and a distant relative
        ([(1, 2, 0.95), (2, 3, 0.35)], [{1, 2}, {2, 3}]),
        # two pairs that turn out to be one cluster
        (
            [(1, 2, 0.9), (3, 4, 0.9), (1, 3, 0.8), (1, 4, 0.8), (2, 3, 0.8), (2, 4, 0.8)],
            [{1, 2, 3, 4}],
        ),
    ],
    ids=["none", "pair", "triangle", "two", "chain", "distant", "late"],
)
def test_groups(pairs: Scored, expected: list[set[int]]) -> None:
    assert keys(pairs) == expected


def test_pairs_kept_apart_are_never_in_one_group() -> None:
    clique = [(a, b, 0.9) for a, b in combinations(range(4), 2)]
    assert keys(clique) == [{0, 1, 2, 3}]
    found = keys([p for p in clique if p[:2] != (0, 1)], apart=[(0, 1)])
    assert all(not {0, 1} <= group for group in found)
    assert set().union(*found) == {0, 1, 2, 3}


def test_each_member_comes_with_its_best_partner() -> None:
    (group,) = grouped([(1, 2, 0.9), (1, 3, 0.8), (2, 3, 0.7)])
    assert {m.key: (m.partner, m.score) for m in group.members} == {1: (2, 0.9), 2: (1, 0.9), 3: (1, 0.8)}
    assert group.score == 0.9


@given(
    st.dictionaries(
        st.tuples(st.integers(0, 12), st.integers(0, 12)).filter(lambda p: p[0] < p[1]), st.floats(0.3, 1), max_size=40
    ),
    st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)).filter(lambda p: p[0] < p[1]), max_size=6),
)
@settings(max_examples=200, deadline=None)
def test_whatever_the_pairs(scores: dict[tuple[int, int], float], apart: list[tuple[int, int]]) -> None:
    pairs = sorted(((a, b, s) for (a, b), s in scores.items() if (a, b) not in apart), key=lambda p: -p[2])
    groups = grouped(pairs, apart=apart)
    seen = {m.key for group in groups for m in group.members}
    assert seen == {key for a, b, _ in pairs for key in (a, b)}, "nobody is lost, nobody is made up"
    for group in groups:
        own = {m.key for m in group.members}
        assert len(own) == len(group.members) >= 2
        assert all(m.partner in own and m.partner != m.key for m in group.members)
        assert not any({a, b} <= own for a, b in apart)
        assert group.score == max(m.score for m in group.members)
    assert [g.score for g in groups] == sorted((g.score for g in groups), reverse=True)


# -- evidence -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("authentication tokens expire", "authentification tokens expire", 1.0),
        ("port 8080 is open", "port 8081 is open", 0.5),  # words with digits never match
        ("the cat sat", "a dog ran", 0.0),
        ("", "", 0.0),
    ],
)
def test_soft_jaccard(left: str, right: str, expected: float) -> None:
    assert soft_jaccard(words(left), words(right)) == expected


def test_a_word_is_matched_once() -> None:
    one, other = frozenset({"deployment"}), frozenset({"deployments", "deploiment"})
    assert soft_jaccard(one, other) == 1 / 2


def test_evidence_of_a_pair() -> None:
    found = evidence(words("cache enabled on staging"), words("cache disabled on staging"), "Cache", "cache")
    assert (found.score, found.title) == (0.5, 1.0)
    assert (found.shared, found.left_only, found.right_only) == (("cache", "staging"), ("enabled",), ("disabled",))
    assert evidence(words("a b"), words("a b"), None, "x").title is None


def _said(text: str, spans: tuple[tuple[int, int], ...]) -> list[str]:
    return [text[a:b] for a, b in spans]


def test_where_two_sentences_differ() -> None:
    left, right = "Limit is 100 req/min for all.", "Limit was 1000 req/min for all."
    here, there = differing(left, right)
    assert (_said(left, here), _said(right, there)) == (["is 100"], ["was 1000"])
    assert differing("same  text", "same text") == ((), ())


def test_sentences_are_found_where_they_stand() -> None:
    text = "First one.  Second!\n\n- a bullet\nlast"
    assert [text[a:b] for a, b in sentences(text)] == ["First one.", "Second!", "- a bullet", "last"]
    assert sentences("") == sentences(" \n ") == []


def test_sentences_are_aligned_one_to_one_with_their_spans() -> None:
    left = "Intro line.\nThe cache is enabled on staging.\nOnly here we say this."
    right = "The cache is disabled on staging.\nIntro line."
    found = align(left, right)
    said = [(left[a.left[0] : a.left[1]], right[a.right[0] : a.right[1]]) for a in found]
    assert said[0] == ("Intro line.", "Intro line.")
    assert said[1:] == [("The cache is enabled on staging.", "The cache is disabled on staging.")]
    assert [_said(left, a.left_spans) for a in found] == [[], ["enabled"]]
    assert [_said(right, a.right_spans) for a in found] == [[], ["disabled"]]
    assert found[0].score == 1.0 > found[1].score > 0.5


# -- what an entry says ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "other",
    [("T", "d", "body text \n"), ("T ", "d", "body\u00a0text"), ("T", "d", "body\r\ntext"), ("T", " d", "body text")],
)
def test_white_space_does_not_change_what_is_said(other: tuple[str, str, str]) -> None:
    assert content_hash(*other) == content_hash("T", "d", "body text")


@pytest.mark.parametrize("other", [("T", "d", "body  Text"), ("T", "d2", "body text"), (None, "d", "body text")])
def test_a_word_does(other: tuple[str | None, str, str]) -> None:
    assert content_hash(*other) != content_hash("T", "d", "body text")


def test_a_text_made_ready() -> None:
    one = prepare("atom_api_limit", "atom", "Limit", None, "100 req")
    assert one.words == {"api", "limit", "100", "req"}
    other = prepare("decision_req_api", "decision", None, "100", "limit")
    assert one.word_set == other.word_set
    assert one.content != other.content

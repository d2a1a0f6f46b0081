"""Every line of CASES "Text and search": results or none, never an error; signs, CJK, accents, order, snippets."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memdesk.core.events import DELETE
from memdesk.core.store import Query, Store

from .writing import act, add, edit

BODIES = {
    "atom_cpp": "We use C++ here", "atom_c": "plain c and basic", "atom_han": "私は東京都に住んでいます",
    "atom_hangul": "안녕하세요 세계", "atom_mueller": "Herr Müller kam", "atom_decomposed": "Mu\u0308ller decomposed",
    "atom_naive": "a naïve approach", "atom_cyrillic": "Привет, мир", "atom_curly": "we don’t do it",
    "atom_straight": "we don't do it", "atom_path": "see a.b/c now", "atom_hash": "issue #12 and #123",
    "atom_hash_other": "issue #123 of 12", "atom_node": "run node.js", "atom_words": "this and that is near",
    "atom_dash": "a foo-bar thing", "atom_space": "a foo bar thing", "atom_star": "a * b", "atom_quote": 'say "hello"',
    "atom_fullwidth": "ＡＢＣ １２", "atom_emoji": "ship it 🚀",
}  # fmt: skip


@pytest.fixture
def filled(store: Store) -> Store:
    for name, body in BODIES.items():
        add(store, name, body=body)
    return store


def names(store: Store, text: str) -> set[str]:
    return {hit.entry_row.name for hit in store.search(text, limit=50)}


FOUND = [
    ("?", set()), ("foo-bar", {"atom_dash"}), ("foo bar", {"atom_dash", "atom_space"}),
    ('"foo bar"', {"atom_dash", "atom_space"}), ("don't", {"atom_curly", "atom_straight"}),
    ("don’t", {"atom_curly", "atom_straight"}), ("C++", {"atom_cpp"}), ("c", {"atom_c", "atom_cpp", "atom_path"}),
    ("a.b/c", {"atom_path"}), ("#12", {"atom_hash"}), ("12", {"atom_fullwidth", "atom_hash", "atom_hash_other"}),
    ("node.js", {"atom_node"}), ("AND", {"atom_c", "atom_hash", "atom_words"}), ("NOT", set()), ("OR", set()),
    ("NEAR", {"atom_words"}), ("NEAR(", set()), ("*", {"atom_star"}), ('"', {"atom_quote"}), ("", set()),
    ("   ", set()), ('""', set()), ("\x00", set()), ("東", {"atom_han"}), ("東京", {"atom_han"}),
    ("京都", {"atom_han"}),
    ("都に", {"atom_han"}), ("京東", set()), ("세", {"atom_hangul"}), ("안녕", {"atom_hangul"}),
    ("녕하세", {"atom_hangul"}),
    ("Müller", {"atom_mueller", "atom_decomposed"}), ("muller", {"atom_mueller", "atom_decomposed"}),
    ("Mu\u0308ller", {"atom_mueller", "atom_decomposed"}), ("naive", {"atom_naive"}), ("NAÏVE", {"atom_naive"}),
    ("привет", {"atom_cyrillic"}), ("МИР", {"atom_cyrillic"}), ("abc", {"atom_fullwidth"}), ("🚀", {"atom_emoji"}),
    ("cpp", {"atom_cpp"}), ("atom_han", {"atom_han"}), ("thi*", {"atom_words", "atom_dash", "atom_space"}),
    ("thi", set()), ('"this and"', {"atom_words"}), ('"and this"', set()), ("that this", {"atom_words"}),
    ('"hello', {"atom_quote"}), ("say ?", {"atom_quote"}), ("name:x", set()), ("-foo", set()), ("^a", set()),
    ("{", set()),
]  # fmt: skip


@pytest.mark.parametrize(("text", "wanted"), FOUND, ids=[repr(t) for t, _ in FOUND])
def test_the_table_of_searches(filled: Store, text: str, wanted: set[str]) -> None:
    assert names(filled, text) == wanted


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.one_of(st.text(max_size=40), st.text(alphabet='"*^:(){}[]-+#ANDORTNEAR .,\\ ', max_size=30)))
def test_no_query_is_an_error(store: Store, text: str) -> None:
    store.search(text)
    store.keys(Query(text=text, order="relevance"))
    store.count(Query(text=text))


def test_a_very_long_query(filled: Store) -> None:
    assert names(filled, "foo " * 50_000) == {"atom_dash", "atom_space"}
    assert names(filled, " ".join(f"w{n}" for n in range(20_000))) == set()


def test_the_name_and_the_title_weigh_more_than_the_body(store: Store) -> None:
    filler = "other words " * 20
    in_body = add(store, "atom_one", body=f"{filler} budget budget budget", description="d", title="t")
    in_description = add(store, "atom_two", body=filler, description="about the budget", title="t")
    in_title = add(store, "atom_three", body=filler, description="d", title="budget")
    in_name = add(store, "atom_budget", body=filler, description="d", title="t")
    hits = store.search("budget")
    assert [h.entry_row.id for h in hits] == [in_name, in_title, in_description, in_body]
    assert [h.rank for h in hits] == sorted(h.rank for h in hits)
    assert list(store.keys(Query(text="budget", order="relevance"))) == [h.entry_row.row for h in hits]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("muller", "Herr [Müller] kam"), ("京都", "私は東[京都]に住んでいます"), ("C++", "We use [C++] here"),
        ("foo bar", "a [foo]-[bar] thing"), ("thi*", "[thi]s and that is near"), ("atom_node", "[atom_node]"),
        ('"', 'say ["]hello["]'), ("don't", "we [don’t] do it"),
    ],
)  # fmt: skip
def test_snippets_mark_what_was_found(filled: Store, text: str, shown: str) -> None:
    assert shown in {hit.snippet for hit in filled.search(text)}


def test_a_snippet_of_a_long_body_is_one_short_line(store: Store) -> None:
    add(store, body="intro line\n\n" + "filler words here\n" * 300 + "the needle [[link]] is here\n" + "more\n" * 300)
    (hit,) = store.search("needle")
    assert "the [needle] [[link]] is here" in hit.snippet
    assert "\n" not in hit.snippet and len(hit.snippet) < 200
    assert hit.snippet.startswith("…") and hit.snippet.endswith("…")


def test_search_looks_where_it_is_told(store: Store) -> None:
    here = add(store, "atom_a", body="needle", tags=["t"])
    there = add(store, "decision_b", body="needle", workspace="v")
    gone = add(store, "atom_c", body="needle")
    act(store, "delete", DELETE, {"memory_id": gone})

    def ids(**where: object) -> set[str]:
        return {h.entry_row.id for h in store.search("needle", **where)}  # type: ignore[arg-type]

    assert ids() == {here, there}
    assert ids(workspace="v") == ids(types=["decision"]) == {there}
    assert ids(tag="t") == {here} and ids(tag="u") == set()
    assert ids(states=["purged"]) == {gone} and ids(states=()) == {here, there, gone}
    assert len(store.search("needle", limit=1)) == 1 and store.search("needle", limit=0) == []


def test_the_index_follows_every_change(store: Store) -> None:
    memory_id = add(store, body="before")
    edit(store, memory_id, body="after", name="atom_renamed")
    assert names(store, "before") == set()
    assert names(store, "after") == names(store, "renamed") == {"atom_renamed"}
    assert store.integrity() == []


def test_a_filter_takes_the_last_word_as_unfinished(filled: Store) -> None:
    def listed(text: str) -> set[str]:
        return {row.name for row in filled.rows(filled.keys(Query(text=text)))}

    assert listed("mul") == {"atom_mueller", "atom_decomposed"}
    assert listed("foo ba") == {"atom_dash", "atom_space"}
    assert listed("foo-ba") == {"atom_dash"}
    assert listed("mul ") == set()
    assert listed("C+") == {"atom_cpp"}
    assert listed("  ") == set(BODIES)
    assert filled.count(Query(text="foo-ba")) == filled.count(Query(text="C+")) == 1


def test_search_by_status_keeps_the_best_and_what_was_never_made_is_not_found(store: Store) -> None:
    best = add(store, "project_needle", body="needle", status="open", **{"class": "thread"})
    add(store, "project_b", body="needle", status="closed", **{"class": "thread"})
    also = add(store, "project_c", body="needle", status="open", **{"class": "thread"})
    assert [h.entry_row.id for h in store.search("needle", statuses=["open"], limit=5)] == [best, also]
    assert [h.entry_row.id for h in store.search("needle", statuses=["open"], limit=1)] == [best]
    op_id = store.operations(limit=1)[0].op_id
    with store.transaction() as tx:
        tx.begin("undo", "Undid it", actor="user:ana", undoes=op_id)
        tx.mark()
    assert [h.entry_row.id for h in store.search("needle", statuses=["open"], states=())] == [best]

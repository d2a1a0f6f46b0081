"""Reading what agents propose: both formats, wherever they stand, and why an entry is dropped (gaia/SPEC 9.2)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memdesk.core.proposals import Proposal, name_from, read_proposals

X = {"slug": "project_x"}
APPEND = {"operation": "append", "target": X, "append": {"body": "More."}}
CREATE = {
    "operation": "create",
    "create": {
        "slug": "atom_a", "type": "atom", "class": "log", "description": "A", "body": "Text.", "rationale": "why",
    },
}  # fmt: skip
SUGGESTION = {"slug": "decision_rc", "type": "decision", "class": "anchor", "description": "RC", "body": "Text."}


def delta(*entries: Any, version: Any = 1) -> dict[str, Any]:
    return {"version": version, "proposals": list(entries)}


def the_one(data: Any) -> Proposal:
    read = read_proposals(data)
    assert read.dropped == ()
    (found,) = read.proposals
    return found


def why(entry: Any) -> str:
    """Why the one entry of a memory_delta is dropped."""
    read = read_proposals(delta(entry))
    assert read.proposals == ()
    (dropped,) = read.dropped
    assert dropped.index == 0
    assert dropped.why.endswith(".")
    return dropped.why


# -- where the blocks stand ---------------------------------------------------------------------------------------

CONTRACT = {"agent_status": {"agent_state": "COMPLETE"}, "memory_delta": delta(APPEND), "memorialize_suggestions": None}
PLACES = {
    "alone": delta(APPEND),
    "a bare list": [APPEND],
    "in its key": {"memory_delta": delta(APPEND)},
    "in a contract": CONTRACT,
    "in a wrapped contract": {"agent_contract_handoff": CONTRACT},
    "as the text of a contract": json.dumps(CONTRACT),
    "as the text of a contract with a byte order mark": "\ufeff" + json.dumps(CONTRACT),
    "in a row": {"id": 3, "raw_handoff_json": json.dumps(CONTRACT)},
    "as text in its key": {"memory_delta": json.dumps(delta(APPEND))},
}


@pytest.mark.parametrize("place", PLACES)
def test_a_memory_delta_is_found(place: str) -> None:
    assert the_one(PLACES[place]) == Proposal("append", {"ref": "project_x", "text": "More."}, "", 0)


@pytest.mark.parametrize("wrap", [
    lambda s: s, lambda s: {"memorialize_suggestions": s},
    lambda s: {"memory_delta": None, "memorialize_suggestions": s},
    lambda s: json.dumps({"contract": {"memorialize_suggestions": s}}),
    lambda s: {"memory_delta": delta(), "memorialize_suggestions": s},
])  # fmt: skip
def test_suggestions_are_found(wrap: Any) -> None:
    found = the_one(wrap([SUGGESTION]))
    assert (found.verb, found.about, found.args["klass"], found.named) == ("add", "decision_rc", "anchor", False)


def test_memory_delta_wins_and_says_so() -> None:
    read = read_proposals({"memory_delta": delta(APPEND), "memorialize_suggestions": [SUGGESTION, SUGGESTION]})
    assert [p.verb for p in read.proposals] == ["append"]
    (note,) = read.notes
    assert "2 of memorialize_suggestions left aside" in note


@pytest.mark.parametrize("data", [
    None, 3, "", [], "words", {"memorialize_suggestions": []}, delta(), "{broken", "[" * 100_000, {},
    {"memory_delta": None}, {"evidence": json.dumps(CONTRACT)}, {"memory_delta": "words"},
    {"memory_delta": {"version": 1}}, {"memory_delta": {"version": 1, "proposals": {}}},
    {"memorialize_suggestions": {"body": "x"}},
])  # fmt: skip
def test_nothing_to_read_is_said(data: Any) -> None:
    read = read_proposals(data)
    assert (read.given, len(read.notes)) == (0, 1)


@pytest.mark.parametrize("version", [2, 0, "1", True, [], {}, 1.5])
def test_an_unknown_version_drops_every_entry(version: Any) -> None:
    read = read_proposals({"memory_delta": delta(APPEND, CREATE, version=version)})
    assert [d.index for d in read.dropped] == [0, 1]
    assert all("version" in d.why for d in read.dropped)
    assert read.proposals == ()


def test_no_version_is_read_with_a_note() -> None:
    read = read_proposals({"memory_delta": {"proposals": [APPEND]}})
    assert (len(read.proposals), len(read.notes)) == (1, 1)


# -- one entry ----------------------------------------------------------------------------------------------------


def test_the_four_operations() -> None:
    entries = [
        {**APPEND, "scope": {"workspace": "me", "project": "gaia"}, "rationale": "It grew."},
        CREATE,
        {"operation": "reclassify", "target": X, "reclassify": {"class": "thread", "status": "closed"}},
        {"operation": "reclassify", "target": X, "reclassify": {"class": "log", "status": "null"}},
        {"operation": "link", "target": {"slug": "atom_a"}, "link": {"to_slug": "project_x", "kind": "relates_to"}},
    ]
    read = read_proposals(delta(*entries))
    assert read.dropped == ()
    assert [(p.verb, dict(p.args), p.rationale, p.index) for p in read.proposals] == [
        ("append", {"ref": "project_x", "text": "More.", "workspace": "me", "project": "gaia"}, "It grew.", 0),
        ("add", {"name": "atom_a", "type": "atom", "body": "Text.", "description": "A", "klass": "log"}, "why", 1),
        ("reclassify", {"ref": "project_x", "klass": "thread", "status": "closed"}, "", 2),
        ("reclassify", {"ref": "project_x", "klass": "log", "status": None}, "", 3),
        ("link", {"source": "atom_a", "kind": "relates_to", "target": "project_x"}, "", 4),
    ]


def of_create(**changed: Any) -> dict[str, Any]:
    made = {**CREATE["create"], **changed}  # type: ignore[dict-item]
    return {"operation": "create", "create": {k: v for k, v in made.items() if v is not ...}}


BAD = {
    "no object": (3, "no object"),
    "no operation": ({"create": {}}, "names no operation"),
    "an unknown operation": ({"operation": "delete", "delete": {}}, "'delete'"),
    "an operation that is no text": ({"operation": ["append"]}, "a list"),
    "no payload": ({"operation": "append", "target": {"slug": "x"}}, "no object `append`"),
    "a payload of the wrong kind": ({"operation": "append", "append": "More."}, "`append` is no object"),
    "no target": ({"operation": "append", "append": {"body": "x"}}, "target.slug"),
    "a target of the wrong kind": ({**APPEND, "target": 3}, "`target` is no object"),
    "a slug of the wrong kind": ({**APPEND, "target": {"slug": 3}}, "`slug` is no text"),
    "two targets": ({**APPEND, "append": {"slug": "project_y", "body": "x"}}, "two entries"),
    "no body": ({**APPEND, "append": {}}, "append.body"),
    "a blank body": ({**APPEND, "append": {"body": " \n"}}, "append.body"),
    "a body of the wrong kind": ({**APPEND, "append": {"body": ["x"]}}, "`body` is no text"),
    "a body with a NUL": ({**APPEND, "append": {"body": "a\0b"}}, "no text"),
    "a body with half a character": ({**APPEND, "append": {"body": "a\ud800"}}, "no text"),
    "a scope of the wrong kind": ({**APPEND, "scope": "me"}, "`scope` is no object"),
    "a workspace of the wrong kind": ({**APPEND, "scope": {"workspace": 3}}, "`workspace` is no text"),
    "a rationale of the wrong kind": ({**APPEND, "rationale": 3}, "`rationale` is no text"),
    "nothing to reclassify": ({"operation": "reclassify", "target": {"slug": "x"}, "reclassify": {}}, "neither"),
    "an unknown class": ({"operation": "reclassify", "target": {"slug": "x"}, "reclassify": {"class": "big"}}, "'big'"),
    "an unknown status": ({"operation": "reclassify", "target": {"slug": "x"}, "reclassify": {"status": "y"}}, "'y'"),
    "no kind": ({"operation": "link", "target": {"slug": "x"}, "link": {"to_slug": "y"}}, "link.kind"),
    "no far end": ({"operation": "link", "target": {"slug": "x"}, "link": {"kind": "relates_to"}}, "link.to_slug"),
    "no slug": (of_create(slug=...), "create.slug"),
    "a bad slug": (of_create(slug="Atom A!"), "no name"),
    "a slug without a topic": (of_create(slug="atom_"), "no name"),
    "slug and type disagree": (of_create(type="decision"), "type atom by its name"),
    "an unknown type": (of_create(type="fact", slug="fact_a"), "no type 'fact'"),
    "a status without a thread": (of_create(status="open"), "Only a thread"),
    "tags of the wrong kind": (of_create(tags=[1]), "`tags`"),
    "a created body missing": (of_create(body=...), "`body`"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_a_bad_entry_is_dropped_with_the_reason_and_the_rest_goes_on(case: str) -> None:
    entry, reason = BAD[case]
    assert reason in why(entry)
    read = read_proposals(delta(APPEND, entry, CREATE))
    assert [p.index for p in read.proposals] == [0, 2]
    assert [d.index for d in read.dropped] == [1]


def test_what_no_entry_could_keep_is_named() -> None:
    found = the_one(delta({**APPEND, "confidence": 0.9, "append": {"body": "x", "position": "top", "note": None}}))
    assert found.ignored == ("position", "confidence")
    assert the_one(delta(of_create(tags=["a", " a ", "b", ""], title="T"))).args["tags"] == ["a", "b"]


# -- suggestions --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("given_", "name"), [
    ({}, "atom_path_tests_assume"), ({"type": "negative"}, "negative_path_tests_assume"),
    ({"description": "añadir ¡ya!"}, "atom_a_adir_ya"), ({"description": "…"}, "atom_note"),
    ({"description": "word " * 30}, "atom_" + "_".join(["word"] * 12)), ({"description": "x" * 90}, "atom_" + "x" * 60),
])  # fmt: skip
def test_a_suggestion_without_a_slug_is_named_by_its_description(given_: dict[str, str], name: str) -> None:
    found = the_one([{"description": "Path tests assume /", "body": "Text.", **given_}])
    assert (found.about, found.named) == (name, True)
    assert found.args["type"] == name.partition("_")[0]


def test_names_made_up_differ_and_the_same_suggestion_keeps_its_name() -> None:
    entries = [
        {"description": "One", "body": "First."}, {"description": "One", "body": "Second."},
        {"description": "One", "body": "First."}, {"slug": "atom_one_2", "description": "x", "body": "Third."},
    ]  # fmt: skip
    names = [p.about for p in read_proposals(entries).proposals]
    assert names == ["atom_one", "atom_one_3", "atom_one", "atom_one_2"]


@pytest.mark.parametrize(("entry", "reason"), [
    ({"description": "no body"}, "`body`"), ({"body": "no description"}, "`description`"), ("text", "no object"),
    ({"description": "d", "body": "b", "type": "idea"}, "no type 'idea'"),
    ({"description": "d", "body": "b", "slug": "user x"}, "no name"),
    ({"description": "d", "body": "b", "slug": "atom_x", "type": "decision"}, "the type given is decision"),
])  # fmt: skip
def test_a_bad_suggestion_is_dropped(entry: Any, reason: str) -> None:
    read = read_proposals({"memorialize_suggestions": [entry, SUGGESTION]})
    assert [p.index for p in read.proposals] == [1]
    assert reason in read.dropped[0].why


def test_declared_types_count() -> None:
    entry = {"slug": "recipe_bread", "description": "Bread", "body": "Flour."}
    assert read_proposals([entry]).proposals == ()
    assert read_proposals([entry], ("atom", "recipe")).proposals[0].args["type"] == "recipe"


# -- any JSON -----------------------------------------------------------------------------------------------------

WORDS = st.sampled_from([
    "create", "append", "reclassify", "link", "slug", "body", "atom_x", "decision_y", "thread", "closed", "me", "",
    "\0", "memory_delta", "null", "\ud800", "{}", "[1]", "description",
])  # fmt: skip
KEYS = st.sampled_from([
    "operation", "append", "create", "reclassify", "link", "target", "scope", "slug", "body", "class", "status", "kind",
    "to_slug", "type", "description", "rationale", "version", "proposals", "memory_delta", "memorialize_suggestions",
    "raw_handoff_json", "tags", "workspace",
])  # fmt: skip
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | WORDS
ANY_JSON = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS | st.text(max_size=4), inner, max_size=6),
    max_leaves=25,
)  # fmt: skip
FITTING = st.builds(
    lambda verb, extra, payload: {**extra, "operation": verb, verb: payload},
    st.sampled_from(["create", "append", "reclassify", "link"]),
    st.dictionaries(KEYS, ANY_JSON, max_size=3), st.dictionaries(KEYS, ANY_JSON, max_size=6),
)  # fmt: skip


@given(ANY_JSON)
def test_no_json_raises(data: Any) -> None:
    read = read_proposals(data)
    assert read.given or read.notes


@given(st.lists(FITTING | ANY_JSON, max_size=6), st.sampled_from([1, 1, 1, 2, None]))
def test_every_entry_of_a_delta_is_kept_or_dropped(entries: list[Any], version: Any) -> None:
    read = read_proposals({"memory_delta": {"version": version, "proposals": entries}})
    assert sorted([p.index for p in read.proposals] + [d.index for d in read.dropped]) == list(range(len(entries)))
    for proposal in read.proposals:
        json.dumps(proposal.args).encode()
        assert proposal.about


@given(st.lists(st.dictionaries(KEYS, ANY_JSON, max_size=6) | ANY_JSON, max_size=6))
def test_every_suggestion_is_kept_or_dropped(entries: list[Any]) -> None:
    read = read_proposals({"memorialize_suggestions": entries})
    assert sorted([p.index for p in read.proposals] + [d.index for d in read.dropped]) == list(range(len(entries)))


@given(st.text(max_size=200))
def test_a_name_made_of_a_description_is_a_name(description: str) -> None:
    from memdesk.core.model import is_slug

    name = name_from("atom", description)
    assert is_slug(name)
    assert len(name) <= 70

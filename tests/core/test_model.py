"""The nouns: slugs, types, initiatives, edges, role words (DESIGN 1, 3.4; gaia/SPEC 5)."""

from __future__ import annotations

from dataclasses import fields

import pytest

from memdesk.core.model import (
    ACYCLIC_KINDS,
    EDGE_KINDS,
    PATCH_FIELDS,
    STATE_LABELS,
    Edge,
    Entry,
    EntryClass,
    State,
    Status,
    edge_key,
    edge_kind,
    edge_words,
    initiative_of_project,
    is_slug,
    normalise_initiative,
    role_label,
    slugify,
    type_of_name,
)


@pytest.mark.parametrize(
    ("name", "fits"),
    [
        ("atom_a", True),
        ("atom_a1_b", True),
        ("decision_2", True),
        ("comment_x", True),
        ("atom_", False),
        ("atom", False),
        ("_atom_x", False),
        ("atom_A", False),
        ("Atom_a", False),
        ("atom_a-b", False),
        ("atom_á", False),
        ("atom_a b", False),
        ("atom_a\n", False),
        ("thread_handoff", False),
        ("", False),
    ],
)
def test_a_slug_is_a_declared_type_and_a_topic(name: str, fits: bool) -> None:
    assert is_slug(name) is fits


def test_the_longest_declared_type_is_the_type() -> None:
    types = ("research", "research_note", "atom")
    assert type_of_name("research_note_x", types) == "research_note"
    assert type_of_name("research_x", types) == "research"
    assert type_of_name("research_notes", types) == "research"
    assert type_of_name("other_x", types) is None
    assert is_slug("research_note_x", types)
    # the topic of `research` may begin with what is another type's name only if that type does not fit
    assert type_of_name("research_note_", types) == "research_note" and not is_slug("research_note_", types)


@pytest.mark.parametrize(
    ("text", "stored"),
    [
        ("Niño", "ni_o"),
        ("Gaia System", "gaia_system"),
        ("--a--b--", "a_b"),
        ("X", "x"),
        ("日本語", None),
        ("", None),
        ("  ", None),
        (None, None),
        ("a_b", "a_b"),
        ("a__b", "a_b"),
    ],
)
def test_an_initiative_is_normalised_as_gaia_does(text: str | None, stored: str | None) -> None:
    assert normalise_initiative(text) == stored


@pytest.mark.parametrize(
    ("ref", "initiative"),
    [
        ("/x/My-Repo/.git", "my_repo"),
        ("github.com/acme/diagram-builder", "diagram_builder"),
        ("github.com/acme/tool.git", "tool"),
        ("/x/repo/", "repo"),
        ("/x/日本/.git", None),
        ("", None),
        (None, None),
    ],
)
def test_the_initiative_of_a_project_is_its_last_segment(ref: str | None, initiative: str | None) -> None:
    assert initiative_of_project(ref) == initiative


def test_slugify_may_leave_nothing() -> None:
    assert slugify("Ünïcode & more!") == "n_code_more"
    assert slugify("¡!") == ""


def test_status_and_state_share_no_value_so_one_flag_may_take_either() -> None:
    assert not {str(s) for s in Status} & {str(s) for s in State}


@pytest.mark.parametrize(
    ("klass", "status", "type_", "words"),
    [
        ("thread", "carry_forward", "project", "For this session"),
        ("thread", "open", "project", "Open threads"),
        ("thread", "closed", "project", "Closed"),
        ("thread", "graduated", "project", "Graduated"),
        ("thread", None, "project", "Threads without a status"),
        ("thread", "weird", "project", "Threads without a status"),
        ("anchor", None, "user", "About you"),
        ("anchor", None, "decision", "What we know"),
        ("log", None, "user", "Log"),
        (EntryClass.THREAD, Status.OPEN, "user", "Open threads"),
    ],
)
def test_screens_speak_of_roles(klass: str, status: str | None, type_: str, words: str) -> None:
    assert role_label(klass, status, type_) == words


def test_every_state_has_a_word() -> None:
    assert {STATE_LABELS[s] for s in State} == {"current", "replaced", "deleted"}


def test_a_symmetric_edge_is_one_whichever_end_comes_first() -> None:
    assert edge_key("b", "relates_to", "a") == edge_key("a", "related_to", "b") == ("a", "related_to", "b")
    assert edge_key("b", "supersedes", "a") == ("b", "supersedes", "a")
    assert Edge("b", "related_to", "a").key == Edge("a", "related_to", "b").key
    assert Edge("a", "x", "b", created_at="1") == Edge("a", "x", "b", created_at="2")


def test_unknown_edge_kinds_are_kept_and_read_as_words() -> None:
    assert edge_kind("blocks") == "blocks"
    assert edge_words("blocked_by") == "blocked by"
    assert edge_words("blocked_by", inbound=True) == "has “blocked by” from"


def test_every_built_in_edge_reads_as_a_sentence_from_both_ends() -> None:
    assert edge_words("supersedes") == "replaces"
    assert edge_words("supersedes", inbound=True) == "is replaced by"
    for kind in EDGE_KINDS:
        assert "_" not in edge_words(kind) and "_" not in edge_words(kind, inbound=True)
    assert set(EDGE_KINDS) - ACYCLIC_KINDS == {"related_to"}


def entry(**changes: object) -> Entry:
    values: dict[str, object] = {f.name: None for f in fields(Entry)}
    values |= {"id": "1", "workspace": "w", "name": "atom_a", "klass": EntryClass.THREAD, "status": Status.OPEN}
    values |= {"state": State.ACTIVE, "display_name": "", "tags": ()}
    return Entry(**(values | changes))  # type: ignore[arg-type]


def test_an_entry_is_called_by_its_display_name_where_a_clash_gave_one() -> None:
    assert entry().ref == "w/atom_a"
    assert entry(display_name="atom_a~2").ref == "w/atom_a~2"


def test_a_live_thread_is_active_and_open_or_carried_forward() -> None:
    assert entry().is_live and entry(status=Status.CARRY_FORWARD).is_live
    assert not entry(status=Status.CLOSED).is_live
    assert not entry(state=State.SUPERSEDED).is_live
    assert not entry(status=None).is_live


def test_every_patch_field_is_a_field_of_an_entry() -> None:
    names = {f.name for f in fields(Entry)}
    assert {("klass" if f == "class" else f) for f in PATCH_FIELDS} <= names

"""link, unlink, supersede, graduate: DESIGN 3.4."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from memdesk.core.config import Config
from memdesk.core.desk import Actor, Desk
from memdesk.core.errors import EdgeRefused, ErrMemoryEdgeChainTooDeep, InvalidValue, NeedsApproval
from memdesk.core.hosts import Hosts
from memdesk.core.model import State
from memdesk.core.store import Store


@pytest.fixture
def desk(store: Store) -> Iterator[Desk]:
    made = Desk(store, Actor("user:ana", on_terminal=True), Hosts(store), Config(edge_depth=5, edges_per_memory=4))
    for name in "abcdefgh":
        made.add(name=f"atom_{name}", body=name, description=name, workspace="lab")
    yield made


def test_a_link_is_idempotent_both_ways(desk: Desk) -> None:
    assert desk.link("atom_a", "relates_to", "atom_b").action == "inserted"
    assert desk.link("atom_a", "related_to", "atom_b").action == "noop"
    assert desk.link("atom_b", "related_to", "atom_a").action == "noop", "(a, b) and (b, a) are one edge"
    assert desk.unlink("atom_b", "related_to", "atom_a").action == "deleted"
    assert desk.unlink("atom_a", "related_to", "atom_b").action == "noop"


def test_any_word_is_a_kind(desk: Desk) -> None:
    desk.link("atom_a", "blocks", "atom_b")
    assert [e.kind for e in desk.store.edges_of(desk.find("atom_a").id)] == ["blocks"]


def test_replacing_hides_the_old_entry_and_unlinking_does_not_bring_it_back(desk: Desk) -> None:
    desk.supersede("atom_a", by="atom_b")
    assert desk.find("atom_a").state is State.SUPERSEDED
    receipt = desk.unlink("atom_b", "supersedes", "atom_a")
    assert desk.find("atom_a").state is State.SUPERSEDED
    assert any("--status active" in w for w in receipt.warnings)
    assert desk.edit("atom_a", state="active").entry.state is State.ACTIVE


def test_undoing_a_supersede_brings_it_back(desk: Desk) -> None:
    desk.supersede("atom_a", by="atom_b")
    desk.undo()
    assert desk.find("atom_a").state is State.ACTIVE
    assert desk.store.edges_of(desk.find("atom_a").id) == []


def test_the_older_replacing_the_newer_stops_and_shows_both_readings(desk: Desk) -> None:
    with pytest.raises(EdgeRefused) as caught:
        desk.link("atom_a", "supersedes", "atom_b")
    assert caught.value.stable_code == "supersede_direction"
    assert caught.value.extra["commands"] == [
        "memdesk link atom_b supersedes atom_a",
        "memdesk link atom_a supersedes atom_b --force",
    ]
    assert desk.find("atom_b").state is State.ACTIVE
    desk.link("atom_a", "supersedes", "atom_b", force=True)
    assert desk.find("atom_b").state is State.SUPERSEDED


@pytest.mark.parametrize("kind", ["supersedes", "child_of", "derived_from", "graduated_to"])
def test_circles_are_refused(desk: Desk, kind: str) -> None:
    desk.link("atom_c", kind, "atom_b", force=True)
    desk.link("atom_b", kind, "atom_a", force=True)
    with pytest.raises(EdgeRefused) as caught:
        desk.link("atom_a", kind, "atom_c", force=True)
    assert caught.value.stable_code == "edge_cycle"
    with pytest.raises(EdgeRefused):
        desk.link("atom_a", kind, "atom_a", force=True)


def test_related_entries_may_form_a_circle(desk: Desk) -> None:
    for a, b in ("ab", "bc", "ca"):
        desk.link(f"atom_{a}", "related_to", f"atom_{b}")


def test_one_parent(desk: Desk) -> None:
    desk.link("atom_c", "child_of", "atom_a")
    desk.link("atom_d", "child_of", "atom_a")
    with pytest.raises(EdgeRefused) as caught:
        desk.link("atom_c", "child_of", "atom_b")
    assert caught.value.stable_code == "second_parent"


def test_a_chain_past_the_limit_is_refused_with_its_length(desk: Desk) -> None:
    for child, parent in ("fe", "ed", "dc", "cb", "ba"):
        desk.link(f"atom_{child}", "derived_from", f"atom_{parent}")
    for a, b in (("atom_g", "atom_f"), ("atom_a", "atom_h")):
        with pytest.raises(ErrMemoryEdgeChainTooDeep) as caught:
            desk.link(a, "derived_from", b)
        assert (caught.value.extra["length"], caught.value.extra["limit"]) == (6, 5)
        assert "edge_depth" in caught.value.hint


def test_outgoing_edges_are_limited(desk: Desk) -> None:
    for other in "bcde":
        desk.link("atom_a", "related_to", f"atom_{other}")
    with pytest.raises(ErrMemoryEdgeChainTooDeep) as caught:
        desk.link("atom_a", "derived_from", "atom_f")
    assert caught.value.extra["limit"] == 4
    desk.link("atom_a", "related_to", "atom_b"), "an edge that stands is never refused"


def test_an_agent_may_not_replace_a_decision(desk: Desk, agent: Desk) -> None:
    desk.add(name="decision_x", body="x", description="x", workspace="lab")
    agent.add(name="decision_y", body="y", description="y", workspace="lab")
    for ask in (
        lambda: agent.supersede("decision_x", by="decision_y"),
        lambda: agent.link("decision_y", "supersedes", "decision_x"),
    ):
        with pytest.raises(NeedsApproval) as caught:
            ask()
        assert caught.value.extra["request_id"].startswith("req_")
    assert desk.find("decision_x").state is State.ACTIVE
    assert len(desk.requests()) == 2


def test_graduating_into_a_new_anchor_is_one_operation(desk: Desk) -> None:
    desk.add(name="project_t", body="t", description="t", klass="thread", initiative="x", workspace="lab")
    before = len(desk.store.operations())
    anchor = {"name": "atom_learned", "body": "What stays.", "description": "d"}
    desk.graduate("project_t", anchor=anchor)
    thread, made = desk.find("project_t"), desk.find("atom_learned")
    assert (thread.status, made.klass, made.initiative) == ("graduated", "anchor", "x")
    assert [(e.source, e.kind, e.target) for e in desk.store.edges_of(made.id)] == [
        (thread.id, "graduated_to", made.id)
    ]
    assert len(desk.store.operations()) == before + 1
    desk.undo()
    assert desk.find("project_t").status == "carry_forward"
    assert desk.find("atom_learned").state is State.PURGED


def test_a_kind_is_a_word_that_can_be_seen_and_no_second_spelling_of_a_built_in_one(desk: Desk) -> None:
    for kind in ("", "  ", "a\nb", "supersedes\u200b"):
        with pytest.raises(InvalidValue):
            desk.link("atom_b", kind, "atom_a")
    assert desk.link("atom_b", "SUPERSEDES", "atom_a").edges[0].kind == "supersedes"
    assert desk.find("atom_a").state is State.SUPERSEDED


def test_a_deleted_entry_replaces_nothing(desk: Desk) -> None:
    desk.delete("atom_b")
    for replace in (lambda: desk.supersede("atom_a", by="atom_b"), lambda: desk.link("atom_b", "supersedes", "atom_a")):
        with pytest.raises(EdgeRefused):
            replace()
    assert desk.find("atom_a").state is State.ACTIVE

"""The graph through the desk: whom an entry may be linked to, mending, lineages, and who may do it."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memdesk.core.config import Config
from memdesk.core.desk import Actor, Desk
from memdesk.core.errors import EdgeRefused, NeedsApproval, NotFound, Stale, UsageError
from memdesk.core.events import EDGE_ADD, Clock
from memdesk.core.hosts import Hosts
from memdesk.core.model import CHILD_OF, RELATED_TO, SUPERSEDES
from memdesk.core.policy import Role
from memdesk.core.store import Store


@pytest.fixture
def desk(store: Store) -> Iterator[Desk]:
    made = Desk(store, Actor("user:ana", on_terminal=True), Hosts(store), Config(edge_depth=4, edges_per_memory=3))
    for name in "abcdefgh":
        made.add(name=f"atom_{name}", body=name, description=f"about {name}", workspace="lab")
    yield made


@pytest.fixture
def ids(desk: Desk) -> Callable[[str], str]:
    return lambda name: desk.find(f"atom_{name}").id


def merged(desk: Desk, *edges: tuple[str, str, str]) -> None:
    """Edges as another machine's events bring them: no rule is asked."""
    with desk.store.transaction() as tx:
        tx.begin("receive", "Merged", actor="user:bob", role="user")
        for source, kind, target in edges:
            tx.write(EDGE_ADD, {"from_id": source, "edge_kind": kind, "to_id": target})


def reasons(desk: Desk, ref: str, kind: str, *, inbound: bool = False, text: str = "") -> dict[str, str]:
    offers = desk.offers(desk.wish(ref, kind, inbound=inbound), text)
    return {offer.row.name.removeprefix("atom_"): offer.why_not for offer in offers}


def test_what_would_close_a_circle_is_not_offered(desk: Desk) -> None:
    desk.link("atom_b", SUPERSEDES, "atom_a")
    desk.link("atom_c", SUPERSEDES, "atom_b")
    out = reasons(desk, "atom_a", SUPERSEDES)
    assert out["b"] == out["c"] == "A circle: it leads to atom_a already."
    assert out["d"] == "" and "a" not in out
    inward = reasons(desk, "atom_c", SUPERSEDES, inbound=True)
    assert inward["a"] == "A circle: atom_c leads to it already." and inward["d"] == ""
    assert reasons(desk, "atom_a", SUPERSEDES, inbound=True)["b"] == "That link is there already."


def test_what_the_limits_refuse_is_not_offered(desk: Desk) -> None:
    desk.link("atom_a", CHILD_OF, "atom_b")
    assert set(reasons(desk, "atom_a", CHILD_OF).values()) == {"atom_a is part of atom_b already."}
    assert reasons(desk, "atom_c", CHILD_OF, inbound=True)["a"] == "atom_a is part of atom_b already."
    for name in "def":
        desk.link("atom_h", RELATED_TO, f"atom_{name}")
    assert reasons(desk, "atom_h", RELATED_TO)["g"] == "atom_h has 3 outgoing links, the limit."
    assert reasons(desk, "atom_g", "blocks", inbound=True)["h"] == "atom_h has 3 outgoing links, the limit."
    for a, b in ("bc", "cd", "de"):
        desk.link(f"atom_{a}", CHILD_OF, f"atom_{b}")
    assert reasons(desk, "atom_e", CHILD_OF)["g"] == "A chain of more than 4 links."


@pytest.mark.parametrize("kind", [SUPERSEDES, CHILD_OF, RELATED_TO, "blocks"])
@pytest.mark.parametrize("inbound", [False, True])
def test_what_is_offered_can_be_linked_and_nothing_else(desk: Desk, kind: str, inbound: bool) -> None:
    merged(
        desk, *((desk.find(f"atom_{a}").id, k, desk.find(f"atom_{b}").id) for a, k, b in (
            ("a", CHILD_OF, "b"), ("b", CHILD_OF, "c"), ("d", CHILD_OF, "e"), ("e", SUPERSEDES, "a"),
            ("c", RELATED_TO, "a"), ("h", "blocks", "a"), ("h", "x", "b"), ("h", "y", "c"), ("f", SUPERSEDES, "e"),
        )),
    )  # fmt: skip
    for name, reason in reasons(desk, "atom_b", kind, inbound=inbound).items():
        source, target = (f"atom_{name}", "atom_b") if inbound else ("atom_b", f"atom_{name}")
        try:
            receipt = desk.link(source, kind, target, force=True)
        except EdgeRefused:
            assert reason, f"{source} {kind} {target} was offered"
        else:
            assert bool(reason) is not receipt.changed, f"{source} {kind} {target}: {reason or 'no reason'}"
            if receipt.changed:
                desk.undo()


def test_far_ends_are_found_by_typing(desk: Desk) -> None:
    desk.add(name="decision_elsewhere", body="x", description="about a lab coat", workspace="me")
    wish = desk.wish("atom_a", SUPERSEDES)
    assert [o.sentence for o in desk.offers(wish, "coat")] == ["atom_a replaces decision_elsewhere"]
    assert [o.row.name for o in desk.offers(wish, "elsew")] == ["decision_elsewhere"], "an unfinished word"
    assert desk.offers(wish, "coat", workspace="lab") == []
    assert len(desk.offers(wish, limit=3)) == 3


def test_mending_is_one_operation_and_undo_takes_it_back(desk: Desk, ids: Callable[[str], str]) -> None:
    for a, b in ("ba", "cb"):
        desk.link(f"atom_{a}", SUPERSEDES, f"atom_{b}")
    remove, add = [(ids("b"), SUPERSEDES, ids("a"))], [(ids("c"), SUPERSEDES, ids("a"))]
    receipt = desk.mend(remove=remove, add=add)
    assert receipt.summary == "Removed “atom_b replaces atom_a”, added “atom_c replaces atom_a”"
    assert {e.key for e in desk.store.edges()} == {(ids("c"), SUPERSEDES, ids("b")), *add}
    desk.undo()
    assert {e.key for e in desk.store.edges()} == {(ids("c"), SUPERSEDES, ids("b")), *remove}


def test_a_missing_end_can_be_cut_off(desk: Desk, ids: Callable[[str], str]) -> None:
    merged(desk, (ids("a"), RELATED_TO, "missing:lab/atom_gone"))
    (fault,) = desk.overview().faults("lab")
    (fix,) = desk.overview().fixes(fault)
    assert fix.label == "Remove “atom_a is related to atom_gone”"
    desk.mend(remove=[e.key for e in fix.remove])
    assert desk.store.edges() == [] and desk.overview().faults() == []


def test_mending_refuses_what_is_gone_and_what_would_close_a_circle(desk: Desk, ids: Callable[[str], str]) -> None:
    desk.link("atom_b", SUPERSEDES, "atom_a")
    edges = desk.store.edges()
    with pytest.raises(Stale):
        desk.mend(remove=[(ids("c"), SUPERSEDES, ids("a"))], add=[(ids("d"), SUPERSEDES, ids("a"))])
    with pytest.raises(EdgeRefused) as refused:
        desk.mend(add=[(ids("a"), SUPERSEDES, ids("b"))])
    assert refused.value.stable_code == "edge_cycle"
    with pytest.raises(NotFound):
        desk.mend(add=[(ids("a"), SUPERSEDES, "missing:lab/x")])
    assert desk.store.edges() == edges, "all or nothing"


def test_a_specialist_proposes_a_mend_and_approving_does_it(
    desk: Desk, ids: Callable[[str], str], specialist: Desk
) -> None:
    merged(desk, (ids("a"), RELATED_TO, "missing:lab/atom_gone"))
    with pytest.raises(NeedsApproval):
        specialist.mend(remove=[(ids("a"), RELATED_TO, "missing:lab/atom_gone")])
    (row,) = desk.requests()
    desk.mark_request_shown(row)
    desk.approve(row.request_id)
    assert desk.store.edges() == []


def test_an_orchestrator_asks_before_a_mend_replaces_a_decision(desk: Desk, as_role: Callable[..., Desk]) -> None:
    a = desk.add(name="decision_x", body="x", description="x", workspace="lab").entry.id
    with pytest.raises(NeedsApproval):
        as_role(Role.ORCHESTRATOR).mend(add=[(desk.find("atom_a").id, SUPERSEDES, a)])


def test_the_overview_is_used_again_until_an_edge_changes(desk: Desk) -> None:
    desk.link("atom_b", SUPERSEDES, "atom_a")
    first = desk.overview()
    desk.rename("atom_b", "atom_renamed")
    again = desk.overview(first)
    assert again.survey is first.survey and again.name(desk.find("atom_renamed").id) == "atom_renamed"
    desk.link("atom_c", SUPERSEDES, "atom_renamed")
    assert desk.overview(again).survey is not first.survey
    desk.undo()
    assert desk.overview(again).survey.tops == first.survey.tops


def test_a_lineage_leaves_out_groups_and_relations(desk: Desk) -> None:
    desk.link("atom_b", SUPERSEDES, "atom_a")
    desk.link("atom_c", "graduated_to", "atom_b")
    desk.link("atom_d", RELATED_TO, "atom_b")
    desk.link("atom_b", CHILD_OF, "atom_e")
    story = desk.lineage_story("atom_a")
    assert {e.name for e in story.entries.values()} == {"atom_a", "atom_b", "atom_c"}
    assert [m.timestamp for m in story.timeline] == sorted(m.timestamp for m in story.timeline)


def test_the_exported_graph_holds_links_of_one_workspace(desk: Desk) -> None:
    desk.add(name="atom_me", body="x", description="x", workspace="me")
    desk.add(name="atom_far", body="x", description="x", workspace="me")
    desk.link("atom_a", RELATED_TO, "atom_me")
    desk.link("atom_me", RELATED_TO, "atom_far")
    nodes, edges = desk.graph_of(workspace="lab")
    assert [(n.workspace, n.name) for n in nodes] == [("lab", "atom_a"), ("me", "atom_me")] and len(edges) == 1
    assert len(desk.graph_of()[1]) == 2 and desk.graph_of(kinds=["blocks"]) == ([], [])


def test_a_tree_of_negative_depth_is_wrong_usage(desk: Desk) -> None:
    with pytest.raises(UsageError):
        desk.edge_tree("atom_a", depth=-1)


def test_an_exchange_of_older_edges_is_noticed(tmp_path: Path) -> None:
    def clock(start: int) -> Clock:
        ticks = itertools.count(start, 1000)
        return Clock(lambda: next(ticks))

    with (
        Store.open(tmp_path / "one", clock=clock(1_790_000_000_000)) as here,
        Store.open(tmp_path / "two", clock=clock(1_790_000_000_000)) as there,
    ):
        there.add_workspace("lab")
        desk = Desk(here, Actor("user:ana"), Hosts(here), Config())
        far = Desk(there, Actor("user:bo"), Hosts(there), Config())
        for name in "abc":
            far.add(name=f"atom_{name}", body=name, description=name, workspace="lab")
        far.link("atom_a", "derived_from", "atom_b")
        far.link("atom_b", "derived_from", "atom_c")
        here.receive(list(there.events()))
        here.clock = clock(1_795_000_000_000)
        desk.link("atom_c", "about", "atom_a")
        known = desk.overview()
        far.unlink("atom_a", "derived_from", "atom_b")
        far.link("atom_c", "derived_from", "atom_a")
        here.receive(list(there.events()))
        again = desk.overview(known)
        assert again.tops("derived_from") != known.tops("derived_from")


@pytest.mark.parametrize("kind", [RELATED_TO, SUPERSEDES, "about"])
def test_mending_links_nothing_to_itself(desk: Desk, ids: Callable[[str], str], kind: str) -> None:
    with pytest.raises(EdgeRefused):
        desk.mend(add=[(ids("a"), kind, ids("a"))])
    assert desk.store.edges() == []

"""Trees over any edges end, open each node once, and mark what is wrong (DESIGN 3.4; issue "edge tree navigator")."""

from __future__ import annotations

import itertools
import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from linked_events import START_MS, entries, entry_id, links

from memdesk.core.desk import Actor, Desk
from memdesk.core.events import Clock
from memdesk.core.faults import FaultKind, Survey, down, fault_words, fixes, survey
from memdesk.core.graph import adjacency, longest
from memdesk.core.model import (
    ACYCLIC_KINDS,
    CHILD_OF,
    DERIVED_FROM,
    EDGE_KINDS,
    GRADUATED_TO,
    RELATED_TO,
    SUPERSEDES,
    Edge,
)
from memdesk.core.tree import Direction, EdgesAt, Follow, Place, grow, guides

EVERY = Follow()
NAMES = list("abcdefgh")


def at(edges: Sequence[Edge]) -> EdgesAt:
    table: dict[str, list[Edge]] = defaultdict(list)
    for edge in edges:
        for node in {edge.source, edge.target}:
            table[node].append(edge)
    return lambda nodes: {node: table[node] for node in nodes}


def tree(root: str, edges: Sequence[Edge], follow: Follow = EVERY, depth: int = 999) -> list[Place]:
    return grow([root], at(edges), lambda node, here: here < depth, follow)


def drawn(places: Sequence[Place]) -> list[str]:
    def row(place: Place) -> str:
        words = f"{place.step.words} " if place.step else ""
        return f"{guides(place)}{words}{place.node}{'*' * (place.first is not None)}{'@' * place.closes}"

    return [row(place) for place in places]


def look(edges: Sequence[Edge], exists: set[str] | None = None, **limits: int) -> Survey:
    nodes = {end for e in edges for end in (e.source, e.target)}
    return survey(edges, nodes if exists is None else exists, **limits)


def kinds_at(found: Survey, node: str) -> set[str]:
    return {str(fault.kind) for fault in found.at.get(node, ())}


# -- what a tree looks like -----------------------------------------------------------------------------------------


def test_what_replaced_an_entry_comes_first_and_each_edge_is_a_sentence() -> None:
    edges = [
        Edge("a", RELATED_TO, "f"), Edge("a", DERIVED_FROM, "e"), Edge("a", CHILD_OF, "d"), Edge("a", SUPERSEDES, "c"),
        Edge("b", SUPERSEDES, "a"), Edge("a", GRADUATED_TO, "g"),
    ]  # fmt: skip
    assert drawn(tree("a", edges)) == [
        "a",
        "├─is replaced by b",
        "├─replaces c",
        "├─is part of d",
        "├─became g",
        "├─was distilled from e",
        "╰─is related to f",
    ]


def test_a_node_met_twice_opens_once_and_says_where_it_was_shown() -> None:
    edges = [Edge("b", CHILD_OF, "a"), Edge("c", CHILD_OF, "a"), Edge("d", CHILD_OF, "b"), Edge("d", CHILD_OF, "c")]
    places = tree("a", edges, Follow(frozenset({CHILD_OF}), Direction.IN))
    assert drawn(places) == [
        "a", "├─has the part b", "│  ╰─has the part d", "╰─has the part c", "   ╰─has the part d*",
    ]  # fmt: skip
    assert places[4].first == places[2].key and not places[4].opened


def test_a_circle_ends_where_it_closes() -> None:
    edges = [Edge("a", SUPERSEDES, "b"), Edge("b", SUPERSEDES, "c"), Edge("c", SUPERSEDES, "a")]
    assert drawn(tree("a", edges, Follow(None, Direction.OUT))) == [
        "a", "╰─replaces b", "   ╰─replaces c", "      ╰─replaces a*@",
    ]  # fmt: skip
    assert drawn(tree("a", [Edge("a", SUPERSEDES, "a")])) == ["a", "╰─replaces a*@"]


def test_the_way_back_along_an_edge_is_not_a_branch_but_another_edge_is() -> None:
    assert drawn(tree("a", [Edge("b", SUPERSEDES, "a")])) == ["a", "╰─is replaced by b"]
    both = [Edge("b", SUPERSEDES, "a"), Edge("a", RELATED_TO, "b")]
    assert drawn(tree("a", both)) == [
        "a", "├─is replaced by b", "│  ╰─is related to a*@", "╰─is related to b*",
    ]  # fmt: skip


@pytest.mark.parametrize(("direction", "wanted"), [("out", "bd"), ("in", "cd"), ("both", "bcd")])
def test_direction_and_kind_narrow_a_tree(direction: str, wanted: str) -> None:
    edges = [Edge("a", SUPERSEDES, "b"), Edge("c", SUPERSEDES, "a"), Edge("a", RELATED_TO, "d")]
    places = tree("a", edges, Follow(None, Direction(direction)), depth=1)
    assert {p.node for p in places[1:]} == set(wanted), "a symmetric edge has no direction"
    only = tree("a", edges, Follow(frozenset({SUPERSEDES}), Direction(direction)), depth=1)
    assert {p.node for p in only[1:]} == set(wanted) - {"d"}


def test_a_node_that_the_depth_kept_shut_opens_where_it_stands_higher() -> None:
    edges = [Edge("a", "x", "b"), Edge("b", "x", "c"), Edge("a", "y", "c"), Edge("c", "x", "d")]
    places = tree("a", edges, Follow(None, Direction.OUT), depth=2)
    assert [(p.node, p.depth, p.opened) for p in places] == [
        ("a", 0, True), ("b", 1, True), ("c", 2, False), ("c", 1, True), ("d", 2, False),
    ]  # fmt: skip


def test_trees_of_one_list_have_keys_of_their_own() -> None:
    edges = [Edge("b", CHILD_OF, "a"), Edge("a", SUPERSEDES, "b")]
    keys = [p.key for name in ("one", "two") for p in grow(["a"], at(edges), lambda n, d: True, EVERY, name=name)]
    assert len(set(keys)) == len(keys)


def test_guides_of_a_deep_row_stay_narrow() -> None:
    places = tree("n0", [Edge(f"n{i}", "x", f"n{i + 1}") for i in range(200)])
    assert max(len(guides(p)) for p in places) < 40
    assert guides(places[150]).startswith("⋯140 ")


EDGES = st.builds(Edge, st.sampled_from(NAMES), st.sampled_from(EDGE_KINDS), st.sampled_from(NAMES))
GRAPHS = st.lists(EDGES, max_size=20)
FOLLOWS = st.builds(Follow, st.none() | st.frozensets(st.sampled_from(EDGE_KINDS)), st.sampled_from(Direction))


@settings(deadline=None)
@given(GRAPHS, FOLLOWS, st.sets(st.sampled_from(NAMES)), st.integers(0, 9))
def test_any_tree_ends_shows_each_edge_and_opens_each_node_once(
    edges: list[Edge], follow: Follow, opened: set[str], depth: int
) -> None:
    places = grow(NAMES, at(edges), lambda node, here: node in opened or here < depth, follow)
    keys = [p.key for p in places]
    # Twice the same edge between the same two stands twice only in lists of edges, never in a store.
    if len({e.key for e in edges}) == len(edges):
        assert len(set(keys)) == len(keys)
    opening = [p.node for p in places if p.opened]
    assert len(opening) == len(set(opening))
    order = {key: number for number, key in reversed(list(enumerate(keys)))}
    for number, place in enumerate(places):
        if place.first is not None:
            assert order[place.first] <= number and places[order[place.first]].node == place.node
        if place.parent is not None:
            assert place.parent.opened and place.depth == place.parent.depth + 1
    if depth == 9:  # everything opens
        shown = {p.step.edge.key for p in places if p.step}
        assert shown == {s.edge.key for n in NAMES for s in follow.steps(n, at(edges)([n])[n])}


# -- faults -----------------------------------------------------------------------------------------------------------


@settings(deadline=None)
@given(st.lists(EDGES, max_size=20, unique_by=lambda e: e.key), st.sets(st.sampled_from(NAMES)))
def test_every_fault_is_marked_and_nothing_else(edges: list[Edge], exists: set[str]) -> None:
    found = survey(edges, exists, depth_limit=3, links_limit=4)
    reach = {kind: _closure([e for e in edges if e.kind == kind]) for kind in EDGE_KINDS}
    for node in NAMES:
        marked = kinds_at(found, node)
        circle = any(node in reach[kind].get(node, set()) for kind in ACYCLIC_KINDS)
        parents = [e for e in edges if e.source == node and e.kind == CHILD_OF]
        leaving = [e for e in edges if e.source == node]
        touching = [e for e in edges if node in (e.source, e.target)]
        missing = any(e.source not in exists or e.target not in exists for e in touching)
        assert ("circle" in marked) is circle
        assert ("second_parent" in marked) is (len(parents) > 1)
        assert ("many_links" in marked) is (len(leaving) >= 4)
        assert ("missing_end" in marked) is missing
    for kind, tops in found.tops.items():
        follow = Follow(frozenset({kind}), Direction(down(kind)))
        shown = {p.step.edge.key for p in grow(tops, at(edges), lambda n, d: True, follow) if p.step}
        assert shown == {e.key for e in edges if e.kind == kind}, "a forest shows every edge of its kind"


def _closure(edges: list[Edge]) -> Mapping[str, set[str]]:
    """By the definition: repeated until nothing is added."""
    reach: dict[str, set[str]] = {n: {e.target for e in edges if e.source == n} for n in NAMES}
    for _ in NAMES:
        for node in NAMES:
            reach[node] |= {far for near in set(reach[node]) for far in reach[near]}
    return reach


@settings(deadline=None)
@given(GRAPHS)
def test_every_fix_mends_its_fault(edges: list[Edge]) -> None:
    edges = list({e.key: e for e in edges}.values())
    for _ in range(len(edges) + 1):
        found = look(edges, set(NAMES[:6]), depth_limit=50)
        if not found.listed:
            return
        first = fixes(found.listed[0], str)[0]
        before = len(edges)
        edges = [e for e in edges if e not in first.remove]
        assert len(edges) < before
    raise AssertionError("the first fix of each fault, over and over, must leave none")


@pytest.mark.parametrize("kind", sorted(ACYCLIC_KINDS))
@pytest.mark.parametrize("place", [0, 1, 5, 10])
def test_a_long_chain_gets_shorter_wherever_one_stands(kind: str, place: int) -> None:
    nodes = [f"n{i:02d}" for i in range(11)]
    edges = [Edge(a, kind, b) for a, b in itertools.pairwise(nodes)]
    found = look(edges, depth_limit=10)
    assert all(kinds_at(found, n) == {"long_chain"} for n in nodes)
    (fault,) = found.at[nodes[place]]
    assert (fault.length, fault.limit, fault.is_breach) == (10, 10, False)
    assert len([f for f in found.listed if f.kind is FaultKind.LONG_CHAIN]) == 1, "a chain is listed once"
    (fix,) = fixes(fault, str)
    after = [e for e in edges if e not in fix.remove] + list(fix.add)
    assert max(longest(adjacency(after, kind), node, 20) for node in nodes) == 9


def test_faults_as_sentences() -> None:
    edges = [
        Edge("a", SUPERSEDES, "b"), Edge("b", SUPERSEDES, "a"), Edge("c", CHILD_OF, "d"), Edge("c", CHILD_OF, "e"),
        Edge("f", DERIVED_FROM, "gone"), *(Edge("h", RELATED_TO, f"i{n}") for n in range(7)),
    ]  # fmt: skip
    nodes = {end for e in edges for end in (e.source, e.target)} - {"gone"}
    assert [fault_words(f, str) for f in look(edges, nodes, links_limit=8).listed] == [
        "A circle: a replaces b replaces a",
        "“f was distilled from gone”: gone is not there",
        "c is part of d and e; an entry has one parent",
        "h has 7 outgoing links; the limit is 8",
    ]
    crowded = look(edges, nodes, links_limit=8).at["h"][0]
    assert fixes(crowded, str) == []
    (fix,) = fixes(crowded, str, retired=lambda node: node in ("i1", "i2"))
    assert fix.label == "Remove the links to 2 entries that are no longer current" and len(fix.remove) == 2


# -- ten thousand, as a merge leaves them -----------------------------------------------------------------------------

MANY = 10_000


def test_ten_thousand_entries_after_a_merge(tmp_path: Path) -> None:
    """Random trees and lineages, with circles, missing ends, second parents, long chains and crowds planted by events
    of two machines: every fault is marked, and the tree of everything ends."""
    rng = random.Random(11)
    wanted = [
        (entry_id(n), rng.choice((CHILD_OF, SUPERSEDES, DERIVED_FROM)), entry_id(rng.randrange(n)))
        for n in range(1, MANY)
        if n >= 3000
    ]
    rings = [[entry_id(100 + 10 * i + j) for j in range(rng.randint(2, 6))] for i in range(20)]
    for ring in rings:
        wanted += [(a, SUPERSEDES, b) for a, b in zip(ring, [*ring[1:], ring[0]], strict=True)]
    ends = [(entry_id(400 + n), RELATED_TO, f"missing:me/atom_gone_{n}") for n in range(30)]
    parents = [(entry_id(500 + n), CHILD_OF, entry_id(600 + 2 * n + m)) for n in range(20) for m in (0, 1)]
    chain = [(entry_id(700 + n), GRADUATED_TO, entry_id(701 + n)) for n in range(40)]
    crowd = [(entry_id(800), RELATED_TO, entry_id(900 + n)) for n in range(70)]
    wanted += [*ends, *parents, *chain, *crowd]
    clock = Clock(lambda: START_MS + 10_000_000)
    with Desk.open(tmp_path / "store", Actor("user:ana", on_terminal=True), clock=clock) as desk:
        received = desk.store.receive([*entries(range(MANY)), *links(wanted)])
        assert not received.bad
        found = desk.overview()
        at_node = {node: {str(f.kind) for f in faults} for node, faults in found.survey.at.items()}
        assert all("circle" in at_node[node] for ring in rings for node in ring)
        assert all("missing_end" in at_node[source] & at_node[target] for source, _, target in ends)
        assert all("second_parent" in at_node[source] for source, _, _ in parents)
        assert all("long_chain" in at_node[source] for source, _, _ in chain)
        assert "many_links" in at_node[entry_id(800)]
        in_circles = {node for node, kinds in at_node.items() if "circle" in kinds}
        assert in_circles == {node for ring in rings for node in ring}
        everything = {entry_id(n) for n in range(MANY)} | {target for _, _, target in ends}
        tops = [top for kind in found.kinds() for top in found.tops(kind)]
        places = desk.branches(tops, everything, EVERY)
        edges = {edge.key for edge in desk.store.edges()}
        assert len(edges) == len({e for e in wanted})
        assert {p.step.edge.key for p in places if p.step} == edges
        assert len([p for p in places if p.opened]) == len({p.node for p in places})


@settings(max_examples=15, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 5), st.sampled_from(EDGE_KINDS), st.integers(0, 7)), max_size=14, unique=True))
def test_what_two_machines_link_is_marked_and_mended(
    tmp_path_factory: pytest.TempPathFactory, wanted: list[tuple[int, str, int]]
) -> None:
    folder = tmp_path_factory.mktemp("merge")
    clock = Clock(lambda: START_MS + 10_000_000)
    with Desk.open(folder / "store", Actor("user:ana", on_terminal=True), clock=clock) as desk:
        # Six entries are there; six and seven are known by their ids only.
        desk.store.receive([*entries(range(6)), *links((entry_id(a), k, entry_id(b)) for a, k, b in wanted)])
        for _ in range(30):
            found = desk.overview()
            faults = found.faults("me")
            if not faults:
                break
            fix = found.fixes(faults[0])[0]
            desk.mend(remove=[e.key for e in fix.remove], add=[e.key for e in fix.add])
        assert desk.overview().faults() == []

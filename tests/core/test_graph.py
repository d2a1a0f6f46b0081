"""Circles, chain lengths, parents, walks, trees and lineage (DESIGN 3.4; thrum/SPEC 8)."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memdesk.core.graph import (
    Branch,
    adjacency,
    crowded,
    cycles,
    lineage,
    longest,
    reaches,
    role,
    several_parents,
    tree,
    walk,
    would_cycle,
)
from memdesk.core.model import CHILD_OF, DERIVED_FROM, GRADUATED_TO, RELATED_TO, SUPERSEDES, Edge


def chain(*nodes: str, kind: str = SUPERSEDES) -> list[Edge]:
    return [Edge(a, kind, b) for a, b in itertools.pairwise(nodes)]


def long(edges: int) -> list[Edge]:
    return chain(*(f"n{i:05d}" for i in range(edges + 1)))


GRAPHS = st.lists(
    st.builds(Edge, st.sampled_from("abcdef"), st.sampled_from([SUPERSEDES, CHILD_OF]), st.sampled_from("abcdef")),
    max_size=14,
)


def test_an_edge_that_closes_a_circle_is_found_and_other_kinds_do_not_count() -> None:
    edges = chain("a", "b", "c")
    assert would_cycle(edges, "c", SUPERSEDES, "a")
    assert would_cycle(edges, "b", SUPERSEDES, "a")
    assert would_cycle(edges, "a", SUPERSEDES, "a")
    assert not would_cycle(edges, "a", SUPERSEDES, "c")
    assert not would_cycle(edges, "c", CHILD_OF, "a")


@given(GRAPHS, st.sampled_from("abcdef"), st.sampled_from("abcdef"))
def test_an_edge_is_refused_exactly_when_a_circle_would_go_through_it(edges: list[Edge], a: str, b: str) -> None:
    with_it = cycles([*edges, Edge(a, SUPERSEDES, b)], SUPERSEDES)
    through = any(a in group and b in group for group in with_it)
    assert would_cycle(edges, a, SUPERSEDES, b) == through


@given(GRAPHS)
def test_circles_are_found_exactly(edges: list[Edge]) -> None:
    grouped = {node for group in cycles(edges, SUPERSEDES) for node in group}
    step = adjacency(edges, SUPERSEDES)
    for node in "abcdef":
        assert (node in grouped) == any(reaches(step, further, node) for further in step(node))


def test_circles_are_named_smallest_first() -> None:
    edges = chain("c", "b", "c") + chain("z", "y", "x", "z") + chain("s", "s") + chain("a", "b")
    assert cycles(edges, SUPERSEDES) == [["b", "c"], ["s"], ["x", "y", "z"]]
    assert cycles(edges, CHILD_OF) == []


def test_a_circle_longer_than_pythons_stack_is_found() -> None:
    edges = [*long(5000), Edge("n05000", SUPERSEDES, "n00000")]
    assert len(cycles(edges, SUPERSEDES)[0]) == 5001
    assert longest(adjacency(edges, SUPERSEDES), "n00000", 32) == 33


@pytest.mark.parametrize(("edges", "length"), [(0, 0), (1, 1), (31, 31), (32, 32), (33, 33), (40, 33), (5000, 33)])
def test_the_longest_chain_is_measured_up_to_one_past_the_limit(edges: int, length: int) -> None:
    assert longest(adjacency(long(edges), SUPERSEDES), "n00000", 32) == length
    assert longest(adjacency(long(edges), SUPERSEDES, inbound=True), f"n{edges:05d}", 32) == length


def test_a_chain_past_the_limit_is_not_walked_to_its_end() -> None:
    asked: list[str] = []
    table = adjacency(long(5000), SUPERSEDES)
    assert longest(lambda node: asked.append(node) or table(node), "n00000", 32) == 33
    assert len(asked) < 40


def test_the_longest_of_several_ways_counts_also_behind_a_shared_node() -> None:
    edges = chain("a", "d", "e", "f") + chain("a", "b", "c", "d")
    assert longest(adjacency(edges, SUPERSEDES), "a", 32) == 5
    assert longest(adjacency(edges, SUPERSEDES), "a", 5) == 5
    assert longest(adjacency(edges, SUPERSEDES), "a", 4) == 5


def test_a_chain_in_a_circle_is_past_every_limit() -> None:
    assert longest(adjacency(chain("x", "a", "b", "a"), SUPERSEDES), "x", 32) == 33


def test_many_ways_to_one_node_cost_no_more_than_their_edges() -> None:
    edges = [
        Edge(f"{i}{side}", SUPERSEDES, f"{i + 1}{further}") for i in range(30) for side in "ab" for further in "ab"
    ]
    asked = 0
    table = adjacency(edges, SUPERSEDES)

    def counted(node: str) -> object:
        nonlocal asked
        asked += 1
        return table(node)

    assert longest(counted, "0a", 32) == 30  # type: ignore[arg-type]
    assert asked < 200


def test_entries_with_several_parents_and_with_too_many_edges_are_named() -> None:
    edges = [Edge("a", CHILD_OF, "y"), Edge("a", CHILD_OF, "x"), Edge("b", CHILD_OF, "x"), Edge("b", SUPERSEDES, "a")]
    assert several_parents(edges) == {"a": ["x", "y"]}
    assert crowded(edges, 2) == {} and crowded(edges, 1) == {"a": 2, "b": 2}
    many = [Edge("m", "mentions", f"n{i}") for i in range(65)]
    assert crowded(many) == {"m": 65} and crowded(many[:64]) == {}


def test_a_walk_goes_both_ways_nearest_first_and_each_node_once() -> None:
    edges = [
        *chain("new", "seed", "old"),
        Edge("seed", DERIVED_FROM, "src"),
        Edge("old", CHILD_OF, "top"),
        Edge("src", RELATED_TO, "old"),
    ]
    found = [(v.node, v.depth, v.role, v.parent) for v in walk("seed", edges, 2)]
    assert found == [
        ("seed", 0, "queried", None),
        ("new", 1, "successor", "seed"),
        ("src", 1, "source", "seed"),
        ("old", 1, "superseded", "seed"),
        ("top", 2, "parent", "old"),
    ]
    assert [v.node for v in walk("seed", edges, 0)] == ["seed"]
    assert [v.node for v in walk("seed", edges, 5, {SUPERSEDES})] == ["seed", "new", "old"]
    assert [v.node for v in walk("alone", edges, 5)] == ["alone"]


@given(GRAPHS, st.sampled_from("abcdef"))
def test_a_walk_far_enough_finds_everything_connected_and_ends_on_any_graph(edges: list[Edge], seed: str) -> None:
    found = walk(seed, edges, 9)
    both = adjacency(
        [Edge(e.source, "x", e.target) for e in edges] + [Edge(e.target, "x", e.source) for e in edges], "x"
    )
    assert {v.node for v in found} == {n for n in "abcdef" if reaches(both, seed, n)}
    depths = {v.node: v.depth for v in found}
    assert all(v.parent is None or depths[v.parent] == v.depth - 1 for v in found)


@pytest.mark.parametrize(
    ("kind", "out", "back"),
    [
        (SUPERSEDES, "superseded", "successor"),
        (GRADUATED_TO, "graduation_target", "graduated_thread"),
        (DERIVED_FROM, "source", "derivative"),
        (CHILD_OF, "parent", "child"),
        (RELATED_TO, "related", "related"),
        ("mentions", "related", "related"),
    ],
)
def test_roles_are_gaias_words(kind: str, out: str, back: str) -> None:
    assert (role(kind, outward=True), role(kind, outward=False)) == (out, back)


def test_a_tree_has_parents_before_children_and_a_circle_ends_in_a_repeated_row() -> None:
    edges = [Edge("b", CHILD_OF, "a"), Edge("c", CHILD_OF, "a"), Edge("d", CHILD_OF, "b"), Edge("a", CHILD_OF, "d")]
    rows = tree("a", adjacency(edges, CHILD_OF, inbound=True))
    assert rows == [Branch("a", 0), Branch("b", 1), Branch("d", 2), Branch("a", 3, repeated=True), Branch("c", 1)]
    assert len(tree("n00000", adjacency(long(5000), SUPERSEDES), limit=50)) == 50


def test_lineage_tells_what_an_entry_replaced_and_what_replaced_it() -> None:
    edges = chain("e", "d", "c", "b", "a") + chain("d", "b2")
    assert lineage("c", edges) == (["b", "a"], ["d", "e"])
    assert lineage("d", edges) == (["c", "b2", "b", "a"], ["e"])
    assert lineage("x", chain("x", "y", "x")) == (["y"], ["y"])

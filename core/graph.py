"""Edges as a graph: circles, chain lengths, parents, trees and lineage. Pure.

The checks take a function that names a node's neighbours, so that a caller with an index asks only for the nodes on
the way; `adjacency` makes such a function from a list of edges. A merge can bring in circles, second parents and chains
past a limit, so every walk here ends on any graph. Source: DESIGN 3.4; thrum/SPEC 8; gaia/SPEC 4 ("story").
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from .model import (
    CHILD_OF,
    DERIVED_FROM,
    EDGES_PER_MEMORY_LIMIT,
    GRADUATED_TO,
    SUPERSEDES,
    SYMMETRIC_KINDS,
    Edge,
)

Neighbours = Callable[[str], Iterable[str]]

#: What a node is, seen from the node that led to it: kind -> (as target, as source of the edge). gaia/SPEC 4, "story".
_ROLES: Final = {
    SUPERSEDES: ("superseded", "successor"),
    GRADUATED_TO: ("graduation_target", "graduated_thread"),
    DERIVED_FROM: ("source", "derivative"),
    CHILD_OF: ("parent", "child"),
}


def adjacency(edges: Iterable[Edge], kind: str, *, inbound: bool = False) -> Neighbours:
    """A function from a node to the nodes that its edges of one kind lead to (or, `inbound`, come from)."""
    table: dict[str, list[str]] = defaultdict(list)
    for edge in edges:
        if edge.kind == kind:
            if inbound:
                table[edge.target].append(edge.source)
            else:
                table[edge.source].append(edge.target)
    return lambda node: table.get(node, ())


# -- checks at write time -----------------------------------------------------------------------------------------


def reaches(neighbours: Neighbours, start: str, goal: str) -> bool:
    """Whether a way leads from `start` to `goal` (a node reaches itself). Depth-first, each node once."""
    seen = {start}
    todo = [start]
    while todo:
        node = todo.pop()
        if node == goal:
            return True
        for further in neighbours(node):
            if further not in seen:
                seen.add(further)
                todo.append(further)
    return False


def would_cycle(edges: Collection[Edge], source: str, kind: str, target: str) -> bool:
    """Whether adding the edge would close a circle of its kind; a self edge is one."""
    return reaches(adjacency(edges, kind), target, source)


def longest(neighbours: Neighbours, start: str, limit: int) -> int:
    """The number of edges on the longest chain that leaves `start`; never more than `limit` + 1.

    Args:
        limit: what the caller compares with; a longer chain, and one that runs in a circle, both give `limit` + 1.
    """
    lengths: dict[str, int] = {}
    stack: list[tuple[str, Iterator[str]]] = [(start, iter(neighbours(start)))]
    while stack:
        node, further = stack[-1]
        step = next((n for n in further if n not in lengths), None)
        if step is None:
            stack.pop()
            lengths[node] = max((lengths[n] + 1 for n in neighbours(node)), default=0)
        elif len(stack) > limit:  # a circle comes here too
            return limit + 1
        else:
            stack.append((step, iter(neighbours(step))))
    return min(lengths[start], limit + 1)


# -- what a merge can bring in ------------------------------------------------------------------------------------


def cycles(edges: Iterable[Edge], kind: str) -> list[list[str]]:
    """Every group of nodes that lead in a circle along one kind, smallest node first, in order."""
    table: dict[str, list[str]] = defaultdict(list)
    loops: set[str] = set()
    for edge in edges:
        if edge.kind == kind:
            table[edge.source].append(edge.target)
            if edge.source == edge.target:
                loops.add(edge.source)
    groups = [g for g in _components(table) if len(g) > 1 or g[0] in loops]
    return sorted(sorted(g) for g in groups)


def _components(table: dict[str, list[str]]) -> Iterator[list[str]]:
    """Strongly connected groups (Tarjan), without recursion: a chain may be longer than Python's stack."""
    number: dict[str, int] = {}
    low: dict[str, int] = {}
    open_nodes: list[str] = []
    is_open: set[str] = set()
    for root in list(table):
        if root in number:
            continue
        number[root] = low[root] = len(number)
        open_nodes.append(root)
        is_open.add(root)
        work = [(root, iter(table.get(root, ())))]
        while work:
            node, further = work[-1]
            for step in further:
                if step not in number:
                    number[step] = low[step] = len(number)
                    open_nodes.append(step)
                    is_open.add(step)
                    work.append((step, iter(table.get(step, ()))))
                    break
                if step in is_open:
                    low[node] = min(low[node], number[step])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == number[node]:
                    group: list[str] = []
                    while not group or group[-1] != node:
                        group.append(open_nodes.pop())
                        is_open.discard(group[-1])
                    yield group


def several_parents(edges: Iterable[Edge]) -> dict[str, list[str]]:
    """Nodes with more than one `child_of` parent -> their parents in order."""
    parents: dict[str, list[str]] = defaultdict(list)
    for edge in sorted(edges):
        if edge.kind == CHILD_OF:
            parents[edge.source].append(edge.target)
    return {node: found for node, found in sorted(parents.items()) if len(found) > 1}


def crowded(edges: Iterable[Edge], limit: int = EDGES_PER_MEMORY_LIMIT) -> dict[str, int]:
    """Nodes with more than `limit` outgoing edges -> how many."""
    out: dict[str, int] = defaultdict(int)
    for edge in edges:
        out[edge.source] += 1
    return {node: count for node, count in sorted(out.items()) if count > limit}


# -- walks --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Visit:
    """A node on a walk.

    Attributes:
        node: its id.
        depth: edges away from the seed.
        role: what it is to the node that led to it; "queried" for the seed.
        via: the edge that led to it, None for the seed.
    """

    node: str
    depth: int
    role: str
    via: Edge | None = None

    @property
    def parent(self) -> str | None:
        """The node that led to it, None for the seed."""
        if self.via is None:
            return None
        return self.via.source if self.via.target == self.node else self.via.target


def walk(seed: str, edges: Iterable[Edge], depth: int, kinds: Collection[str] | None = None) -> list[Visit]:
    """Everything within `depth` edges of `seed`, in either direction, nearest first, each node once.

    Args:
        depth: 0 gives the seed alone.
        kinds: only these kinds of edge; all of them for None.
    """
    at: dict[str, list[Edge]] = defaultdict(list)
    for edge in sorted(edges):
        if kinds is None or edge.kind in kinds:
            at[edge.source].append(edge)
            if edge.target != edge.source:
                at[edge.target].append(edge)
    found = {seed: Visit(seed, 0, "queried")}
    level = [seed]
    for distance in range(1, depth + 1):
        reached: list[str] = []
        for node in level:
            for edge in at[node]:
                outward = edge.source == node
                further = edge.target if outward else edge.source
                if further not in found:
                    found[further] = Visit(further, distance, role(edge.kind, outward=outward), edge)
                    reached.append(further)
        level = reached
    return list(found.values())


def role(kind: str, *, outward: bool) -> str:
    """What the far end of an edge is: `outward` for its target, else its source."""
    if kind in SYMMETRIC_KINDS or kind not in _ROLES:
        return "related"
    return _ROLES[kind][0 if outward else 1]


@dataclass(frozen=True, slots=True)
class Branch:
    """A row of a tree as drawn: the node, how deep it stands, and whether the walk closed a circle there."""

    node: str
    depth: int
    repeated: bool = False


def tree(root: str, neighbours: Neighbours, limit: int = 1000) -> list[Branch]:
    """The tree below `root`, parents before children, siblings in the given order.

    A node that was already drawn stands there once more as `repeated`, without its branches, so circles end.

    Args:
        limit: the most rows to return.
    """
    rows: list[Branch] = []
    drawn: set[str] = set()
    todo = [Branch(root, 0)]
    while todo and len(rows) < limit:
        branch = todo.pop()
        if branch.node in drawn:
            rows.append(Branch(branch.node, branch.depth, repeated=True))
            continue
        drawn.add(branch.node)
        rows.append(branch)
        todo += [Branch(n, branch.depth + 1) for n in reversed(list(neighbours(branch.node)))]
    return rows


def lineage(node: str, edges: Collection[Edge], kind: str = SUPERSEDES) -> tuple[list[str], list[str]]:
    """(what it came from, what came of it) along one kind, each nearest first.

    For `supersedes`: the entries it replaced, directly or not, and those that replaced it.
    """
    return (
        _beyond(node, adjacency(edges, kind)),
        _beyond(node, adjacency(edges, kind, inbound=True)),
    )


def _beyond(start: str, neighbours: Neighbours) -> list[str]:
    found: dict[str, None] = {}
    level = [start]
    while level:
        reached: dict[str, None] = {}
        for node in level:
            reached |= dict.fromkeys(n for n in neighbours(node) if n != start and n not in found)
        found |= reached
        level = list(reached)
    return list(found)

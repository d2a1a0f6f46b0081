"""What is wrong with the edges of a store, and what mends it. Pure.

A merge can bring in a circle, a second parent, a chain past its limit, a 65th edge, and an edge whose far end is not
there (DESIGN 3.4). `survey` looks at all edges once, in time that grows with their number; each fault then is looked up
by the node it is shown at. A fix is a set of edges to remove and to add, done as one operation.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from .graph import cycles
from .model import (
    ACYCLIC_KINDS,
    CHILD_OF,
    EDGE_DEPTH_LIMIT,
    EDGES_PER_MEMORY_LIMIT,
    Edge,
    edge_words,
)

#: Node -> the name to show for it.
NameOf = Callable[[str], str]

#: A limit is near from seven eighths on: 28 of 32 edges of a chain, 56 of 64 edges of an entry.
_NEAR: Final = 7 / 8
#: Fixes offered for one fault, and names spelled out in its sentence.
_OFFERED: Final = 8
_NAMED: Final = 5


class FaultKind(StrEnum):
    """The stable codes of the faults."""

    CIRCLE = "circle"
    MISSING = "missing_end"
    SECOND_PARENT = "second_parent"
    LONG_CHAIN = "long_chain"
    MANY_LINKS = "many_links"


#: Two or three words for a row of a tree.
SHORT: Final[Mapping[FaultKind, str]] = {
    FaultKind.CIRCLE: "in a circle",
    FaultKind.MISSING: "missing end",
    FaultKind.SECOND_PARENT: "two parents",
    FaultKind.LONG_CHAIN: "long chain",
    FaultKind.MANY_LINKS: "many links",
}


@dataclass(frozen=True, slots=True)
class Fix:
    """One way to mend a fault.

    Attributes:
        label: what it does, as a sentence without its full stop.
        remove: edges to take away, first.
        add: edges to make, afterwards.
    """

    label: str
    remove: tuple[Edge, ...] = ()
    add: tuple[Edge, ...] = ()


@dataclass(frozen=True, slots=True)
class Fault:
    """Something wrong, or close to it.

    Attributes:
        kind: what.
        node: the node it is listed under.
        edge_kind: the kind of the edges it is about, "" for any.
        edges: the edges it is about. CIRCLE: those within it, newest first. MISSING: the one. SECOND_PARENT: those to
            the parents, oldest first. LONG_CHAIN: two neighbouring edges of the chain. MANY_LINKS: the outgoing ones.
        length: edges of the chain, or outgoing edges; 0 where it does not apply.
        limit: what `length` is measured by.
        ring: of a CIRCLE, the nodes of a way round, the first one repeated at the end.
    """

    kind: FaultKind
    node: str
    edge_kind: str = ""
    edges: tuple[Edge, ...] = ()
    length: int = 0
    limit: int = 0
    ring: tuple[str, ...] = ()

    @property
    def is_breach(self) -> bool:
        """Whether a rule is broken; False where a limit is only near."""
        return not self.limit or self.length > self.limit


@dataclass(frozen=True)
class Survey:
    """Everything found in one look over all edges.

    Attributes:
        listed: each fault once, in the order of its kind and node.
        at: node -> the faults that are marked there.
        tops: edge kind -> nodes from which all edges of that kind are reached: those that nothing leads to (against
            the direction in which a tree of the kind is read), and one of each circle that has no such node.
    """

    listed: tuple[Fault, ...] = ()
    at: Mapping[str, tuple[Fault, ...]] = field(default_factory=dict)
    tops: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def survey(
    edges: Iterable[Edge], exists: Container[str], *, depth_limit: int = EDGE_DEPTH_LIMIT,
    links_limit: int = EDGES_PER_MEMORY_LIMIT,
) -> Survey:  # fmt: skip
    """Look over all edges of a store.

    Args:
        edges: all of them, each once.
        exists: the ids of the entries that are there, deleted ones included.
        depth_limit: edges of the longest allowed chain (`memory.limits.edge_depth`).
        links_limit: outgoing edges allowed an entry (`memory.limits.edges_per_memory`).
    """
    by_kind: dict[str, list[Edge]] = defaultdict(list)
    out: dict[str, list[Edge]] = defaultdict(list)
    # By a key: comparing edges one by one costs ten times as much.
    for edge in sorted(edges, key=lambda e: (e.source, e.kind, e.target)):
        by_kind[edge.kind].append(edge)
        out[edge.source].append(edge)
    found = _Found()
    tops: dict[str, tuple[str, ...]] = {}
    for kind, group in by_kind.items():
        if kind in ACYCLIC_KINDS:
            found.along(kind, group, out, depth_limit)
        tops[kind] = _tops(kind, group)
    for node, leaving in out.items():
        found.parents(node, [e for e in leaving if e.kind == CHILD_OF])
        if len(leaving) >= links_limit * _NEAR:
            found.put(Fault(FaultKind.MANY_LINKS, node, "", tuple(leaving), len(leaving), links_limit), [node])
        for edge in leaving:
            if edge.source not in exists or edge.target not in exists:
                end = edge.target if edge.source in exists else edge.source
                found.put(Fault(FaultKind.MISSING, end, edge.kind, (edge,)), [edge.source, edge.target])
    return Survey(found.in_order(), {n: tuple(f) for n, f in found.at.items()}, tops)


def down(kind: str) -> str:
    """The direction in which a tree of one kind is read from its top: "in", "out" or "both" ways along its edges.

    Part-of trees and umbrella groups start at what the others point at; a replacement lineage at the newest entry.
    """
    if kind in ACYCLIC_KINDS:
        return "in" if kind != "supersedes" else "out"
    return "both" if kind == "related_to" else "out"


def group_edges(out: Mapping[str, Sequence[Edge]], kind: str, nodes: Sequence[str]) -> list[Edge]:
    """The edges of one kind among these nodes, newest first."""
    among = set(nodes)
    inside = [e for n in nodes for e in out.get(n, ()) if e.kind == kind and e.target in among]
    return sorted(inside, key=lambda e: (e.created_at or "", e.key), reverse=True)


class _Found:
    """Collects faults while the edges are looked over."""

    def __init__(self) -> None:
        self.faults: list[Fault] = []
        self.at: dict[str, list[Fault]] = defaultdict(list)

    def put(self, fault: Fault, nodes: Iterable[str], *, listed: bool = True) -> None:
        if listed:
            self.faults.append(fault)
        for node in dict.fromkeys(nodes):
            self.at[node].append(fault)

    def in_order(self) -> tuple[Fault, ...]:
        order = list(FaultKind)
        return tuple(sorted(self.faults, key=lambda f: (order.index(f.kind), f.edge_kind, f.node, f.edges[:1])))

    def along(self, kind: str, edges: list[Edge], out: Mapping[str, Sequence[Edge]], limit: int) -> None:
        """Circles and long chains of one kind. Nearly always there is neither, and one pass shows it."""
        after, passed = _longest(edges, outward=True)
        if passed < len(edges):
            rings = cycles(edges, kind)
            inside = {node: number for number, ring in enumerate(rings) for node in ring}
            for ring in rings:
                self.circle(kind, ring, group_edges(out, kind, ring))
            edges = [e for e in edges if inside.get(e.source, -1) != inside.get(e.target, -2)]
            after, _ = _longest(edges, outward=True)
        if max((length for length, _ in after.values()), default=0) >= limit * _NEAR:
            self.chains(kind, edges, after, limit)

    def circle(self, kind: str, ring: list[str], inside: list[Edge]) -> None:
        fault = Fault(FaultKind.CIRCLE, ring[0], kind, tuple(inside), ring=_way_round(ring[0], inside))
        self.put(fault, ring)

    def parents(self, node: str, leaving: list[Edge]) -> None:
        if len(leaving) > 1:
            oldest_first = sorted(leaving, key=lambda e: (e.created_at or "", e.key))
            self.put(Fault(FaultKind.SECOND_PARENT, node, CHILD_OF, tuple(oldest_first)), [node])

    def chains(self, kind: str, edges: list[Edge], after: Mapping[str, tuple[int, Edge]], limit: int) -> None:
        """Mark every node of a chain near the limit; the chain is listed once, where it starts."""
        before, _ = _longest(edges, outward=False)
        for node in sorted(after.keys() | before.keys()):
            leaving = after[node][0] if node in after else 0
            arriving = before[node][0] if node in before else 0
            if leaving + arriving >= limit * _NEAR:
                pair = _pair(node, after, before)
                fault = Fault(FaultKind.LONG_CHAIN, node, kind, pair, leaving + arriving, limit)
                self.put(fault, [node], listed=arriving == 0)


def _longest(edges: list[Edge], *, outward: bool) -> tuple[dict[str, tuple[int, Edge]], int]:
    """Node -> (edges of the longest chain that leaves it, or arrives; its edge there); and the number of edges passed,
    which is all of them exactly where there is no circle."""
    nearer: dict[str, list[Edge]] = defaultdict(list)
    waiting: dict[str, int] = defaultdict(int)
    for edge in edges:
        near, far = (edge.source, edge.target) if outward else (edge.target, edge.source)
        nearer[far].append(edge)
        waiting[near] += 1
    found: dict[str, tuple[int, Edge]] = {}
    todo = [n for n in nearer if n not in waiting]
    passed = 0
    while todo:
        node = todo.pop()
        passed += len(nearer.get(node, ()))
        length = found[node][0] if node in found else 0
        for edge in nearer.get(node, ()):
            near = edge.source if outward else edge.target
            if near not in found or found[near][0] < length + 1:
                found[near] = (length + 1, edge)
            waiting[near] -= 1
            if not waiting[near]:
                todo.append(near)
    return found, passed


def _pair(node: str, after: Mapping[str, tuple[int, Edge]], before: Mapping[str, tuple[int, Edge]]) -> tuple[Edge, ...]:
    """Two neighbouring edges of the longest chain at a node, in the direction of the edges."""
    if node in after:
        first = after[node][1]
        if first.target in after:
            return (first, after[first.target][1])
        return (before[node][1], first) if node in before else (first,)
    last = before[node][1]
    return (before[last.source][1], last) if last.source in before else (last,)


def _way_round(start: str, inside: Sequence[Edge]) -> tuple[str, ...]:
    """The nodes of a shortest circle through a node, which stands at both ends."""
    further: dict[str, list[str]] = defaultdict(list)
    for edge in inside:
        further[edge.source].append(edge.target)
    came: dict[str, str] = {}
    todo = deque([start])
    while todo:
        node = todo.popleft()
        for step in sorted(further[node]):
            if step == start:
                way = [node]
                while way[-1] != start:
                    way.append(came[way[-1]])
                return (*reversed(way), start)
            if step not in came:
                came[step] = node
                todo.append(step)
    return (start, start)


def _tops(kind: str, edges: Sequence[Edge]) -> tuple[str, ...]:
    """The nodes a forest of one kind starts from; together they reach every edge."""
    way = down(kind)
    below: dict[str, list[str]] = defaultdict(list)
    led_to: set[str] = set()
    nodes: dict[str, None] = {}
    for edge in edges:
        high, low = (edge.target, edge.source) if way == "in" else (edge.source, edge.target)
        below[high].append(low)
        if way == "both":
            below[low].append(high)
        led_to.add(low)
        nodes |= {high: None, low: None}
    tops = [n for n in nodes if n not in led_to] if way != "both" else []
    seen = set(_spread(tops, below))
    # Most links first for a web without direction; else whoever is left lies in, or behind, a circle without a top.
    rest = sorted(nodes.keys() - seen, key=lambda n: (-len(below[n]) if way == "both" else 0, n))
    for node in rest:
        if node not in seen:
            seen.update(_spread([node], below))
            tops.append(node)
    return tuple(tops)


def _spread(starts: Sequence[str], below: Mapping[str, Sequence[str]]) -> Iterator[str]:
    seen = set(starts)
    todo = list(starts)
    while todo:
        node = todo.pop()
        yield node
        for step in below.get(node, ()):
            if step not in seen:
                seen.add(step)
                todo.append(step)


# -- in words -----------------------------------------------------------------------------------------------------


def sentence(edge: Edge, name: NameOf) -> str:
    """The edge as a sentence: "decision_new replaces decision_old"."""
    return f"{name(edge.source)} {edge_words(edge.kind)} {name(edge.target)}"


def fault_words(fault: Fault, name: NameOf) -> str:
    """What is wrong, as one sentence without its full stop."""
    if fault.kind is FaultKind.CIRCLE:
        words = f" {edge_words(fault.edge_kind)} "
        ring = [name(node) for node in fault.ring]
        shown = ring if len(ring) <= _NAMED + 1 else [*ring[: _NAMED - 1], f"… ({len(ring) - 1} in all)", ring[-1]]
        return f"A circle: {words.join(shown)}"
    if fault.kind is FaultKind.MISSING:
        return f"“{sentence(fault.edges[0], name)}”: {name(fault.node)} is not there"
    if fault.kind is FaultKind.SECOND_PARENT:
        parents = " and ".join(name(e.target) for e in fault.edges[:_NAMED])
        return f"{name(fault.node)} is part of {parents}; an entry has one parent"
    if fault.kind is FaultKind.LONG_CHAIN:
        words = edge_words(fault.edge_kind)
        return f"A chain of {fault.length} links “{words}” runs through {name(fault.node)}; the limit is {fault.limit}"
    return f"{name(fault.node)} has {fault.length} outgoing links; the limit is {fault.limit}"


def fixes(fault: Fault, name: NameOf, retired: Callable[[str], bool] = lambda node: False) -> list[Fix]:
    """What mends a fault, the suggested fix first; may be empty for MANY_LINKS: then somebody chooses what to remove.

    Args:
        fault: the fault.
        name: the name to show for a node.
        retired: whether the entry of a node is replaced, deleted or missing.
    """
    if fault.kind is FaultKind.CIRCLE:
        # The newest edge is the one that closed it.
        return [Fix(f"Remove “{sentence(e, name)}”", (e,)) for e in fault.edges[:_OFFERED]]
    if fault.kind is FaultKind.MISSING:
        return [Fix(f"Remove “{sentence(fault.edges[0], name)}”", fault.edges)]
    if fault.kind is FaultKind.SECOND_PARENT:
        return [
            Fix(f"Keep {name(kept.target)} as its parent", tuple(e for e in fault.edges if e != kept))
            for kept in fault.edges[:_OFFERED]
        ]
    if fault.kind is FaultKind.LONG_CHAIN:
        return _shorter(fault, name)
    gone = tuple(e for e in fault.edges if retired(e.target))
    if not gone:
        return []
    ends = "1 entry that is" if len(gone) == 1 else f"{len(gone)} entries that are"
    return [Fix(f"Remove the links to {ends} no longer current", gone)]


def _shorter(fault: Fault, name: NameOf) -> list[Fix]:
    if len(fault.edges) < 2:
        return []
    first, second = fault.edges
    across = Edge(first.source, fault.edge_kind, second.target)
    words, a, b, c = edge_words(fault.edge_kind), name(first.source), name(first.target), name(second.target)
    if fault.edge_kind == CHILD_OF:
        return [Fix(f"Hang {a} one step higher: it is part of {c} directly", (first,), (across,))]
    return [Fix(f"Shorten it: {a} {words} both {b} and {c}", (second,), (across,))]

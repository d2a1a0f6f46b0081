"""Edges as a tree on screen: opened node by node, each node told in full once, circles ended. Pure.

A row of the tree is a *place*: the same node may stand in several. Only the first place of a node opens; the others say
where that is, so the tree ends on any graph. Source: DESIGN 3.4, 9.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from hashlib import blake2b
from typing import Final

from .model import CHILD_OF, DERIVED_FROM, GRADUATED_TO, RELATED_TO, SUPERSEDES, SYMMETRIC_KINDS, Edge, edge_words

#: Node ids -> for each of them its edges, both directions.
EdgesAt = Callable[[Sequence[str]], Mapping[str, Sequence[Edge]]]
#: Whether the first place of a node is to be opened: (node, its depth).
IsOpen = Callable[[str, int], bool]

#: What replaced an entry is the first thing to know about it, what it is part of the second.
_ORDER: Final = {
    kind: place for place, kind in enumerate((SUPERSEDES, CHILD_OF, GRADUATED_TO, DERIVED_FROM, RELATED_TO))
}


class Direction(StrEnum):
    """Which edges of a node lead on: those that leave it, those that arrive, or all."""

    OUT = "out"
    IN = "in"
    BOTH = "both"


@dataclass(frozen=True, slots=True)
class Follow:
    """Which edges a tree follows.

    Attributes:
        kinds: only these kinds; None for all.
        direction: seen from the upper node.
    """

    kinds: frozenset[str] | None = None
    direction: Direction = Direction.BOTH

    def steps(self, node: str, edges: Iterable[Edge], via: Edge | None = None) -> list[Step]:
        """The ways on from a node, in the order of the screen; never back along the edge that led to it."""
        found = [
            Step(edge, edge.source != node)
            for edge in edges
            if edge != via and (self.kinds is None or edge.kind in self.kinds) and self._leads(node, edge)
        ]
        return sorted(found, key=Step.order)

    def _leads(self, node: str, edge: Edge) -> bool:
        if self.direction is Direction.BOTH or edge.kind in SYMMETRIC_KINDS:
            return True
        return edge.source == node if self.direction is Direction.OUT else edge.target == node


@dataclass(frozen=True, slots=True)
class Step:
    """One edge as seen from one of its ends; `inbound`: from its target."""

    edge: Edge
    inbound: bool

    @property
    def far(self) -> str:
        """The node it leads to."""
        return self.edge.source if self.inbound else self.edge.target

    @property
    def words(self) -> str:
        """The edge as a verb: the upper node "replaces", "has the part" … the lower one."""
        return edge_words(self.edge.kind, inbound=self.inbound)

    def order(self) -> tuple[int, str, bool, str, str]:
        """Kinds that matter most first; of one kind what points here first, then the older edge."""
        return (
            _ORDER.get(self.edge.kind, len(_ORDER)), self.edge.kind, not self.inbound, self.edge.created_at or "",
            self.far,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Place:
    """One row of a tree.

    Attributes:
        key: names the place; the same in every tree in which the same way leads to it.
        node: the node that stands there.
        depth: edges from the top, 0 for the top itself.
        more: whether a sibling follows further down.
        step: the edge that led here; None for a top.
        parent: the place above.
        first: the key of the place where this node was shown first; None where this is that place.
        closes: the node stands above itself here: the way leads in a circle.
        opened: its branches follow.
    """

    key: int
    node: str
    depth: int = 0
    more: bool = False
    step: Step | None = None
    parent: Place | None = field(default=None, repr=False, compare=False)
    first: int | None = None
    closes: bool = False
    opened: bool = False


def place_key(parent: int | str, step: Step | None, node: str) -> int:
    """The key of a place: a number made from the way to it, however long that is."""
    way = (str(parent), step.edge.kind if step else "", str(step.inbound if step else ""), node)
    digest = blake2b("\0".join(way).encode("utf-8", "surrogatepass"), digest_size=7).digest()
    return int.from_bytes(digest, "big")


def grow(
    roots: Iterable[str], edges_at: EdgesAt, is_open: IsOpen, follow: Follow, *, name: str = "",
    limit: int | None = None,
) -> list[Place]:  # fmt: skip
    """The rows of the trees that start at `roots`, upper nodes before lower ones. Ends on any graph.

    The edges are asked for level by level, and only those of nodes that open.

    Args:
        roots: the tops, in order.
        edges_at: edges by node.
        is_open: which nodes open.
        follow: which edges lead on.
        name: tells trees apart that stand in one list, so that their keys differ.
        limit: the most rows to return; None for all.
    """
    tops = list(roots)
    edges = _fetched(tops, edges_at, is_open, follow)
    rows: list[Place] = []
    shown: dict[str, Place] = {}
    for top in tops:
        todo = [Place(place_key(name, None, top), top)]
        if top not in edges and top not in shown and (limit is None or len(rows) < limit):
            rows += todo  # most of a long list is shut
            shown[top] = todo[0]
            continue
        line: list[str] = []  # the nodes above the one at hand
        while todo:
            if limit is not None and len(rows) >= limit:
                return rows
            waiting = todo.pop()
            del line[waiting.depth :]
            place = _placed(waiting, shown, line, waiting.node in edges and is_open(waiting.node, waiting.depth))
            rows.append(place)
            line.append(place.node)
            if place.opened:
                todo += reversed(_below(place, follow.steps(place.node, edges[place.node], _via(place))))
    return rows


def _placed(place: Place, shown: dict[str, Place], line: Collection[str], is_open: bool) -> Place:
    """The place with what only the rows before it can tell."""
    before = shown.get(place.node)
    closes = before is not None and place.node in line
    # A place that a depth limit kept shut does not keep the node from opening at a later one.
    opened = is_open and not closes and (before is None or not before.opened)
    first = before.key if before is not None and before.key != place.key else None
    found = replace(place, first=first, closes=closes, opened=opened)
    if before is None or opened:
        shown[place.node] = found
    return found


def _below(place: Place, steps: Sequence[Step]) -> list[Place]:
    last = len(steps) - 1
    return [
        Place(place_key(place.key, step, step.far), step.far, place.depth + 1, i < last, step, place)
        for i, step in enumerate(steps)
    ]


def _via(place: Place) -> Edge | None:
    return place.step.edge if place.step else None


def _fetched(tops: Sequence[str], edges_at: EdgesAt, is_open: IsOpen, follow: Follow) -> dict[str, Sequence[Edge]]:
    """The edges of every node that may open, asked for a level at a time."""
    found: dict[str, Sequence[Edge]] = {}
    level = list(dict.fromkeys(tops))
    seen = set(level)
    depth = 0
    while level:
        asked = [node for node in level if is_open(node, depth)]
        found.update(edges_at(asked) if asked else {})
        further = {step.far: None for node in asked for step in follow.steps(node, found.get(node, ()))}
        level = [node for node in further if node not in seen]
        seen.update(level)
        depth += 1
    return found


def guides(place: Place, *, most: int = 10) -> str:
    """The lines that hang a row under its parent: "│  ├─". Deep rows count what has no room: "⋯14 ├─".

    Args:
        place: the row.
        most: levels drawn.
    """
    if not place.depth:
        return ""
    above: list[str] = []
    at = place.parent
    while at is not None and at.depth and len(above) < most - 1:
        above.append("│  " if at.more else "   ")
        at = at.parent
    cut = at.depth if at is not None else 0
    lead = f"⋯{cut} " if cut else ""
    return f"{lead}{''.join(reversed(above))}{'├─' if place.more else '╰─'}"

"""A link that is about to be made: which far ends fit, and why the others do not (DESIGN 3.4). Nothing is written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from .. import graph
from ..model import ACYCLIC_KINDS, CHILD_OF, Edge, Entry, edge_kind, edge_words
from ..store.listing import Query
from ..store.rows import EntryRow
from .finding import Finding


@dataclass(frozen=True)
class Wish:
    """A link that somebody is about to make from one entry, before its far end is known.

    Attributes:
        entry: the near end.
        kind: the kind of edge.
        inbound: the edge will point at `entry`.
        reason: why there can be no such link at all, or "".
        refused: far ends that are not offered -> why.
    """

    entry: Entry
    kind: str
    inbound: bool
    reason: str = ""
    refused: Mapping[str, str] = field(default_factory=dict)

    def sentence(self, name: str) -> str:
        """The link as it would read."""
        ends = (name, self.entry.shown_name) if self.inbound else (self.entry.shown_name, name)
        return f"{ends[0]} {edge_words(self.kind)} {ends[1]}"


@dataclass(frozen=True, slots=True)
class Offer:
    """A far end for a wish: the sentence that would be made, or why it is not offered."""

    row: EntryRow
    sentence: str
    why_not: str = ""


class Wishing(Finding):
    """Looking before a link is made; `link` checks everything again."""

    def wish(self, ref: str, kind: str, *, inbound: bool = False) -> Wish:
        """What is known of a link before its far end is.

        Args:
            ref: the near end.
            kind: the kind of edge.
            inbound: whether the edge points at it.

        Raises:
            NotFound, Ambiguous: `ref` means none, or several.
        """
        entry, kind = self.find(ref), edge_kind(kind.strip())
        refused: dict[str, str] = {}
        if kind in ACYCLIC_KINDS:
            name = entry.shown_name
            why = f"A circle: {name} leads to it already." if inbound else f"A circle: it leads to {name} already."
            refused = dict.fromkeys(self._beyond(entry.id, kind, inbound=not inbound), why)
        edges = self.store.edges_of(entry.id)
        for edge in edges:
            if edge.kind == kind and (kind not in ACYCLIC_KINDS or (edge.target == entry.id) is inbound):
                refused[edge.source if edge.target == entry.id else edge.target] = "That link is there already."
        refused[entry.id] = "An entry is not linked to itself."
        return Wish(entry, kind, inbound, "" if inbound else self._full(entry, kind, edges), refused)

    def offers(self, wish: Wish, text: str = "", *, workspace: str | None = None, limit: int = 30) -> list[Offer]:
        """Far ends that fit what somebody types, the best first; a blank text gives the newest.

        Args:
            wish: the link.
            text: words of the name, the description or the text, the last one may be unfinished.
            workspace: only entries there; None for all.
            limit: at most so many.
        """
        order = "relevance" if text.strip() else "updated"
        query = Query(workspace=workspace, states=("active", "superseded"), text=text, order=order, limit=limit + 1)
        rows = [row for row in self.store.rows(self.store.keys(query)) if row.id != wish.entry.id][:limit]
        edges = self.store.edges_at([row.id for row in rows])
        return [Offer(row, wish.sentence(row.name), self._why_not(wish, row, edges[row.id])) for row in rows]

    def _why_not(self, wish: Wish, row: EntryRow, edges: Sequence[Edge]) -> str:
        if wish.reason or row.id in wish.refused:
            return wish.reason or wish.refused[row.id]
        if wish.inbound:
            full = self._full(row, wish.kind, edges)
            if full:
                return full
        if wish.kind not in ACYCLIC_KINDS:
            return ""
        source, target = (row.id, wish.entry.id) if wish.inbound else (wish.entry.id, row.id)
        length = self._length(source, wish.kind, inbound=True) + 1 + self._length(target, wish.kind, inbound=False)
        limit = self.config.edge_depth
        return f"A chain of more than {limit} links." if length > limit else ""

    def _full(self, entry: Entry | EntryRow, kind: str, edges: Sequence[Edge]) -> str:
        """Why an entry can be the source of no further edge of this kind, or ""."""
        leaving = [e for e in edges if e.source == entry.id]
        if kind == CHILD_OF:
            parents = [e.target for e in leaving if e.kind == CHILD_OF]
            if parents:
                parent = self.store.entry(parents[0])
                return f"{_name(entry)} is part of {parent.shown_name if parent else 'another entry'} already."
        if len(leaving) >= self.config.edges_per_memory:
            return f"{_name(entry)} has {len(leaving)} outgoing links, the limit."
        return ""

    def _length(self, node: str, kind: str, *, inbound: bool) -> int:
        return graph.longest(self._steps(kind, inbound=inbound), node, self.config.edge_depth)

    def _steps(self, kind: str, *, inbound: bool) -> graph.Neighbours:
        def steps(node: str) -> list[str]:
            if inbound:
                return [e.source for e in self.store.edges(kind=kind, target=node)]
            return [e.target for e in self.store.edges(kind=kind, source=node)]

        return steps

    def _beyond(self, start: str, kind: str, *, inbound: bool) -> set[str]:
        """Every node from which edges of one kind lead to `start` (`inbound`), or to which they lead from it."""
        seen, level = {start}, [start]
        while level:
            reached = [
                e.source if inbound else e.target
                for node, edges in self.store.edges_at(level).items()
                for e in edges
                if e.kind == kind and (e.target if inbound else e.source) == node
            ]
            level = [n for n in dict.fromkeys(reached) if n not in seen]
            seen.update(level)
        return seen - {start}


def _name(entry: Entry | EntryRow) -> str:
    return entry.shown_name if isinstance(entry, Entry) else entry.name

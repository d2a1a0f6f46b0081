"""The graph as a person walks it: trees over the edges, what is wrong with them and what mends it, whom an entry may be
linked to, its lineage on a time line, and all of it for other tools (DESIGN 3.4, 9)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from .. import export, faults, graph
from ..errors import EdgeRefused, NotFound, Stale, UsageError
from ..faults import Fault, Fix, Survey
from ..model import (
    ACYCLIC_KINDS,
    CHILD_OF,
    DERIVED_FROM,
    GRADUATED_TO,
    STATE_LABELS,
    SUPERSEDES,
    Edge,
    Entry,
    State,
    edge_kind,
    role_label,
)
from ..store.listing import Query
from ..store.rows import Line
from ..tree import Direction, Follow, Place, grow
from .reading import Reading
from .session import Receipt, facts_of, is_decision
from .stories import Story, tell
from .wishes import Wishing

#: The kinds along which an entry came to be.
LINEAGE: Final = frozenset({SUPERSEDES, DERIVED_FROM, GRADUATED_TO})
_CHUNK: Final = 400
#: Nodes around a tree that are looked at one by one; beyond, looking at all edges at once is cheaper.
_NEAR: Final = 5000
#: Edges of a lineage that a story follows: as far as a chain may be long.
_STORY_DEPTH: Final = 32


@dataclass(frozen=True)
class Overview:
    """All edges of the store in one look: where trees start, what is wrong, and the names of what is linked.

    Attributes:
        mark: the state of the edges that `survey` is about.
        survey: tops, faults and chain lengths.
        linked: id -> (workspace, shown name, state) of every entry with an edge.
    """

    mark: tuple[int, str, int] = (0, "", 0)
    survey: Survey = field(default_factory=Survey)
    linked: Mapping[str, tuple[str, str, str]] = field(default_factory=dict)
    _tops: dict[tuple[str, str | None], list[str]] = field(default_factory=dict, compare=False, repr=False)
    _faults: dict[str | None, list[Fault]] = field(default_factory=dict, compare=False, repr=False)

    def name(self, node: str) -> str:
        """The name to show for a node; of a missing end the name by which it was linked."""
        return self.linked[node][1] if node in self.linked else missing_name(node)

    def retired(self, node: str) -> bool:
        """Whether its entry is replaced, deleted, or missing."""
        return node not in self.linked or self.linked[node][2] != State.ACTIVE

    def kinds(self) -> list[str]:
        """The kinds of edges that there are: the built-in ones first."""
        return sorted(self.survey.tops, key=kind_order)

    def tops(self, kind: str, workspace: str | None = None) -> list[str]:
        """The nodes from which a forest of one kind starts, by name.

        Args:
            kind: the kind of edges.
            workspace: only entries there; missing ends always.
        """
        found = self._tops.get((kind, workspace))
        if found is None:
            inside = [n for n in self.survey.tops.get(kind, ()) if self.is_in(n, workspace)]
            found = self._tops[kind, workspace] = sorted(inside, key=lambda n: (self.name(n), n))
        return found

    def faults(self, workspace: str | None = None) -> list[Fault]:
        """The faults that touch a workspace, each once."""
        found = self._faults.get(workspace)
        if found is None:
            found = self._faults[workspace] = [
                f for f in self.survey.listed if any(self.is_in(n, workspace) for n in (f.node, *ends_of(f.edges[:2])))
            ]
        return found

    def is_in(self, node: str, workspace: str | None) -> bool:
        """Whether a node stands in a workspace (None: any)."""
        return workspace is None or node not in self.linked or self.linked[node][0] == workspace

    def words(self, fault: Fault) -> str:
        """A fault as a sentence."""
        return faults.fault_words(fault, self.name)

    def fixes(self, fault: Fault) -> list[Fix]:
        """What mends a fault, the suggested fix first."""
        return faults.fixes(fault, self.name, self.retired)


def kind_order(kind: str) -> tuple[int, str]:
    """Where a kind stands among others on screen."""
    order = (CHILD_OF, SUPERSEDES, DERIVED_FROM, GRADUATED_TO, "related_to")
    return (order.index(kind) if kind in order else len(order), kind)


def missing_name(node: str) -> str:
    """What stands for an end without an entry (`missing:<workspace>/<name>`, or an id that has not arrived)."""
    return node.removeprefix("missing:").rpartition("/")[2] or node


def ends_of(edges: Iterable[Edge]) -> list[str]:
    """The ends of edges, each once."""
    return list(dict.fromkeys(end for edge in edges for end in (edge.source, edge.target)))


@dataclass(frozen=True)
class EdgeTree:
    """A tree from one entry on, opened to some depth.

    Attributes:
        root: where it starts.
        places: its rows.
        lines: node -> its entry; a node without one is missing.
        overview: names and faults.
        unopened: nodes at the rim -> how many of their edges the tree does not show.
    """

    root: Entry
    places: tuple[Place, ...]
    lines: Mapping[str, Line]
    overview: Overview
    unopened: Mapping[str, int]


class Graphs(Wishing, Reading):
    """The verbs that look at the graph, and the one that mends it."""

    # -- looking --------------------------------------------------------------------------------------------------

    def overview(self, known: Overview | None = None) -> Overview:
        """Where trees start and what is wrong, over the whole store.

        Args:
            known: an earlier answer; what it says of the edges is used again while they have not changed.
        """
        mark, linked = self.store.edges_mark(), self.store.linked()
        if known is not None and known.mark == mark and known.linked.keys() == linked.keys():
            return Overview(mark, known.survey, linked)
        found = faults.survey(
            self.store.edges(), linked, depth_limit=self.config.edge_depth, links_limit=self.config.edges_per_memory
        )
        return Overview(mark, found, linked)

    def overview_around(self, nodes: Iterable[str]) -> Overview:
        """The overview of what these nodes hang together with, exact for them; costs what is near, not the whole store.

        Args:
            nodes: ids of entries, or of missing ends.
        """
        level = list(dict.fromkeys(nodes))
        edges: dict[tuple[str, str, str], Edge] = {}
        seen = set(level)
        while level:
            reached: dict[str, None] = {}
            for found in self.store.edges_at(level).values():
                edges |= {e.key: e for e in found}
                # Circles and chains run along one kind; of the other edges only those at the nodes themselves matter.
                reached |= dict.fromkeys(ends_of(e for e in found if e.kind in ACYCLIC_KINDS))
            level = [n for n in reached if n not in seen]
            seen.update(level)
            if len(seen) > _NEAR:
                return self.overview()
        lines = self.lines_of([*seen, *ends_of(edges.values())])
        linked = {i: (line.workspace, line.name, line.state) for i, line in lines.items()}
        survey = faults.survey(
            edges.values(), linked, depth_limit=self.config.edge_depth, links_limit=self.config.edges_per_memory
        )
        return Overview((len(edges), "", -1), survey, linked)

    def branches(self, roots: Sequence[str], opened: Collection[str], follow: Follow, name: str = "") -> list[Place]:
        """Trees of which some nodes are open; costs what is open, however big the store is.

        Args:
            roots: ids of the tops.
            opened: ids of the open nodes.
            follow: which edges lead on.
            name: tells trees apart that stand in one list.
        """
        return grow(roots, self.store.edges_at, lambda node, depth: node in opened, follow, name=name)

    def edge_tree(
        self, ref: str, *, kinds: Collection[str] = (), direction: str = "both", depth: int = 3, limit: int = 2000,
        workspace: str | None = None,
    ) -> EdgeTree:  # fmt: skip
        """The tree from one entry on.

        Args:
            ref: slug, `workspace/slug`, id, or a unique prefix of the id.
            kinds: only these kinds of edge; empty for all.
            direction: in, out or both, seen from the upper node.
            depth: how many edges down to open.
            limit: the most rows.
            workspace: look for `ref` only there.

        Raises:
            NotFound, Ambiguous: `ref` means none, or several. UsageError: a negative depth.
        """
        if depth < 0:
            raise UsageError("The depth of a tree cannot be negative.", "Use 0 for the entry alone.")
        root = self.find(ref, workspace)
        follow = Follow(frozenset(map(edge_kind, kinds)) or None, Direction(direction))
        places = grow([root.id], self.store.edges_at, lambda node, at: at < depth, follow, limit=limit)
        around = self.overview_around(p.node for p in places)
        shut = {p.node: p for p in places if not p.opened and p.first is None and not p.closes}
        further = self.store.edges_at(list(shut))
        unopened = {
            n: len(follow.steps(n, further[n], p.step.edge if p.step else None)) for n, p in shut.items()
        }  # fmt: skip
        return EdgeTree(root, tuple(places), self.lines_of(p.node for p in places), around, unopened)

    def lines_of(self, nodes: Iterable[str]) -> dict[str, Line]:
        """The entries of nodes, deleted ones too, without their texts; a missing end has none."""
        ids = list(dict.fromkeys(nodes))
        found: dict[str, Line] = {}
        for start in range(0, len(ids), _CHUNK):
            query = Query(ids=tuple(ids[start : start + _CHUNK]), states=(), include_undone=True)
            found.update({line.id: line for line in self.store.lines(query)})
        return found

    def lineage_story(self, ref: str) -> Story:
        """What an entry came from and what became of it, on one time line; groups and relations aside.

        Raises:
            NotFound, Ambiguous: `ref` means none, or several.
        """

        def lineage_at(node: str) -> list[Edge]:
            return [e for e in self.store.edges_of(node) if e.kind in LINEAGE]

        return tell(self.find(ref), _STORY_DEPTH, lineage_at, self.store.entries_of, self._versions)

    # -- for other tools ------------------------------------------------------------------------------------------

    def graph_of(
        self, *, kinds: Collection[str] = (), workspace: str | None = None
    ) -> tuple[list[export.Node], list[Edge]]:
        """All linked entries and their edges, in the order of their names.

        Args:
            kinds: only these kinds of edge; empty for all.
            workspace: only edges with an end there; None as for reading.

        Raises:
            UnknownWorkspace: no such place.
        """
        place = self.workspace_for_reading(workspace)
        wanted = {edge_kind(kind) for kind in kinds}
        linked = self.store.linked()
        edges = [
            e for e in self.store.edges()
            if (not wanted or e.kind in wanted)
            and (place is None or any(n in linked and linked[n][0] == place for n in (e.source, e.target)))
        ]  # fmt: skip
        lines = self.lines_of(ends_of(edges))
        nodes = [_node(end, lines.get(end)) for end in ends_of(edges)]
        return sorted(nodes, key=lambda n: (n.workspace, n.name, n.id)), sorted(edges)

    # -- mending --------------------------------------------------------------------------------------------------

    def mend(
        self, *, remove: Sequence[Sequence[str]] = (), add: Sequence[Sequence[str]] = (), rationale: str = ""
    ) -> Receipt:
        """Remove edges and add others, as one operation: what a fix of a fault does. Missing ends are no hindrance.

        A new edge may make no circle, but may stand past a limit: a fix shortens what a merge made too long.

        Args:
            remove: (source id, kind, target id) of each edge to take away.
            add: the same of each edge to make, afterwards.

        Raises:
            Stale: an edge to remove is gone. EdgeRefused: a new edge would close a circle, or lead to
            itself. NotFound: a new edge has an end that is not there.
        """
        gone = [Edge(a, edge_kind(kind), b) for a, kind, b in remove]
        made = [Edge(a, edge_kind(kind), b) for a, kind, b in add]
        entries = {e.id: e for e in self.store.entries_of(ends_of([*gone, *made]))}
        for edge in made:
            absent = [n for n in (edge.source, edge.target) if n not in entries]
            if absent:
                raise NotFound(f"{missing_name(absent[0])} is not there.", "Refresh and look again.")
        decided = any(e.kind == SUPERSEDES and is_decision(entries[e.target]) for e in made)
        facts = facts_of(entries.values(), supersedes_decision=decided)
        args = {"remove": [list(e.key) for e in gone], "add": [list(e.key) for e in made]}
        ruling = self.gate("mend", facts, refs=entries.values(), args=args, rationale=rationale)
        self.refresh(entries.values())

        def name(node: str) -> str:
            return entries[node].shown_name if node in entries else missing_name(node)

        with self.operation("mend", _mended(gone, made, name)) as op:
            for edge in gone:
                if not op.unlink(edge.source, edge.kind, edge.target):
                    raise Stale(
                        f"“{faults.sentence(edge, name)}” is not there any more.", "Nothing was changed; look again."
                    )
            for edge in made:
                self._refuse_circle(edge, name)
                op.link(edge.source, edge.kind, edge.target)
        read_back = tuple(self.store.entries_of(entries))
        return self.receipt(op, flagged=ruling.flagged, entries=read_back, edges=tuple(made or gone), action="mended")

    def _refuse_circle(self, edge: Edge, name: faults.NameOf) -> None:
        def targets(node: str) -> list[str]:
            return [e.target for e in self.store.edges(kind=edge.kind, source=node)]

        if edge.source == edge.target:
            raise EdgeRefused(f"{name(edge.source)} cannot be linked to itself.", "Name two different entries.")
        if edge.kind in ACYCLIC_KINDS and graph.reaches(targets, edge.target, edge.source):
            raise EdgeRefused(
                f"“{faults.sentence(edge, name)}” would close a circle.", "Remove an edge of that circle first.",
                code="edge_cycle",
            )  # fmt: skip


def _mended(gone: Sequence[Edge], made: Sequence[Edge], name: faults.NameOf) -> str:
    """What a fix did: “Removed “a replaces b”, added “a replaces c””."""
    parts = []
    for verb, edges in (("removed", gone), ("added", made)):
        if edges:
            more = f" and {len(edges) - 1} more" if len(edges) > 1 else ""
            parts.append(f"{verb} “{faults.sentence(edges[0], name)}”{more}")
    text = ", ".join(parts) or "nothing to mend"
    return text[0].upper() + text[1:]


def _node(node: str, line: Line | None) -> export.Node:
    if line is None:
        return export.Node(node, missing_name(node), state="missing", missing=True)
    return export.Node(
        node, line.name, line.workspace, line.type, role_label(line.klass, line.status, line.type),
        STATE_LABELS[State(line.state)], line.updated_at,
    )  # fmt: skip

"""How an entry came to be and what became of it: its neighbourhood in the graph, told on one time line (gaia/SPEC 4).

Gaia's words for the kinds of an event on the line; everything else in plain phrases.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ..graph import Visit, walk
from ..history import Version
from ..model import Edge, Entry
from ..store.rows import sort_key
from .shown import entry_json

#: Kind of a version -> Gaia's kind on the time line.
_KINDS: Final = {
    "create": "birth", "append": "append", "edit": "edit", "reclassify": "status", "retype": "retype",
    "move": "relocate", "rename": "relocate", "delete": "tombstone", "restore": "restore", "supersede": "superseded",
    "link": "link", "unlink": "unlink", "tag": "tag", "undo": "undo", "redo": "redo",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Moment:
    """One point of the time line: what happened to which entry, when and by whom."""

    timestamp: str
    entry_id: str
    name: str
    kind: str
    detail: str
    author: str
    event_id: str


@dataclass(frozen=True, slots=True)
class Story:
    """An entry's neighbourhood and its time line.

    Attributes:
        nodes: the entry first, then everything linked to it, nearest first.
        entries: the entries of the nodes by id; a node without one is missing (a host can hold such an edge).
        edges: among the nodes.
        timeline: oldest first.
    """

    seed: Entry
    nodes: tuple[Visit, ...]
    entries: dict[str, Entry]
    edges: tuple[Edge, ...]
    timeline: tuple[Moment, ...]

    def name_of(self, entry_id: str) -> str:
        """The name to show for a node, also where its entry is missing."""
        entry = self.entries.get(entry_id)
        return entry.shown_name if entry else entry_id.removeprefix("missing:").rpartition("/")[2]

    def as_json(self) -> dict[str, Any]:
        """Gaia's keys: seed, nodes, edges, timeline, final_states."""
        return {
            "seed": self.seed.shown_name,
            "nodes": [
                {"name": self.name_of(n.node), "depth": n.depth, "role": n.role, "id": n.node} for n in self.nodes
            ],
            "edges": [
                {
                    "src_name": self.name_of(e.source), "dst_name": self.name_of(e.target), "kind": e.kind,
                    "created_at": e.created_at,
                }
                for e in self.edges
            ],
            "timeline": [
                {
                    "ts": m.timestamp, "node": m.name, "kind": m.kind, "detail": m.detail, "author": m.author,
                    "event_id": m.event_id,
                }
                for m in self.timeline
            ],
            "final_states": [self._final(n) for n in self.nodes],
        }  # fmt: skip

    def _final(self, node: Visit) -> dict[str, Any]:
        entry = self.entries.get(node.node)
        keys = ("class", "status", "type", "description", "updated_at", "deleted_at", "state")
        whole = entry_json(entry) if entry else dict.fromkeys(keys)
        return {
            "name": self.name_of(node.node), **{k: whole[k] for k in keys}, "present": entry is not None,
            "role": node.role,
        }  # fmt: skip


def tell(
    seed: Entry,
    depth: int,
    edges_of: Callable[[str], Iterable[Edge]],
    entries_of: Callable[[Sequence[str]], Iterable[Entry]],
    versions_of: Callable[[Entry], Iterable[Version]],
) -> Story:
    """Walk out from an entry and put everything that happened on one line.

    Args:
        seed: where the story starts.
        depth: how many edges away to look.
        edges_of: the edges at an entry, both directions.
        entries_of: entries by id.
        versions_of: the versions of an entry, oldest first.
    """
    edges = _reached(seed.id, depth, edges_of)
    nodes = walk(seed.id, edges, depth)
    near = {n.node for n in nodes}
    entries = {e.id: e for e in entries_of([n.node for n in nodes])}
    moments: dict[tuple[str, str], Moment] = {}
    for entry in entries.values():
        for version in versions_of(entry):
            # A link stands in the history of both its ends; it is told once, from the nearer one.
            key = (version.event_id, "" if version.edge else entry.id)
            moments.setdefault(key, _moment(entry, version))
    # By the time that each event tells: what came from a host in one pull happened long before, and in another order.
    line = sorted(moments.values(), key=lambda m: (sort_key(m.timestamp), m.event_id, m.entry_id))
    inside = tuple(sorted(e for e in edges if e.source in near and e.target in near))
    return Story(seed, tuple(nodes), entries, inside, tuple(line))


def _moment(entry: Entry, version: Version) -> Moment:
    return Moment(
        version.timestamp, entry.id, entry.shown_name, _KINDS.get(version.kind, version.kind),
        version.summary + (" (undone)" if version.undone else ""), version.author, version.event_id,
    )  # fmt: skip


def _reached(seed: str, depth: int, edges_of: Callable[[str], Iterable[Edge]]) -> set[Edge]:
    """Every edge at the nodes within `depth`: asked node by node, so a big graph costs only what is near."""
    found: set[Edge] = set()
    seen = {seed}
    level = [seed]
    for _ in range(depth + 1):
        further: dict[str, None] = {}
        for node in level:
            for edge in edges_of(node):
                found.add(edge)
                further |= dict.fromkeys(end for end in (edge.source, edge.target) if end not in seen)
        seen |= further.keys()
        level = list(further)
    return found

"""The story of an entry: everything connected to it, what happened to each, and how each stands now. Pure.

Source: gaia/SPEC 4 ("story"): nodes with depth and role, edges, one timeline, final states. What was undone is left
out, because a story tells what stands.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from .graph import Visit, walk
from .history import Change, Version
from .model import Edge, Entry, edge_words

#: Gaia's word for a change of each field.
_TOLD: Final = {
    "description": "description",
    "class": "status",
    "status": "status",
    "type": "retype",
    "name": "relocate",
    "workspace": "relocate",
}


@dataclass(frozen=True, slots=True)
class Moment:
    """One line of the timeline.

    `kind` is one of birth append edit status description retype relocate tombstone restore link; `node` is an entry id.
    """

    timestamp: str
    node: str
    kind: str
    detail: str
    author: str
    event_id: str


@dataclass(frozen=True, slots=True)
class Ending:
    """How a node stands now. `entry` is None where the row is gone (erased, or a host's dangling link)."""

    node: str
    role: str
    entry: Entry | None


@dataclass(frozen=True, slots=True)
class Story:
    """The answer to "how did this come to be?"."""

    seed: str
    nodes: tuple[Visit, ...]
    edges: tuple[Edge, ...]
    timeline: tuple[Moment, ...]
    endings: tuple[Ending, ...]


def story(
    seed: str, depth: int, edges: Collection[Edge], entries: Mapping[str, Entry],
    versions_of: Callable[[str], Sequence[Version]],
) -> Story:  # fmt: skip
    """Tell the story of an entry.

    Args:
        seed: the entry asked about.
        depth: how many edges away to look.
        edges: all edges, or at least those within `depth` of the seed.
        entries: those that exist, by id.
        versions_of: the history of one entry, as `history.versions` gives it; asked only for the nodes found.
    """
    nodes = walk(seed, edges, depth)
    ids = {visit.node for visit in nodes}
    moments: dict[tuple[str, str, str], Moment] = {}
    for visit in nodes:
        for version in versions_of(visit.node):
            for moment in _moments(visit.node, version, entries):
                node = "" if moment.kind == "link" else moment.node  # both ends know of a link; it is told once
                moments.setdefault((moment.event_id, node, moment.kind), moment)
    return Story(
        seed=seed,
        nodes=tuple(nodes),
        edges=tuple(sorted(e for e in edges if e.source in ids and e.target in ids)),
        timeline=tuple(sorted(moments.values(), key=lambda m: (m.timestamp, m.event_id))),
        endings=tuple(Ending(v.node, v.role, entries.get(v.node)) for v in nodes),
    )


def _moments(node: str, version: Version, entries: Mapping[str, Entry]) -> Iterator[Moment]:
    if version.undone or version.kind in ("undo", "redo"):
        return
    told: dict[str, str] = {}
    if version.edge is not None:
        kind, other, outward = version.edge
        source, target = (node, other) if outward else (other, node)
        sentence = f"{_name(source, entries)} {edge_words(kind)} {_name(target, entries)}"
        told["link"] = sentence if version.kind == "link" else f"no longer: {sentence}"
    elif version.kind == "create":
        told["birth"] = version.summary
    elif version.kind == "append":
        told["append"] = version.summary
    else:
        for change in version.changes:
            told.setdefault(_told(change), version.summary)
    for kind, detail in told.items():
        yield Moment(version.timestamp, node, kind, detail, version.author, version.event_id)


def _told(change: Change) -> str:
    if change.field == "state":
        return {"purged": "tombstone", "active": "restore"}.get(str(change.after), "status")
    return _TOLD.get(change.field, "edit")


def _name(node: str, entries: Mapping[str, Entry]) -> str:
    entry = entries.get(node)
    return entry.shown_name if entry is not None else node

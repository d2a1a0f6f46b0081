"""What the reading verbs hand out: plain values, each with its `--json` form (gaia/SPEC 4 where Gaia has the verb)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..fold import LostEdit
from ..history import Version
from ..hosts import Episode
from ..model import Edge, Entry, State, edge_words, role_label
from ..store import OperationRow, RequestRow
from ..store.rows import Counts, Hit


def entry_json(entry: Entry) -> dict[str, Any]:
    """One entry with all its fields: Gaia's keys first, then what only memdesk has."""
    seen = entry.telemetry
    return {
        "workspace": entry.workspace, "name": entry.shown_name, "type": entry.type, "description": entry.description,
        "body": entry.body, "project_ref": entry.project_ref, "initiative": entry.initiative,
        "origin_session_id": entry.origin_session_id, "updated_at": entry.updated_at,
        "deleted_at": entry.updated_at if entry.state is State.PURGED else None, "audience": entry.audience,
        "injection_count": seen.injection_count, "deliberate_count": seen.deliberate_count,
        "last_injected_at": seen.last_injected_at, "last_deliberate_at": seen.last_deliberate_at,
        "class": str(entry.klass), "status": str(entry.status) if entry.status else None,
        "id": entry.id, "state": str(entry.state), "title": entry.title, "summary": entry.summary,
        "tags": list(entry.tags), "created_at": entry.created_at, "created_by": entry.created_by,
        "last_edited_by": entry.last_edited_by, "edit_count": entry.edit_count, "host": entry.host,
        "role": role_label(entry.klass, entry.status, entry.type),
    }  # fmt: skip


def list_json(entry: Entry) -> dict[str, Any]:
    """One line of a list: Gaia's keys, then where it belongs."""
    whole = entry_json(entry)
    gaia = (
        "name", "type", "description", "updated_at", "audience", "class", "status", "injection_count",
        "deliberate_count", "last_injected_at", "last_deliberate_at",
    )  # fmt: skip
    ours = ("id", "workspace", "state", "initiative", "project_ref", "title", "tags", "created_at", "host")
    return {k: whole[k] for k in (*gaia, *ours)}


@dataclass(frozen=True, slots=True)
class Link:
    """An edge seen from one of its ends.

    Attributes:
        inbound: whether the entry looked at is the edge's target.
        other: the entry at the far end; None where it is missing (a host can hold such an edge).
    """

    edge: Edge
    inbound: bool
    other: Entry | None

    @property
    def other_id(self) -> str:
        """Id of the far end."""
        return self.edge.source if self.inbound else self.edge.target

    @property
    def other_name(self) -> str:
        """Name of the far end, also where the entry is missing (`missing:<workspace>/<name>`)."""
        if self.other is not None:
            return self.other.shown_name
        return self.other_id.removeprefix("missing:").rpartition("/")[2]

    @property
    def words(self) -> str:
        """The edge as a verb: "replaces", "was distilled from"."""
        return edge_words(self.edge.kind, inbound=self.inbound)

    def as_json(self, name: str) -> dict[str, Any]:
        """Gaia's keys; `name` is that of the entry looked at."""
        source, target = (self.other_name, name) if self.inbound else (name, self.other_name)
        return {
            "src_name": source, "dst_name": target, "kind": self.edge.kind, "created_at": self.edge.created_at,
            "other_id": self.other_id, "missing": self.other is None,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Shown:
    """One entry and what stands around it.

    Attributes:
        versions: its whole history, oldest first.
        requests: what waits for a person and would change it.
        lost: edits of it that lost to one that had not seen them.
    """

    entry: Entry
    links_out: tuple[Link, ...] = ()
    links_in: tuple[Link, ...] = ()
    versions: tuple[Version, ...] = ()
    requests: tuple[RequestRow, ...] = ()
    lost: tuple[LostEdit, ...] = ()

    @property
    def recent(self) -> tuple[Version, ...]:
        """The last ten versions, newest first."""
        return tuple(reversed(self.versions[-10:]))

    @property
    def internals(self) -> dict[str, Any]:
        """The storage terms that screens keep in a fold (DESIGN 1)."""
        whole = entry_json(self.entry)
        keys = (
            "id", "workspace", "name", "type", "class", "status", "state", "initiative", "project_ref", "audience",
            "host", "origin_session_id", "created_at", "created_by", "updated_at", "last_edited_by", "edit_count",
            "injection_count", "deliberate_count", "last_injected_at", "last_deliberate_at",
        )  # fmt: skip
        return {k: whole[k] for k in keys} | {"name": self.entry.name}

    def as_json(self, *, links: bool = False, history: bool = False) -> dict[str, Any]:
        """The entry; with `links` its edges, with `history` its versions, newest first (gaia/SPEC 4, "show")."""
        name = self.entry.shown_name
        record = entry_json(self.entry)
        if links:
            record["links"] = {
                "out": [link.as_json(name) for link in self.links_out],
                "in": [link.as_json(name) for link in self.links_in],
            }
        if history:
            record["history"] = [version_json(v) for v in reversed(self.versions)]
        if self.requests:
            record["requests"] = [r.request_id for r in self.requests]
        if self.lost:
            record["lost_edits"] = [
                {
                    "field": e.field,
                    "value": e.value,
                    "author": e.author,
                    "timestamp": e.timestamp,
                    "event_id": e.event_id,
                }
                for e in self.lost
            ]
        return record


def version_json(version: Version, *, values: bool = False) -> dict[str, Any]:
    """One version: Gaia's keys, then ours.

    Args:
        values: the changed fields before and after, too.
    """
    status, body = version.change("status"), version.change("body")
    record: dict[str, Any] = {
        "changed_at": version.timestamp, "fields_changed": [c.field for c in version.changes],
        "body_delta": len(body.after or "") - len(body.before or "") if body else 0,
        "status_from": status.before if status else None, "status_to": status.after if status else None,
        "kind": version.kind, "summary": version.summary, "author": version.author,
        "on_behalf_of": version.on_behalf_of, "event_id": version.event_id, "op_id": version.op_id,
        "undone": version.undone, "lost": version.lost,
    }  # fmt: skip
    if values:
        record["changes"] = [{"field": c.field, "before": c.before, "after": c.after} for c in version.changes]
    return record


@dataclass(frozen=True, slots=True)
class Listed:
    """A list of entries, read page by page when it is walked.

    Attributes:
        total: how many fit, before any limit.
        workspace: where it looked, None for everywhere.
    """

    total: int
    workspace: str | None
    read: Callable[[], Iterator[Entry]] = field(repr=False, compare=False)

    def entries(self) -> Iterator[Entry]:
        """The entries in order."""
        return self.read()

    def as_json(self) -> list[dict[str, Any]]:
        """An array of rows without bodies (gaia/SPEC 4, "list")."""
        return [list_json(e) for e in self.entries()]


@dataclass(frozen=True, slots=True)
class Found:
    """What a search found, best first."""

    scope: str
    text: str
    hits: tuple[Hit, ...] = ()
    episodes: tuple[Episode, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Gaia's shapes: `curated` and `episodes` for both, else `results` (gaia/SPEC 4, "search")."""
        entries = [
            {
                "name": h.entry_row.name, "type": h.entry_row.type, "description": h.entry_row.description,
                "snippet": h.snippet, "rank": h.rank, "id": h.entry_row.id, "workspace": h.entry_row.workspace,
                "state": str(h.entry_row.state),
            }
            for h in self.hits
        ]  # fmt: skip
        if self.scope == "memory":
            return {"scope": self.scope, "results": entries}
        found = [{"id": e.id, "title": e.title, "rank": e.rank} for e in self.episodes]
        if self.scope == "episodes":
            more = [{"date": e.timestamp, "snippet": e.snippet} for e in self.episodes]
            return {"scope": self.scope, "results": [a | b for a, b in zip(found, more, strict=True)]}
        return {"scope": self.scope, "episodes": found, "curated": entries}


@dataclass(frozen=True, slots=True)
class Visit:
    """What happened since somebody was last here.

    Attributes:
        since: when that was, RFC 3339; None for a first visit, which shows what there is.
        operations: newest first.
        entries: the entries that they touched, by id.
    """

    since: str | None
    operations: tuple[OperationRow, ...] = ()
    entries: Mapping[str, Entry] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Stats:
    """Numbers about a memory.

    Attributes:
        entries: by state.
        roles: current entries by what they are for, in the words of the screen.
        types: current entries by type.
        waiting: what waits for a person or a machine.
        warnings: plain sentences.
    """

    workspace: str | None
    entries: Mapping[str, int]
    roles: Mapping[str, int]
    types: Mapping[str, int]
    waiting: Mapping[str, int]
    episodes: int = 0
    warnings: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, workspace: str | None, counts: Counts, about_user: int, episodes: int, warnings: Sequence[str] = ()
    ) -> Stats:
        """From the store's numbers."""
        return cls(
            workspace=workspace,
            entries={"active": counts.active, "superseded": counts.superseded, "purged": counts.purged},
            roles={
                "For this session": counts.carry_forward, "Open threads": counts.open, "Closed": counts.closed,
                "Graduated": counts.graduated, "About you": about_user, "What we know": counts.anchors - about_user,
                "Log": counts.logs,
            },
            types=dict(sorted(counts.types.items(), key=lambda item: (-item[1], item[0]))),
            waiting={"requests": counts.requests, "lost_edits": counts.lost_edits, "events": counts.waiting},
            episodes=episodes,
            warnings=tuple(warnings),
        )  # fmt: skip

    def as_json(self) -> dict[str, Any]:
        """Gaia's keys `total_episodes`, `indexed`, `warnings`, then the numbers that Gaia lacks."""
        return {
            "total_episodes": self.episodes, "indexed": sum(self.entries.values()), "warnings": list(self.warnings),
            "workspace": self.workspace, "entries": dict(self.entries), "roles": dict(self.roles),
            "types": dict(self.types), "waiting": dict(self.waiting),
        }  # fmt: skip

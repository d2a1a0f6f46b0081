"""What every kind of host offers to the desk, and the values that pass between them (DESIGN 7)."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from ..model import Entry
from .asking import Decided, Handoff, Pending

if TYPE_CHECKING:
    from ..store import Store


@dataclass(frozen=True, slots=True)
class HostInfo:
    """One host as `memdesk hosts` lists it.

    Attributes:
        state: attached, detached, or away (attached, but not to be reached now).
        schema: the host's own version, or None while it is away.
        read_only: why nothing may be written there, or "".
        waiting: `workspace/name` of what has not reached it yet.
        problem: the last reason why, or why it is away.
    """

    host_id: str
    kind: str
    path: str
    state: str
    attached_at: str | None
    last_pull_at: str | None
    schema: int | None = None
    read_only: str = ""
    waiting: tuple[str, ...] = ()
    problem: str = ""

    @property
    def words(self) -> str:
        """`in step`, `2 not yet in Gaia`, `read-only: …`, `away: …`, `detached`."""
        parts = [f"{len(self.waiting)} not yet in {self.kind.capitalize()}"] if self.waiting else []
        if self.state == "away":
            parts.append(f"away: {self.problem}")
        elif self.state == "detached":
            parts.append("detached")
        elif self.read_only:
            parts.append(f"read-only: {self.read_only}")
        return ", ".join(parts) or "in step"

    def as_dict(self) -> dict[str, Any]:
        """For `--json`."""
        return {
            "id": self.host_id, "kind": self.kind, "path": self.path, "state": self.state, "schema": self.schema,
            "read_only": self.read_only, "in_step": self.words == "in step", "waiting": list(self.waiting),
            "problem": self.problem, "attached_at": self.attached_at, "last_pull_at": self.last_pull_at,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Pulled:
    """What a pull found.

    Attributes:
        op_id: the operation that holds the new events, or None where there were none.
        entries, purged, edges: what the host holds now, deleted entries and dangling edges included.
        dangling: the edges that lead to or from an entry that is not there, as sentences.
        history: history rows of the host; versions: those that became versions just now.
        created, changed, deleted, linked, unlinked: what this pull brought.
        findings: things worth a look, as sentences.
        read_only: why nothing may be written there, or "".
    """

    host_id: str
    path: str
    op_id: str | None = None
    entries: int = 0
    purged: int = 0
    edges: int = 0
    dangling: tuple[str, ...] = ()
    history: int = 0
    versions: int = 0
    created: int = 0
    changed: int = 0
    deleted: int = 0
    linked: int = 0
    unlinked: int = 0
    findings: tuple[str, ...] = ()
    read_only: str = ""

    @property
    def news(self) -> bool:
        """Whether anything was new."""
        return self.op_id is not None

    @property
    def sentence(self) -> str:
        """What the host holds, in one line."""
        purged = f" ({self.purged} purged)" if self.purged else ""
        dangling = f" ({len(self.dangling)} dangling)" if self.dangling else ""
        return (
            f"{_count(self.entries, 'entry', 'entries')}{purged}, {_count(self.edges, 'edge', 'edges')}{dangling}, "
            f"versions from {_count(self.history, 'history row', 'history rows')}"
        )

    @property
    def news_sentence(self) -> str:
        """What this pull brought, in one line."""
        parts = [
            f"{number} {word}"
            for number, word in (
                (self.created, "new"), (self.changed, "changed"), (self.deleted, "deleted"),
                (self.linked, "linked"), (self.unlinked, "unlinked"),
            )
            if number
        ]  # fmt: skip
        return ", ".join(parts) or "nothing new"

    def as_dict(self) -> dict[str, Any]:
        """For `--json`."""
        return {
            "host": self.host_id, "path": self.path, "op_id": self.op_id, "entries": self.entries,
            "purged": self.purged, "edges": self.edges, "dangling": list(self.dangling),
            "history_rows": self.history, "versions": self.versions, "created": self.created,
            "changed": self.changed, "deleted": self.deleted, "linked": self.linked, "unlinked": self.unlinked,
            "findings": list(self.findings), "read_only": self.read_only,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Pushed:
    """What became of changes on their way to a host.

    Attributes:
        done: `workspace/name` of the entries that the host holds now.
        waiting: `workspace/name` of those it does not hold yet; `reason` says why.
        warnings: what the host could not hold, as sentences.
    """

    host_id: str
    path: str
    done: tuple[str, ...] = ()
    waiting: tuple[str, ...] = ()
    reason: str = ""
    warnings: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """"" when all arrived, else what did not and why."""
        if not self.waiting:
            return ""
        names = ", ".join(self.waiting[:5]) + (f" and {len(self.waiting) - 5} more" if len(self.waiting) > 5 else "")
        return f"Not yet in Gaia: {names}. {self.reason}".rstrip()

    def as_dict(self) -> dict[str, Any]:
        """For `--json`."""
        return {
            "host": self.host_id, "path": self.path, "pushed": list(self.done), "waiting": list(self.waiting),
            "reason": self.reason, "warnings": list(self.warnings),
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Sent:
    """What became of one operation on its way to all hosts."""

    pushed: tuple[Pushed, ...] = ()

    @property
    def sentences(self) -> list[str]:
        """What there is to say: what the hosts could not hold, and what has not reached them yet."""
        return [s for p in self.pushed for s in (*p.warnings, p.sentence) if s]


@dataclass(frozen=True, slots=True)
class Change:
    """What a verb is about to write, as far as a host may have no place for it.

    Attributes:
        patch: field -> value.
        edges: (kind, the entry at the other end) of edges that go out.
    """

    patch: Mapping[str, Any] = field(default_factory=dict)
    add_tags: tuple[str, ...] = ()
    rm_tags: tuple[str, ...] = ()
    edges: tuple[tuple[str, Entry], ...] = ()


@dataclass(frozen=True, slots=True)
class Episode:
    """One episode of a host, read where it lives (read-only; never copied)."""

    id: str
    title: str
    content: str
    tags: tuple[str, ...]
    timestamp: str
    workspace: str | None = None
    rank: float = 0.0
    snippet: str = ""


class HostLink(Protocol):
    """One attached host."""

    @property
    def host_id(self) -> str:
        """`<kind>:<hash>`, the same for the same memory for ever."""

    @property
    def path(self) -> Path:
        """Where it is."""

    def info(self) -> HostInfo:
        """As `memdesk hosts` lists it; never raises for a host that is away."""

    def pull(self, *, force: bool = False, verb: str = "pull") -> Pulled:
        """Turn what changed on the host into events, in one operation; nothing new writes nothing."""

    def push(self) -> Pushed:
        """Send what the host does not hold yet; never raises for a host that is locked or away."""

    def changed_outside(self) -> bool:
        """Whether the host may hold something new (a cheap look)."""

    def before_write(self, entries: Sequence[Entry]) -> None:
        """Pull the rows behind these entries; refuses on a read-only host, passes on one that is away."""

    def before_create(self, workspace: str, name: str) -> None:
        """Pull the row of this name, if the host has one by now."""

    def require_writable(self) -> None:
        """Refuse on a read-only host; pass on one that is away."""

    def cannot_hold(self, fields: Mapping[str, Any]) -> list[str]:
        """What the host has no place for, as sentences."""

    def cannot_hold_edge(self, a: Entry, kind: str, b: Entry) -> list[str]:
        """The same for an edge."""

    def can_hold_type(self, type_: str) -> bool:
        """Whether a new entry of this type can live there."""

    def workspaces(self) -> Collection[str]:
        """The workspaces it had when last pulled."""

    def holds_row(self, entry: Entry) -> bool:
        """Whether the entry's text is still there; an unreachable host counts as holding it."""

    def forget(self, entry: Entry) -> None:
        """Drop what the bookkeeping knows of an entry that is about to be erased."""

    def episodes(self, *, workspace: str | None = None, text: str | None = None, limit: int = 20) -> list[Episode]:
        """Its newest episodes, or those that fit the text."""

    def episode(self, episode_id: str) -> Episode | None:
        """One episode, by id or a unique beginning of it."""

    def handoffs(self) -> list[Handoff]:
        """Contracts of agents that may hold proposals, oldest first."""

    def pending(self) -> list[Pending]:
        """Approvals that wait there and concern memory, oldest first."""

    def decide(self, approval_id: str, *, approve: bool, environ: Mapping[str, str]) -> Decided:
        """Have the host's own program decide such an approval."""


class HostKind(Protocol):
    """One kind of host: how its hosts are found, opened and dated. Its ids begin with its name and a colon."""

    @property
    def name(self) -> str:
        """As in `memdesk attach NAME`."""

    def attach(
        self, store: Store, path: str | os.PathLike[str] | None, environ: Mapping[str, str]
    ) -> tuple[HostLink, list[str]]:
        """Find a host, note it as attached; with warnings to show."""

    def open(self, store: Store, host_id: str, path: Path, *, wait_ms: int) -> HostLink:
        """A host that was attached before."""

    def stamp(self, timestamp: str) -> dict[str, str]:
        """What every event about an entry of such a host carries beside its own keys."""


def _count(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"

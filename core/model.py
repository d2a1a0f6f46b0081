"""The nouns of memdesk: entries, edges, their enumerations, the slug rules and the role words.

Pure values, no I/O. Source: DESIGN 1 (vocabulary), 3.1 (entry), 3.4 (slug rules).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final


class EntryClass(StrEnum):
    """Role of an entry in a session (memory-mechanics seed, "Mental model")."""

    ANCHOR = "anchor"
    THREAD = "thread"
    LOG = "log"


class Status(StrEnum):
    """Life of a thread; null for every other class."""

    OPEN = "open"
    CARRY_FORWARD = "carry_forward"
    GRADUATED = "graduated"
    CLOSED = "closed"


class State(StrEnum):
    """Existence of an entry. Shares no value with Status, so one flag may take either (DESIGN 1)."""

    ACTIVE = "active"
    SUPERSEDED = "superseded"
    PURGED = "purged"


class Audience(StrEnum):
    """Who gets the entry injected (gaia/SPEC 2.3)."""

    ANY = "any"
    ORCHESTRATOR = "orchestrator"
    EXECUTOR = "executor"


BUILT_IN_TYPES: Final = ("atom", "decision", "negative", "project", "user", "feedback", "comment")

SUPERSEDES: Final = "supersedes"
CHILD_OF: Final = "child_of"
DERIVED_FROM: Final = "derived_from"
GRADUATED_TO: Final = "graduated_to"
RELATED_TO: Final = "related_to"
EDGE_KINDS: Final = (SUPERSEDES, CHILD_OF, DERIVED_FROM, GRADUATED_TO, RELATED_TO)
ACYCLIC_KINDS: Final = frozenset({SUPERSEDES, CHILD_OF, DERIVED_FROM, GRADUATED_TO})
SYMMETRIC_KINDS: Final = frozenset({RELATED_TO})
_KIND_ALIASES: Final = {"relates_to": RELATED_TO}

LIVE_STATUSES: Final = frozenset({Status.OPEN, Status.CARRY_FORWARD})

DESCRIPTION_ADVISED_BYTES: Final = 280
SUMMARY_LIMIT_BYTES: Final = 4 * 1024
BODY_LIMIT_BYTES: Final = 256 * 1024
EDGE_DEPTH_LIMIT: Final = 32
EDGES_PER_MEMORY_LIMIT: Final = 64

#: Fields of an entry that an edit may patch, in the order in which screens show them.
TEXT_FIELDS: Final = ("title", "description", "summary", "body")
PATCH_FIELDS: Final = (
    "workspace",
    "name",
    "type",
    "class",
    "status",
    "title",
    "description",
    "summary",
    "body",
    "project_ref",
    "initiative",
    "audience",
    "origin_session_id",
)


@dataclass(frozen=True, slots=True)
class Telemetry:
    """How often an entry was injected or read on purpose. Local counters, never events (DESIGN 3.1)."""

    injection_count: int = 0
    deliberate_count: int = 0
    last_injected_at: str | None = None
    last_deliberate_at: str | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """One curated memory: one topic, one concern (DESIGN 3.1).

    `status` is already the one that shows (null outside class thread). `display_name` differs from `name` only
    where two entries of a workspace share a name (`name~2`, DESIGN 3.3). Times are RFC 3339 UTC, or null.
    `host` is the id of the host the entry lives on, or null for memdesk's own store.
    """

    id: str
    workspace: str
    name: str
    type: str
    klass: EntryClass
    status: Status | None
    state: State
    title: str | None
    description: str | None
    summary: str | None
    body: str
    tags: tuple[str, ...]
    project_ref: str | None
    initiative: str | None
    audience: str
    created_at: str | None
    created_by: str
    updated_at: str | None
    last_edited_by: str
    edit_count: int
    origin_session_id: str | None = None
    host: str | None = None
    display_name: str = ""
    telemetry: Telemetry = field(default_factory=Telemetry)

    @property
    def shown_name(self) -> str:
        """The name to show and to type: `display_name` where a clash gave one, else `name`."""
        return self.display_name or self.name

    @property
    def ref(self) -> str:
        """`workspace/name`, the unambiguous spelling of an entry."""
        return f"{self.workspace}/{self.shown_name}"

    @property
    def is_live(self) -> bool:
        """Whether it is a live thread: active, and open or carried forward."""
        return self.state is State.ACTIVE and self.status in LIVE_STATUSES


@dataclass(frozen=True, slots=True, order=True)
class Edge:
    """`source kind target`, read as a sentence: A supersedes B means A replaces B (DESIGN 3.4)."""

    source: str
    kind: str
    target: str
    created_at: str | None = field(default=None, compare=False)

    @property
    def key(self) -> tuple[str, str, str]:
        """Identity of the edge; (a, b) and (b, a) of a symmetric kind are one."""
        return edge_key(self.source, self.kind, self.target)


def edge_kind(kind: str) -> str:
    """The stored spelling of an edge kind: `relates_to` is read as `related_to`; unknown kinds stay (DESIGN 1)."""
    return _KIND_ALIASES.get(kind, kind)


def edge_key(source: str, kind: str, target: str) -> tuple[str, str, str]:
    """Identity of an edge: ends of a symmetric kind in sorted order."""
    kind = edge_kind(kind)
    if kind in SYMMETRIC_KINDS and target < source:
        source, target = target, source
    return (source, kind, target)


_SENTENCES: Final = {
    SUPERSEDES: ("replaces", "is replaced by"),
    CHILD_OF: ("is part of", "has the part"),
    DERIVED_FROM: ("was distilled from", "was distilled into"),
    GRADUATED_TO: ("became", "grew out of"),
    RELATED_TO: ("is related to", "is related to"),
}


def edge_words(kind: str, *, inbound: bool = False) -> str:
    """The verb of an edge in plain words, seen from its source (or from its target when `inbound`)."""
    kind = edge_kind(kind)
    words = kind.replace("_", " ")
    outward, inward = _SENTENCES.get(kind, (words, f"has “{words}” from"))
    return inward if inbound else outward


# -- slug rules (DESIGN 1, 3.4; memory-mechanics seed "The slug is the single source of truth for type") ----------

_TOPIC = re.compile(r"[a-z0-9_]+\Z")
_NOT_SLUG = re.compile(r"[^a-z0-9]+")


def type_of_name(name: str, types: Iterable[str] = BUILT_IN_TYPES) -> str | None:
    """The longest declared type that is a prefix of `name` (`<type>_…`), or None."""
    fits = [t for t in types if name.startswith(t + "_")]
    return max(fits, key=len, default=None)


def is_slug(name: str, types: Iterable[str] = BUILT_IN_TYPES) -> bool:
    """Whether `name` follows `^<type>_[a-z0-9_]+$` for a declared type."""
    kind = type_of_name(name, types)
    return kind is not None and _TOPIC.match(name[len(kind) + 1 :]) is not None


def slugify(text: str) -> str:
    """Lower-case, every run of characters outside a-z0-9 becomes one `_`, ends trimmed; '' when nothing is left."""
    return _NOT_SLUG.sub("_", text.lower()).strip("_")


def normalise_initiative(text: str | None) -> str | None:
    """The stored form of an initiative key (gaia/SPEC 5): slugified, empty becomes null."""
    return (slugify(text) or None) if text else None


def initiative_of_project(project_ref: str | None) -> str | None:
    """The initiative derived from a project identity: last path segment without `.git` (gaia/SPEC 5)."""
    if not project_ref:
        return None
    ref = project_ref.rstrip("/").removesuffix("/.git").removesuffix(".git")
    return normalise_initiative(ref.rstrip("/").rsplit("/", 1)[-1])


# -- role words (DESIGN 1: on screen, speak of roles, never of storage) -------------------------------------------


def role_label(klass: str, status: str | None, type_: str) -> str:
    """What an entry is for, in the words that a person reads."""
    if klass == EntryClass.THREAD:
        return {
            Status.CARRY_FORWARD: "For this session",
            Status.OPEN: "Open threads",
            Status.CLOSED: "Closed",
            Status.GRADUATED: "Graduated",
        }.get(Status(status), "Threads without a status") if status in set(Status) else "Threads without a status"
    if klass == EntryClass.LOG:
        return "Log"
    return "About you" if type_ == "user" else "What we know"


STATE_LABELS: Final = {State.ACTIVE: "current", State.SUPERSEDED: "replaced", State.PURGED: "deleted"}

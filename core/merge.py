"""What merging entries does to texts, tags and edges: a plan, made before anything is written. Pure.

Additive (DESIGN 6): the survivor gets the chosen wording of each field and the union of tags and edges; the absorbed
are replaced by it and keep their own texts. An edge that cannot come along is named with the reason. The sentence that
a person reads is made from the plan, so it says what will be done.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol, TypeVar

from . import graph
from .errors import EdgeRefused, ErrMemoryEdgeChainTooDeep, InvalidValue
from .model import (
    ACYCLIC_KINDS,
    CHILD_OF,
    EDGE_DEPTH_LIMIT,
    EDGES_PER_MEMORY_LIMIT,
    LIVE_STATUSES,
    SUPERSEDES,
    SYMMETRIC_KINDS,
    TEXT_FIELDS,
    Edge,
    Entry,
    State,
    edge_key,
    edge_words,
    role_label,
)
from .wording import FIELD_WORDS, both, says_more, wording_of

__all__ = ["FIELD_WORDS", "Dropped", "Links", "MergePlan", "Wording", "field_value", "keeper_first", "plan_merge"]

WeighedRow = TypeVar("WeighedRow", bound="Weighed")
#: Absorbed entries that a sentence names.
_NAMED: Final = 5
BOTH: Final = "both"
#: How a field of the survivor is chosen: "left" (the first named), "right" (the second), "both", the id of a member, or
#: {"text": …} for a wording that a person typed.
Wording = str | Mapping[str, str | None]


@dataclass(frozen=True, slots=True)
class Dropped:
    """An edge of an absorbed entry that does not come to the survivor, and why, as the end of a sentence."""

    edge: Edge
    reason: str


@dataclass(frozen=True, slots=True)
class Links:
    """The graph round a merge.

    Attributes:
        edges_of: all edges at a node, in both directions.
        entry_of: the entry at a node; None for a missing end.
        taken_away: keys (`Edge.key`) of edges that somebody removed on purpose: they do not come back.
        depth, most: the limits of DESIGN 3.4.
    """

    edges_of: Callable[[str], Iterable[Edge]]
    entry_of: Callable[[str], Entry | None]
    taken_away: Callable[[str], Collection[tuple[str, str, str]]] = lambda node: ()
    depth: int = EDGE_DEPTH_LIMIT
    most: int = EDGES_PER_MEMORY_LIMIT


@dataclass(frozen=True, slots=True)
class MergePlan:
    """What a merge will do.

    Attributes:
        survivor: as it stands before.
        absorbed: what is absorbed now; what the survivor has absorbed before is left out.
        patch: text field -> new value, only where it differs.
        appended: what comes after the survivor's body, where the new body only goes on from the old one; else "".
        add_tags: tags that the survivor gets.
        replacing: the `supersedes` edges onto the absorbed.
        add, remove: edges that are moved or copied to the survivor, and those that go.
        dropped: edges that do not come along.
        notes: what a person should know before it is done.
    """

    survivor: Entry
    absorbed: tuple[Entry, ...]
    patch: Mapping[str, str | None] = field(default_factory=dict)
    appended: str = ""
    add_tags: tuple[str, ...] = ()
    replacing: tuple[Edge, ...] = ()
    add: tuple[Edge, ...] = ()
    remove: tuple[Edge, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def is_done(self) -> bool:
        """Whether there is nothing to do: merging twice changes nothing."""
        return not self.absorbed

    @property
    def names(self) -> str:
        """The names of the absorbed: "Y, Z"; of very many the first and how many more."""
        names = [entry.shown_name for entry in self.absorbed]
        if len(names) <= _NAMED + 1:
            return ", ".join(names)
        return f"{', '.join(names[:_NAMED])} and {len(names) - _NAMED} more"

    @property
    def sentence(self) -> str:
        """What will be done: "keeps X, absorbs Y, Z"."""
        if self.is_done:
            return f"keeps {self.survivor.shown_name}, absorbs nothing: that is done already"
        return f"keeps {self.survivor.shown_name}, absorbs {self.names}"

    @property
    def summary(self) -> str:
        """The same in the past tense."""
        return f"Kept {self.survivor.shown_name}, absorbed {self.names}"

    @property
    def replaces_text(self) -> bool:
        """Whether other text comes where the survivor has some; text that only goes on after it replaces nothing."""
        changed = [name for name in self.patch if name != "body" or not self.appended]
        return any(getattr(self.survivor, name) for name in changed)

    def lines(self, name_of: Callable[[str], str]) -> list[str]:
        """The plan line by line, for a preview.

        Args:
            name_of: the name to show for an entry's id.
        """
        lines = [self.sentence]
        for name, value in self.patch.items():
            what = "goes on with text of the absorbed" if name == "body" and self.appended else _told(value)
            lines.append(f"{FIELD_WORDS[name]}: {what}")
        if self.add_tags:
            lines.append(f"tags: + {', '.join(self.add_tags)}")
        lines += [f"link: {_sentence(edge, name_of)}" for edge in self.add]
        for lost in self.dropped:
            lines.append(f"link not carried over: {_sentence(lost.edge, name_of)} ({lost.reason})")
        return [*lines, *self.notes]


def _told(value: str | None) -> str:
    if not value:
        return "none"
    first = " ".join(value.split())
    return first if len(first) <= 80 else first[:79] + "…"


def _sentence(edge: Edge, name_of: Callable[[str], str]) -> str:
    return f"{name_of(edge.source)} {edge_words(edge.kind)} {name_of(edge.target)}"


# -- which one survives -------------------------------------------------------------------------------------------


class Weighed(Protocol):
    """What is looked at to tell which entry a merge is offered to keep."""

    @property
    def id(self) -> str: ...
    @property
    def host(self) -> str | None: ...
    @property
    def status(self) -> str | None: ...
    @property
    def injection_count(self) -> int: ...
    @property
    def deliberate_count(self) -> int: ...
    @property
    def body_chars(self) -> int: ...
    @property
    def updated_at(self) -> str | None: ...


def keeper_first(rows: Iterable[WeighedRow]) -> list[WeighedRow]:
    """Entries in the order in which a merge is offered to keep them: what a host holds, then live work, then what is
    injected and read most, then the longest text, then the newest."""

    def rank(row: WeighedRow) -> tuple[Any, ...]:
        used = row.injection_count + row.deliberate_count
        return row.host is not None, row.status in LIVE_STATUSES, used, row.body_chars, row.updated_at or "", row.id

    return sorted(rows, key=rank, reverse=True)


# -- the plan -----------------------------------------------------------------------------------------------------


def plan_merge(
    members: Sequence[Entry], survivor_id: str, wordings: Mapping[str, Wording], links: Links
) -> MergePlan:  # fmt: skip
    """What merging `members` into one of them will do.

    Args:
        members: in the order in which they were named; "left" is the first, "right" the second.
        survivor_id: the one that stays.
        wordings: field -> choice; a field without one keeps the survivor's text, or takes the first text there is, and
            the body is both texts where each says something of its own.
        links: the graph round them.

    Raises:
        InvalidValue: the survivor is not current, or a member is deleted or replaced by something else; no such
            wording. EdgeRefused: replacing would close a circle. ErrMemoryEdgeChainTooDeep: a lineage past the limit.
    """
    survivor = next(entry for entry in members if entry.id == survivor_id)
    others = [entry for entry in members if entry.id != survivor_id]
    _must_live(survivor)
    absorbed = [entry for entry in others if not _done(entry, survivor, links)]
    if not absorbed:
        return MergePlan(survivor, ())
    values = {name: field_value(name, members, survivor, absorbed, wordings.get(name)) for name in TEXT_FIELDS}
    patch = {name: value for name, value in values.items() if (value or "") != (getattr(survivor, name) or "")}
    if not (values["body"] or "").strip():
        raise InvalidValue("The merged body would be blank.", "Choose a wording that has text.", field="body")
    graph_plan = _Rewiring(survivor, absorbed, links).plan()
    return MergePlan(
        survivor, tuple(absorbed), patch, _appended(survivor.body, patch.get("body")),
        tuple(dict.fromkeys(t for entry in absorbed for t in entry.tags if t not in survivor.tags)),
        *graph_plan, notes=tuple(_notes(survivor, absorbed)),
    )  # fmt: skip


def _must_live(survivor: Entry) -> None:
    if survivor.state is not State.ACTIVE:
        raise InvalidValue(
            f"{survivor.shown_name} is not current, so nothing can be merged into it.",
            "Merge into one that is, or bring it back first.", field="state",
        )  # fmt: skip


def _done(entry: Entry, survivor: Entry, links: Links) -> bool:
    """Whether the survivor has absorbed this one already.

    Raises:
        InvalidValue: it went elsewhere: nothing of it is there to be absorbed.
    """
    if entry.state is State.ACTIVE:
        return False
    inbound = graph.adjacency([], SUPERSEDES)
    if entry.state is State.SUPERSEDED:
        def inbound(node: str) -> list[str]:
            return [e.source for e in links.edges_of(node) if e.kind == SUPERSEDES and e.target == node]

        if graph.reaches(inbound, entry.id, survivor.id):
            return True
        by = [other.shown_name for node in inbound(entry.id) if (other := links.entry_of(node)) is not None]
        hint = f"Merge with what replaced it: {', '.join(by)}." if by else "Bring it back first with `memdesk restore`."
        raise InvalidValue(f"{entry.shown_name} is replaced already.", hint, field="state")
    raise InvalidValue(
        f"{entry.shown_name} is deleted, so there is nothing to absorb.",
        f"Bring it back first: `memdesk restore {entry.shown_name}`.", field="state",
    )  # fmt: skip


def field_value(
    name: str, members: Sequence[Entry], survivor: Entry, absorbed: Sequence[Entry], wording: Wording | None
) -> str | None:
    """The value of one text field after the merge.

    Args:
        members: in the order named. survivor, absorbed: who stays, who goes.
        wording: the choice, None for the default.

    Raises:
        InvalidValue: no such wording.
    """
    own: str | None = getattr(survivor, name)
    theirs = [text for entry in absorbed if (text := getattr(entry, name))]
    if wording is None:
        if not (own or "").strip():
            return next((text for text in theirs if text.strip()), own)
        if name != "body":
            return own
        value = own
        for text in theirs:
            if says_more(text, value or ""):
                # What holds all of the other's text, and more, is the whole of both.
                value = both(name, value, text) if says_more(value or "", text) else text
        return value
    if not isinstance(wording, str):
        return wording.get("text")
    if wording == BOTH:
        value = own
        for text in theirs:
            value = both(name, value, text)
        return value
    return wording_of(name, members, wording)


def _appended(old: str, new: str | None) -> str:
    """What `new` says after `old`, where it is the same text going on."""
    head = f"{old}\n\n"
    return new[len(head) :] if old and new is not None and new.startswith(head) and new[len(head) :].strip() else ""


def _notes(survivor: Entry, absorbed: Iterable[Entry]) -> Iterable[str]:
    for entry in absorbed:
        if entry.is_live and not survivor.is_live:
            here, there = (role_label(e.klass, e.status, e.type) for e in (survivor, entry))
            yield f"{entry.shown_name} stands under “{there}”, {survivor.shown_name} stays under “{here}”"
        if entry.host is not None and entry.host != survivor.host:
            yield f"the host of {entry.shown_name} cannot hold what replaces it, and goes on showing it to sessions"
        if entry.workspace != survivor.workspace:
            yield f"{entry.shown_name} is in workspace {entry.workspace}, {survivor.shown_name} in {survivor.workspace}"


# -- edges --------------------------------------------------------------------------------------------------------


class _Overlay:
    """The graph as it becomes while the plan grows."""

    def __init__(self, links: Links) -> None:
        self._edges_of = links.edges_of
        self._at: dict[str, dict[tuple[str, str, str], Edge]] = {}

    def at(self, node: str) -> dict[tuple[str, str, str], Edge]:
        if node not in self._at:
            self._at[node] = {edge.key: edge for edge in self._edges_of(node)}
        return self._at[node]

    def add(self, edge: Edge) -> None:
        for node in (edge.source, edge.target):
            self.at(node)[edge.key] = edge

    def remove(self, edge: Edge) -> None:
        for node in (edge.source, edge.target):
            self.at(node).pop(edge.key, None)

    def has(self, edge: Edge) -> bool:
        return edge.key in self.at(edge.source)

    def out(self, kind: str) -> graph.Neighbours:
        return lambda node: [e.target for e in self.at(node).values() if e.kind == kind and e.source == node]

    def into(self, kind: str) -> graph.Neighbours:
        return lambda node: [e.source for e in self.at(node).values() if e.kind == kind and e.target == node]

    def out_degree(self, node: str) -> int:
        return sum(1 for edge in self.at(node).values() if edge.source == node)


class _Rewiring:
    """Moves the edges of the absorbed to the survivor, one by one, each checked against what stands by then."""

    def __init__(self, survivor: Entry, absorbed: Sequence[Entry], links: Links) -> None:
        self._survivor = survivor
        self._absorbed = {entry.id: entry for entry in absorbed}
        self._links = links
        self._now = _Overlay(links)
        self._replacing: list[Edge] = []
        self._add: list[Edge] = []
        self._remove: list[Edge] = []
        self._dropped: list[Dropped] = []
        self._taken_away: Collection[tuple[str, str, str]] = links.taken_away(survivor.id)

    def plan(self) -> tuple[tuple[Edge, ...], tuple[Edge, ...], tuple[Edge, ...], tuple[Dropped, ...]]:
        """(edges onto the absorbed, edges added, edges removed, edges dropped)."""
        inside = {self._survivor.id, *self._absorbed}
        theirs: dict[tuple[str, str, str], Edge] = {}
        for entry_id in self._absorbed:
            theirs |= self._now.at(entry_id)
        for edge in sorted(theirs.values()):
            if edge.source in inside and edge.target in inside:
                self._within(edge)
        for entry_id in self._absorbed:
            self._replace(entry_id)
        outside = [e for e in sorted(theirs.values()) if not (e.source in inside and e.target in inside)]
        for edge in sorted(outside, key=lambda e: e.source in self._absorbed and e.kind not in SYMMETRIC_KINDS):
            self._carry(edge)
        return tuple(self._replacing), tuple(self._add), tuple(self._remove), tuple(self._dropped)

    def _within(self, edge: Edge) -> None:
        """An edge between two that become one: it would lead to itself. Between two absorbed it stays as history."""
        if edge.source == self._survivor.id and edge.kind == SUPERSEDES:
            return
        if self._survivor.id in (edge.source, edge.target):
            self._take(edge)
            self._dropped.append(Dropped(edge, "it would lead to itself"))
        else:
            self._dropped.append(Dropped(edge, "both of its ends are absorbed"))

    def _replace(self, entry_id: str) -> None:
        """The edge that says what replaced this one; where the survivor has no room left, an absorbed one holds it."""
        out, into, now = self._now.out(SUPERSEDES), self._now.into(SUPERSEDES), self._now
        if graph.reaches(into, entry_id, self._survivor.id):
            return  # replaced by it before, and current again: the edge is still there
        if graph.reaches(out, entry_id, self._survivor.id):
            name, keeper = self._absorbed[entry_id].shown_name, self._survivor.shown_name
            raise EdgeRefused(
                f"{name} replaces {keeper} by a longer way, so {keeper} cannot absorb it.",
                f"Merge the other way round: into {name}.", code="edge_cycle",
            )  # fmt: skip
        holders = [self._survivor.id, *(edge.target for edge in self._replacing)]
        holder = next((h for h in holders if h != entry_id and now.out_degree(h) < self._links.most), None)
        if holder is None:
            raise ErrMemoryEdgeChainTooDeep(
                f"{self._survivor.shown_name} has no room for one more link.",
                "Remove some of its links first, or raise memory.limits.edges_per_memory in config.toml.",
                length=now.out_degree(self._survivor.id), limit=self._links.most,
            )  # fmt: skip
        edge = Edge(holder, SUPERSEDES, entry_id)
        length = self._length(edge)
        if length > self._links.depth:
            raise ErrMemoryEdgeChainTooDeep(
                f"The lineage of {self._survivor.shown_name} would be a chain of {length} links; the limit is "
                f"{self._links.depth}.",
                "Merge the other way round, or raise memory.limits.edge_depth in config.toml.",
                length=length, limit=self._links.depth,
            )  # fmt: skip
        now.add(edge)
        self._replacing.append(edge)

    def _carry(self, edge: Edge) -> None:
        """Bring an edge to the rest of the graph over to the survivor, or say why not."""
        inbound = edge.target in self._absorbed or edge.kind in SYMMETRIC_KINDS
        far = edge.source if edge.target in self._absorbed else edge.target
        source, target = (far, self._survivor.id) if edge.target in self._absorbed else (self._survivor.id, far)
        moved = Edge(*edge_key(source, edge.kind, target))
        reason = self._special(edge, far)
        if reason:
            self._dropped.append(Dropped(edge, reason))
            return
        if inbound:
            self._take(edge)
        if self._now.has(moved):
            return
        reason = self._why_not(moved)
        if reason:
            self._dropped.append(Dropped(edge, reason))
        else:
            self._now.add(moved)
            self._add.append(moved)

    def _special(self, edge: Edge, far: str) -> str:
        """Why an edge must stay where it is, whatever the limits say."""
        other = self._links.entry_of(far)
        if other is None:
            return "its other end is missing"
        if edge.kind == SUPERSEDES and edge.target in self._absorbed:
            return "it would retire the one that is kept"
        if edge.kind == SUPERSEDES and other.state is State.ACTIVE:
            return f"{other.shown_name} is current again, and this would retire it"
        return ""

    def _why_not(self, edge: Edge) -> str:
        """DESIGN 3.4's rules for a new edge, as reasons."""
        if edge.key in self._taken_away:
            return "that link was removed before"
        if edge.kind == CHILD_OF and self._now.out(CHILD_OF)(edge.source):
            return "it would be a second parent"
        if self._now.out_degree(edge.source) >= self._links.most:
            return f"past the limit of {self._links.most} links"
        if edge.kind in ACYCLIC_KINDS:
            if graph.reaches(self._now.out(edge.kind), edge.target, edge.source):
                return "it would close a circle"
            if self._length(edge) > self._links.depth:
                return f"the chain would be longer than {self._links.depth} links"
        return ""

    def _length(self, edge: Edge) -> int:
        limit = self._links.depth
        before = graph.longest(self._now.into(edge.kind), edge.source, limit)
        return before + 1 + graph.longest(self._now.out(edge.kind), edge.target, limit)

    def _take(self, edge: Edge) -> None:
        self._now.remove(edge)
        self._remove.append(edge)

"""The reading verbs: show, list, search, history, story, stats, the digest and its preview (DESIGN 5, gaia/SPEC 4).

Reading writes nothing but access counters, and these only where the caller asks for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, Literal

from .. import digest
from ..digest import Digest, DigestRow, Mode
from ..errors import StoreLocked, StoreUnusable, UsageError, listed
from ..events import rfc3339
from ..history import Version, versions
from ..model import LIVE_STATUSES, Audience, Entry, EntryClass, State, Status, normalise_initiative
from ..store.listing import Query
from ..store.rows import Hit, Line
from .episodes import Episodes
from .finding import Finding
from .shown import Found, Link, Listed, Shown, Stats, Visit
from .stories import Story, tell

_PAGE: Final = 500
_SORTS: Final = {"name": False, "injection": True, "deliberate": True, "updated": True, "created": True}
ALL: Final = "all"


class Reading(Finding, Episodes):
    """The verbs that look and change nothing."""

    # -- one entry ------------------------------------------------------------------------------------------------

    def show(self, ref: str, *, workspace: str | None = None, count: bool = False) -> Shown:
        """One entry with its edges, its latest versions, and what waits for it.

        Args:
            ref: slug, `workspace/slug`, id, or a unique prefix of the id.
            workspace: look only there.
            count: whether this counts as a deliberate reading.

        Raises:
            NotFound, Ambiguous: `ref` means none, or several.
        """
        entry = self.find(ref, workspace)
        if count:
            self._bump([entry.id], "deliberate")
            entry = self.store.entry(entry.id) or entry
        links_out, links_in = self.links(entry)
        return Shown(
            entry=entry, links_out=links_out, links_in=links_in, versions=tuple(self._versions(entry)),
            requests=tuple(self.store.requests("pending", entry_id=entry.id)),
            lost=tuple(self.store.lost_edits(entry_id=entry.id)),
        )  # fmt: skip

    def links(self, entry: Entry) -> tuple[tuple[Link, ...], tuple[Link, ...]]:
        """The entry's edges, outbound and inbound, each with the entry at its far end."""
        edges = self.store.edges_of(entry.id)
        ends = {e.target if e.source == entry.id else e.source for e in edges}
        others = {e.id: e for e in self.store.entries_of(sorted(ends))}
        outward = tuple(Link(e, False, others.get(e.target)) for e in edges if e.source == entry.id)
        inward = tuple(Link(e, True, others.get(e.source)) for e in edges if e.source != entry.id)
        return outward, inward

    def history(self, ref: str, *, workspace: str | None = None) -> tuple[Entry, list[Version]]:
        """The entry and all its versions, oldest first, each with the fields that it changed.

        Raises:
            NotFound, Ambiguous: `ref` means none, or several.
        """
        entry = self.find(ref, workspace)
        return entry, self._versions(entry)

    def _versions(self, entry: Entry) -> list[Version]:
        events = self.store.events_of(entry.id)
        undoes = self.store.undoes()
        ops = {e.op_id for e in events if e.op_id}
        # What an undo took back, and what that took back in turn: replay needs to know which did which.
        for op_id in list(ops):
            target = undoes.get(op_id)
            while target is not None and target not in ops:
                ops.add(target)
                target = undoes.get(target)
        events += self.store.headers(op for op in ops if op in undoes or op in set(undoes.values())).values()
        far = {i for e in events for i in (e.memory_id, e.other_id) if i and i != entry.id}
        names = {e.id: e.shown_name for e in self.store.entries_of(sorted(far))}
        return versions(entry.id, events, self.store.standing_for(events), names)

    def story(self, ref: str, *, max_depth: int = 5, workspace: str | None = None, count: bool = False) -> Story:
        """How an entry came to be and what became of it: everything linked to it, on one time line.

        Args:
            max_depth: how many edges away to look.
            count: whether this counts as a deliberate reading of the entry.

        Raises:
            NotFound, Ambiguous: `ref` means none, or several. UsageError: a negative depth.
        """
        if max_depth < 0:
            raise UsageError("The depth of a story cannot be negative.", "Use 0 for the entry alone.")
        seed = self.find(ref, workspace)
        if count:
            self._bump([seed.id], "deliberate")
        return tell(seed, max_depth, self.store.edges_of, self.store.entries_of, self._versions)

    # -- many entries ---------------------------------------------------------------------------------------------

    def list_entries(
        self,
        *,
        types: Sequence[str] = (),
        klass: str | None = None,
        status: str | Sequence[str] | None = None,
        tag: str | None = None,
        initiative: str | None = None,
        project: str | None = None,
        project_ref: str | None = None,
        audience: str | None = None,
        workspace: str | None = None,
        sort: str = "name",
        order: str | None = None,
        limit: int | None = None,
    ) -> Listed:
        """Entries that fit every filter given.

        Args:
            status: statuses of threads, states (`superseded`, `purged`), or `all`; commas separate several. Current
                entries of every status by default.
            initiative: in any spelling.
            project, project_ref: a registered project, or an identity.
            sort: name, injection, deliberate, updated or created.
            order: asc or desc; by default a to z, most first, newest first.
            limit: None, 0 and less mean all.

        Raises:
            UsageError: a value outside its enumeration. UnknownWorkspace, ScopeError: no such place.
        """
        if sort not in _SORTS:
            raise UsageError(f"{sort!r} is no order of a list.", f"Sort by {listed(list(_SORTS))}.")
        if order not in (None, "asc", "desc"):
            raise UsageError(f"{order!r} is no direction.", "Use asc or desc.")
        statuses, states = parse_status(status)
        place = self.workspace_for_reading(workspace)
        query = Query(
            workspace=place,
            types=tuple(types),
            classes=(str(_one_of(EntryClass, klass, "class")),) if klass else (),
            statuses=statuses,
            states=states,
            tags=(tag,) if tag else (),
            initiative=_initiative_filter(initiative),
            project_ref=self._project_filter(project, project_ref, place),
            order=sort,
            audience=str(_one_of(Audience, audience, "audience")) if audience else None,
            descending=_SORTS[sort] if order is None else order == "desc",
        )
        most = limit if limit is not None and limit > 0 else None
        return Listed(self.store.count(query), place, lambda: self._in_pages(replace(query, limit=most)))

    def _in_pages(self, query: Query) -> Iterator[Entry]:
        keys = self.store.keys(query)
        for start in range(0, len(keys), _PAGE):
            rows = self.store.rows(keys[start : start + _PAGE])
            yield from self.store.entries_of([r.id for r in rows])

    def _project_filter(self, project: str | None, project_ref: str | None, workspace: str | None) -> str | None:
        if project and project_ref:
            raise UsageError("--project and --project-ref exclude each other.", "Give the one you mean.")
        return self.resolve_project(project, workspace) if project else project_ref or None

    def search(
        self,
        text: str,
        *,
        scope: str = "both",
        tag: str | None = None,
        types: Sequence[str] = (),
        status: str | Sequence[str] | None = None,
        include_purged: bool = False,
        workspace: str | None = None,
        limit: int = 10,
    ) -> Found:
        """Entries and episodes that hold these words, best first.

        Empty text finds nothing; with a tag it finds everything that has the tag (memory-maintenance seed).

        Args:
            scope: memory, episodes or both.
            status: as for `list_entries`; current entries by default.
            include_purged: deleted entries too.

        Raises:
            UsageError: a value outside its enumeration. UnknownWorkspace: no such place.
        """
        if scope not in ("memory", "episodes", "both"):
            raise UsageError(f"{scope!r} is no scope of a search.", "Use memory, episodes or both.")
        place = self.workspace_for_reading(workspace)
        statuses, states = parse_status(status)
        if include_purged:
            states = tuple(dict.fromkeys((*states, str(State.PURGED))))
        hits: list[Hit] = []
        if scope != "episodes" and not text.strip() and tag:
            query = Query(
                workspace=place, tags=(tag,), types=tuple(types), statuses=statuses, states=states, limit=limit
            )
            hits = [Hit(row, "", 0.0) for row in self.store.rows(self.store.keys(query))]
        elif scope != "episodes":
            hits = self.store.search(
                text, workspace=place, tag=tag, types=types, statuses=statuses, states=states, limit=limit
            )
        episodes = self.search_episodes(text, place, limit) if scope != "memory" else []
        return Found(scope, text, tuple(hits), tuple(episodes))

    def stats(self, *, workspace: str | None = None) -> Stats:
        """Numbers about a memory.

        Raises:
            UnknownWorkspace: no such place.
        """
        place = self.workspace_for_reading(workspace)
        about_user = self.store.count(Query(workspace=place, classes=("anchor",), types=("user",)))
        return Stats.of(place, self.store.counts(place), about_user, self.count_episodes(place))

    # -- the digest -----------------------------------------------------------------------------------------------

    def get_relevant(
        self,
        workspace: str | None = None,
        *,
        mode: Mode | str | None = None,
        max_chars: int | None = None,
        sections: Sequence[str] = (),
        types: Sequence[str] = (),
        initiative: str | None = None,
        project: str | None = None,
        project_ref: str | None = None,
        limit: int = digest.LIMIT,
        pointer: bool = True,
        count: bool = True,
    ) -> Digest:
        """What a session start injects (DESIGN 5).

        Args:
            mode: None picks it by what is given: types, else initiative, else sections, else the worklist.
            max_chars: the budget, pointer included; 1,500 by default (types: 800).
            project, project_ref: narrow to one project; what is anchored to another is left out.
            count: whether what is shown counts as injected (one initiative: as read deliberately).

        Raises:
            UsageError: no such mode. UnknownWorkspace, ScopeError: no such place.
        """
        place = self.workspace_for_reading(workspace)
        kind = _mode(mode, types, initiative, sections)
        found = digest.render(
            self._rows(kind, place, types), mode=kind, bodies=self._bodies, workspace=place, max_chars=max_chars,
            wanted=types if kind is Mode.TYPES else sections, key=initiative, limit=limit, pointer=pointer,
            project_ref=self._project_filter(project, project_ref, place),
        )  # fmt: skip
        if count and found.items:
            self._bump(found.shown_ids, found.counter)
        return found

    def preview(
        self,
        changes: Mapping[str, Mapping[str, Any]],
        *,
        added: Sequence[DigestRow] = (),
        workspace: str | None = None,
        mode: Mode | str | None = None,
        max_chars: int | None = None,
        sections: Sequence[str] = (),
        types: Sequence[str] = (),
        initiative: str | None = None,
        project: str | None = None,
        project_ref: str | None = None,
        limit: int = digest.LIMIT,
        pointer: bool = True,
    ) -> Digest:
        """The digest as it would be after pending changes; nothing is written and nothing counted.

        Args:
            changes: entry id -> patch, keys as in an edit event.
            added: rows of entries that the changes would create.
            workspace and the rest: as for `get_relevant`.

        Raises:
            UsageError: no such mode. UnknownWorkspace, ScopeError: no such place.
        """
        place = self.workspace_for_reading(workspace)
        kind = _mode(mode, types, initiative, sections)
        rows: list[DigestRow] = [*self._rows(kind, place, types)]
        known = {r.id for r in rows}
        rows += self.store.lines(Query(ids=tuple(i for i in changes if i not in known), states=()))
        now = rfc3339(self.store.clock.now_ms())
        after = digest.changed(rows, changes, now=now, added=added)
        return digest.render(
            [r for r in after if place is None or r.workspace == place], mode=kind, workspace=place,
            bodies=digest.patched_bodies(self._bodies, changes), max_chars=max_chars,
            wanted=types if kind is Mode.TYPES else sections, key=initiative, limit=limit, pointer=pointer,
            project_ref=self._project_filter(project, project_ref, place),
        )  # fmt: skip

    def _rows(self, mode: Mode, workspace: str | None, types: Sequence[str]) -> list[Line]:
        """The rows that a mode may show: live threads, anchors too for the sections, current entries by type."""
        queries = [Query(workspace=workspace, classes=("thread",), statuses=tuple(map(str, sorted(LIVE_STATUSES))))]
        if mode is Mode.SECTIONS:
            queries.append(Query(workspace=workspace, classes=("anchor",)))
        elif mode is Mode.TYPES:
            queries = [Query(workspace=workspace, types=tuple(types) or digest.DEFAULT_TYPES)]
        return [line for query in queries for line in self.store.lines(query)]

    def _bodies(self, ids: Sequence[str]) -> dict[str, str]:
        return {e.id: e.body for e in self.store.entries_of(ids)}

    def _bump(self, ids: Sequence[str], counter: Literal["injection", "deliberate"]) -> None:
        """Count an access. Best effort: a reading never fails because somebody writes (gaia/SPEC 6, "Counter")."""
        try:
            self.store.bump(ids, counter)
        except (StoreLocked, StoreUnusable):
            return

    # -- while one was away -----------------------------------------------------------------------------------------

    def since_last_visit(self, *, limit: int = 500) -> Visit:
        """What happened since this actor's last `mark_visit`: operations, newest first, and their entries.

        Args:
            limit: the most operations to return.
        """
        seen = self.store.last_seen(self.actor.name)
        fresh = self.store.operations(limit=limit, after=seen)
        # One pull may touch every entry of a host: what nobody would read through is not loaded.
        ids = dict.fromkeys(i for row in fresh for i in row.entries[:_PAGE])
        since = self.store.last_seen_at(self.actor.name)
        return Visit(since, tuple(fresh), {e.id: e for e in self.store.entries_of(list(ids))})

    def mark_visit(self) -> None:
        """Remember that this actor has seen everything up to now."""
        self.store.mark_seen(self.actor.name)


def parse_status(status: str | Sequence[str] | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(statuses, states) of one `--status` flag: the two share no value, so one flag takes either (DESIGN 1).

    Statuses alone mean current threads; states alone mean any status; `all` means everything.

    Raises:
        UsageError: a word that is neither.
    """
    words = status.split(",") if isinstance(status, str) else list(status or ())
    words = [w.strip().lower() for w in words if w.strip()]
    if ALL in words:
        return (), tuple(map(str, State))
    statuses = tuple(w for w in words if w in set(Status))
    states = tuple(w for w in words if w in set(State))
    unknown = [w for w in words if w not in statuses and w not in states]
    if unknown:
        raise UsageError(f"{listed(unknown)} is no status and no state.", f"Use {listed([*Status, *State, ALL], 10)}.")
    return statuses, states or (str(State.ACTIVE),)


def _initiative_filter(initiative: str | None) -> str | None:
    """The stored key; "" means entries without one, which is also what `otros` asks for."""
    if initiative is None:
        return None
    key = normalise_initiative(initiative) or ""
    return "" if key == digest.OTHERS else key


def _mode(mode: Mode | str | None, types: Sequence[str], initiative: str | None, sections: Sequence[str]) -> Mode:
    if mode is not None:
        found: Mode = _one_of(Mode, mode, "mode")
        return found
    if types:
        return Mode.TYPES
    if initiative is not None:
        return Mode.INITIATIVE
    return Mode.SECTIONS if sections else Mode.WORKLIST


def _one_of(enum: Any, value: str, what: str) -> Any:
    try:
        return enum(value)
    except ValueError:
        raise UsageError(f"{value!r} is no {what}.", f"Use {listed(list(enum))}.") from None

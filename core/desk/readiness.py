"""Whether requests can still be carried out as they were asked: ready, stale, gone or settled elsewhere (DESIGN 4).

Computed each time, from what stands: `Around` reads it for many requests at once, so that a list of them costs a few
queries.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from ..fold import Folded
from ..model import SUPERSEDES, Entry, State, edge_key
from ..store import RequestRow
from .as_asked import tips_seen, value_as_asked
from .asked import concern, edges_in, moves, names_made, needed, seen_of
from .settled import Now, new_edge, stands

if TYPE_CHECKING:
    from ..store import Store
    from ..store.pairs import Judged

READY: Final = "ready"
STALE: Final = "stale"
GONE: Final = "gone"
SETTLED: Final = "settled"
#: Verbs that write nothing to a deleted entry.
_ON_LIVING: Final = frozenset({"append", "reclassify", "create", "comment", "graduate"})

#: Verbs of which it matters what edges there are.
_ON_EDGES: Final = frozenset({"link", "unlink", "supersede", "mend", "merge", "graduate", "checkpoint"})


@dataclass(frozen=True, slots=True)
class Hitch:
    """One reason why a request is not ready.

    Attributes:
        kind: gone, undone (its creation), moved, deleted, replaced, edge, taken, renamed, settled, refused.
        entry_id: the entry that it is about, or "".
        what: the field that moved, the name that is taken, or the sentence that refuses it.
    """

    kind: str
    entry_id: str = ""
    what: str = ""


@dataclass(frozen=True, slots=True)
class Readiness:
    """The state of a pending request, and why it is not ready."""

    state: str
    hitches: tuple[Hitch, ...] = ()


class Around:
    """What stands around some requests.

    Args:
        forbids: why the rules of the graph forbid a new edge, or "".
    """

    def __init__(
        self, store: Store, rows: Iterable[RequestRow], forbids: Callable[[Entry, str, Entry], str]
    ) -> None:
        self._store = store
        self._forbids = forbids
        rows = list(rows)
        self.folded: dict[str, Folded] = store.folded_of({i for r in rows for i in needed(r.verb, r.args, r.refs)})
        owners = store.name_owners({pair for r in rows for pair in names_made(r.verb, r.args, self.entries(r))})
        undone = store.undone_creations([e.id for e in owners.values()])
        #: (workspace, name) -> who has it; an entry whose creation was undone has no name.
        self.owners: dict[tuple[str, str], Entry] = {k: e for k, e in owners.items() if e.id not in undone}
        self._moves = {(r.request_id, i): self._moves_of(r, i) for r in rows for i in r.refs if i in self.folded}
        by_id = {r.request_id: r for r in rows}
        self._tips = store.events_by_id(
            {t for (r, i), names in self._moves.items() for n in names for t in tips_seen(by_id[r], i, n)}
        )
        at = {i for r in rows if r.verb in _ON_EDGES for i in self._ends(r)}
        self._edges = {e.key for edges in store.edges_at(sorted(at)).values() for e in edges}
        self._at_links = {end for source, _, target in self._edges for end in (source, target)}

    @cached_property
    def _verdicts(self) -> Mapping[tuple[str, str], Judged]:
        return {(one.one, one.other): one for one in self._store.verdicts()}

    def entries(self, row: RequestRow) -> list[Entry]:
        """The entries that a request needs, as far as they are there."""
        return [f.entry for i in needed(row.verb, row.args, row.refs) if (f := self.folded.get(i)) is not None]

    def _ends(self, row: RequestRow) -> set[str]:
        """The ids whose edges matter to a request."""
        ids = {e.id for e in self.entries(row)}
        ids |= {e.id for pair in names_made(row.verb, row.args, self.entries(row)) if (e := self.owners.get(pair))}
        links = [*edges_in(row.args, "remove"), *edges_in(row.args, "add")] if row.verb == "mend" else []
        return ids | {end for source, _, target in links for end in (source, target)}

    def _real(self, args: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments with the id that stands for an entry in the place of one that was another name for it."""
        return {k: f.entry.id if isinstance(v, str) and (f := self.folded.get(v)) else v for k, v in args.items()}

    def judge(self, row: RequestRow) -> Readiness:
        """The state of a pending request."""
        gone = tuple(self._gone(row))
        if gone:
            return Readiness(GONE, gone)
        entries = [self.folded[i].entry for i in row.refs]
        made = list(names_made(row.verb, row.args, self.entries(row)))
        owners = {name: self.owners.get((place, name)) for place, name in made}
        now = Now(entries, owners.get, self._edges, lambda: self._verdicts)
        if stands(row.verb, self._real(row.args), now):
            return Readiness(SETTLED, (Hitch("settled"),))
        hitches = (
            *self._moved(row), *self._linked(row, now), *_named(row, entries, owners), *self._forbidden(row),
        )  # fmt: skip
        return Readiness(STALE, hitches) if hitches else Readiness(READY)

    def _gone(self, row: RequestRow) -> Iterator[Hitch]:
        for entry_id in needed(row.verb, row.args, row.refs):
            folded = self.folded.get(entry_id)
            if folded is None:
                yield Hitch("gone", entry_id)
            elif folded.creation_undone:
                yield Hitch("undone", entry_id)

    def _moves_of(self, row: RequestRow, entry_id: str) -> list[str]:
        """The fields that somebody has written since."""
        seen = row.base.get(entry_id)
        if not isinstance(seen, Mapping):
            return []
        return moves(seen, seen_of(self.folded[entry_id]), concern(row.verb, row.args))

    def _is_back(self, row: RequestRow, entry_id: str, name: str) -> bool:
        """Whether a field that was written since says what it said: an undo of an approval takes everything back."""
        folded = self.folded[entry_id]
        now = getattr(folded.entry, name) if name in ("state", "body") else folded.values.get(name)
        return name != "tags" and bool(now == value_as_asked(self._store, row, entry_id, name, self._tips))

    def _moved(self, row: RequestRow) -> Iterator[Hitch]:
        for entry_id in needed(row.verb, row.args, row.refs):
            folded = self.folded[entry_id]
            found = [n for n in self._moves.get((row.request_id, entry_id), ()) if not self._is_back(row, entry_id, n)]
            dead = folded.entry.state is State.PURGED
            if dead and ("state" in found or row.verb in _ON_LIVING):
                yield Hitch("deleted", entry_id)
            yield from (Hitch("moved", entry_id, name) for name in found if not (dead and name == "state"))

    def _linked(self, row: RequestRow, now: Now) -> Iterator[Hitch]:
        """Edges that came, or that somebody took away, so that a merge or a fix of a fault cannot be done any more."""
        if row.verb == "merge":
            for entry in now.entries:
                edge = edge_key(str(row.args.get("into")), SUPERSEDES, entry.id)
                if entry.state is State.SUPERSEDED and edge not in now.edges:
                    yield Hitch("replaced", entry.id)
        if row.verb == "mend":
            for source, kind, target in edges_in(row.args, "remove"):
                if edge_key(source, kind, target) not in now.edges:
                    yield Hitch("edge", source, kind)

    def _forbidden(self, row: RequestRow) -> Iterator[Hitch]:
        """A link that closes a circle by now, or a second parent: links that came since are in its way."""
        edge = new_edge(row.verb, row.args)
        if edge is None or edge[0] not in self.folded or edge[2] not in self.folded:
            return
        one, other = self.folded[edge[0]].entry, self.folded[edge[2]].entry
        # Without any link at either end no rule of the graph is in the way, and nothing need be read.
        if one.id == other.id or one.state is State.PURGED or {one.id, other.id} & self._at_links:
            why = self._forbids(one, edge[1], other)
            if why:
                yield Hitch("refused", one.id, why)


def _named(row: RequestRow, entries: Sequence[Entry], owners: Mapping[str, Any]) -> Iterator[Hitch]:
    """Names that are somebody else's by now, so that it would write over that one, or make a second entry."""
    ids = {e.id for e in entries}
    for name, owner in owners.items():
        if owner is not None and owner.id not in ids:
            yield Hitch("taken", owner.id, name)
        elif owner is None and row.verb == "add" and entries:
            yield Hitch("renamed", entries[0].id, name)

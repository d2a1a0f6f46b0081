"""One row's history -> the events that tell it. Pure: events leave through the given `emit`.

The host's own facts become events once: a change that memdesk itself made (pushed, whether or not it got round to
noting so) is recognised by its value and emits nothing. A host change states as `base` the event whose value the host
held, so one that had not seen a change of ours makes that a lost edit, and never the other way round (DESIGN 3.3, 7).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Final, Protocol
from urllib.parse import quote

from ...events import CREATE, DELETE, EDIT
from ...fold import Folded
from ...model import PATCH_FIELDS, State
from .database import COLUMNS
from .reading import Key, Row
from .shadow import UNKNOWN, Seen, Shadow, fingerprint, same_seen
from .versions import Chain

#: Columns that an event's patch carries under their own name; deleted_at is the entry's state.
FIELDS: Final = tuple(c for c in COLUMNS if c in PATCH_FIELDS)
DELETED: Final = "deleted_at"
DELETE_REASON: Final = "Deleted in Gaia."
GONE_REASON: Final = "No longer in the Gaia database."


class Emit(Protocol):
    """Writes one event and returns its id."""

    def __call__(
        self, kind: str, payload: Mapping[str, Any], *, timestamp: str | None, host_ref: str,
        agent: str | None = None,
    ) -> str:  # fmt: skip
        """Write it."""
        ...


@dataclass(slots=True)
class Local:
    """What memdesk shows of an entry, with the events behind each field."""

    values: dict[str, str | None]
    seen: dict[str, Seen]
    deleted: bool
    updated_at: str | None


def local_of(folded: Folded) -> Local:
    """The local side of a comparison, column by column, as raw registers (a status that its class hides included)."""
    entry = folded.entry
    values = {c: _register(folded, c) for c in FIELDS}
    values |= {"body": entry.body, "audience": entry.audience}
    seen = {name: folded.base(name) for name in (*FIELDS, "state")}
    return Local(values, seen, entry.state is State.PURGED, entry.updated_at)


def _register(folded: Folded, name: str) -> str | None:
    value = folded.values.get(name)
    return None if value is None else str(value)


@dataclass(slots=True)
class _Move:
    """One step of the host: what it wrote, when, and how it is named."""

    changes: dict[str, str | None]
    when: str | None
    ref: str
    agent: str | None = None
    patch: dict[str, Any] = field(default_factory=dict)
    deletes: bool = False

    @property
    def says_something(self) -> bool:
        return bool(self.patch) or self.deletes


def row_ref(host_id: str, table: str, *parts: str) -> str:
    """`<host>/<table>/<part>/…`, each part percent-encoded: names may hold slashes and blanks."""
    return "/".join([host_id, table, *(quote(p, safe="") for p in parts)])


def value_hash(value: Any) -> str:
    """A short hash for a host_ref."""
    return sha256(repr(value).encode("utf-8", "surrogatepass")).hexdigest()[:12]


class Replay:
    """Turns the chain of one row into events and keeps its shadow up to date.

    Args:
        host_id: of the host, the stem of every host_ref.
        emit: writes an event.
        own: history ids that our pushes caused.
        told: history ids that are events already (a single row was read before the rest).
    """

    def __init__(self, host_id: str, emit: Emit, *, own: Collection[int] = (), told: Collection[int] = ()) -> None:
        self._host_id = host_id
        self._emit = emit
        self._own = own
        self._told = told
        self.versions = 0

    # -- a row seen for the first time ----------------------------------------------------------------------------

    def birth(self, chain: Chain, entry_id: str, ref: str) -> Shadow:
        """Create the entry of a new row as it first was (v0); `follow` tells what came after.

        Args:
            ref: the host_ref of its creation.
        """
        first = chain.first
        shadow = Shadow(entry_id, chain.key, chain.key)
        fields = {c: first.get(c) for c in FIELDS}
        alone = chain.row is not None and not chain.changes and first.get(DELETED) is None
        payload: dict[str, Any] = {"memory_id": entry_id, "host": self._host_id}
        payload |= {c: v for c, v in fields.items() if v is not None}
        payload["created_at"] = first.get("created_at")
        born = first.get("created_at") or (chain.changes[0].changed_at if chain.changes else first.get("updated_at"))
        payload["updated_at"] = first.get("updated_at") if alone else born
        event_id = self._emit(CREATE, payload, timestamp=born, host_ref=ref)
        for name in FIELDS:
            if name in payload:
                shadow.seen[name] = [event_id] if name == "body" else event_id
        shadow.values = {c: fingerprint(first.get(c)) for c in COLUMNS}
        shadow.values["updated_at"] = fingerprint(payload["updated_at"])
        if first.get(DELETED) is not None:
            shadow.values[DELETED] = None
        return shadow

    def revive(self, shadow: Shadow, chain: Chain) -> None:
        """A row under a name that memdesk knows (it had gone, or another store told of it): the same memory."""
        shadow.gone = False
        shadow.key = shadow.mark = chain.key
        shadow.values = dict.fromkeys(COLUMNS, UNKNOWN)
        shadow.values["created_at"] = fingerprint(chain.first.get("created_at"))

    # -- changes --------------------------------------------------------------------------------------------------

    def follow(self, shadow: Shadow, chain: Chain, local: Local | None, *, advance: bool = True) -> None:
        """Tell every change of the chain, then whatever the live row holds that no history row explains.

        Args:
            local: what memdesk shows; None for an entry made in this very pull.
            advance: the history of the whole host is read up to here, not only this row's.
        """
        moves = self._moves(chain)
        unseen = self._unseen(shadow, local)
        state = {c: shadow.values.get(c) for c in COLUMNS}
        for move in moves:
            self._settle(move, shadow, local, unseen, state)
        if chain.row is not None:
            tail = self._tail(shadow, chain.row, state)
            if tail is not None:
                moves.append(tail)
                self._settle(tail, shadow, local, unseen, state)
        self._tell(moves, shadow, chain.row, local)
        shadow.note(chain.row.values if chain.row else {})
        shadow.key = chain.key
        if advance:
            shadow.mark = chain.key

    def _moves(self, chain: Chain) -> list[_Move]:
        # We only ever push over a value that we had read: what stood in that column before our push is in the log.
        pushed = {c: change.id for change in chain.changes if change.id in self._own for c in change.changed}
        moves = []
        for change in chain.changes:
            if change.id in self._told or change.id in self._own:
                continue
            news = {c: v for c, v in change.changed.items() if change.id > pushed.get(c, 0)}
            ref = row_ref(self._host_id, "memory_history", str(change.id))
            moves.append(_Move(news, change.changed_at or None, ref, change.agent))
        return moves

    def _unseen(self, shadow: Shadow, local: Local | None) -> set[str]:
        """The fields that memdesk changed and the host had not got."""
        if local is None:
            return set()
        return {n for n, seen in local.seen.items() if not same_seen(seen, shadow.seen.get(n))}

    def _settle(
        self, move: _Move, shadow: Shadow, local: Local | None, unseen: set[str], state: dict[str, str | None]
    ) -> None:
        """Split a move into what is news and what is our own change arriving."""
        for column, value in move.changes.items():
            before = state[column]
            state[column] = fingerprint(value)
            name = "state" if column == DELETED else column
            if column == DELETED:
                self._settle_state(move, shadow, local, unseen, before, value)
            elif column in FIELDS and before != state[column]:  # else the shadow has it: a push of ours, confirmed
                ours = name in unseen or before == UNKNOWN
                if local is not None and ours and local.values[column] == value:
                    shadow.seen[name] = local.seen[name]
                    unseen.discard(name)
                else:
                    move.patch[column] = value
                    unseen.discard(name)

    def _settle_state(
        self, move: _Move, shadow: Shadow, local: Local | None, unseen: set[str], before: str | None, value: str | None
    ) -> None:
        deleted = value is not None
        if local is not None and ("state" in unseen or before == UNKNOWN) and local.deleted == deleted:
            shadow.seen["state"] = local.seen["state"]
            unseen.discard("state")
        elif deleted and (before is None or before == UNKNOWN):
            move.deletes = True
        elif not deleted and before is not None:
            move.patch["state"] = str(State.ACTIVE)
        if move.deletes or "state" in move.patch:
            unseen.discard("state")

    def _tail(self, shadow: Shadow, row: Row, state: Mapping[str, str | None]) -> _Move | None:
        """What no history row says: audience and the like, or a change that slipped past the triggers."""
        ignored = ("created_at", "updated_at")
        changes = {c: row.values[c] for c in COLUMNS if c not in ignored and state[c] != fingerprint(row.values[c])}
        if not changes:
            return None
        return _Move(changes, row.values["updated_at"], self._observation(shadow, row.key, changes))

    def _observation(self, shadow: Shadow, key: Key, value: Any) -> str:
        shadow.observed += 1
        return f"{row_ref(self._host_id, 'memory', *key)}#{shadow.observed}:{value_hash(value)}"

    def _tell(self, moves: Sequence[_Move], shadow: Shadow, row: Row | None, local: Local | None) -> None:
        """Emit the moves; the last one carries the host's own updated_at, so that the entry shows exactly that."""
        said = [m for m in moves if m.says_something]
        self.versions += sum("/memory_history/" in m.ref for m in said)
        for place, move in enumerate(said):
            last = place == len(said) - 1
            stamp = row.values["updated_at"] if last and row is not None else move.when
            self._tell_one(move, shadow, stamp)
        if said or row is None or shadow.holds("updated_at", row.values["updated_at"]):
            return
        if local is not None and local.updated_at == row.values["updated_at"]:
            return
        stamp = row.values["updated_at"]
        ref = self._observation(shadow, row.key, stamp)
        payload: dict[str, Any] = {"memory_id": shadow.entry_id, "patch": {}, "base": {}, "updated_at": stamp}
        self._emit(EDIT, payload, timestamp=stamp, host_ref=ref)

    def _tell_one(self, move: _Move, shadow: Shadow, stamp: str | None) -> None:
        if move.patch:
            base = {name: shadow.seen.get(name) or [] for name in move.patch}
            payload = {"memory_id": shadow.entry_id, "patch": dict(move.patch), "base": base, "updated_at": stamp}
            event_id = self._emit(EDIT, payload, timestamp=move.when, host_ref=move.ref, agent=move.agent)
            for name in move.patch:
                shadow.seen[name] = [event_id] if name == "body" else event_id
        if move.deletes:
            payload = {"memory_id": shadow.entry_id, "reason": DELETE_REASON, "updated_at": stamp}
            ref = f"{move.ref}/deleted"
            shadow.seen["state"] = self._emit(DELETE, payload, timestamp=move.when, host_ref=ref, agent=move.agent)

    # -- rows that are gone ---------------------------------------------------------------------------------------

    def gone(self, shadow: Shadow, local: Local | None) -> bool:
        """The row left the host: the entry is deleted for that reason, unless it shows so already."""
        told = local is None or not local.deleted
        if told:
            ref = f"{self._observation(shadow, shadow.key, 'gone')}/gone"
            payload = {"memory_id": shadow.entry_id, "reason": GONE_REASON}
            shadow.seen["state"] = self._emit(DELETE, payload, timestamp=None, host_ref=ref)
        shadow.gone = True
        shadow.values = {}
        return told

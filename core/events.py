"""Events, their one-line JSON form, and the ULID clock (DESIGN 3.2).

An event is one immutable fact. On disk it is one flat JSON object: the envelope keys beside the payload keys, sorted,
without spaces. Unknown types and keys are kept and passed on, never dropped.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

CREATE: Final = "memory.create"
EDIT: Final = "memory.edit"
APPEND: Final = "memory.append"
DELETE: Final = "memory.delete"
EDGE_ADD: Final = "memory.edge.add"
EDGE_REMOVE: Final = "memory.edge.remove"
PURGE_EXECUTED: Final = "memory.purge_executed"
OPERATION: Final = "desk.operation"
REQUEST: Final = "desk.request"
DECISION: Final = "desk.decision"
QUARANTINE: Final = "desk.quarantine"
VERDICT: Final = "desk.verdict"

MEMORY_TYPES: Final = frozenset({CREATE, EDIT, APPEND, DELETE, EDGE_ADD, EDGE_REMOVE, PURGE_EXECUTED})
ENVELOPE: Final = (
    "event_id", "type", "timestamp", "agent_id", "on_behalf_of", "session_id", "origin", "op_id", "host_ref", "v",
)  # fmt: skip
_ALIASES: Final = {"origin_daemon": "origin"}
#: Payload spellings of other writers that are read as ours (thrum/SPEC 14.1).
_EDGE_ALIASES: Final = (
    ("from_id", "source_id"), ("from_id", "from"), ("to_id", "target_id"), ("to_id", "to"), ("edge_kind", "kind"),
)  # fmt: skip
_EDIT_ALIASES: Final = (("patch", "fields"),)
#: A create holds the entry's type, and `type` is the event's own: on disk the entry's stands under thrum's name for it.
_CREATE_ALIASES: Final = (("type", "kind"),)
_ULID = re.compile(r"[0-7][0-9A-HJKMNP-TV-Z]{25}\Z")
_SURROGATE = re.compile("[\ud800-\udfff]")

SKEW_MS: Final = 10 * 60 * 1000
QUARANTINE_MS: Final = 24 * 60 * 60 * 1000


class BadEvent(ValueError):
    """A line that is not an event: broken JSON, not an object, or without a usable id."""


@dataclass(frozen=True, slots=True)
class Event:
    """One fact of the log. `payload` holds every key outside the envelope, unknown ones included.

    `erased` marks the tombstone that replaces the payload of an erased entry's event.
    """

    event_id: str
    type: str
    timestamp: str
    agent_id: str
    origin: str = ""
    op_id: str | None = None
    payload: Mapping[str, Any] = field(default_factory=dict)
    on_behalf_of: str | None = None
    session_id: str | None = None
    host_ref: str | None = None
    v: int = 1

    @property
    def memory_id(self) -> str | None:
        """The entry that the event is about; for an edge its source."""
        value = self.payload.get("memory_id") or self.payload.get("from_id")
        return value if isinstance(value, str) else None

    @property
    def other_id(self) -> str | None:
        """The far end of an edge event, else None."""
        value = self.payload.get("to_id")
        return value if isinstance(value, str) else None

    @property
    def erased(self) -> bool:
        """Whether this is the tombstone left by an erase."""
        return self.payload.get("erased") is True

    @property
    def order(self) -> str:
        """The bare ULID: comparing these strings is the order of the log."""
        return self.event_id[4:]

    def line(self) -> str:
        """The canonical line, without its newline: keys sorted, no spaces, UTF-8 text."""
        record: dict[str, Any] = dict(self.payload)
        if self.type == CREATE and "type" in record:
            record["kind"] = record["type"]
        for key in ENVELOPE:
            value = getattr(self, key)
            if value is not None and value != "":
                record[key] = value
        text = json.dumps(record, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        if _SURROGATE.search(text):  # not encodable as UTF-8: fall back to \u escapes
            text = json.dumps(record, sort_keys=True, separators=(",", ":"))
        return text

    def digest(self) -> str:
        """SHA-256 of the canonical line: settles one id with two contents (DESIGN 3.3)."""
        return hashlib.sha256(self.line().encode()).hexdigest()


def tombstone(event: Event) -> Event:
    """What an erase leaves of `event`: the envelope and the ids, nothing of the text (DESIGN 3.4, "Erase")."""
    keep = {k: v for k, v in event.payload.items() if k in {"memory_id", "from_id", "edge_kind", "to_id"}}
    return Event(
        event_id=event.event_id, type=event.type, timestamp=event.timestamp, agent_id=event.agent_id,
        origin=event.origin, op_id=event.op_id, payload={**keep, "erased": True},
        on_behalf_of=event.on_behalf_of, session_id=event.session_id, host_ref=event.host_ref, v=event.v,
    )  # fmt: skip


def wish_of(asker: str, payload: Mapping[str, Any]) -> str:
    """Fingerprint of what a request asks for, and who does; the session in which is left out.

    Returns:
        "" for a payload that asks for nothing that can be told: erased, or another program's.
    """
    args, refs = payload.get("args"), payload.get("refs")
    if not isinstance(args, Mapping) or not isinstance(refs, list):
        return ""
    wanted = {k: v for k, v in args.items() if k != "origin_session_id"}
    said = [asker, payload.get("verb"), refs, wanted]
    return hashlib.sha256(json.dumps(said, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def parse_line(line: str) -> Event:
    """Read one line of a lane or of the log.

    Raises:
        BadEvent: with the reason, one phrase.
    """
    try:
        record = json.loads(line, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise BadEvent(f"not JSON: {error}") from None
    if not isinstance(record, dict):
        raise BadEvent("not a JSON object")
    return from_record(record)


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def from_record(record: Mapping[str, Any]) -> Event:
    """An event from a decoded JSON object; bare ULIDs and the aliases of thrum/SPEC are accepted.

    Raises:
        BadEvent: no usable `event_id` or `type`.
    """
    data = {_ALIASES.get(k, k): v for k, v in record.items()}
    event_id = normal_event_id(data.pop("event_id", None))
    kind = data.pop("type", None)
    if not isinstance(kind, str) or not kind:
        raise BadEvent("no type")
    envelope: dict[str, Any] = {}
    for key in ("timestamp", "agent_id", "origin", "on_behalf_of", "session_id", "op_id", "host_ref"):
        value = data.pop(key, None)
        if isinstance(value, str):
            envelope[key] = value
        elif value is not None:
            data[key] = value
    version = data.pop("v", 1)
    envelope.setdefault("timestamp", "")
    envelope.setdefault("agent_id", "")
    v = version if isinstance(version, int) else 1
    return Event(event_id=event_id, type=kind, payload=_payload(kind, data), v=v, **envelope)


def _payload(kind: str, data: dict[str, Any]) -> dict[str, Any]:
    """Payload keys under their own names: the aliases of thrum/SPEC 14.1 are read, ours are kept."""
    aliases: tuple[tuple[str, str], ...] = ()
    if kind in (EDGE_ADD, EDGE_REMOVE):
        aliases = _EDGE_ALIASES
    elif kind == EDIT:
        aliases = _EDIT_ALIASES
    elif kind == CREATE:
        aliases = _CREATE_ALIASES
    for ours, theirs in aliases:
        if ours not in data and theirs in data:
            data[ours] = data.pop(theirs)
    return data


def normal_event_id(value: Any) -> str:
    """`evt_` + ULID in upper case, from either spelling.

    Raises:
        BadEvent: not a ULID.
    """
    bare = value.removeprefix("evt_").upper() if isinstance(value, str) else ""
    if not _ULID.match(bare):
        raise BadEvent("no usable event_id")
    return "evt_" + bare


# -- time ---------------------------------------------------------------------------------------------------------


def wall_clock_ms() -> int:
    """Milliseconds since the epoch, UTC."""
    return time.time_ns() // 1_000_000


def rfc3339(ms: int) -> str:
    """`2026-11-30T09:08:51.123Z` from milliseconds since the epoch."""
    stamp = datetime.fromtimestamp(ms // 1000, UTC)
    return stamp.strftime("%Y-%m-%dT%H:%M:%S.") + f"{ms % 1000:03d}Z"


def time_of(stamp: str | None) -> datetime | None:
    """A stored time (any RFC 3339 spelling, any fraction length) as an aware datetime, or None when unreadable."""
    if not stamp:
        return None
    text = re.sub(r"(\.\d{6})\d+", r"\1", stamp.strip().replace(" ", "T", 1))
    try:
        value = datetime.fromisoformat(text)
    except ValueError:
        return None
    return value if value.tzinfo else value.replace(tzinfo=UTC)


_CROCKFORD: Final = {c: i for i, c in enumerate("0123456789ABCDEFGHJKMNPQRSTVWXYZ")}


def ulid_ms(ulid: str) -> int:
    """The time part of a bare ULID in milliseconds. (python-ulid takes 110 ms to import: too dear for a read path.)"""
    value = 0
    for char in ulid[:10]:
        value = value * 32 + _CROCKFORD[char]
    return value


class Clock:
    """Mints ULIDs that never go below what the store has seen (DESIGN 3.2, "Clock").

    One mint serves one write transaction: the first id takes the later of now and one millisecond after `floor`, with
    fresh randomness; each next id of the transaction is the last one plus one.

    Args:
        now_ms: the wall clock, milliseconds.
        randomness: returns n random bytes.
    """

    def __init__(
        self, now_ms: Callable[[], int] = wall_clock_ms, randomness: Callable[[int], bytes] = os.urandom
    ) -> None:
        self.now_ms = now_ms
        self.randomness = randomness

    def mint(self, floor: str | None) -> Mint:
        """Start minting above `floor`, the newest bare ULID applied so far (own or received)."""
        floor_ms = ulid_ms(floor) + 1 if floor else 0
        return Mint(max(self.now_ms(), floor_ms), self.randomness)


class Mint:
    """The ids of one write transaction, strictly increasing."""

    def __init__(self, ms: int, randomness: Callable[[int], bytes]) -> None:
        self.ms = ms
        # The top bit of the randomness stays clear, so that adding one never overflows into the time part.
        random = randomness(10)
        self._value = (ms << 80) | (int.from_bytes(random, "big") >> 1)
        self._started = False

    def ulid(self) -> str:
        """The next bare ULID."""
        from ulid import ULID

        if self._started:
            self._value += 1
        self._started = True
        return str(ULID(self._value.to_bytes(16, "big")))

    @property
    def timestamp(self) -> str:
        """RFC 3339 time of this transaction (the id's time, so the two never disagree)."""
        return rfc3339(self.ms)

"""What memdesk last saw of a host row: the shadow against which pull and push compare. Pure.

Long texts are kept as fingerprints: the shadow only ever answers "is it still what it was", so it need not hold a
second copy of every body (and an erase has one place fewer to clean).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from .database import COLUMNS
from .reading import Key, Values

_SHORT: Final = 72
_MARK: Final = "sha256:"
#: A fingerprint that no value has: the column differs from whatever the host holds.
UNKNOWN: Final = _MARK + "?"

#: What a field's last write was, as `Folded.base` gives it: an event id, several, or None.
Seen = str | list[str] | None


def fingerprint(value: str | None) -> str | None:
    """The value itself when short, else a hash of it; equal values have equal fingerprints."""
    if value is None or (len(value) <= _SHORT and not value.startswith(_MARK)):
        return value
    return _MARK + hashlib.sha256(value.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(slots=True)
class Shadow:
    """One host row as last pulled or pushed.

    Attributes:
        entry_id: the entry that stands for it.
        key: where the row is now.
        mark: where it was when history was last read (differs after a rename that we pushed).
        values: column -> fingerprint.
        seen: field ("state" for deleted_at) -> the event id(s) that wrote the value the host holds.
        observed: how many unrecorded changes were reported; makes each report's host_ref unique.
        counters: telemetry as last read.
        gone: the row is no longer on the host.
    """

    entry_id: str
    key: Key
    mark: Key
    values: dict[str, str | None] = field(default_factory=dict)
    seen: dict[str, Seen] = field(default_factory=dict)
    observed: int = 0
    counters: tuple[Any, ...] = (0, 0, None, None)
    gone: bool = False

    def holds(self, column: str, value: str | None) -> bool:
        """Whether the shadow of `column` is `value`."""
        return self.values.get(column) == fingerprint(value)

    def note(self, values: Mapping[str, str | None]) -> None:
        """Take over what the host holds now."""
        self.values.update({c: fingerprint(v) for c, v in values.items()})

    def differing(self, values: Values) -> list[str]:
        """The columns in which the host differs from the shadow."""
        return [c for c in COLUMNS if self.values.get(c) != fingerprint(values[c])]

    def dump(self) -> str:
        """As JSON; `seen` is turned round, since most fields share one event."""
        by_event: dict[str, list[str]] = {}
        for name, events in self.seen.items():
            for event in [events] if isinstance(events, str) else events or ():
                by_event.setdefault(event, []).append(name)
        record: dict[str, Any] = {"v": self.values, "s": by_event, "c": self.counters}
        if self.observed:
            record["n"] = self.observed
        if self.mark != self.key:
            record["m"] = self.mark
        if self.gone:
            record["gone"] = True
        return json.dumps(record, ensure_ascii=True, separators=(",", ":"))


def load_shadow(key: str, entry_id: str, text: str) -> Shadow:
    """A shadow from its stored key and JSON."""
    record = json.loads(text)
    place = parse_key(key)
    seen: dict[str, Seen] = {}
    for event, names in record.get("s", {}).items():
        for name in names:
            before = seen.get(name)
            seen[name] = event if before is None else sorted([*_listed(before), event])
    if isinstance(seen.get("body"), str):
        seen["body"] = [str(seen["body"])]
    mark = record.get("m")
    return Shadow(
        entry_id, place, (mark[0], mark[1]) if mark else place, dict(record["v"]), seen,
        int(record.get("n", 0)), tuple(record.get("c", (0, 0, None, None))), bool(record.get("gone")),
    )  # fmt: skip


def _listed(value: Seen) -> list[str]:
    return [value] if isinstance(value, str) else list(value or ())


def same_seen(one: Seen, other: Seen) -> bool:
    """Whether two notes of "last written by" agree, whatever their spelling."""
    return sorted(_listed(one)) == sorted(_listed(other))


def dump_key(parts: Iterable[str]) -> str:
    """A key of one or more parts that may hold any character."""
    return json.dumps(list(parts), ensure_ascii=False, separators=(",", ":"))


def parse_key(text: str) -> Key:
    """The two parts of a row's key."""
    one, other = json.loads(text)
    return (one, other)


@dataclass(slots=True)
class LinkShadow:
    """One edge as last seen on the host.

    Attributes:
        key: (from id, kind, to id) in the identity order of `model.edge_key`.
        present: whether the host has it.
        observed: how often it came or went there.
    """

    key: tuple[str, str, str]
    present: bool
    observed: int = 1

    def dump(self) -> str:
        """As JSON."""
        return json.dumps({"present": self.present, "n": self.observed}, separators=(",", ":"))


def load_link(key: str, text: str) -> LinkShadow:
    """A link's shadow from its stored key and JSON."""
    one, kind, other = json.loads(key)
    record = json.loads(text)
    return LinkShadow((one, kind, other), bool(record["present"]), int(record.get("n", 1)))

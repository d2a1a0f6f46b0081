"""What a request that is decided was about: what its approval did, or what it asked for of the text that it had seen.

A reviewer who comes later reads the decision by this; the text as it stands says nothing of it any more (DESIGN 4).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from ..errors import NotFound
from ..events import Event
from ..history import Version, as_of
from ..model import PATCH_FIELDS, Edge, Entry, EntryClass, State, Status
from ..store import RequestRow, Store
from ..text import one_name
from .as_asked import UNKNOWN, tips_seen, value_as_asked
from .asked_texts import texts_of
from .foreseen import Tried
from .texts import default_class

History = Callable[[str], tuple[Entry, list[Version]]]
#: What an entry has of a field that nothing had written.
_BLANK: Final = {"body": "", "audience": "any"}


@dataclass(frozen=True, slots=True)
class Wording:
    """One wording of a request.

    Attributes:
        revision_id: the event that holds it.
        by, at: who worded it so, and when, RFC 3339.
        texts: field -> text that it would write.
        rationale: why, in the words of `by`.
        in_force: whether it is the one that waits, or that was decided on.
    """

    revision_id: str
    by: str
    at: str
    texts: Mapping[str, str]
    rationale: str
    in_force: bool


def wordings_of(store: Store, row: RequestRow) -> tuple[Wording, ...]:
    """Every wording of a request that counts, oldest first; the one in force is among them."""
    found = []
    for event in store.wordings_of(row.request_id):
        asked = event.payload
        asker = str(asked.get("asked_by") or event.agent_id) if event.event_id == row.event_id else event.agent_id
        args = asked.get("args")
        texts = texts_of(str(asked.get("verb") or ""), args) if isinstance(args, Mapping) else {}
        found.append(Wording(
            event.event_id, one_name(asker), event.timestamp, texts, str(asked.get("rationale") or ""),
            event.event_id == row.revision_id,
        ))  # fmt: skip
    return tuple(found)


def what_it_did(entry_ids: Iterable[str], op_id: str, history: History) -> Tried:
    """What an operation made of its entries; one that is erased by now is left out.

    Args:
        entry_ids: those that it touched.
        history: gives an entry and its versions by an id, or raises NotFound.
    """
    found = Tried()
    edges: dict[tuple[str, str, str], tuple[Edge, bool]] = {}
    for entry_id in entry_ids:
        try:
            entry, versions = history(entry_id)
        except NotFound:
            continue
        places = [i for i, version in enumerate(versions) if version.op_id == op_id]
        if not places:
            continue
        if places[0]:
            found.before[entry.id] = _with(entry, as_of(versions, versions[places[0] - 1].event_id))
        found.after[entry.id] = _with(entry, as_of(versions, versions[places[-1]].event_id))
        for version in (versions[i] for i in places if versions[i].edge is not None):
            kind, other, leaves = version.edge or ("", "", False)
            edge = Edge(entry.id, kind, other) if leaves else Edge(other, kind, entry.id)
            edges[edge.key] = edge, version.kind != "unlink"
    found.came = [edge for edge, added in edges.values() if added]
    found.went = [edge for edge, added in edges.values() if not added]
    return found


def as_it_was(store: Store, row: RequestRow, entry: Entry, events: Mapping[str, Event]) -> Entry:
    """An entry as it was when a request about it was asked; a field of which that cannot be told is as it stands.

    Args:
        events: those that the request names as its base.
    """
    seen = row.base.get(entry.id)
    if not isinstance(seen, Mapping):
        return entry
    values: dict[str, Any] = {}
    for name in (*PATCH_FIELDS, "state"):
        value = value_as_asked(store, row, entry.id, name, events)
        if value is not UNKNOWN:
            values[name] = value
    tags = seen.get("tags")
    if isinstance(tags, list):
        values["tags"] = tuple(t for t in tags if isinstance(t, str))
    return _with(entry, values)


def base_events(store: Store, rows: Iterable[RequestRow], entry_ids: Iterable[str]) -> dict[str, Event]:
    """The events that some requests name as their base."""
    ids = list(entry_ids)
    return store.events_by_id({
        tip for row in rows for i in ids if i in row.base for name in (*PATCH_FIELDS, "state")
        for tip in tips_seen(row, i, name)
    })  # fmt: skip


def _with(entry: Entry, values: Mapping[str, Any]) -> Entry:
    """An entry with other values, under their stored names; what no entry can have is passed over."""
    fitting: dict[str, Any] = {}
    for name, value in values.items():
        if name in ("name", "type", "workspace") and not value:
            continue
        if name == "class":
            fitting["klass"] = _one_of(EntryClass, value) or default_class(str(values.get("type") or entry.type))
        elif name == "status":
            fitting["status"] = _one_of(Status, value)
        elif name == "state":
            fitting["state"] = _one_of(State, value) or State.ACTIVE
        elif name == "tags":
            fitting["tags"] = tuple(value)
        elif name in Entry.__dataclass_fields__ and (value is None or isinstance(value, str)):
            fitting[name] = _BLANK.get(name) if value is None else value
    if fitting.get("name") not in (None, entry.name):
        fitting["display_name"] = ""
    return replace(entry, **fitting)


def _one_of(kind: type[Any], value: Any) -> Any:
    try:
        return kind(value)
    except ValueError:
        return None

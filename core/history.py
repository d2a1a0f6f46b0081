"""The history of an entry: its versions, what each changed, the diff of a field, and the entry as it was. Pure.

A version is what one event made of the entry, in ULID order. Replay is exact: each version states every changed field
before and after, the after of one is the before of the next, and the last is the entry as folded, also where
operations were undone or written on two machines at once. Source: DESIGN 2, 3.3, 3.5; thrum/SPEC 11; gaia/SPEC 8.
"""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from .events import APPEND, CREATE, DELETE, EDGE_ADD, EDGE_REMOVE, EDIT, OPERATION, Event, time_of
from .fold import SEPARATOR, Folded, base_of, fold_entry, written
from .model import PATCH_FIELDS, SUPERSEDES, Entry, State, Status, edge_kind, edge_words, role_label
from .standing import Standing, by_id, canonical, chain, liveness
from .text import LONG, one_name, times_as_long

#: The fields of a version, in the order in which a diff shows them.
FIELDS: Final = (*PATCH_FIELDS, "tags", "state")
_ABOUT: Final = frozenset({CREATE, EDIT, APPEND, DELETE})
_EDGES: Final = frozenset({EDGE_ADD, EDGE_REMOVE})
_PLAIN: Final = frozenset(PATCH_FIELDS) - {"body", "class", "status"}
_STATUSES: Final = frozenset({None, *(str(s) for s in Status)})

#: Past this many pairs of differing lines a diff shows whole blocks instead of aligning them.
_ALIGN_LIMIT: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Change:
    """One field that a version changed. Values are text, null, or for `tags` a tuple."""

    field: str
    before: Any
    after: Any


@dataclass(frozen=True, slots=True)
class Version:
    """What one event made of the entry.

    Attributes:
        event_id: the event; of an undo, the header of its operation.
        kind: create edit append delete restore supersede reclassify rename move retype tag link unlink undo redo.
        changes: in the order of `FIELDS`; empty for a link that changes no field.
        summary: one phrase in plain words, e.g. "changed the description".
        undone: its operation is undone now.
        lost: it lost a field to an edit that had not seen it, and nobody has settled it since.
        edge: (kind, other end, whether it leaves this entry) of a link or unlink.
        origin: the machine that wrote it.
        host_ref: the fact of a host that it reports; None for what was written at a desk.
    """

    event_id: str
    op_id: str | None
    timestamp: str
    author: str
    on_behalf_of: str | None
    kind: str
    changes: tuple[Change, ...]
    summary: str
    undone: bool = False
    lost: bool = False
    edge: tuple[str, str, bool] | None = None
    origin: str = ""
    host_ref: str | None = None

    def change(self, name: str) -> Change | None:
        """The change of one field, or None."""
        return next((c for c in self.changes if c.field == name), None)


def versions(
    entry_id: str, events: Iterable[Event], standing: Standing, names: Mapping[str, str] | None = None
) -> list[Version]:
    """Every version of an entry, oldest first.

    Args:
        entry_id: its id, aliases resolved.
        events: every event that names it, edges at both ends included, and the `desk.operation` headers of their
            operations (they say which one undid which), in any order.
        standing: what of the log counts now.
        names: id -> name of other entries, for the phrases.

    Returns:
        [] while its create has not arrived, and for an erased entry.
    """
    return _Replay(entry_id, events, standing, names or {}).run()


def snapshot(entry: Entry) -> dict[str, Any]:
    """The fields that versions track, as shown."""
    values = {name: getattr(entry, name) for name in FIELDS if name != "class"}
    return values | {
        "class": str(entry.klass),
        "status": str(entry.status) if entry.status is not None else None,
        "state": str(entry.state),
    }


def changes_between(before: Entry, after: Entry) -> tuple[Change, ...]:
    """The fields in which two states of an entry differ, in the order of `FIELDS`."""
    return _changes(snapshot(before), snapshot(after))


def as_of(history: Sequence[Version], event_id: str) -> dict[str, Any]:
    """The fields of the entry right after a version; {} where it did not exist yet.

    Args:
        event_id: of a version, or any event id: what stood when it was written.
    """
    fields: dict[str, Any] = {}
    for version in history:
        if version.event_id > event_id:
            break
        # What nothing ever wrote is null, and no change says so.
        fields = fields or {"tags": (), **dict.fromkeys(n for n in FIELDS if n != "tags")}
        fields |= {c.field: c.after for c in version.changes}
    return fields


class _Replay:
    """Walks the events in ULID order, with what was undone by then.

    An ordinary event, which had seen what stood before it, is applied in place; anything else (an undo, a change that
    was written without having seen the last one, a supersedes edge) folds the log up to there.
    """

    def __init__(self, entry_id: str, events: Iterable[Event], standing: Standing, names: Mapping[str, str]) -> None:
        self._entry_id = entry_id
        self._final = standing
        self._names = names
        log = sorted(canonical(events).values(), key=by_id)
        self._headers = {e.op_id: e for e in log if e.type == OPERATION and e.op_id}
        self._events = [e for e in log if e.type in _ABOUT or e.type in _EDGES]
        self._undoes = self._relevant()
        self._standing = replace(standing, dead=set(), undoing=set())
        self._done: dict[str, str | None] = {}
        self._passed: list[Event] = []
        self._folded: Folded | None = None
        self._fields: dict[str, Any] = {}
        self._heads: set[str] = set()

    def _relevant(self) -> dict[str, str | None]:
        """The undos that touch an operation of this entry, headers of losing decisions left out."""
        undoes = {
            op_id: header.payload.get("undoes")
            for op_id, header in self._headers.items()
            if header.payload.get("undoes") and self._final.admits(header)
        }
        ours = {e.op_id for e in self._events}
        return {op_id: target for op_id, target in undoes.items() if ours.intersection(chain(op_id, undoes))}

    def run(self) -> list[Version]:
        final = fold_entry(self._entry_id, self._events, self._final)
        if final is None:
            return []
        lost = {edit.event_id for edit in final.lost}
        headers = [self._headers[op_id] for op_id in self._undoes]
        found: list[Version] = []
        for event in sorted([*self._events, *headers], key=by_id):
            version = self._undo(event) if event.type == OPERATION else self._event(event)
            if version is not None:
                found.append(replace(version, lost=version.event_id in lost))
        # Where a header is missing from `events`, the last version still ends in what is shown.
        rest = _changes(self._fields, snapshot(final.entry))
        if rest and found:
            found[-1] = _joined(found[-1], rest)
        return found

    def _event(self, event: Event) -> Version | None:
        self._passed.append(event)
        if not self._final.admits(event) or event.op_id in self._undoes or event.op_id in self._final.undoing:
            return None
        before = self._fields
        if self._folded is None or not self._in_place(event):
            self._refold()
        if self._folded is None:
            return None  # its create comes later in ULID order
        changes = _changes(before, self._fields)
        edge = self._edge(event)
        if not changes and edge is None:
            return None
        kind = "create" if not before else _kind(event, changes)
        return self._version(event, kind, changes, _phrase(kind, event, changes, edge, self._fields, self._names), edge)

    def _undo(self, header: Event) -> Version | None:
        op_id = header.op_id or ""
        self._done[op_id] = self._undoes[op_id]
        dead, undoing = liveness(self._done)
        self._standing = replace(self._final, dead=dead, undoing=undoing)
        before = self._fields
        self._refold()
        changes = _changes(before, self._fields)
        if not changes:
            return None
        target = self._undoes[op_id] or ""
        kind = "undo" if len(chain(op_id, self._undoes)) % 2 == 0 else "redo"
        origin = self._headers.get(chain(op_id, self._undoes)[-1])
        said = str(origin.payload.get("summary") or target) if origin else target
        return self._version(header, kind, changes, f"{'took back' if kind == 'undo' else 'did again'}: {said}", None)

    def _version(
        self, event: Event, kind: str, changes: tuple[Change, ...], summary: str, edge: tuple[str, str, bool] | None
    ) -> Version:
        return Version(
            event.event_id, event.op_id, event.timestamp, one_name(event.agent_id),
            one_name(event.on_behalf_of or "") or None, kind, changes, summary,
            undone=event.op_id in self._final.dead, edge=edge, origin=one_name(event.origin), host_ref=event.host_ref,
        )  # fmt: skip

    def _refold(self) -> None:
        self._folded = fold_entry(self._entry_id, self._passed, self._standing)
        if self._folded is not None:
            self._fields = snapshot(self._folded.entry)
            self._heads = set(self._folded.body_heads)

    def _in_place(self, event: Event) -> bool:
        """Apply an event that had seen everything before it; False when only a fold can tell what it makes."""
        patch = written(event)
        if event.type == APPEND:
            return self._append(event)
        if event.type == DELETE:
            self._fields = self._fields | {"state": str(State.PURGED)}
            return True
        if event.type in _EDGES:
            onto = edge_kind(str(event.payload.get("edge_kind"))) == SUPERSEDES
            return not (onto and self._final.real_id(event.other_id or "") == self._entry_id)
        if event.type != EDIT or "state" in patch or "class" in patch or "audience" in patch:
            return False
        base = base_of(event, "body")
        if "body" in patch and not (base is None or self._heads <= set(base)):
            return False
        if any(value is not None and not isinstance(value, str) for value in patch.values()):
            return False
        if patch.get("status") not in _STATUSES:
            return False
        self._edit(event, patch)
        return True

    def _append(self, event: Event) -> bool:
        if not self._heads <= set(base_of(event, "body") or ()):
            return False
        text = str(event.payload.get("text") or "")
        body = SEPARATOR.join(p for p in (self._fields["body"], text) if p)
        self._fields = self._fields | {"body": body}
        self._heads = {event.event_id}
        return True

    def _edit(self, event: Event, patch: Mapping[str, Any]) -> None:
        fields = dict(self._fields)
        for name, value in patch.items():
            if name == "body":
                fields[name], self._heads = value or "", {event.event_id}
            elif name == "status":
                fields[name] = value if fields["class"] == "thread" else None
            elif name in _PLAIN:
                fields[name] = value if value is not None or name not in ("workspace", "name", "type") else ""
        adds, removes = (event.payload.get(key) for key in ("add_tags", "rm_tags"))
        if adds or removes:
            tags = {*fields["tags"], *_strings(adds)} - set(_strings(removes))
            fields["tags"] = tuple(sorted(tags))
        self._fields = fields

    def _edge(self, event: Event) -> tuple[str, str, bool] | None:
        if event.type not in _EDGES:
            return None
        source, target = (self._final.real_id(i or "") for i in (event.memory_id, event.other_id))
        outward = source == self._entry_id
        return edge_kind(str(event.payload.get("edge_kind"))), target if outward else source, outward


def _strings(value: Any) -> list[str]:
    return [v for v in value if isinstance(v, str)] if isinstance(value, (list, tuple)) else []


def _changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[Change, ...]:
    empty: Mapping[str, Any] = {"tags": ()}
    return tuple(
        Change(name, before.get(name, empty.get(name)), after.get(name))
        for name in FIELDS
        if before.get(name, empty.get(name)) != after.get(name)
    )


def _joined(version: Version, more: Iterable[Change]) -> Version:
    merged = {c.field: c for c in version.changes}
    for change in more:
        first = merged.get(change.field)
        merged[change.field] = Change(change.field, first.before if first else change.before, change.after)
    return replace(version, changes=tuple(merged[name] for name in FIELDS if name in merged))


# -- words --------------------------------------------------------------------------------------------------------

_CALLED: Final = {
    "project_ref": "the project",
    "audience": "the audience",
    "origin_session_id": "the session",
    "body": "the text",
}


def _kind(event: Event, changes: Collection[Change]) -> str:
    """The kind of a version that is not a create, by what it changed most tellingly."""
    if event.type in (APPEND, DELETE):
        return event.type.removeprefix("memory.")
    if event.type in _EDGES:
        return "link" if event.type == EDGE_ADD else "unlink"
    changed = {c.field: c.after for c in changes}
    state = changed.get("state")
    if state is not None:
        return {State.ACTIVE: "restore", State.SUPERSEDED: "supersede", State.PURGED: "delete"}[State(state)]
    for names, kind in (
        (("title", "description", "summary", "body"), "edit"),
        (("type",), "retype"),
        (("workspace",), "move"),
        (("name",), "rename"),
        (("class", "status"), "reclassify"),
        (("tags",), "tag"),
    ):
        if any(name in changed for name in names):
            return kind
    return "edit"


def _phrase(
    kind: str, event: Event, changes: Sequence[Change], edge: tuple[str, str, bool] | None,
    fields: Mapping[str, Any], names: Mapping[str, str],
) -> str:  # fmt: skip
    if kind == "create":
        return "created"
    if edge is not None:
        edge_type, other, outward = edge
        said = f"{edge_words(edge_type, inbound=not outward)} {names.get(other, other)}"
        return said if kind == "link" else f"no longer {said}"
    if kind == "append":
        text = str(event.payload.get("text") or "")
        return f"added {len(text):,} characters to the text"
    parts = []
    for change in changes:
        part = _part(change, fields)
        if part and part not in parts:
            parts.append(part)
    return "; ".join(parts)


def _part(change: Change, fields: Mapping[str, Any]) -> str:
    name, after = change.field, change.after
    if name == "state":
        return {"active": "brought back", "superseded": "marked as replaced", "purged": "deleted"}[str(after)]
    if name in ("class", "status"):
        return f"moved to “{role_label(fields['class'], fields['status'], fields['type'])}”"
    if name == "name":
        return f"renamed from {change.before} to {after}"
    if name == "workspace":
        return f"moved from workspace {change.before} to {after}"
    if name == "tags":
        more = [f"tagged {tag}" for tag in after if tag not in change.before]
        fewer = [f"untagged {tag}" for tag in change.before if tag not in after]
        return ", ".join(more + fewer)
    called = _CALLED.get(name, f"the {name}")
    if after in (None, ""):
        return f"cleared {called}"
    if change.before in (None, ""):
        return f"gave {called}"
    if name == "body":
        return f"changed {called} ({_sizes(str(change.before), str(after))})"
    return f"changed {called}"


def _sizes(before: str, after: str) -> str:
    return size_change(before, after) or "same length"


def size_change(before: str, after: str | None) -> str:
    """How much longer or shorter a text became, "" for not at all: an edit that removes most of it must be seen.

    Args:
        before: the old text, not empty.
    """
    times = len(after or "") / len(before)
    if times >= LONG:
        return times_as_long(times)
    percent = round(100 * (len(after or "") - len(before)) / len(before))
    return f"{percent:+d} %".replace("-", "−") if percent else ""


# -- diffs --------------------------------------------------------------------------------------------------------


def version_diff(version: Version, *, context: int = 3) -> list[str]:
    """The unified diff of every field that a version changed, one line an item, without line ends."""
    lines: list[str] = []
    for change in version.changes:
        lines += field_diff(change.field, change.before, change.after, context=context)
    return lines


def field_diff(name: str, before: Any, after: Any, *, context: int = 3) -> list[str]:
    """The unified diff of one field: `--- name`, `+++ name`, then hunks; [] where nothing differs.

    Time and space stay in proportion to the text, however large: what both share at the ends is set aside first, and
    two long middles that have nothing to do with each other are shown as one block out, one block in.

    Args:
        before: the old value; null and a missing value have no lines. A tuple (tags) has a line an item.
        after: the new value.
        context: unchanged lines around a change.
    """
    old, new = _lines(before), _lines(after)
    if old == new:
        return []
    head = _shared(old, new)
    tail = _shared(old[head:][::-1], new[head:][::-1])
    skipped, kept = max(0, head - context), max(0, tail - context)
    a, b = old[skipped : len(old) - kept], new[skipped : len(new) - kept]
    if (len(old) - head - tail) * (len(new) - head - tail) <= _ALIGN_LIMIT:
        groups = list(difflib.SequenceMatcher(None, a, b).get_grouped_opcodes(context))
    else:
        lead, trail = head - skipped, tail - kept
        groups = [[
            ("equal", 0, lead, 0, lead),
            ("replace", lead, len(a) - trail, lead, len(b) - trail),
            ("equal", len(a) - trail, len(a), len(b) - trail, len(b)),
        ]]  # fmt: skip
    lines = [f"--- {name}", f"+++ {name}"]
    for group in groups:
        lines += _hunk(group, a, b, skipped)
    return lines


def _hunk(group: Sequence[tuple[str, int, int, int, int]], a: list[str], b: list[str], skipped: int) -> Iterator[str]:
    first, last = group[0], group[-1]
    yield f"@@ -{_range(first[1], last[2], skipped)} +{_range(first[3], last[4], skipped)} @@"
    for tag, a_from, a_to, b_from, b_to in group:
        if tag == "equal":
            yield from (f" {line}" for line in a[a_from:a_to])
        else:
            yield from (f"-{line}" for line in a[a_from:a_to])
            yield from (f"+{line}" for line in b[b_from:b_to])


def _range(start: int, stop: int, skipped: int) -> str:
    """Line numbers as in the unified format: counted from one, an empty range names the line before it."""
    length = stop - start
    first = skipped + start + (1 if length else 0)
    return str(first) if length == 1 else f"{first},{length}"


def _lines(value: Any) -> list[str]:
    if value is None:
        return []
    if isinstance(value, tuple):
        return [str(item) for item in value]
    return str(value).split("\n")


def _shared(one: list[str], other: list[str]) -> int:
    """How many items two lists share at their beginning."""
    count = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        count += 1
    return count


def as_it_happened(found: Sequence[Version]) -> list[Version]:
    """Versions for telling: what a host reported late about links stands where it happened.

    Changes keep the order of the log, in which they build on each other; only links, which change no field, move.
    """
    told = [v for v in found if v.edge is None]
    for link in (v for v in found if v.edge is not None):
        at = time_of(link.timestamp)
        place = next((i for i, v in enumerate(told) if at and (t := time_of(v.timestamp)) and t > at), len(told))
        told.insert(place, link)
    return told

"""What History shows, read and worked out in the reading thread: the log, versions, and the sheets at the right."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final

from ...core.desk import Desk
from ...core.desk.rewinding import Walk
from ...core.desk.sources import Retirement
from ...core.desk.versions import blamed
from ...core.diff import compare
from ...core.errors import NotFound
from ...core.events import ulid_ms
from ...core.history import Version, as_of, size_change, snapshot
from ...core.model import STATE_LABELS, Entry, State, role_label
from ...core.moments import KINDS, Changed, Moment, sentence
from ...core.store import OperationRow
from ...core.text import one_line
from ..entry_view import role_words
from ..widgets.diff_view import BlameBlock, BlameLine, DiffBlock, SheetBlock
from ..widgets.entry_text import Block, Gap, Heading, Line, Lines, Plain, Title
from ..widgets.row_list import Section
from ..words import age, ago, count
from .pane import Question

#: Entries of one operation that are shown with their differences; the others are named.
SHOWN: Final = 12
NOW: Final = "now"
_LABELS: Final = {
    "role": "Role", "state": "Standing", "name": "Name", "workspace": "Workspace", "type": "Type", "title": "Title",
    "description": "Description", "summary": "In short", "tags": "Tags", "initiative": "Initiative",
    "project_ref": "Project", "audience": "Audience", "origin_session_id": "Session", "body": "Text",
}  # fmt: skip
SIGNS: Final = {"added": "+", "retired": "-", "brought back": "↑", "reworded": "~", "moved": "→", "relinked": "∞"}
_TONES: Final = {"added": "good", "retired": "bad", "brought back": "good"}


@dataclass(frozen=True, slots=True)
class HistoryQuestion(Question):
    """What to read: the log, or the versions of one entry."""

    entry_id: str | None = None


@dataclass(frozen=True, slots=True)
class HistoryView:
    """What was read.

    Attributes:
        sections: of the list: operations by day, or the versions of an entry.
        entry: whose versions they are; None for the log.
        versions: oldest first.
        breaks: event id -> why the history does not join the version before.
        origin: this machine.
    """

    sections: tuple[Section, ...]
    now: datetime
    origin: str
    entry: Entry | None = None
    versions: tuple[Version, ...] = ()
    breaks: Mapping[str, str] = field(default_factory=dict)


def read_view(desk: Desk, question: HistoryQuestion) -> HistoryView:
    """Read the list."""
    if question.entry_id is None:
        keys = desk.store.operation_keys(words=question.filter, workspace=question.workspace)
        return HistoryView(tuple(_by_day(keys, question.now)), question.now, desk.store.origin)
    entry, versions = desk.history(question.entry_id)
    words = question.filter.casefold().split()
    keys = [v.event_id for v in reversed(versions) if all(w in f"{v.author} {v.summary}".casefold() for w in words)]
    breaks = desk.breaks(versions)
    dividers = tuple((i + 1, "the history does not join here") for i, key in enumerate(keys) if key in breaks)
    header = f"{entry.shown_name} · {role_words(entry)}"
    section = Section(keys, header, count(len(versions), "version"), dividers)
    return HistoryView((section,), question.now, desk.store.origin, entry, tuple(versions), breaks)


def _by_day(keys: Sequence[str], now: datetime) -> Iterable[Section]:
    """The operations in a section a day, the newest first; told by their ids, so none of them is read."""
    today = now.astimezone(UTC).date()
    start, before = 0, ""
    for place, key in enumerate([*keys, ""]):
        day = str(ulid_ms(key[3:]) // 86_400_000) if key else ""
        if day != before:
            if before:
                name = _day(date(1970, 1, 1) + timedelta(days=int(before)), today)
                yield Section(keys[start:place], name, f"{place - start:,}")
            start, before = place, day


def _day(day: date, today: date) -> str:
    if day == today:
        return "Today"
    if day == today - timedelta(days=1):
        return "Yesterday"
    return f"{day:%A} {day.day} {day:%B %Y}"


# -- the words of a row ------------------------------------------------------------------------------------------


def exactly(stamp: str) -> str:
    """`2025-06-12 14:03:22 UTC`."""
    try:
        moment = datetime.fromisoformat(stamp)
    except ValueError:
        return stamp or "at an unknown time"
    return f"{moment.astimezone(UTC) if moment.tzinfo else moment:%Y-%m-%d %H:%M:%S} UTC"


def machine(origin: str, host_ref: str | None, here: str) -> str:
    """Which machine or host an event comes from."""
    if host_ref:
        return f"told by {host_ref.partition(':')[0].capitalize()}"
    if origin == here:
        return "this machine"
    return f"machine {origin[:8]}…" if origin else "an unnamed machine"


def fate(row: OperationRow) -> str:
    """What became of an operation, in a word."""
    if row.ignored:
        return "void"
    return "undone" if row.undone_by else ""


# -- sheets ------------------------------------------------------------------------------------------------------


def operation_sheet(desk: Desk, op_id: str, now: datetime) -> list[SheetBlock]:
    """Who did what, and the difference that it made to each entry."""
    row = desk.logged(op_id)
    origin = machine(row.origin, None, desk.store.origin)
    who = row.actor + (f" for {row.on_behalf_of}" if row.on_behalf_of else "")
    note = [f"{ago(row.timestamp, now)}, {exactly(row.timestamp)}", who, origin]
    note += [f"session {row.session_id}"] if row.session_id else []
    blocks: list[SheetBlock] = [Title(row.summary or row.verb, " · ".join(note))]
    if row.ignored:
        blocks += [Gap(), Plain("! It does not count: another decision on the same request came first.", "warn")]
    elif row.undone_by:
        undo = desk.store.operation(row.undone_by)
        by = f" by {undo.actor} {ago(undo.timestamp, now)}, {exactly(undo.timestamp)}" if undo else ""
        blocks += [Gap(), Plain(f"↶ Undone{by}.", "warn")]
    for number, entry_id in enumerate(row.entries[:SHOWN]):
        blocks += _touched(desk, entry_id, row.op_id, number)
    rest = desk.store.entries_of(row.entries[SHOWN:])
    if rest:
        blocks += [Gap(), Heading(f"And {count(len(rest), 'entry')} more"), Lines([Line(e.shown_name) for e in rest])]
    if row.verb == "request":
        blocks += [Gap(), Plain("It asks a person; it changed nothing by itself.", "muted")]
    elif not row.entries:
        blocks += [Gap(), Plain("It changed no entry.", "muted")]
    return blocks


def _touched(desk: Desk, entry_id: str, op_id: str, number: int) -> list[SheetBlock]:
    try:
        entry, versions = desk.history(entry_id)
    except NotFound:
        return [Gap(), Heading(entry_id), Plain("It is no longer there: it was erased.", "muted")]
    places = [i for i, v in enumerate(versions) if v.op_id == op_id]
    if not places:
        return [Gap(), Heading(entry.shown_name), Plain("Nothing that shows changed.", "muted")]
    before = as_of(versions, versions[places[0] - 1].event_id) if places[0] else {}
    after = as_of(versions, versions[places[-1]].event_id)
    links = [versions[i] for i in places if versions[i].edge is not None]
    said = "; ".join(dict.fromkeys(versions[i].summary for i in places if versions[i].edge is None))
    return [
        Gap(), Heading(entry.shown_name), *([Plain(said, "muted")] if said else []), *_links(links),
        *field_diffs(before, after, f"{number}.", new=not before),
    ]  # fmt: skip


def _links(versions: Sequence[Version]) -> list[SheetBlock]:
    lines = [Line(v.summary, "-" if v.kind == "unlink" else "+", "bad" if v.kind == "unlink" else "good")
             for v in versions]  # fmt: skip
    return [Lines(lines)] if lines else []


@dataclass(frozen=True, slots=True)
class VersionsAsked:
    """Which two versions to compare: event ids, "" for nothing (before the first one), `NOW` for the entry as it is."""

    entry: Entry
    versions: tuple[Version, ...]
    old: str
    new: str
    origin: str
    now: datetime
    why: str = ""


def version_sheet(_desk: Desk, asked: VersionsAsked) -> list[SheetBlock]:
    """The difference between two versions, field by field."""
    by_id = {v.event_id: (i, v) for i, v in enumerate(asked.versions, 1)}
    newer = by_id.get(asked.new)
    older = by_id.get(asked.old)
    if newer is not None and (older is None or older[0] == newer[0] - 1) and asked.old != NOW:
        blocks = _version_head(asked, *newer)
    else:
        names = [_called(asked, key, by_id) for key in (asked.old, asked.new)]
        blocks = [Title(f"From {names[0]} to {names[1]}", asked.entry.shown_name)]
    before, after = (_values(asked, key) for key in (asked.old, asked.new))
    diffs = field_diffs(before, after, "", new=not before)
    if not diffs and not (newer and newer[1].edge):
        blocks += [Gap(), Plain("These two are the same.", "muted")]
    return [*blocks, Gap(), *diffs] if diffs else blocks


def _version_head(asked: VersionsAsked, number: int, version: Version) -> list[SheetBlock]:
    who = version.author + (f" for {version.on_behalf_of}" if version.on_behalf_of else "")
    note = [
        f"version {number:,} of {len(asked.versions):,}",
        f"{ago(version.timestamp, asked.now)}, {exactly(version.timestamp)}", who,
        machine(version.origin, version.host_ref, asked.origin),
    ]  # fmt: skip
    blocks: list[SheetBlock] = [Title(version.summary, " · ".join(note))]
    if asked.why:
        blocks += [Gap(), Plain(f"! {asked.why}", "warn")]
    if version.undone:
        blocks += [Gap(), Plain("↶ Undone: what it wrote no longer shows.", "warn")]
    if version.lost:
        blocks += [Gap(), Plain("! It lost a field to an edit that had not seen it.", "warn")]
    if version.edge is not None:
        blocks += [Gap(), *_links([version])]
    return blocks


def _called(asked: VersionsAsked, key: str, by_id: Mapping[str, tuple[int, Version]]) -> str:
    if key == NOW:
        return "the entry as it is now"
    if key not in by_id:
        return "nothing"
    number, version = by_id[key]
    return f"version {number:,} ({version.author}, {ago(version.timestamp, asked.now)})"


def _values(asked: VersionsAsked, key: str) -> Mapping[str, Any]:
    if key == NOW:
        return snapshot(asked.entry)
    return as_of(asked.versions, key) if key else {}


def blame_sheet(_desk: Desk, asked: VersionsAsked) -> list[SheetBlock]:
    """The text of a version, each line with who wrote it and when."""
    found = blamed(asked.versions, asked.new)
    newest = asked.new
    lines = [
        BlameLine(v.author, age(v.timestamp, asked.now), text, "accent" if v.event_id == newest else "")
        for v, text in found
    ]  # fmt: skip
    writers = len({v.event_id for v, _ in found})
    note = f"{count(len(found), 'line')} from {count(writers, 'edit')}; what this version wrote stands out"
    blocks: list[SheetBlock] = [Title(f"Who wrote what in {asked.entry.shown_name}", note), Gap()]
    return [*blocks, BlameBlock(tuple(lines))] if lines else [*blocks, Plain("It has no text.", "muted")]


def field_diffs(before: Mapping[str, Any], after: Mapping[str, Any], stem: str, *, new: bool) -> list[SheetBlock]:
    """A diff for each field that differs, the text last. `new`: of an entry that is made; only its texts are told."""
    old, now = _readable(before), _readable(after)
    wanted = ("role", "title", "description", "summary", "tags", "body") if new else tuple(_LABELS)
    found: list[SheetBlock] = []
    for name in wanted:
        one, other = old.get(name) or "", now.get(name) or ""
        if one != other:
            size = size_change(one, other) if one and name == "body" else ""
            diff = compare(one, other)
            gone, came = diff.counts
            note = f"-{gone:,} +{came:,}" + (f" · {size}" if size else "")
            found += [DiffBlock(f"{stem}{name}", _LABELS[name], diff, note)]
    return found


def _readable(values: Mapping[str, Any]) -> dict[str, str]:
    """The fields as a person reads them: roles in words, tags one a line."""
    if not values:
        return {}
    found = {name: "" if value is None else str(value) for name, value in values.items() if name != "tags"}
    found["role"] = role_label(str(values.get("class")), values.get("status"), str(values.get("type")))
    found["tags"] = "\n".join(values.get("tags") or ())
    found["state"] = STATE_LABELS[State(str(values.get("state") or State.ACTIVE))]
    return found


# -- moments, walks, retirements -----------------------------------------------------------------------------------


def change_blocks(changes: Sequence[Changed], names: Mapping[str, str]) -> list[Block]:
    """What became of entries, under what became of them."""
    blocks: list[Block] = []
    for kind in KINDS:
        group = [c for c in changes if c.kinds[0] == kind]
        if group:
            lines = [Line(f"{c.entry.shown_name}  {_without(kind, sentence(c, names))}".rstrip(), SIGNS[kind],
                          _TONES.get(kind, "")) for c in group]  # type: ignore[arg-type]  # fmt: skip
            blocks += [Gap(), Heading(f"{kind.capitalize()}: {len(group):,}"), Lines(lines)]
    return blocks or [Gap(), Plain("Nothing changed.", "muted")]


def _without(kind: str, said: str) -> str:
    """The phrase without the word that the heading says already."""
    rest = said.removeprefix(kind).removeprefix("; ").removeprefix(": ")
    return rest


def moments_blocks(desk: Desk, since: str, until: str | None, workspace: str | None) -> tuple[list[Block], str]:
    """What changed in the memory between two operations (or events), with the title."""
    first, last = _moment(desk, since), _moment(desk, until) if until else None
    changes, names = desk.changed_between(first, last, workspace=workspace)
    end = f"“{last.words}”" if last else "now"
    title = f"From right after “{first.words}” to {end}"
    where = f" in {workspace}" if workspace else ""
    return [Title(title, f"{count(len(changes), 'entry')} changed{where}"), *change_blocks(changes, names)], title


def _moment(desk: Desk, key: str) -> Moment:
    """The moment of a row of the list: an operation, or one event of an entry."""
    if key.startswith("op_"):
        return desk.moment(key)
    events = desk.store.events_by_id([key])
    event = events[key]
    return Moment(event_id=key, words=f"a version by {event.agent_id}", timestamp=event.timestamp)


def moment_of(desk: Desk, key: str) -> Moment:
    """As `_moment`, for a pane."""
    return _moment(desk, key)


def walk_blocks(walk: Walk, title: str, now: datetime) -> list[Block]:
    """What a walk will do and change, and what stays."""
    able, refused = walk.able, walk.refused
    note = f"{count(len(able), 'step')} to take" + (f", {len(refused):,} cannot be taken" if refused else "")
    blocks: list[Block] = [Title(title, note)]
    if able:
        blocks += [Gap(), Plain("What will change", "accent"), *change_blocks(walk.changes, walk.names)]
        for verb, sign, word in (("undo", "↶", "undone"), ("redo", "↷", "done again")):
            lines = [
                Line(f"{s.operation.actor}  {ago(s.operation.timestamp, now)}  {s.says}", sign)
                for s in able if s.verb == verb
            ]  # fmt: skip
            if lines:
                blocks += [Gap(), Heading(f"Will be {word}: {len(lines):,}"), Lines(lines)]
    if refused:
        lines = [Line(f"{s.says}: {s.refusal.message if s.refusal else ''}", "!", "warn") for s in refused]
        blocks += [Gap(), Heading("Stays as it is"), Lines(lines)]
    return blocks


def retire_blocks(plan: Retirement) -> list[Block]:
    """What retiring a session or an author takes out."""
    number = count(len(plan.entries), "entry")
    blocks: list[Block] = [Title(f"Retire what came from {plan.source}", f"{number} will be deleted; undo brings back")]
    own = [c for c in plan.entries if c.why == "written there"]
    derived = [c for c in plan.entries if c.why != "written there"]
    for heading, group in (("Written there", own), ("Made from these", derived)):
        if group:
            lines = [Line(_retired(c.entry, c.why), "-", "bad") for c in group]
            blocks += [Gap(), Heading(f"{heading}: {len(group):,}"), Lines(lines)]
    if plan.changed:
        lines = [Line(e.shown_name, "~") for e in plan.changed]
        heading = f"Entries of others that it changed, which stay: {len(plan.changed):,}"
        blocks += [Gap(), Heading(heading), Lines(lines)]
    return blocks


def _retired(entry: Entry, why: str) -> str:
    reason = "" if why == "written there" else f" ({why})"
    return f"{entry.shown_name}{reason}  {entry.description or ''}".rstrip()


def field_names(wanted: Mapping[str, Any], now: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """(field, label, value as it was) of the fields that differ and that an edit can put back; a role counts as one."""
    old, new = _readable(wanted), _readable(now)
    fixed = {"name", "workspace", "type", "origin_session_id"}
    shown = [name for name in _LABELS if name not in fixed and old.get(name, "") != new.get(name, "")]
    if wanted.get("state") != str(State.ACTIVE):
        shown = [name for name in shown if name != "state"]
    return [(name, _LABELS[name], one_line(old.get(name, ""), 60) or "empty") for name in shown]

"""The right side of a pane: one entry as a person reads it, in role words, its links as sentences, its short history.

Storage words stand only in the "internals" fold (DESIGN 1). All texts are untrusted and go to EntryText raw.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from textual.app import ComposeResult
from textual.containers import Vertical

from ..core.desk import Desk
from ..core.errors import MemdeskError
from ..core.model import STATE_LABELS, Entry, State, role_label
from .live import background
from .widgets.entry_text import Block, Body, EntryText, Facts, Fold, Gap, Heading, Line, Lines, Plain, Title
from .words import age, ago, count, listing, moment_of

if TYPE_CHECKING:
    from ..core.desk.reading import Shown
    from ..core.history import Version
    from .app import MemdeskApp

#: Versions of the short history.
RECENT = 5
#: Seconds that the cursor must rest before the entry is read.
_REST = 0.08


class EntryView(Vertical):
    """Shows one entry; reads it in the reading thread, a moment after the cursor came to rest."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id, classes="detail")
        self.entry_id: str | None = None
        self.entry: Entry | None = None
        self.text = EntryText(empty="No entry is selected.")

    def compose(self) -> ComposeResult:
        yield self.text

    @property
    def _app(self) -> MemdeskApp:
        return cast("MemdeskApp", self.app)

    def show_entry(self, entry_id: str | None) -> None:
        """Show this entry, or say that there is none."""
        if entry_id == self.entry_id:
            return
        self.entry_id = entry_id
        self._app.later(f"view.{self.name_of_pane}", _REST, self._read)

    def reload(self) -> None:
        """Read the entry again: somebody may have changed it. The place in the text stays."""
        if self.entry_id is not None:
            self._read()

    def focus_text(self) -> None:
        """Go into the text."""
        self.text.focus()

    @property
    def name_of_pane(self) -> str:
        """The pane it belongs to, which names its workers."""
        return next((node.id or "" for node in self.ancestors if node.has_class("pane")), "screen")

    def _read(self) -> None:
        if self.is_attached:
            background(self, partial(self._load, self.entry_id), f"{self.name_of_pane}.entry", exclusive=True)

    async def _load(self, entry_id: str | None) -> None:
        if entry_id is None or self._app.live.desk is None:
            self.entry = None
            self.text.show([])
            return
        try:
            shown = await self._app.live.read(_shown, entry_id)
        except MemdeskError as error:
            shown, problem = None, error.message
        else:
            problem = "This entry is no longer there."
        if entry_id != self.entry_id:
            return  # the cursor has gone on
        same = self.entry is not None and self.entry.id == entry_id
        if shown is None:
            self.entry = None
            self.text.show([Gap(), Plain(problem, "warn")])
            return
        self.entry = shown.entry
        self.text.show(entry_blocks(shown, self._app.now()), keep_place=same)


def _shown(desk: Desk, entry_id: str) -> Shown:
    return desk.show(entry_id)


def role_words(entry: Any) -> str:
    """What the entry is for: "For this session", and "(replaced)" or "(deleted)" where it is no longer current."""
    role = role_label(entry.klass, entry.status, entry.type)
    return role if entry.state == State.ACTIVE else f"{role} ({STATE_LABELS[State(entry.state)]})"


def entry_blocks(shown: Shown, now: datetime) -> list[Block]:
    """The blocks of one entry."""
    entry = shown.entry
    blocks: list[Block] = [Title(entry.title or entry.shown_name, _under_title(entry, now))]
    if entry.description:
        blocks += [Gap(), Plain(entry.description, "accent")]
    if shown.requests:
        waits = count(len(shown.requests), "request waits", "requests wait")
        blocks += [Gap(), Plain(f"! {waits} for your decision.", "warn")]
    if shown.lost:
        blocks += [Gap(), Plain(f"! {count(len(shown.lost), 'edit was', 'edits were')} overwritten unseen.", "warn")]
    blocks += [Gap(), Body(entry.body)]
    if entry.summary:
        blocks += [Gap(), Heading("In short"), Plain(entry.summary)]
    links = _links(shown)
    if links:
        blocks += [Gap(), Heading("Links"), Lines(links)]
    blocks += [Gap(), Facts(_facts(entry))]
    if shown.versions:
        blocks += [Gap(), Heading("Lately"), Lines(_history(shown.versions, now))]
    blocks += [Gap(), Fold("internals", [Facts(_internals(shown))])]
    return blocks


def _under_title(entry: Entry, now: datetime) -> str:
    parts = [role_words(entry), f"{ago(entry.updated_at, now)} by {entry.last_edited_by}"]
    if entry.title:
        parts.insert(0, entry.shown_name)
    return " · ".join(parts)


def _links(shown: Shown) -> list[Line]:
    lines = []
    for link in (*shown.links_out, *shown.links_in):
        if link.other is None:
            lines.append(Line(f"{link.words} {link.other_name} (missing)", "?", "warn"))
        elif link.other.state is not State.ACTIVE:
            lines.append(Line(f"{link.words} {link.other_name} ({STATE_LABELS[link.other.state]})", "→", "muted"))
        else:
            lines.append(Line(f"{link.words} {link.other_name}", "→"))
    return lines


def _facts(entry: Entry) -> list[tuple[str, str]]:
    used = entry.telemetry
    facts = [
        ("initiative", entry.initiative or ""),
        ("project", entry.project_ref or ""),
        ("workspace", entry.workspace),
        ("tags", listing(entry.tags, 8)),
        ("injected", count(used.injection_count, "time") if used.injection_count else "never"),
        ("read", count(used.deliberate_count, "time") if used.deliberate_count else "never"),
    ]
    return [(label, value) for label, value in facts if value]


def _history(versions: Sequence[Version], now: datetime) -> list[Line]:
    """The newest versions by the time that is shown: what a first pull brought in carries the times of its host."""
    newest = sorted(reversed(versions), key=lambda version: moment_of(version.timestamp), reverse=True)[:RECENT]
    return [Line(f"{age(version.timestamp, now)}  {version.author}  {version.summary}") for version in newest]


def _internals(shown: Shown) -> list[tuple[str, str]]:
    return [(str(name), "" if value is None else str(value)) for name, value in shown.internals.items()]

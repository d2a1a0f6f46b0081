"""History: what was done and by whom, how an entry came to be, the memory as it was; the difference at the right."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final, cast

from ...core.desk import Desk, Receipt
from ...core.errors import MemdeskError
from ...core.history import Version, as_of, snapshot
from ...core.store import OperationRow, Store
from ..actions import OtherSeen, Seen
from ..entry_view import EntryView
from ..screens.preview import PreviewScreen
from ..screens.reading import ReadingScreen
from ..widgets.diff_view import DiffView, SheetBlock
from ..widgets.entry_text import Gap, Plain
from ..widgets.row_list import Cell, Column, Key, Row, RowList
from ..words import age, count
from .history_read import (
    NOW,
    HistoryQuestion,
    HistoryView,
    VersionsAsked,
    blame_sheet,
    exactly,
    fate,
    field_names,
    machine,
    moment_of,
    moments_blocks,
    operation_sheet,
    read_view,
    retire_blocks,
    version_sheet,
    walk_blocks,
)
from .pane import Pane

Ask = Callable[[Desk], list[SheetBlock]]

_LOG: Final = [
    Column("when", width=5, tone="muted"),
    Column("who", width=14, priority=2, tone="accent"),
    Column("what", flex=1, min_width=20),
]
_VERSIONS: Final = [
    Column("age", width=9, tone="muted"),
    Column("who", width=14, priority=2, tone="accent"),
    Column("what", flex=1, min_width=20),
    Column("exactly", width=16, priority=4, tone="muted"),
    Column("machine", width=16, priority=5, tone="muted"),
]
_KIND_SIGNS: Final = {
    "create": "+", "delete": "-", "restore": "↑", "supersede": "⊘", "link": "→", "unlink": "×", "undo": "↶",
    "redo": "↷", "append": "»", "reclassify": "●", "tag": "#",
}  # fmt: skip
_FIRST_VERSIONS: Final = "This is for the versions of an entry: h goes there from an operation."


class LogRows:
    """Operations, a screenful at a time."""

    def __init__(self, store: Store, view: HistoryView) -> None:
        self._store = store
        self._view = view
        self._seen: dict[Key, OperationRow] = {}

    def sections(self) -> Sequence[Any]:
        return self._view.sections

    def page(self, keys: Sequence[Key]) -> Sequence[Row | None]:
        found = {row.op_id: row for row in self._store.operations_of([str(key) for key in keys])}
        self._seen.update(found)
        return [self._row(found[str(key)]) if key in found else None for key in keys]

    def operation(self, key: Key) -> OperationRow | None:
        """The operation as it was drawn."""
        if key not in self._seen:
            self.page([key])
        return self._seen.get(key)

    def seen(self, key: Key) -> Seen | None:
        """The row for an action."""
        row = self.operation(key)
        return None if row is None else OtherSeen(row.op_id, row.summary or row.verb)

    def _row(self, row: OperationRow) -> Row:
        gone = fate(row)
        what = (f"({gone}) " if gone else "") + (row.summary or row.verb)
        sign = "↶" if row.verb == "undo" else "↷" if row.verb == "redo" else "?" if row.verb == "request" else ""
        return Row([exactly(row.timestamp)[11:16], row.actor, Cell(what, "muted") if gone else what], sign=sign)


class VersionRows:
    """The versions of one entry, the newest first."""

    def __init__(self, view: HistoryView) -> None:
        self._view = view
        self._by_id = {v.event_id: v for v in view.versions}

    def sections(self) -> Sequence[Any]:
        return self._view.sections

    def page(self, keys: Sequence[Key]) -> Sequence[Row | None]:
        return [self._row(self._by_id[str(key)]) if key in self._by_id else None for key in keys]

    def seen(self, key: Key) -> Seen | None:
        """The row for an action."""
        version = self._by_id.get(str(key))
        return None if version is None else OtherSeen(version.event_id, version.summary)

    def _row(self, version: Version) -> Row:
        marks = [word for word, on in (("undone", version.undone), ("lost", version.lost)) if on]
        what = f"({', '.join(marks)}) {version.summary}" if marks else version.summary
        cells = [
            age(version.timestamp, self._view.now), version.author, Cell(what, "muted") if version.undone else what,
            exactly(version.timestamp)[:16], machine(version.origin, version.host_ref, self._view.origin),
        ]  # fmt: skip
        return Row(cells, sign=_KIND_SIGNS.get(version.kind, "~"))


class HistoryDetail(EntryView):
    """The right side of History: a sheet of differences for the row at the cursor."""

    def __init__(self) -> None:
        super().__init__()
        self.sheet = DiffView(empty="No operation is selected.")
        self.text = self.sheet

    async def _load(self, entry_id: str | None) -> None:
        pane = cast("HistoryPane", self.parent.parent if self.parent else None)
        ask = pane.asked(entry_id)
        if ask is None:
            self.sheet.show_sheet([])
            return
        shown = pane.shown_for(entry_id)
        try:
            blocks = await self._app.live.read(ask)
        except MemdeskError as error:
            blocks = [Gap(), Plain(error.message, "warn")]
        if shown == pane.shown_for(self.entry_id):  # else the cursor has gone on
            self.sheet.show_sheet(blocks, keep_place=shown == pane.shown)
            pane.shown = shown


class HistoryPane(Pane):
    """The pane."""

    NAME = "history"
    TITLE = "History"
    EMPTY = "Nothing has been done here yet."
    ACTIONS = (
        "history.next", "history.previous", "history.current", "history.side", "history.blame", "history.restore",
        "history.field", "history.as_of", "history.moments", "history.take_back", "history.walk", "history.retire",
    )  # fmt: skip

    def __init__(self) -> None:
        super().__init__()
        #: Whose versions are shown; None for the log of operations.
        self.entry_id: str | None = None
        self.against_now = False
        self.blames = False
        #: What the right side shows: the row and how it is looked at.
        self.shown: Any = None
        self._view: HistoryView | None = None
        self._rows: LogRows | VersionRows | None = None
        self._log_key: Key | None = None
        #: The filter of the log while versions are shown: it is about operations, and would hide versions.
        self._log_filter = ""

    def make_list(self) -> RowList:
        return RowList(_LOG, empty="Opening the store…")

    def make_detail(self) -> HistoryDetail:
        return HistoryDetail()

    @property
    def sheet(self) -> DiffView:
        """The differences at the right."""
        return cast(HistoryDetail, self.detail).sheet

    # -- reading ------------------------------------------------------------------------------------------------------

    def question(self) -> HistoryQuestion:
        return HistoryQuestion(self.workspace, self.filter_text, self.now(), self.entry_id)

    def read(self, desk: Desk, question: HistoryQuestion) -> HistoryView:
        return read_view(desk, question)

    def present(self, view: HistoryView) -> None:
        assert self.desk is not None
        if (view.entry is None) != (self.entry_id is None):
            return  # the answer to an older question
        rows: LogRows | VersionRows = LogRows(self.desk.store, view) if view.entry is None else VersionRows(view)
        self.list.set_empty("Nothing fits the filter; esc clears it." if self.filter_text else self.EMPTY)
        self.list.show(rows, cursor=self._first(view))
        self.list.set_columns(_LOG if view.entry is None else _VERSIONS)
        self._view, self._rows = view, rows

    def _first(self, view: HistoryView) -> Key | None:
        """Where the cursor goes in another list: to the newest version, or back to the row that was left."""
        before = self._view
        if before is not None and (before.entry and before.entry.id) == (view.entry and view.entry.id):
            return None
        back, self._log_key = (self._log_key, None) if view.entry is None else (None, self._log_key)
        keys = view.sections[0].keys if view.sections else ()
        return back if back is not None else keys[0] if len(keys) else None

    def on_screen(self, key: Key) -> Seen | None:
        return None if self._rows is None else self._rows.seen(key)

    def key_of(self, entry_id: str) -> Key | None:
        return None

    # -- the right side -----------------------------------------------------------------------------------------------

    def asked(self, key: str | None) -> Ask | None:
        """What to read for the right side."""
        view = self._view
        if key is None or view is None:
            return None
        if view.entry is None:
            return partial(operation_sheet, op_id=key, now=view.now) if key.startswith("op_") else None
        if key.startswith("op_"):
            return None
        if self.blames:
            return partial(blame_sheet, asked=self._between(view, "", key))
        return partial(version_sheet, asked=self._between(view, *self._ends(view, key)))

    def _ends(self, view: HistoryView, key: str) -> tuple[str, str]:
        """The two versions that are compared: those that are marked, or this one with now or with the one before."""
        order = [v.event_id for v in view.versions]
        marked = [v for v in order if v in self.list.marked]
        if len(marked) == 2:
            return marked[0], marked[1]
        if self.against_now:
            return key, NOW
        place = order.index(key) if key in order else 0
        return (order[place - 1] if place else ""), key

    def _between(self, view: HistoryView, old: str, new: str) -> VersionsAsked:
        assert view.entry is not None
        return VersionsAsked(view.entry, view.versions, old, new, view.origin, view.now, view.breaks.get(new, ""))

    def shown_for(self, key: str | None) -> Any:
        """What tells one sheet from another."""
        return key, self.entry_id, self.blames, self.against_now, self.list.marked

    def _show_again(self) -> None:
        self.detail.reload()

    def on_row_list_marks_changed(self) -> None:
        if self.entry_id is not None:
            self._show_again()

    # -- between the log and the versions -----------------------------------------------------------------------------

    def open_entry(self, entry_id: str) -> None:
        """Show the versions of an entry."""
        if self.entry_id is None:
            self._log_key = self.list.cursor_key
            self._log_filter = self._filter.value
        self._set_filter("")
        self.entry_id, self.against_now, self.blames = entry_id, False, False
        self._change_list()

    def step_back(self) -> bool:
        if self.entry_id is None:
            return False
        self.entry_id = None
        self.blames = False
        self._set_filter(self._log_filter)
        self._log_filter = ""
        self._change_list()
        return True

    def _set_filter(self, words: str) -> None:
        """Another list has another filter: it holds for the very next reading, not after the rest of the keyboard."""
        if not words and self.typing_filter:
            self.list.focus()
        self.set_class(bool(words), "-filtering")
        self._filter.value = words
        self.filter_text = self._filter.raw.strip()

    def _change_list(self) -> None:
        self.list.clear_marks()
        self.refresh_view()

    async def open_touched(self) -> None:
        """From an operation to the versions of an entry that it touched; asked for where there are several."""
        from ..widgets.dialogs import Choice, Pick

        row = self._operation()
        if row is None:
            self.say("These are the versions of an entry already; esc goes back to the operations.", "warn")
            return
        entries = await self.desk_app.reading(lambda desk: desk.store.entries_of(row.entries))
        if not entries:
            self.say("This operation changed no entry.", "warn")
            return
        picked: object = entries[0].id
        if len(entries) > 1:
            choices = [Choice(e.id, e.shown_name, e.description or "") for e in entries]
            picked = await self.ask(Pick("Whose history?", choices))
        if picked is not None:
            self.open_entry(str(picked))

    def _operation(self) -> OperationRow | None:
        key = self.list.cursor_key
        return self._rows.operation(key) if isinstance(self._rows, LogRows) and key is not None else None

    def _version(self) -> Version | None:
        view, key = self._view, self.list.cursor_key
        if view is None or view.entry is None:
            return None
        return next((v for v in view.versions if v.event_id == key), None)

    # -- looking ------------------------------------------------------------------------------------------------------

    def why_not(self, action_id: str) -> str:
        versions = ("history.current", "history.blame", "history.restore", "history.field")
        if action_id in versions and (self._view is None or self._view.entry is None):
            return _FIRST_VERSIONS
        by_operation = ("history.take_back", "history.walk")
        if action_id in by_operation and self._op_id() is None and self.current() is not None:
            return "This came without an operation: it was not written at a desk."
        return ""

    def do_history_next(self) -> None:
        if not self.sheet.jump(1):
            self.say("There is no change below.")

    def do_history_previous(self) -> None:
        if not self.sheet.jump(-1):
            self.say("There is no change above.")

    def do_history_side(self) -> None:
        self.sheet.show_side(not self.sheet.side)
        if self.sheet.side and not self.sheet.has_room_for_two:
            self.say("Two columns need a wider screen; they show where there is room.", "warn")
        else:
            self.say("In two columns." if self.sheet.side else "In one column.")

    def do_history_current(self) -> None:
        self.against_now, self.blames = not self.against_now, False
        self.say("Compared with the entry as it is now." if self.against_now else "Compared with the version before.")
        self._show_again()

    def do_history_blame(self) -> None:
        self.blames = not self.blames
        self.say("Who wrote each line of this version." if self.blames else "What this version changed.")
        self._show_again()

    async def to_copy(self) -> tuple[str, str] | None:
        view, version = self._view, self._version()
        if view is None or view.entry is None or version is None:
            return ("the difference", self.sheet.plain_text()) if self.current() is not None else None
        name = f"{view.entry.shown_name} as of {version.timestamp[:10]}"
        return name, str(as_of(view.versions, version.event_id).get("body") or "")

    async def do_history_as_of(self) -> None:
        key = str(self.list.cursor_key)
        moment = await self.desk_app.reading(moment_of, key)
        await self.desk_app.look_back(moment)

    async def do_history_moments(self) -> None:
        keys = sorted(map(str, self.list.targets()))
        until = keys[-1] if len(keys) > 1 else None
        workspace = self.workspace
        blocks, title = await self.desk_app.reading(moments_blocks, keys[0], until, workspace)
        await self.ask(ReadingScreen(title, blocks, ""))

    # -- changing -----------------------------------------------------------------------------------------------------

    def do_history_restore(self) -> None:
        self._restore(None)

    async def do_history_field(self) -> None:
        from ..widgets.dialogs import Choice, Pick

        names = self._differing()
        if not names:
            self.say("This version holds the same values as the entry does now.", "warn")
            return
        choices = [Choice(name, label, note) for name, label, note in names]
        picked = choices[0].key if len(choices) == 1 else await self.ask(Pick("Restore which field?", choices))
        if picked is not None:
            self._restore({"class", "status"} if picked == "role" else {str(picked)})

    def _differing(self) -> list[tuple[str, str, str]]:
        view, version = self._view, self._version()
        if view is None or view.entry is None or version is None:
            return []
        return field_names(as_of(view.versions, version.event_id), snapshot(view.entry))

    def _restore(self, fields: set[str] | None) -> None:
        view, version = self._view, self._version()
        if view is None or view.entry is None or version is None:
            return
        entry = view.entry
        wanted, now = as_of(view.versions, version.event_id), snapshot(entry)
        names = {n for n in wanted if wanted[n] != now[n] and (fields is None or n in fields)}
        saw = {n: now[n] for n in names}

        def call(desk: Desk, expected: object) -> Receipt:
            return desk.restore_version(entry.id, version.event_id, fields=fields, expected=saw)

        self.write(f"Restoring {entry.shown_name}", call, moves=False)

    def _op_id(self) -> str | None:
        row, version = self._operation(), self._version()
        return row.op_id if row is not None else version.op_id if version is not None else None

    def do_history_take_back(self) -> None:
        op_id = str(self._op_id())

        def call(desk: Desk, expected: object) -> Receipt:
            return desk.undo(desk.logged(op_id).undone_by or op_id)

        self.write("Undoing that", call, moves=False)

    async def do_history_walk(self) -> None:
        from ..widgets.dialogs import Menu, Option

        op_id = str(self._op_id())
        scope = await self.ask(Menu(
            "Go back to right after this",
            [
                Option("m", "Take back what I did since", "mine"),
                Option("e", "Take back what everybody did since", "all"),
            ],
        ))  # fmt: skip
        if scope is None:
            return
        everybody = scope == "all"
        walk = await self.desk_app.reading(lambda desk: desk.walk_to(op_id, everybody=everybody))
        goal = await self.desk_app.reading(lambda desk: desk.logged(op_id))
        if not walk.steps:
            self.say("There is nothing to undo: that is how things stand.", "warn")
            return
        title = f"Back to right after “{goal.summary}”"
        blocks = walk_blocks(walk, title, self.now())
        yes = f"take {count(len(walk.able), 'step')}"
        if await self.ask(PreviewScreen("What will change", blocks, yes=yes, able=bool(walk.able))):
            self.write(title, lambda desk, expected: desk.go(walk), moves=False)

    async def do_history_retire(self) -> None:
        from ..widgets.dialogs import Menu, Option

        op_id = self._op_id()
        row = await self.desk_app.reading(lambda desk: desk.logged(op_id)) if op_id else None
        version = self._version()
        author = row.actor if row else version.author if version else ""
        session = row.session_id if row else None
        none = "" if session else "No session is named here."
        way = await self.ask(Menu(
            "Retire everything that came from",
            [
                Option("s", f"the session {session or ''}".rstrip(), "session", none),
                Option("a", f"the author {author}", "author"),
            ],
        ))  # fmt: skip
        if way is None:
            return
        source = {"session": session} if way == "session" else {"author": author}
        plan = await self.desk_app.reading(lambda desk: desk.retirement(**source))
        yes = f"retire {count(len(plan.entries), 'entry')}"
        able = bool(plan.entries)
        if await self.ask(PreviewScreen("What will be retired", retire_blocks(plan), yes=yes, able=able)):
            shown = {came.entry.id for came in plan.entries}
            self.write(
                f"Retiring {plan.source}", lambda desk, expected: desk.retire(**source, shown=shown), moves=False
            )

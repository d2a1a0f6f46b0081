"""What every pane is: a list at the left, the entry at the right, actions by name, writes through the queue.

A pane reads in the reading thread (`read`), shows on the screen's thread (`present`), and answers the actions that it
lists by methods named `do_<id>`. It never touches SQL and decides no rule (DESIGN 2, 9).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, cast

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Container, Horizontal, Vertical
from textual.screen import ModalScreen
from textual.widgets import Static

from ...core.desk import Desk, Receipt
from ...core.errors import MemdeskError
from ...core.model import Entry
from .. import actions
from ..actions import PAST, Seen
from ..entry_view import EntryView
from ..live import background
from ..widgets.row_list import Key, RowList
from ..widgets.stand_ins import SafeInput
from ..writing import Expected, KeptText, Write

if TYPE_CHECKING:
    from ..app import MemdeskApp

T = TypeVar("T")
#: Targets looked at to tell which actions work.
_SAMPLE = 200
#: Columns from which list and entry stand side by side where the list shows sentences.
BESIDE = 150
#: Seconds that the keyboard must rest before a filter is read.
_REST = 0.06


@dataclass(frozen=True, slots=True)
class Question:
    """What the reading thread is asked for. `workspace` None: all of them; `filter`: words of the filter line."""

    workspace: str | None
    filter: str
    now: datetime


class FilterInput(SafeInput):
    """The filter line. Down and enter go to the list, and leave the filter on."""

    BINDINGS = [("down,enter", "to_list", "List")]

    def action_to_list(self) -> None:
        pane = next(node for node in self.ancestors if isinstance(node, Pane))
        pane.list.focus()


class Pane(Vertical):
    """One pane of the desk. See /docs and the attributes below for what a subclass gives."""

    #: Its name in action ids ("pane.<name>") and in group names of workers.
    NAME: ClassVar[str] = ""
    #: Its name on screen.
    TITLE: ClassVar[str] = ""
    #: The actions of scope "pane" that it answers.
    ACTIONS: ClassVar[tuple[str, ...]] = ()
    #: What the list says when there is nothing, with the next thing to do.
    EMPTY: ClassVar[str] = "Nothing here."

    BINDINGS = [*actions.bindings(["desk.next"])]

    def __init_subclass__(cls, **kwargs: Any) -> None:
        own = actions.bindings(cls.ACTIONS) if "ACTIONS" in cls.__dict__ else []
        cls.BINDINGS = [*cls.__dict__.get("BINDINGS", []), *own]
        super().__init_subclass__(**kwargs)

    def __init__(self) -> None:
        super().__init__(id=self.NAME, classes="pane")
        self.list = self.make_list()
        self.list.id = "list"
        self.detail = self.make_detail()
        self.filter_text = ""
        self._filter = FilterInput(placeholder="words of the name, the description or the text")
        self._wanted = False
        self._reading = False

    # -- what a subclass gives --------------------------------------------------------------------------------------

    def make_list(self) -> RowList:
        """The list widget."""
        raise NotImplementedError

    def make_detail(self) -> EntryView:
        """The right side."""
        return EntryView()

    def entry_at_cursor(self) -> str | None:
        """The id of the entry that the row at the cursor is about."""
        seen = self.current()
        return None if seen is None else seen.id

    async def to_copy(self) -> tuple[str, str] | None:
        """(name, text) of what the copying key copies; None for nothing."""
        seen = self.current()
        entry = None if seen is None else await self.desk_app.reading(_entry, seen.id)
        return None if entry is None else (entry.shown_name, entry.body)

    def compose_top(self) -> ComposeResult:
        """Widgets above list and entry, over the whole width."""
        yield from ()

    def question(self) -> Any:
        """What to read, as plain values."""
        return Question(self.workspace, self.filter_text, self.now())

    def read(self, desk: Desk, question: Any) -> Any:
        """Read everything the view needs. Runs in the reading thread: no widgets, no changing state."""
        raise NotImplementedError

    def present(self, view: Any) -> None:
        """Show what was read. Raising keeps the old view."""
        raise NotImplementedError

    def on_screen(self, key: Key) -> Seen | None:
        """The row behind a key as it is shown."""
        raise NotImplementedError

    def key_of(self, entry_id: str) -> Key | None:
        """The list's key of an entry."""
        return entry_id

    def why_not(self, action_id: str) -> str:
        """More reasons, beside the table's, why an action does not work now."""
        return ""

    def is_stray(self, action_id: str) -> bool:
        """Whether a key is the repeat of one that is held down, and meant for nothing. Asked once for each key."""
        return False

    def step_back(self) -> bool:
        """Leave what the list shows for the moment only; whether there was such a thing."""
        return False

    def after_write(self, receipt: Receipt) -> None:
        """Called after one of this pane's writes landed, before the view is read again."""

    # -- what a pane has --------------------------------------------------------------------------------------------

    @property
    def desk_app(self) -> MemdeskApp:
        """The app, typed."""
        return cast("MemdeskApp", self.app)

    @property
    def desk(self) -> Desk | None:
        """The desk that is shown (of the past, while one looks back), None while the store is being opened."""
        return self.desk_app.live.front

    @property
    def workspace(self) -> str | None:
        """The chosen workspace, None for all."""
        return self.desk_app.workspace

    @property
    def busy(self) -> frozenset[str]:
        """Ids of entries with a write under way."""
        return self.desk_app.writes.busy

    def now(self) -> datetime:
        """The time, by which ages are told."""
        return self.desk_app.now()

    def targets(self) -> list[Seen]:
        """What an action applies to: the marked rows in list order, else the row at the cursor."""
        return self.seen_many(self.list.targets())

    def seen_many(self, keys: Sequence[Key]) -> list[Seen]:
        """The rows behind many keys, those that are there."""
        return [seen for key in keys if (seen := self.on_screen(key)) is not None]

    def sample(self) -> list[Seen]:
        """The targets, of very many only the first: enough to tell which actions work."""
        return self.seen_many(self.list.targets()[:_SAMPLE])

    def current(self) -> Seen | None:
        """The row at the cursor."""
        key = self.list.cursor_key
        return None if key is None else self.on_screen(key)

    def say(self, text: str, tone: str = "", hint: str = "") -> None:
        """Say something on the message line."""
        self.desk_app.say(text, tone, hint)

    async def ask(self, dialog: ModalScreen[T]) -> T | None:
        """Show a dialog and wait for its answer; only from an async `do_…`."""
        return await self.desk_app.push_screen_wait(dialog)

    def keys_changed(self) -> None:
        """What works now may have changed: the footer is drawn again."""
        self.desk_app.keys_changed()

    def draft_path(self, entry_id: str, field: str) -> Path:
        """Where a text about an entry is kept while it is typed."""
        assert self.desk is not None
        return self.desk.store.folder / "drafts" / f"{entry_id}-{field}.json"

    def write(
        self, doing: str, call: Callable[[Desk, Expected], Receipt], *, targets: Sequence[Seen] = (),
        fields: Sequence[str] = (), moves: bool = True, then: Callable[[Receipt], None] | None = None,
        draft: KeptText | None = None,
    ) -> None:  # fmt: skip
        """Queue a write (see `writing.Write`).

        Args:
            moves: the entries are dealt with: the cursor goes on to the next row at once, so that two quick keys
                reach two rows.
        """
        if self.desk_app.moment is not None:
            self.say(PAST, "warn")
            return
        step = None
        if moves and targets:
            stood = self.list.cursor_key
            self.list.clear_marks()
            self.step_past({key for seen in targets if (key := self.key_of(seen.id)) is not None})
            step = stood, self.list.cursor_key
        self.desk_app.writes.add(Write(doing, call, targets, fields, self, then, draft, step))
        self.list.invalidate()

    def write_failed(self, write: Write) -> None:
        """A write of this pane was refused: what was marked for it is marked again, and the cursor goes back to it.

        Only from the very row to which that key had moved it: a cursor that went on since then, by hand or by the next
        decision of a quick hand, stays, so that the key after it reaches the row that is looked at.
        """
        if write.step is not None and write.step[0] is not None and self.list.cursor_key == write.step[1]:
            self.list.move_to(write.step[0])
        if len(write.targets) > 1:
            for seen in write.targets:
                key = self.key_of(seen.id)
                if key is not None:
                    self.list.mark(key)

    def step_past(self, keys: set[Key]) -> None:
        """Put the cursor on the next row that is not among `keys`, else on the nearest one before."""
        if self.list.cursor_key not in keys:
            return
        order = list(self.list.keys())
        place = self.list.position[0] - 1
        after = next((key for key in order[place + 1 :] if key not in keys), None)
        before = next((key for key in reversed(order[:place]) if key not in keys), None)
        wanted = after if after is not None else before
        if wanted is not None:
            self.list.move_to(wanted)

    # -- layout -----------------------------------------------------------------------------------------------------

    def compose(self) -> ComposeResult:
        yield from self.compose_top()
        with Horizontal(classes="filter"):
            yield Static("/ ", markup=False)
            yield self._filter
        with Container(classes="split"):
            yield self.list
            yield self.detail

    def focus_list(self) -> None:
        """Bring the list back."""
        self.list.focus()

    @on(events.Resize)
    def _room_changed(self, event: events.Resize) -> None:
        """Say by a class whether a list of entries and an entry beside it both have room for whole sentences."""
        self.set_class(event.size.width >= BESIDE, "-beside")

    @on(events.Show)
    def _back_on_screen(self) -> None:
        """A window without room for the desk took the keyboard from the list; with room again it has it back."""
        if self.screen.focused is None and self.desk_app.pane is self:
            self.focus_list()

    @on(events.DescendantFocus)
    def _part_focused(self) -> None:
        # On a narrow screen the part in use gets the room.
        self.set_class(self.detail.has_focus_within, "-reading")
        self.keys_changed()

    # -- reading ----------------------------------------------------------------------------------------------------

    def refresh_view(self) -> None:
        """Read and show again. Asked for while a reading runs, it runs once more after it."""
        self._wanted = True
        if not self._reading and self.desk is not None:
            self._reading = True
            background(self, self._refresh, f"{self.NAME}.view")

    async def _refresh(self) -> None:
        try:
            while self._wanted and self.is_attached:
                self._wanted = False
                await self._read_once()
        finally:
            self._reading = False

    async def _read_once(self) -> None:
        landed = self.desk_app.writes.landed
        question = self.question()
        try:
            view = await self.desk_app.live.read(self.read, question)
            if self._wanted:
                return  # a newer question waits: this answer would only flicker
            self.present(view)
        except MemdeskError as error:
            self.stale(error.message)
            return
        except OSError as error:
            self.stale(str(error))
            return
        finally:
            self.desk_app.view_shown()
        self.list.set_banner("")
        self.desk_app.writes.shown(landed)
        self.detail.reload()
        self.keys_changed()

    def stale(self, reason: str) -> None:
        """The view could not be read again: the old one stays and says so."""
        self.list.set_banner(f"stale: {reason}")

    @on(RowList.FetchFailed)
    def _fetch_failed(self, message: RowList.FetchFailed) -> None:
        self.stale(str(message.error))

    # -- filter -----------------------------------------------------------------------------------------------------

    @property
    def typing_filter(self) -> bool:
        """Whether the filter line has the keyboard."""
        return self._filter.has_focus

    def open_filter(self) -> None:
        """Show the filter line and type into it."""
        self.add_class("-filtering")
        self._filter.focus()

    def clear_filter(self) -> bool:
        """Take the filter away; whether there was one."""
        was_open = self.has_class("-filtering")
        self.remove_class("-filtering")
        self._filter.value = ""
        if was_open:
            self.list.focus()
        return was_open

    @on(FilterInput.Changed)
    def _filter_changed(self, message: FilterInput.Changed) -> None:
        message.stop()
        self.desk_app.later(f"{self.NAME}.filter", _REST, self._apply_filter)

    def _apply_filter(self) -> None:
        if self._filter.raw.strip() != self.filter_text:
            self.filter_text = self._filter.raw.strip()
            self.refresh_view()

    # -- cursor, marks and the entry at the right -------------------------------------------------------------------

    @on(RowList.Highlighted)
    def _highlighted(self, message: RowList.Highlighted) -> None:
        message.stop()
        seen = self.current()
        self.show_entry(seen.id if seen else None)
        self.keys_changed()

    @on(RowList.MarksChanged)
    def _marks_changed(self, message: RowList.MarksChanged) -> None:
        message.stop()
        self.keys_changed()

    @on(RowList.Selected)
    def _selected(self, message: RowList.Selected) -> None:
        message.stop()
        self.detail.focus_text()

    def show_entry(self, entry_id: str | None) -> None:
        """Show an entry at the right."""
        self.detail.show_entry(entry_id)

    # -- actions ----------------------------------------------------------------------------------------------------

    async def action_act(self, action_id: str) -> None:
        """A key of this pane was pressed."""
        self.desk_app.perform(action_id)

    def perform(self, action_id: str) -> None:
        """Run the handler of an action; an async one in a worker, so that it may wait for dialogs."""
        result = getattr(self, "do_" + action_id.replace(".", "_"))()
        if inspect.iscoroutine(result):
            self.desk_app.run_flow(result, f"{self.NAME}.ask")


def _entry(desk: Desk, entry_id: str) -> Entry | None:
    return desk.store.entry(entry_id)

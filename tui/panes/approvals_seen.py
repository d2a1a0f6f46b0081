"""What of Approvals was on screen whole, with the keyboard at rest; and the repeats of a key that is held down.

A terminal does not tell a held key from one that is pressed again and again, and a request that is drawn for some
milliseconds under a repeating key was not read. So a wording counts as shown once its end was on screen and the
keyboard rested on it for a moment; and a key that decides something decides once, however long it is held (DESIGN 4).
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from textual import on

from ...core.errors import MemdeskError
from ...core.store import RequestRow
from ..live import background
from ..message_line import MessageLine
from ..widgets.entry_text import EntryText
from ..widgets.row_list import Key, Rows
from .pane import Pane

if TYPE_CHECKING:
    from ...core.desk.reviewing import Review

#: Seconds for which a sheet must stand still, and between two presses of a key that are two decisions.
REST: Final = 0.4
#: How a refusal begins that asks for more reading.
UNREAD: Final = "Read it to its end first"
#: The refusal where all of it was on screen, but not for long enough yet.
NOTING: Final = "One moment: that you have read it is being noted."
_ALL: Final = "*"
_DECIDES: Final = frozenset({"approvals.approve", "approvals.drop", "approvals.veto"})


class ReadWhole(Pane):
    """Which wordings were read; the pane gives what stands first."""

    working: bool

    def __init__(self) -> None:
        super().__init__()
        #: The wording that was noted since the right side was read; what is read later knows of it by itself.
        self._noted = ""
        #: The row whose sheet, as it is, was on screen whole.
        self._read_to_end: Key | None = None
        self._rests = False
        self._held = ""

    if TYPE_CHECKING:

        @property
        def sheet(self) -> EntryText: ...
        @property
        def review(self) -> Review | None: ...
        @property
        def sheet_key(self) -> Key | None: ...
        def overruled(self, key: Key | None) -> Any: ...
        def tell(self) -> None: ...

    def on_mount(self) -> None:
        # What was drawn under a dialog was not on screen; it is once the dialog has gone.
        self.watch(self.screen, "stack_updates", self.rest, init=False)

    # -- keys -----------------------------------------------------------------------------------------------------

    def is_stray(self, action_id: str) -> bool:
        if not self._decides(action_id):
            return False
        stray = self._held in (action_id, _ALL)
        self.hold(action_id)
        return stray

    def _decides(self, action_id: str) -> bool:
        puts_away = self.working or self.overruled(self.list.cursor_key) is not None
        return action_id in _DECIDES or (action_id == "approvals.skip" and puts_away)

    def hold(self, action_id: str = _ALL) -> None:
        """From now on take this key (or any that decides) for one that is held down, until it has rested."""
        self._held = action_id
        self.rest()

    def show_rows(self, rows: Rows, cursor: Key | None) -> None:
        """Put other rows into the list. Where that moves the cursor, a key on its way was meant for another row."""
        before = self.list.cursor_key
        self.list.show(rows, cursor=cursor)
        if before is not None and self.list.cursor_key != before:
            self.hold()

    # -- reading --------------------------------------------------------------------------------------------------

    def not_shown(self, review: Review) -> bool:
        """Whether this wording has not been on screen whole yet."""
        return not review.shown and review.row.revision_id != self._noted

    @property
    def sheet_was_read(self) -> bool:
        """Whether all that stands at the right is about the row at the cursor and was on screen."""
        return self._read_to_end is not None and self._read_to_end == self.list.cursor_key == self.sheet_key

    def rest(self) -> None:
        """The keyboard, and what is on screen, must rest from now on."""
        self._rests = True
        self.desk_app.later("approvals.rest", REST, self._rested)

    def sheet_shown(self, changed: bool) -> None:
        """The right side was read; whether anything of it is new."""
        self._noted = ""
        if changed:
            self._read_to_end = None
        if changed or not self._rests:
            self.rest()
        self.keys_changed()

    @on(EntryText.EndSeen)
    def _end_seen(self, message: EntryText.EndSeen) -> None:
        message.stop()
        self.rest()

    def _rested(self) -> None:
        """What is at the right stood still, with the keyboard at rest: if that is all of it, it was read."""
        self._rests, self._held = False, ""
        covered = len(self.app.screen_stack) > 1 or self.desk_app.pane is not self
        if covered or not self.sheet.seen_end:
            return
        self._read_to_end = self.sheet_key
        self.keys_changed()
        review = self.review
        if review is not None and self.not_shown(review) and self.desk_app.moment is None:
            background(self, partial(self._note_shown, review.row), "approvals.shown")
        else:
            self._unsay()

    async def _note_shown(self, row: RequestRow) -> None:
        """Note in the store, in silence, that this wording was on screen whole."""
        try:
            await self.desk_app.live.write(lambda desk: desk.mark_request_shown(row))
        except MemdeskError as error:
            self.say(error.message, "warn", error.hint)
            return
        self._noted = row.revision_id
        self._unsay()
        self.tell()
        self.keys_changed()

    def _unsay(self) -> None:
        """What a refused key was told for want of reading holds no longer."""
        said = self.app.screen_stack[0].query_one(MessageLine).message
        if said.startswith(UNREAD) or said == NOTING:
            self.say("")

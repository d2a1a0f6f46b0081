"""Approvals: what agents ask for, the oldest first, and what they did on their own.

The list costs the same with ten and with a thousand requests: it knows their ids, and reads those on screen. States are
worked out anew each time the store moves (DESIGN 4, 9).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final, cast

from textual import events, on
from textual.app import ComposeResult

from ...core.desk import Desk, Receipt
from ...core.desk.asked_words import verb_words
from ...core.errors import MemdeskError
from ...core.store import RequestRow
from ..actions import OtherSeen, Seen
from ..entry_view import EntryView
from ..live import background
from ..message_line import MessageLine
from ..widgets.diff_view import DiffView
from ..widgets.entry_text import Gap, Plain
from ..widgets.one_line import Status
from ..widgets.row_list import Key, RowList
from ..words import count
from .approvals_batch import InEditor
from .approvals_host import host_sheet
from .approvals_read import IN_HOST, OVERRULED, ApprovalsQuestion, ApprovalsView, Filled, fill, read_view
from .approvals_rows import COLUMNS, ApprovalRows
from .approvals_seen import NOTING, UNREAD
from .approvals_sheet import Sheet, overruled_sheet, read_request
from .approvals_veto import COLUMNS as WORK_COLUMNS
from .approvals_veto import EMPTY as WORK_EMPTY
from .approvals_veto import WorkRows, WorkView, read_work, work_sheet
from .approvals_words import called, row_words
from .pane import Question

if TYPE_CHECKING:
    from ...core.desk.reviewing import Review

#: Seconds that a scrolled list must rest before the rows that came into view are read.
_REST: Final = 0.02


_READ_ON: Final = "  v, then space."
#: How it is told that somebody else decided what was on screen; it goes when the person goes on.
_ELSEWHERE: Final = "Settled elsewhere"
_WORK_KEYS: Final = "V takes it back  ·  x keeps it: looked at  ·  s goes back to what waits"


class ApprovalsDetail(EntryView):
    """The right side: all of the request at the cursor."""

    def __init__(self) -> None:
        super().__init__()
        self.sheet = DiffView(empty="No request is selected.")
        self.sheet.paced = True
        self.text = self.sheet
        #: What the sheet shows: the key of the row, and its review where it is a request.
        self.shown: str | None = None
        self.review: Review | None = None

    async def _load(self, entry_id: str | None) -> None:
        pane = next(node for node in self.ancestors if isinstance(node, ApprovalsPane))
        ask = pane.asked(entry_id)
        if ask is None:
            self._put(None, Sheet([]))
            return
        try:
            sheet = await self._app.live.read(ask)
        except MemdeskError as error:
            sheet = Sheet([Gap(), Plain(error.message, "warn")])
        if entry_id == self.entry_id:  # else the cursor has gone on
            pane.sheet_shown(self._put(entry_id, sheet))

    def _put(self, key: str | None, sheet: Sheet) -> bool:
        """Show a sheet; whether any of it is new."""
        same, self.shown, self.review = key == self.shown, key, sheet.review
        return self.sheet.show_sheet(sheet.blocks, keep_place=same)


class ApprovalsPane(InEditor):
    """The pane."""

    NAME = "approvals"
    TITLE = "Approvals"
    EMPTY = "Nothing waits for you."
    ACTIONS = (
        "approvals.approve", "approvals.edit", "approvals.reject", "approvals.skip", "approvals.rebase",
        "approvals.drop", "approvals.veto", "approvals.view", "approvals.take", "approvals.editor",
    )  # fmt: skip

    def __init__(self) -> None:
        super().__init__()
        #: What agents did is shown, in place of what they ask for.
        self.working = False
        #: Where the cursor stood in either of the two lists when it was left.
        self._left_at: dict[bool, Key | None] = {True: None, False: None}
        self._view: ApprovalsView | None = None
        self._rows: ApprovalRows | None = None
        self._work: WorkRows | None = None
        self._shows_work = False
        self._work_view: WorkView | None = None
        self._filled: dict[str, Filled] = {}
        #: Requests whose state was read since the store moved last.
        self._fresh: set[str] = set()
        self._flags: dict[str, str] = {}
        #: Wordings that were on screen whole.
        self._was_read: set[str] = set()
        self._what = Status(id="approvals-what")
        self._take = Status(id="approvals-take")

    def make_list(self) -> RowList:
        return RowList(COLUMNS, empty="Opening the store…")

    def make_detail(self) -> ApprovalsDetail:
        return ApprovalsDetail()

    def compose_top(self) -> ComposeResult:
        yield self._take
        yield self._what

    def on_mount(self) -> None:
        super().on_mount()
        self.watch(self.list, "scroll_y", self._fill_soon, init=False)
        self.watch(self.sheet, "scroll_y", self._tell_soon, init=False)

    @on(events.Resize)
    def _resized(self) -> None:
        self._fill_soon()

    @property
    def sheet(self) -> DiffView:
        """The request at the right."""
        return cast(ApprovalsDetail, self.detail).sheet

    @property
    def sheet_key(self) -> str | None:
        """The row that the right side is about."""
        return cast(ApprovalsDetail, self.detail).shown

    @property
    def review(self) -> Review | None:
        """The review on screen, of the request at the cursor."""
        detail = cast(ApprovalsDetail, self.detail)
        return detail.review if detail.shown == self.list.cursor_key else None

    # -- reading ------------------------------------------------------------------------------------------------------

    def question(self) -> Question:
        if self.working:
            return super().question()
        near = tuple(key for key in map(str, self.list.on_view()) if is_request(key))
        return ApprovalsQuestion(self.workspace, self.filter_text, self.now(), near, dict(self._flags))

    def read(self, desk: Desk, question: Question) -> ApprovalsView | WorkView:
        return read_view(desk, question) if isinstance(question, ApprovalsQuestion) else read_work(desk, question)

    def present(self, view: ApprovalsView | WorkView) -> None:
        if isinstance(view, WorkView) != self.working:
            return  # the answer to an older question
        if isinstance(view, WorkView):
            self._present_work(view)
        else:
            self._present_requests(view)

    def _present_requests(self, view: ApprovalsView) -> None:
        self._keep(view.filled, {i for i in view.ids if i in self._filled})
        self._rows = ApprovalRows(view, self._filled, self._fresh, lambda: self.busy)
        self._view = view
        self.list.set_empty("Nothing fits the filter; esc clears it." if self.filter_text else self._empty(view))
        back, self.goes_to, self._shows_work = self.goes_to, None, False
        self.list.set_columns(COLUMNS)
        self.show_rows(self._rows, back)
        self._tell_left(view)
        self._tell_take(view)
        self._fill_soon()

    def _empty(self, view: ApprovalsView) -> str:
        """What an empty list says, with where to go on."""
        if self.desk_app.moment is not None:
            return "Nothing waited for you then."
        if not view.flagged:
            return self.EMPTY
        wait = count(view.flagged, "write about you that an agent made", "writes about you that agents made")
        return f"{self.EMPTY}\n\ns shows {wait}, to keep or to veto."

    def _keep(self, read: Any, waiting: set[str]) -> None:
        """Keep what was read of requests that still wait; their states must be read anew."""
        self._fresh.clear()
        self._fresh.update(read)
        for request_id in [i for i in self._filled if i not in waiting and i not in read]:
            del self._filled[request_id]
        self._filled.update(read)
        self._flags.update((one.row.revision_id, one.flags) for one in read.values())

    def _present_work(self, view: WorkView) -> None:
        assert self.desk is not None
        rows = WorkRows(self.desk, view)
        self.list.set_empty("Nothing fits the filter; esc clears it." if self.filter_text else WORK_EMPTY)
        self.list.set_columns(WORK_COLUMNS)
        first = next((section.keys[0] for section in view.sections if section.keys), None)
        cursor = None if self._shows_work else self.goes_to or first
        self.goes_to, self._shows_work = None, True
        self.show_rows(rows, cursor)
        self._work, self._work_view = rows, view
        self._take.display = False
        self.tell()

    def _fill_soon(self) -> None:
        """The rows that came into view are read, a moment after the list came to rest."""
        if self._rows is not None and not self.working and self._unread():
            self.desk_app.later("approvals.fill", _REST, self._fill)

    def _unread(self) -> list[str]:
        return [key for key in map(str, self.list.on_view()) if is_request(key) and key not in self._fresh]

    def _fill(self) -> None:
        background(self, self._fill_now, "approvals.fill", exclusive=True)

    async def _fill_now(self) -> None:
        rows, unread = self._rows, self._unread()
        if rows is None or not unread:
            return
        try:
            read = await self.desk_app.reading(fill, unread, dict(self._flags))
        except MemdeskError as error:
            self.stale(error.message)
            return
        if rows is self._rows:  # else they were read again meanwhile
            self._filled.update(read)
            self._fresh.update(read)
            self._flags.update((one.row.revision_id, one.flags) for one in read.values())
            self.list.invalidate(*read)
            self.keys_changed()
            self.tell()

    def _tell_left(self, view: ApprovalsView) -> None:
        """Say who settled what was on screen, unless it was this person here."""
        others = [row for row in view.left if row.request_id not in self.mine]
        if others:
            first = others[0]
            more = f", and {len(others) - 1:,} more" if len(others) > 1 else ""
            why = f"Their reason: {first.reason}" if first.reason else ""
            if first.status == "approved":
                why = f"{self.desk_app.any_undo().removesuffix(' back')} it back."
            by = f" by {first.decided_by}" if first.decided_by else ""
            self.say(f"{_ELSEWHERE}: {_asked(first)} was {first.status}{by}{more}.", "warn", why)

    def _tell_take(self, view: ApprovalsView) -> None:
        number, where = view.proposals
        self._take.display = bool(number)
        if number:
            said = f"{number} proposal waits" if number == 1 else f"{number:,} proposals wait"
            self._take.show(f"{said} in {where}: p takes {'it' if number == 1 else 'them'}", "accent")

    # -- what the list stands for -------------------------------------------------------------------------------------

    def on_screen(self, key: Key) -> Seen | None:
        if self.working:
            work = None if self._work is None else self._work.work(key)
            return None if work is None else OtherSeen(work.op.op_id, work.op.summary or work.op.verb)
        return None if self._rows is None else self._rows.seen(key)

    def key_of(self, entry_id: str) -> Key | None:
        return entry_id

    def filled(self, key: Key | None) -> Filled | None:
        """A request as the list shows it, where it was read."""
        return None if key is None or self.working else self._filled.get(str(key))

    def entry_at_cursor(self) -> str | None:
        key = self.list.cursor_key
        if self.working:
            work = None if self._work is None or key is None else self._work.work(key)
            return work.op.entries[0] if work is not None and work.op.entries else None
        one, host = self.filled(key), self.host_approval(key)
        if host is not None:
            return host.entry.id if host.entry is not None else None
        return one.row.refs[0] if one is not None and one.row.refs else None

    def host_approval(self, key: Key | None) -> Any:
        """The approval of a host behind a row, None for other rows."""
        view = None if self.working else self._view
        return None if view is None else next((h for h in view.in_host if f"{IN_HOST}{h.id}" == key), None)

    def overruled(self, key: Key | None) -> Any:
        """The overruled decision behind a row, None for other rows."""
        view = None if self.working else self._view
        found = () if view is None else view.overruled
        return next((one for one in found if f"{OVERRULED}{one.row.request_id}" == key), None)

    def proposals_waiting(self) -> int:
        """How many proposals a host has for the queue."""
        return 0 if self._view is None else self._view.proposals[0]

    async def to_copy(self) -> tuple[str, str] | None:
        return ("the request", self.sheet.plain_text()) if self.list.cursor_key is not None else None

    def show_entry(self, entry_id: str | None) -> None:
        key = self.list.cursor_key
        self.detail.show_entry(None if key is None else str(key))
        self.tell()

    def asked(self, key: str | None) -> Callable[[Desk], Sheet] | None:
        """What to read for the right side."""
        if key is None:
            return None
        if self.working:
            now = self.now()
            return lambda desk: Sheet(work_sheet(desk, key, now))
        host, overruled = self.host_approval(key), self.overruled(key)
        if host is not None:
            return partial(host_sheet, one=host)
        if overruled is not None:
            return partial(overruled_sheet, one=overruled)
        return partial(read_request, request_id=key) if is_request(key) else None

    # -- the line above the list --------------------------------------------------------------------------------------

    def sheet_shown(self, changed: bool) -> None:
        super().sheet_shown(changed)
        self._tell_soon()

    def _tell_soon(self) -> None:
        """Once what is on screen now has been drawn."""
        self.desk_app.later("approvals.tell", _REST, self.tell)

    def tell(self) -> None:
        """Say above the list what approving would do, or what it waits for."""
        review = self.review
        if review is not None and not self.not_shown(review):
            self._was_read.add(review.row.revision_id)
        if marked := self._marked():
            self._what.show(self._marks_words(marked), "strong")
            return
        if review is None:
            self._what.show(_WORK_KEYS if self.working and self.list.total else "", "muted")
            return
        reason = self.why_not_approve()
        tone = "muted" if review.state == "ready" else "warn"
        name = called({entry.id: entry.shown_name for entry in review.entries})
        said = row_words(review.row, name, review.effect)
        if self.desk_app.moment is not None:
            self._what.show(f"As it was: {said}", "muted")
            return
        if reason == NOTING:
            self._what.show(f"…  {said}", "muted")
            return
        if reason and review.state == "ready" and not self.detail.has_focus_within:
            seen, lines = self.sheet.seen_so_far
            if seen and lines:
                reason = f"{UNREAD}: {seen:,} of {lines:,} lines."
            reason += _READ_ON
        self._what.show(reason or f"a  {said}", tone if reason else "strong")

    def _marks_words(self, marked: Sequence[str]) -> str:
        """What approving those marked would do, by what is known of them without a look into the store."""
        known = [one for request_id in marked if (one := self._filled.get(request_id)) is not None]
        ready = [one for one in known if one.state == "ready"]
        alone = [one for one in ready if one.row.verb == "erase"]
        read = [one for one in ready if one.row.verb != "erase" and self._was_shown(one)]
        left = (
            (len(known) - len(ready), "not ready"), (len(ready) - len(read) - len(alone), "not read to the end"),
            (len(alone), "to be erased, one by one"), (len(marked) - len(known), "not looked at"),
        )  # fmt: skip
        told = ", ".join(f"{number:,} {words}" for number, words in left if number)
        return f"a  approves {len(read):,} of {len(marked):,} marked" + (f": {told}" if told else "")

    def _was_shown(self, one: Filled) -> bool:
        return one.shown or one.row.revision_id in self._was_read

    @on(RowList.Highlighted)
    def _went_on(self, message: RowList.Highlighted) -> None:
        if message.by_user and self.app.screen_stack[0].query_one(MessageLine).message.startswith(_ELSEWHERE):
            self.say("")

    @on(RowList.MarksChanged)
    def _marks_moved(self) -> None:
        self.tell()

    def decided_again(self, receipt: Receipt) -> None:
        """An undo, from whichever pane, brought requests back, or a redo decided them again."""
        undone = receipt.verb == "undo"
        for request_id in receipt.requests:
            (self._not_mine if undone else self._note_mine)(request_id)
        if undone and not self.working:
            self.goes_to = receipt.requests[0]

    # -- looking ------------------------------------------------------------------------------------------------------

    def do_approvals_view(self) -> None:
        self._left_at[self.working] = self.list.cursor_key
        self.working = not self.working
        self.goes_to = self._left_at[self.working]
        self.list.clear_marks()
        self.say("What agents did on their own." if self.working else "What agents ask for.")
        self.refresh_view()


def is_request(key: str) -> bool:
    """Whether a key of the list is that of a request."""
    return not key.startswith((IN_HOST, OVERRULED))


def _asked(row: RequestRow) -> str:
    return f"{row.asked_by}'s request to {verb_words(row.verb)}"

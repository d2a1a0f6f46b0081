"""Looking back: every pane on the memory as it was, read-only, under a bar that says so; and the way to History.

The past is a desk of its own over a copy in memory (core/store/past.py): panes read from it as from the present one.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from datetime import datetime
from typing import TYPE_CHECKING, Any

from ..core.errors import MemdeskError
from ..core.moments import Moment
from .live import Live, background
from .widgets.header import HeaderLine, Segment
from .words import ago

if TYPE_CHECKING:
    from textual.app import App

    from .panes.pane import Pane

    _Base = App[MemdeskError | None]
else:
    _Base = object

_PROMPT = "A time such as 2025-06-01 or 2025-06-01 14:30 (UTC), how long ago as 3h, 2d or 1w, or an operation's id"


class LookingBack(_Base):
    """The part of the app that knows the past; the app gives what stands first."""

    live: Live
    now: Callable[[], datetime]

    if TYPE_CHECKING:

        @property
        def pane(self) -> Pane: ...
        @property
        def panes(self) -> list[Pane]: ...
        def say(self, text: str, tone: str = "", hint: str = "", *, passing: bool = False) -> None: ...
        def keys_changed(self) -> None: ...
        def refresh_header(self) -> None: ...
        def show_pane(self, name: str) -> None: ...
        def run_flow(self, steps: Coroutine[Any, Any, None], group: str) -> None: ...

    @property
    def moment(self) -> Moment | None:
        """The moment that the desk shows; None for now."""
        past = self.live.past
        return None if past is None else past.looks_at

    def do_past(self) -> None:
        if self.live.past is not None:
            self.back_to_now()
        else:
            self.run_flow(self._ask_when(), "desk.ask")

    async def _ask_when(self) -> None:
        from .widgets.dialogs import Ask

        desk = self.live.desk
        if desk is None:
            return

        def check(text: str) -> str:
            try:
                desk.moment(text)
            except MemdeskError as error:
                return error.message
            return ""

        when = await self.push_screen_wait(Ask("The memory as it was", _PROMPT, check=check))
        if when is not None:
            await self.look_back(await self.live.write(lambda present: present.moment(when)))

    async def look_back(self, moment: Moment) -> None:
        """Show every pane as of a moment."""
        self.say("Reading the memory as it was…", passing=True)
        await self.live.look_back(moment)
        self._show_past()
        self.say(f"As of {moment.words}.", "warn", "Every pane shows it; T or esc goes back to now.")

    def back_to_now(self) -> None:
        """Show the present again."""

        async def leave() -> None:
            await self.live.look_back(None)
            self._show_past()
            self.say("Back to now.", "good")

        background(self, leave, "desk.past", exclusive=True)

    def _show_past(self) -> None:
        moment = self.moment
        bar = self.screen_stack[0].query_one("#past", HeaderLine)
        bar.set_class(moment is not None, "-shown")
        if moment is not None:
            what = f"right after “{moment.words}”" if moment.op_id or moment.event_id else moment.words
            when = f"{moment.timestamp[:16].replace('T', ' ')} UTC, {ago(moment.timestamp, self.now())}"
            bar.show(
                [Segment("◷ AS IT WAS", tone="warn"), Segment(when, 1), Segment(what, 3)],
                [Segment("read-only", 2, "warn"), Segment("esc: back to now", 1)],
            )
        # All of them: what they drew last reads from a copy that is closed when the next one opens.
        for pane in self.panes:
            pane.refresh_view()
        self.refresh_header()
        self.keys_changed()

    def do_history(self) -> None:
        """From an entry to its versions; in History, from an operation to an entry that it touched."""
        from .panes.history import HistoryPane

        pane = self.query_one(HistoryPane)
        if self.pane is pane:
            self.run_flow(pane.open_touched(), "desk.ask")
            return
        entry_id = self.pane.entry_at_cursor()
        if entry_id is not None:
            pane.open_entry(entry_id)
            self.show_pane(pane.NAME)


"""Leaving the desk: by a key, by a signal, or by a fault. No text that was typed is lost by any of them."""

from __future__ import annotations

import asyncio
import os
import signal
import tempfile
import traceback
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.text import Text
from textual.binding import Binding

from .live import Live
from .widgets.compose import Compose
from .widgets.dialog import Dialog
from .words import count
from .writing import WriteQueue

if TYPE_CHECKING:
    from textual.app import App

    from ..core.errors import MemdeskError

    _Base = App[MemdeskError | None]
else:
    _Base = object

_SIGNALS = (signal.SIGTERM, signal.SIGHUP)


class Leaving(_Base):
    """The ways out, for the app."""

    #: Keys that a text area uses for itself, and so are no actions of the table.
    KEYS = [Binding("ctrl+z", "suspend_process", show=False, system=True)]

    live: Live
    writes: WriteQueue
    _leaving: bool

    if TYPE_CHECKING:

        def say(self, text: str, tone: str = "", hint: str = "", *, passing: bool = False) -> None: ...

    #: Where the details of a fault are written; by default the folder of the store that is open.
    fault_folder: Path | None = None
    #: The file with the details of the fault that ended the desk, and the sentence that says so.
    fault_file: Path | None = None
    fault_words: str = ""

    # -- by a key -----------------------------------------------------------------------------------------------------

    def do_quit(self) -> None:
        """Leave, once what is being written has landed; an open editor keeps its draft, or asks."""
        for compose in self._editors():
            if not compose.keep_for_later():
                compose.action_leave()
                return
        self._leave()

    def _leave(self) -> None:
        pending = self.writes.pending
        if not pending:
            self.exit(None)
            return
        self._leaving = True
        self.say(f"Leaving when {count(pending, 'change')} landed.", "warn")

    async def action_quit(self) -> None:
        """Textual's own ctrl+q."""
        self.do_quit()

    def action_help_quit(self) -> None:
        """ctrl+c: say how to leave, in our own place."""
        if isinstance(self.screen, Dialog):
            self.screen.say("esc leaves this; ctrl+q leaves the desk.", "muted")
        else:
            self.say("q leaves the desk.")

    def _editors(self) -> list[Compose]:
        return [screen for screen in reversed(self.screen_stack) if isinstance(screen, Compose)]

    # -- by a signal --------------------------------------------------------------------------------------------------

    def heed_signals(self) -> None:
        """End in order when the system asks for it or the terminal goes away; draw again after a suspension."""
        # Textual draws again after a program that it started, not after `fg`.
        self.app_resume_signal.subscribe(self, lambda _: self.refresh(layout=True))
        loop = asyncio.get_running_loop()
        for number in _SIGNALS:
            with suppress(ValueError, RuntimeError, NotImplementedError):  # not the main thread, or no such thing here
                loop.add_signal_handler(number, self._told_to_end)

    def ignore_signals(self) -> None:
        """Give the signals back."""
        loop = asyncio.get_running_loop()
        for number in _SIGNALS:
            with suppress(ValueError, RuntimeError, NotImplementedError):
                loop.remove_signal_handler(number)

    def _told_to_end(self) -> None:
        for compose in self._editors():
            compose.keep_for_later()
        # From the loop, not from within a message of ours.
        self.call_later(self._leave)

    # -- by a fault ---------------------------------------------------------------------------------------------------

    def _handle_exception(self, error: Exception) -> None:
        """The last resort for what nothing else caught: one sentence, the details in a file, exit code 1."""
        self._return_code = 1
        if self._exception is None:
            self._exception = error
            self._exception_event.set()
        self._end_by_fault("".join(traceback.format_exception(error)))

    def panic(self, *renderables: Any) -> None:
        """Textual's own way out, such as from the thread that reads keys."""
        self._return_code = 1
        self._end_by_fault("".join(traceback.format_exc()) + "\n".join(str(item) for item in renderables))

    def _end_by_fault(self, details: str) -> None:
        if not self.fault_words:
            with suppress(Exception):
                for compose in self._editors():
                    compose.keep_for_later()
            self.fault_file = _write_details(self._fault_folder(), details)
            where = f"The details are in {self.fault_file}." if self.fault_file else "The details could not be written."
            self.fault_words = f"memdesk stopped by a fault inside it; what was stored is safe. {where}"
            self._exit_renderables.append(Text(self.fault_words))
        self._close_messages_no_wait()

    def _fault_folder(self) -> Path | None:
        return self.live.desk.store.folder if self.live.desk is not None else self.fault_folder


def _write_details(folder: Path | None, details: str) -> Path | None:
    """Write the details for their owner only; into the folder for temporary files where the store has none."""
    stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    for place in (folder, Path(tempfile.gettempdir())):
        if place is None or not place.is_dir():
            continue
        with suppress(OSError):
            handle, name = tempfile.mkstemp(prefix=f"memdesk-fault-{stamp}-", suffix=".txt", dir=place)
            with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
                file.write(details)
            return Path(name)
    return None

"""What the desk's own keys do, the same in every pane: filter, copy, undo, workspace, theme, palette, help."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from ..core.desk import Desk
from ..core.errors import CannotUndo, MemdeskError
from ..core.text import one_line, visible
from . import actions
from .actions import Situation
from .keymap import keys_of
from .live import Live
from .palette import Palette
from .panes.pane import Pane
from .words import size
from .writing import Write, WriteQueue

if TYPE_CHECKING:
    from textual.app import App

    _Base = App[MemdeskError | None]
else:
    _Base = object

_OTHER_THEME = {
    "memdesk-dark": "memdesk-light", "memdesk-light": "memdesk-dark",
    "ansi-dark": "ansi-light", "ansi-light": "ansi-dark",
}  # fmt: skip


class DeskKeys(_Base):
    """The handlers of the actions of scope "desk"; the app gives what stands first."""

    live: Live
    writes: WriteQueue
    workspace: str | None
    now: Callable[[], datetime]
    keymap: Mapping[str, str]
    key_problems: list[str]
    _copied: tuple[str, str] | None

    if TYPE_CHECKING:

        @property
        def pane(self) -> Pane: ...
        def say(self, text: str, tone: str = "", hint: str = "", *, passing: bool = False) -> None: ...
        def situation(self) -> Situation: ...
        def keys_changed(self) -> None: ...
        def refresh_views(self) -> None: ...
        def perform(self, action_id: str) -> None: ...
        def back_to_now(self) -> None: ...
        def run_flow(self, steps: Coroutine[Any, Any, None], group: str) -> None: ...

    def do_mark_all(self) -> None:
        self.pane.list.mark_all()

    def do_filter(self) -> None:
        self.pane.open_filter()

    def do_detail(self) -> None:
        pane = self.pane
        if pane.detail.has_focus_within:
            pane.focus_list()
        else:
            pane.detail.focus_text()

    def do_next(self) -> None:
        self.do_detail()

    def do_back(self) -> None:
        pane = self.pane
        if pane.detail.has_focus_within:
            pane.focus_list()
        elif pane.clear_filter():
            return
        elif pane.list.marked:
            pane.list.clear_marks()
            self.say("")
        elif not pane.step_back():
            if self.live.past is not None:
                self.back_to_now()
            else:
                self.say("")

    def do_folds(self) -> None:
        self.pane.detail.text.toggle_fold()

    def do_copy(self) -> None:
        self.run_flow(self._copy_entry(), "desk.copy")

    async def _copy_entry(self) -> None:
        found = await self.pane.to_copy()
        if found is not None:
            name, text = found
            self.copy_text(text, name)

    def copy_text(self, text: str, name: str) -> None:
        """Put a text on the clipboard, hidden characters as visible marks, and offer a file."""
        safe = visible(text)
        self._copied = (name, safe)
        self.copy_to_clipboard(safe)
        hint = "If your terminal blocks it, Y writes it to a file."
        self.say(f"Copied {name}, {size(len(safe.encode()))}.", "good", hint)
        self.keys_changed()

    def do_copy_file(self) -> None:
        assert self._copied is not None and self.live.desk is not None
        name, text = self._copied
        path = self.live.desk.store.folder / "copied" / f"{_file_name(name)}.md"
        try:
            path.parent.mkdir(mode=0o700, exist_ok=True)
            path.touch(mode=0o600)
            path.write_text(text, encoding="utf-8")
        except OSError as error:
            self.say(f"The file could not be written: {error.strerror}.", "bad")
        else:
            self.say(f"Written to {path}.", "good")

    def do_undo(self) -> None:
        self.writes.add(Write("Undoing", lambda desk, expected: desk.undo()))

    def do_redo(self) -> None:
        self.writes.add(Write("Doing it again", lambda desk, expected: desk.redo()))

    def any_undo(self) -> str:
        """Which keys take back any one operation: `x in History (5) takes back`."""
        take_back, pane = (keys_of(actions.BY_ID[i], self.keymap)[0] for i in ("history.take_back", "pane.history"))
        return f"{take_back} in History ({pane}) takes back"

    def undo_hint(self, error: MemdeskError) -> str:
        """What undo can do about a refusal, in keys where its hint is a command; "" for other refusals."""
        if error.stable_code == "already_decided":
            return f"{self.any_undo()} what was decided."
        if not isinstance(error, CannotUndo) or "`memdesk undo " not in error.hint:
            return ""
        older = error.extra.get("older")
        what = f"the one before it: {older['summary']}" if older else "that one first"
        return f"{self.any_undo()} {what}."

    def do_workspace(self) -> None:
        self.run_flow(self._pick_workspace(), "desk.ask")

    async def _pick_workspace(self) -> None:
        from .widgets.dialogs import Choice, Pick

        names = await self.live.read(_workspaces)
        choices = [Choice("", "all workspaces"), *(Choice(f"={name}", name, note) for name, note in names)]
        current = "" if self.workspace is None else f"={self.workspace}"
        picked = await self.push_screen_wait(Pick("Workspace", choices, current=current))
        if picked is not None:
            self.workspace = str(picked)[1:] or None
            self.refresh_views()

    def go_to(self, entry_id: str) -> None:
        """Put the cursor on an entry, or show it over the desk where the list has it not."""
        key = self.pane.key_of(entry_id)
        if key is None or not self.pane.list.move_to(key):
            self.run_flow(self._show_alone(entry_id), "desk.alone")

    async def _show_alone(self, entry_id: str) -> None:
        from .entry_view import entry_blocks
        from .screens.reading import ReadingScreen

        shown = await self.live.read(_shown, entry_id)
        blocks = entry_blocks(shown, self.now())
        self.push_screen(ReadingScreen(shown.entry.shown_name, blocks, shown.entry.body))

    def do_theme(self) -> None:
        self.theme = _OTHER_THEME.get(self.theme, "memdesk-dark")
        self.say(f"Theme {self.theme}.", "", "Keep it by theme in config.toml.")

    def do_palette(self) -> None:
        self.run_flow(Palette(self).ask(), "desk.ask")

    def do_keys(self) -> None:
        from .screens.keys import keys_blocks
        from .screens.reading import ReadingScreen

        blocks = keys_blocks(self.pane.ACTIONS, self.situation(), self.keymap, self.key_problems)
        self.push_screen(ReadingScreen("Keys", blocks, ""))


def _shown(desk: Desk, entry_id: str) -> Any:
    return desk.show(entry_id)


def _entry(desk: Desk, entry_id: str) -> Any:
    return desk.store.entry(entry_id)


def _workspaces(desk: Desk) -> list[tuple[str, str]]:
    return [(w.name, f"on {w.host}" if w.host else "") for w in desk.workspaces()]


def _file_name(name: str) -> str:
    return "".join(c if c.isalnum() or c in "-_." else "_" for c in one_line(name, 80)).strip(".") or "text"

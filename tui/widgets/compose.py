"""The editor for long texts: autosaved drafts, $EDITOR, and a plain key for every chord.

In tmux ctrl chords with shift, alt or enter do not arrive; ctrl+s and ctrl+e do, and f2, f4 and the menu
behind esc do the same.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from textual.app import SuspendNotSupported
from textual.binding import Binding
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import TextArea

from .. import words
from .dialog import Dialog
from .drafts import Draft, drop_draft, read_draft, text_hash, write_draft
from .editor import EditorFailed, edit_outside, editor_command
from .key_footer import KeyHint
from .menu import Menu, Option
from .one_line import Status
from .stand_ins import SafeTextArea

#: Seconds of quiet after which a draft is written.
AUTOSAVE = 0.4


def _utc_now() -> datetime:
    return datetime.now(UTC)


class Compose(Dialog[str | None]):
    """Edits a text of many lines. Returns it when saved, None when left.

    With a `draft` path the text is kept there while it is edited, after saving too: should the write of the
    caller fail, nothing is lost, and a draft equal to the text it is opened on is dropped by itself.
    """

    BINDINGS = [
        Binding("ctrl+s,f2", "save", "Save", show=False, priority=True, id="compose.save"),
        Binding("ctrl+e,f4", "editor", "$EDITOR", show=False, priority=True, id="compose.editor"),
        Binding("escape", "leave", "Leave", show=False, id="compose.leave"),
    ]

    DEFAULT_CSS = """
    Compose {
        #box { width: 100; height: 90%; }
        #note { background: $surface; margin: 0 1; }
        SafeTextArea { height: 1fr; border: none; padding: 0 1; background: $background; scrollbar-size-vertical: 1; }
        SafeTextArea:focus { border: none; }
        &:ansi SafeTextArea { background: ansi_default; }
    }
    """

    def __init__(
        self,
        title: str,
        text: str = "",
        *,
        draft: Path | None = None,
        note: str = "",
        limit_bytes: int = 0,
        check: Callable[[str], str] | None = None,
        now: Callable[[], datetime] = _utc_now,
    ) -> None:
        """Create the editor.

        Args:
            title: what is edited.
            text: what it starts from.
            draft: where a draft is kept; None keeps none.
            note: one line below the title.
            limit_bytes: the most bytes of UTF-8 that may be saved; 0 for no limit.
            check: returns "" or one sentence that says why the text cannot be saved.
            now: the clock for the age of a draft.
        """
        super().__init__(title)
        self._base = text
        self._path = draft
        self._note = note
        self._limit = limit_bytes
        self._check = check
        self._now = now
        self._timer: Timer | None = None
        self._draft_problem = ""

    # --- what is shown ---

    def body(self) -> Iterable[Widget]:
        if self._note:
            yield Status(self._note, "muted", id="note")
        yield SafeTextArea(self._base)

    def hints(self) -> Sequence[KeyHint]:
        return [
            KeyHint("ctrl+s", "save"),
            KeyHint("ctrl+e", "$EDITOR"),
            KeyHint("escape", "leave, or more"),
            KeyHint("f2", "save"),
            KeyHint("f4", "$EDITOR"),
        ]

    @property
    def raw(self) -> str:
        """The text as it would be saved."""
        return self.query_one(SafeTextArea).raw

    def on_mount(self) -> None:
        self.query_one(SafeTextArea).focus()
        self._show_state()
        kept = read_draft(self._path) if self._path is not None else None
        if self._path is None or kept is None:
            return
        if kept.text == self._base:
            drop_draft(self._path)
        else:
            self.call_after_refresh(self._offer, kept)

    def _offer(self, kept: Draft) -> None:
        moved = kept.base != text_hash(self._base)
        length = words.count(len(kept.text), "character")
        text = f"It was written {words.ago(kept.saved_at, self._now())} and has {length}."
        if moved:
            text += "\nThe text has changed since: compare before you save."
        menu = Menu(
            "There is a draft of this text",
            [
                Option("t", "go on with the draft", "take"),
                Option("d", "drop the draft and start from the text", "drop"),
            ],
            text,
            back="leave both as they are",
        )
        self.app.push_screen(menu, lambda choice: self._offered(kept, choice))

    def _offered(self, kept: Draft, choice: str | None) -> None:
        if choice == "take":
            self.query_one(SafeTextArea).load(kept.text)
        elif choice == "drop" and self._path is not None:
            drop_draft(self._path)
        else:
            self.dismiss(None)

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        event.stop()
        if self._path is not None:
            if self._timer is not None:
                self._timer.stop()
            self._timer = self.set_timer(AUTOSAVE, self.keep_draft)
        self._show_state()

    def _show_state(self) -> None:
        raw, area = self.raw, self.query_one(SafeTextArea)
        used = len(raw.encode("utf-8", "surrogatepass"))
        parts = [f"{words.size(used)} of {words.size(self._limit)}" if self._limit else words.size(used)]
        if area.hidden:
            parts.append(words.count(area.hidden, "hidden character"))
        if raw != self._base:
            parts.append("changed")
        if self._draft_problem:
            parts.append(self._draft_problem)
        too_long = bool(self._limit) and used > self._limit
        tone = "bad" if too_long or self._draft_problem else "muted"
        self.say(("! " if tone == "bad" else "") + "  ·  ".join(parts), tone)

    # --- draft ---

    def keep_draft(self) -> None:
        """Write the draft now; a failure is shown, not raised: the text is still on screen."""
        if self._path is None or self.raw == self._base:
            return
        try:
            write_draft(self._path, Draft(self.raw, text_hash(self._base)))
            self._draft_problem = ""
        except OSError as error:
            self._draft_problem = f"the draft could not be kept: {error.strerror}"
        self._show_state()

    def on_unmount(self) -> None:
        if self._timer is not None:
            self._timer.stop()

    # --- actions ---

    def action_save(self) -> None:
        if self.app.screen is not self:
            return
        raw = self.raw
        size = len(raw.encode("utf-8", "surrogatepass"))
        problem = self._check(raw) if self._check is not None else ""
        if self._limit and size > self._limit:
            problem = f"{words.size(size)} is more than the {words.size(self._limit)} that can be kept"
        if problem:
            self.say(f"! Not saved: {problem}", "bad")
            return
        self.keep_draft()
        self.dismiss(raw)

    def action_editor(self) -> None:
        if self.app.screen is not self:
            return
        self.keep_draft()
        try:
            command = editor_command(os.environ)
            with self.app.suspend():
                edited = edit_outside(self.raw, command)
        except EditorFailed as failure:
            self.say(f"! {failure}", "bad")
            return
        except SuspendNotSupported:
            self.say("! This terminal cannot be handed to another program.", "bad")
            return
        if edited != self.raw:
            self.query_one(SafeTextArea).load(edited)
        self.keep_draft()
        self.refresh()

    def action_leave(self) -> None:
        if self.raw == self._base:
            self.dismiss(None)
            return
        options = [Option("s", "save", "save"), Option("e", "go on in $EDITOR", "editor")]
        if self._path is not None:
            options.append(Option("k", "leave and keep a draft", "keep"))
        options.append(Option("d", "leave and drop the changes", "drop"))
        self.app.push_screen(Menu("The text is changed", options, back="go on editing"), self._left)

    def _left(self, choice: str | None) -> None:
        if choice == "save":
            self.action_save()
        elif choice == "editor":
            self.action_editor()
        elif choice == "keep":
            self.keep_draft()
            if not self._draft_problem:
                self.dismiss(None)
        elif choice == "drop":
            if self._path is not None:
                drop_draft(self._path)
            self.dismiss(None)

"""The editor for long texts: autosaved drafts, $EDITOR, and a plain key for every chord.

In tmux ctrl chords with shift, alt or enter do not arrive; ctrl+s and ctrl+e do, and f2, f4 and the menu
behind esc do the same.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from textual import events
from textual.app import SuspendNotSupported
from textual.binding import Binding
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import TextArea

from .. import words
from .dialog import Dialog, TextBox
from .drafts import Draft, drop_draft, read_draft, set_aside, text_hash, write_draft
from .editor import EditorFailed, edit_outside, editor_command, hand_over
from .entry_text import Gap, Plain
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

    A draft from before is decided on first: until then the editor takes no keys, and the draft is not written over. The
    keys of that choice are none that one types into a text.
    """

    BINDINGS = [
        Binding("ctrl+s,f2", "save", "Save", show=False, priority=True, id="compose.save"),
        Binding("ctrl+e,f4", "editor", "$EDITOR", show=False, priority=True, id="compose.editor"),
        Binding("ctrl+n,f6", "drop_kept", "Without the draft", show=False, id="compose.drop_kept"),
        Binding("escape", "leave", "Leave", show=False, id="compose.leave"),
    ]

    DEFAULT_CSS = """
    Compose {
        #box { width: 100; height: 90%; }
        #note { background: $surface; margin: 0 1; }
        SafeTextArea { height: 1fr; border: none; padding: 0 1; background: $background; scrollbar-size-vertical: 1; }
        SafeTextArea:focus { border: none; }
        &.-offering SafeTextArea { display: none; }
        #offer { display: none; }
        &.-offering #offer { display: block; height: 1fr; }
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
        #: What the editor of the person ended with, and the text it was said of.
        self._failed = ("", "")
        #: The draft that waits to be decided on.
        self._kept: Draft | None = None

    # --- what is shown ---

    def body(self) -> Iterable[Widget]:
        if self._note:
            yield Status(self._note, "muted", id="note")
        yield TextBox([], id="offer")
        yield SafeTextArea(self._base)

    def hints(self) -> Sequence[KeyHint]:
        if self._kept is not None:
            return [
                KeyHint("enter", "go on with the draft"),
                KeyHint("ctrl+n", "start without it"),
                KeyHint("escape", "leave both as they are"),
            ]
        return [KeyHint("ctrl+s", "save"), KeyHint("ctrl+e", "$EDITOR"), KeyHint("escape", "leave, or more")]

    @property
    def raw(self) -> str:
        """The text as it would be saved."""
        return self.query_one(SafeTextArea).raw

    def on_mount(self) -> None:
        kept = read_draft(self._path) if self._path is not None else None
        if self._path is not None and kept is not None and kept.text != self._base:
            self._offer(kept)
            return
        if self._path is not None and kept is not None:
            drop_draft(self._path)
        self._begin()

    def _begin(self) -> None:
        area = self.query_one(SafeTextArea)
        area.disabled = False
        self._kept = None
        self.remove_class("-offering")
        self.query_one("#offer", TextBox).can_focus = False
        area.focus()
        if "\n" not in self._base:
            area.to_end()
        self._show_state()
        self.keys_changed()

    def _offer(self, kept: Draft) -> None:
        moved = kept.base != text_hash(self._base)
        length = words.count(len(kept.text), "character")
        written = words.ago(kept.saved_at, self._now())
        text = f"There is a draft of this text. It was written {written} and has {length}."
        if moved:
            text += "\nThe text has changed since: compare before you save."
        keys = "enter goes on with it. ctrl+n or f6 starts without it; it stays in the drafts folder as “….dropped”."
        self._kept = kept
        self.query_one(SafeTextArea).disabled = True
        offer = self.query_one("#offer", TextBox)
        offer.show([Gap(), Plain(text), Gap(), Plain(keys), Gap(), Plain(kept.text, "muted")])
        offer.can_focus = True
        self.add_class("-offering")
        offer.focus()
        self.keys_changed()

    def on_key(self, event: events.Key) -> None:
        if self._kept is None:
            return
        if event.key == "enter":
            event.stop()
            kept = self._kept
            self._begin()
            area = self.query_one(SafeTextArea)
            area.load(kept.text)
            area.to_end()
        elif event.is_printable:
            event.stop()
            self.say("Decide about the draft first: enter goes on with it.")

    def action_drop_kept(self) -> None:
        if self._kept is None or self._path is None:
            return
        try:
            set_aside(self._path)
        except OSError as error:
            self.say(f"! The draft could not be set aside: {error.strerror}.", "bad")
        else:
            self._begin()

    def fit_texts(self) -> None:
        """Nothing to share: the draft that is offered has the room of the editor, and scrolls."""

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        event.stop()
        if self._path is not None and self._kept is None:
            if self._timer is not None:
                self._timer.stop()
            self._timer = self.set_timer(AUTOSAVE, self.keep_draft)
        self._show_state()

    def _show_state(self) -> None:
        raw, area = self.raw, self.query_one(SafeTextArea)
        failed, of = self._failed
        if failed and of == raw and not self._draft_problem:  # what was typed just before may only be told of now
            self.say(f"! {failed}", "bad")
            return
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
        if self._path is None or self._kept is not None or self.answered or self.raw == self._base:
            return
        try:
            write_draft(self._path, Draft(self.raw, text_hash(self._base)))
            self._draft_problem = ""
        except OSError as error:
            self._draft_problem = f"the draft could not be kept: {error.strerror}"
        self._show_state()

    def keep_for_later(self) -> bool:
        """Keep what is typed, because the desk is left; whether nothing of it would be lost."""
        if self._kept is not None or self.answered or self.raw == self._base:
            return True
        self.keep_draft()
        return self._path is not None and not self._draft_problem

    def on_unmount(self) -> None:
        if self._timer is not None:
            self._timer.stop()

    # --- actions ---

    def action_save(self) -> None:
        if not self._edits:
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

    @property
    def _edits(self) -> bool:
        return self.app.screen is self and self._kept is None and not self.answered

    def action_editor(self) -> None:
        if not self._edits:
            return
        self.keep_draft()
        try:
            command = editor_command(os.environ)
            edited = hand_over(self.app, lambda: edit_outside(self.raw, command))
        except (EditorFailed, SuspendNotSupported) as failure:
            no_hand = "This terminal cannot be handed to another program."
            self._failed = (no_hand if isinstance(failure, SuspendNotSupported) else str(failure), self.raw)
            self._show_state()
            if isinstance(failure, EditorFailed) and failure.left is not None:
                again = [Option("e", "open the editor again", "editor")]
                self.app.push_screen(Menu("The editor failed", again, str(failure), back="go on here"), self._left)
            return
        if edited != self.raw:
            area = self.query_one(SafeTextArea)
            area.load(edited)
            area.to_end()
        self.keep_draft()
        self.refresh()

    def action_leave(self) -> None:
        if self.app.screen is not self:
            return
        if self._kept is not None or self.raw == self._base:
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
            self._drop()
            self.dismiss(None)

    def _drop(self) -> None:
        """Leave without the changes; the latest text that was dropped can still be found on disk."""
        if self._path is None:
            return
        self.keep_draft()
        try:
            set_aside(self._path)
        except OSError:
            drop_draft(self._path)

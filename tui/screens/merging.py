"""The dialog of a merge: which wording of each field stays, which entry stays, and the sentence that says so."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final

from textual import events
from textual.binding import Binding
from textual.widget import Widget

from ...core.errors import MemdeskError
from ...core.model import BODY_LIMIT_BYTES, TEXT_FIELDS, Entry
from ...core.text import one_line
from ...core.wording import FIELD_WORDS
from ..line_fields import worded
from ..live import background
from ..widgets.dialog import FRAME, Dialog, TextBox
from ..widgets.dialogs import Compose
from ..widgets.entry_text import Gap, Heading, Line, Lines, Plain
from ..widgets.key_footer import KeyHint
from ..widgets.one_line import Status
from ..widgets.row_list import Cell, Column, Row, RowList, Section, StaticRows

if TYPE_CHECKING:
    from ...core.merge import MergePlan

#: What the dialog returns: the id of the one that stays, and the chosen wordings.
Chosen = tuple[str, dict[str, Any]]
Planned = Callable[[str, dict[str, Any]], Awaitable[tuple["MergePlan", list[str]]]]

_LETTERS: Final = "ABCDEFGH"
_BOTH: Final = "both"
_WIDTH: Final = 92


class MergeScreen(Dialog[Chosen | None]):
    """Asks how to merge. Enter takes it as it is shown."""

    BINDINGS = [
        Binding("left", "turn(-1)", "Choice before", show=False),
        Binding("right", "turn(1)", "Next choice", show=False),
    ]

    DEFAULT_CSS = """
    MergeScreen {
        #box { width: 92; }  /* _WIDTH */
        #fields { height: auto; max-height: 6; background: $surface; margin: 1 1 0 1; }
        #wording { margin: 0 1; }
    }
    """

    def __init__(self, entries: Sequence[Entry], into: str, plan: Planned) -> None:
        """Create the dialog.

        Args:
            entries: in the order A, B, C…
            into: the id of the one that is offered to stay.
            plan: makes the plan (and its lines) for a choice.
        """
        super().__init__("…")
        self._entries = entries
        self._into = into
        self._plan = plan
        self._fields: dict[str, Any] = {}
        self._made: MergePlan | None = None
        #: Fields in which they differ: nothing is to be chosen in the others.
        self._open = [
            name for name in TEXT_FIELDS if len({(getattr(entry, name) or "").strip() for entry in entries}) > 1
        ]

    def body(self) -> Iterable[Widget]:
        columns = [Column("field", width=12), Column("choice", width=8, tone="accent"), Column("text", flex=1)]
        yield RowList(columns, empty="They say the same in every field.", markable=False, id="fields")
        yield TextBox([], id="wording")

    def hints(self) -> Sequence[KeyHint]:
        return [
            KeyHint("enter", "merge", self._made is not None, "This merge is not possible."),
            KeyHint("a", "A's"), KeyHint("b", "B's"), KeyHint("+", "both"), KeyHint("e", "edit"),
            KeyHint("s", "who stays"), KeyHint("escape", "back"),
        ]  # fmt: skip

    def on_mount(self) -> None:
        self.query_one("#fields", RowList).focus()
        self._again()

    def _again(self) -> None:
        background(self, self._make, "merge.plan", exclusive=True)

    async def _make(self) -> None:
        try:
            self._made, lines = await self._plan(self._into, dict(self._fields))
        except MemdeskError as error:
            self._made, lines = None, []
            self.say(error.message)
        else:
            self.say("")
            self.query_one("#title", Status).show(self._made.sentence, "strong")
        self._lines = lines
        self._show_fields()
        self.keys_changed()

    def _show_fields(self) -> None:
        rows = {name: self._row(name) for name in self._open}
        listed = self.query_one("#fields", RowList)
        listed.show(StaticRows([Section(list(rows))], rows))  # type: ignore[arg-type]
        self._show_wording()

    def _row(self, name: str) -> Row:
        value = self._value(name)
        kept = value == getattr(self._survivor, name)
        shown = Cell(one_line(value or "(none)", 200), "" if kept else "good")
        return Row([FIELD_WORDS[name], self._choice(name), shown])

    @property
    def _survivor(self) -> Entry:
        return next(entry for entry in self._entries if entry.id == self._into)

    def _value(self, name: str) -> str | None:
        if self._made is not None and name in self._made.patch:
            return self._made.patch[name]
        value: str | None = getattr(self._survivor, name)
        return value

    def _choice(self, name: str) -> str:
        """The choice in the words of the dialog; one that was not made says what comes of that."""
        choice = self._fields.get(name)
        if isinstance(choice, dict):
            return "edited"
        if choice in (None, _BOTH):
            value = self._value(name)
            same = [_LETTERS[i] for i, e in enumerate(self._entries[:8]) if (getattr(e, name) or "") == (value or "")]
            return same[0] if choice is None and same else _BOTH
        return next((_LETTERS[i] for i, e in enumerate(self._entries[:8]) if e.id == choice), "?")

    def _show_wording(self) -> None:
        name = self._at()
        blocks: list[Any] = []
        names = [f"{_LETTERS[i]} {entry.shown_name}" for i, entry in enumerate(self._entries[:8])]
        blocks.append(Plain("   ".join(names), "muted"))
        if name is not None:
            blocks += [Gap(), Heading(f"The {FIELD_WORDS[name]} afterwards"), Plain(self._value(name) or "(none)")]
        told = [line for line in self._lines[1:] if line.startswith(("link", "tags")) or " stays under " in line]
        if told:
            blocks += [Gap(), Heading("What else"), Lines([Line(text, "·", "muted") for text in told])]
        self.query_one("#wording", TextBox).show(blocks)
        self.on_resize()

    def on_resize(self) -> None:
        """The text takes what the fields leave, so that the keys stay on screen."""
        size, fields = self.app.size, max(min(len(self._open), 6), 1)
        room = max(size.height - FRAME - fields - 1, 2)
        box = self.query_one("#wording", TextBox)
        wanted = box.rows_wanted(min(_WIDTH, size.width) - 4, room)
        box.fit(min(wanted, room), wanted)

    def _at(self) -> str | None:
        key = self.query_one("#fields", RowList).cursor_key
        return None if key is None else str(key)

    def on_row_list_highlighted(self, message: RowList.Highlighted) -> None:
        message.stop()
        if hasattr(self, "_lines"):
            self._show_wording()

    def on_row_list_selected(self, message: RowList.Selected) -> None:
        message.stop()
        self._take()

    # -- choosing -----------------------------------------------------------------------------------------------------

    def on_key(self, event: events.Key) -> None:
        letter = event.character or ""
        if event.key == "enter":
            self._take()
        elif letter in ("a", "b"):
            self._choose(self._entries["ab".index(letter)].id)
        elif letter in ("+", "="):
            self._choose(_BOTH)
        elif letter == "e":
            background(self, self._edit, "merge.edit", exclusive=True)
        elif letter == "s":
            place = self._entries.index(self._survivor)
            self._into = self._entries[(place + 1) % len(self._entries)].id
            self._again()
        else:
            return
        event.stop()

    def action_turn(self, step: int) -> None:
        """The next wording of the field at the cursor: A, B, C…, both."""
        name = self._at()
        if name is None:
            return
        choices = [*(entry.id for entry in self._entries[:8]), _BOTH]
        now = self._choice(name)
        place = len(choices) - 1 if now not in _LETTERS else _LETTERS.index(now)
        self._choose(choices[(place + step) % len(choices)])

    def _choose(self, choice: Any) -> None:
        name = self._at()
        if name is not None:
            self._fields[name] = choice
            self._again()

    async def _edit(self) -> None:
        name = self._at()
        if name is None:
            return
        before = self._value(name) or ""
        screen = Compose(f"The {FIELD_WORDS[name]} afterwards", before, limit_bytes=BODY_LIMIT_BYTES)
        text = await self.app.push_screen_wait(screen)
        if text is not None:
            text = worded(name, text, before)
            self._choose({"text": text.strip("\n") if name != "body" else text})

    def _take(self) -> None:
        if self._made is None:
            self.say("This merge is not possible; s lets another one stay.")
        else:
            self.dismiss((self._into, dict(self._fields)))



"""The dialogs: one small family that returns values. Each names what it will do; untrusted text in any of
them is safe.

Await one from a worker: `value = await app.push_screen_wait(Ask("New tag"))`; None means it was left without a choice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from textual import events
from textual.binding import Binding
from textual.widget import Widget
from textual.widgets import Input

from ..words import count
from .compose import Compose
from .dialog import Dialog, TextBox
from .entry_text import Gap, Plain
from .key_footer import KeyHint
from .menu import Menu, Option
from .row_list import Column, Key, Row, RowList, Section
from .rows import Tone
from .stand_ins import SafeInput

__all__ = ["Ask", "Choice", "Compose", "Confirm", "Menu", "Notice", "Option", "Pick", "PickMany"]

#: Letters that confirm, the first that is not the triggering key.
_CONFIRMING = "yx"


class Confirm(Dialog[bool]):
    """Asks before what cannot be undone, naming the consequence. Neither enter nor the triggering key confirms."""

    def __init__(
        self,
        title: str,
        consequence: str,
        *,
        yes: str = "do it",
        no: str = "keep",
        trigger: str = "",
        token: str = "",
        danger: bool = True,
    ) -> None:
        """Create the question.

        Args:
            title: the question.
            consequence: what will happen, and what cannot be brought back.
            yes: the label of the confirming key.
            no: the label of the way out.
            trigger: the key that opened the question; it never confirms.
            token: text to type exactly before enter confirms, instead of a key.
            danger: whether to draw it as a warning.
        """
        super().__init__(f"! {title}" if danger else title)
        self._consequence = consequence
        self._yes = yes
        self._no = no
        self._token = token
        self.confirm_key = next(key for key in _CONFIRMING if key != trigger.lower())
        self.set_class(danger, "-danger")

    def body(self) -> Iterable[Widget]:
        yield TextBox([Gap(), Plain(self._consequence)])
        if self._token:
            yield TextBox([Gap(), Plain(f"Type {self._token} to confirm:", "muted")])
            yield SafeInput(id="token")

    def hints(self) -> Sequence[KeyHint]:
        if not self._token:
            return [KeyHint(self.confirm_key, self._yes), KeyHint("escape", self._no)]
        matches = self.is_mounted and self._typed() == self._token
        return [KeyHint("enter", self._yes, matches, f"Type {self._token} first."), KeyHint("escape", self._no)]

    def on_mount(self) -> None:
        if self._token:
            self.query_one(SafeInput).focus()

    def on_input_changed(self) -> None:
        self.keys_changed()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        if self._typed() == self._token:
            self.dismiss(True)
        else:
            self.say(f"Not confirmed: that is not {self._token}")

    def on_key(self, event: events.Key) -> None:
        if self._token:
            return
        if event.key == self.confirm_key:
            event.stop()
            self.dismiss(True)
        elif event.key == "n":
            event.stop()
            self.dismiss(False)

    def action_cancel(self) -> None:
        self.dismiss(False)

    def _typed(self) -> str:
        return self.query_one("#token", SafeInput).raw


class Notice(Dialog[None]):
    """Says something that has to be read; a long text scrolls."""

    def __init__(self, title: str, text: str, *, tone: Tone = "") -> None:
        super().__init__(f"! {title}" if tone in ("warn", "bad") else title)
        self._text = text
        self.set_class(tone == "bad", "-danger")

    def body(self) -> Iterable[Widget]:
        yield TextBox([Gap(), Plain(self._text)])

    def hints(self) -> Sequence[KeyHint]:
        return [KeyHint("escape", "close")]

    def on_key(self, event: events.Key) -> None:
        if event.key in ("enter", "q"):
            event.stop()
            self.dismiss(None)


class Ask(Dialog[str | None]):
    """Asks for one line."""

    def __init__(
        self,
        title: str,
        prompt: str = "",
        *,
        value: str = "",
        hint: str = "",
        check: Callable[[str], str] | None = None,
        allow_empty: bool = False,
    ) -> None:
        """Create the question.

        Args:
            title: what is asked.
            prompt: more about it.
            value: what the line starts with.
            hint: what an empty line shows, such as an example.
            check: returns "" or one sentence that says what is wrong with the line.
            allow_empty: whether an empty line is an answer.
        """
        super().__init__(title)
        self._prompt = prompt
        self._value = value
        self._hint = hint
        self._check = check
        self._allow_empty = allow_empty

    def body(self) -> Iterable[Widget]:
        if self._prompt:
            yield TextBox([Gap(), Plain(self._prompt, "muted")])
        yield TextBox([Gap()])
        yield SafeInput(self._value, placeholder=self._hint)

    def hints(self) -> Sequence[KeyHint]:
        problem = self._problem() if self.is_mounted else ""
        return [KeyHint("enter", "take it", not problem, problem), KeyHint("escape", "cancel")]

    def on_mount(self) -> None:
        self.query_one(SafeInput).focus()
        self.keys_changed()

    def on_input_changed(self) -> None:
        self.say("")
        self.keys_changed()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        problem = self._problem()
        if problem:
            self.say(problem)
        else:
            self.dismiss(self.query_one(SafeInput).raw)

    def _problem(self) -> str:
        raw = self.query_one(SafeInput).raw
        if not raw.strip() and not self._allow_empty:
            return "Type something first."
        return self._check(raw) if self._check is not None else ""


@dataclass(frozen=True, slots=True)
class Choice:
    """One thing to pick; with `why_not` it is shown but cannot be taken."""

    key: Key
    label: str
    note: str = ""
    why_not: str = ""


class _ListDialog(Dialog[object]):
    """A dialog around a list of choices: as high as the list, at most what the screen leaves."""

    FRAME = 6

    def __init__(self, title: str, choices: Sequence[Choice]) -> None:
        super().__init__(title)
        self._choices = list(choices)
        self._by_key = {choice.key: choice for choice in self._choices}

    def columns(self) -> list[Column]:
        widest = max((len(choice.note) for choice in self._choices[:200]), default=0)
        note = Column("note", width=min(widest, 30), priority=1, tone="muted", align="right")
        return [Column("label", flex=1, min_width=12), *([note] if widest else [])]

    def rows(self, choices: Sequence[Choice]) -> _ChoiceRows:
        return _ChoiceRows([choice.key for choice in choices], self._by_key)

    @property
    def row_list(self) -> RowList:
        return self.query_one(RowList)

    def on_mount(self) -> None:
        self._fit()

    def on_resize(self) -> None:
        self._fit()

    def _fit(self) -> None:
        room = max(self.app.size.height - self.FRAME, 1)
        self.row_list.styles.height = min(max(len(self._choices), 3), room, 20)

    def refused(self, key: Key) -> bool:
        """Say why a choice cannot be taken; return whether that is so."""
        choice = self._by_key.get(key)
        if choice is not None and choice.why_not:
            self.say(choice.why_not)
            return True
        return False


class Pick(_ListDialog):
    """Picks one of many: type to filter, arrows to move, enter to take."""

    BINDINGS = [
        Binding("up", "list('cursor_up')", show=False, id="pick.up"),
        Binding("down", "list('cursor_down')", show=False, id="pick.down"),
        Binding("pageup", "list('page_up')", show=False, id="pick.page_up"),
        Binding("pagedown", "list('page_down')", show=False, id="pick.page_down"),
    ]

    FRAME = 7

    def __init__(
        self,
        title: str,
        choices: Sequence[Choice],
        *,
        current: Key | None = None,
        empty: str = "Nothing fits.",
        search: Callable[[str], Sequence[Choice]] | None = None,
    ) -> None:
        """Create the picker.

        Args:
            title: what is picked.
            choices: what there is; what is shown first where `search` is given.
            current: the choice to start on.
            empty: what is said where nothing fits the filter.
            search: finds the choices for a filter text, for more than a list can hold; by default the words
                of the filter must all stand in the label or the note.
        """
        super().__init__(title, choices)
        self._current = current
        self._empty = empty
        self._search = search
        self._folded: list[str] = []

    def body(self) -> Iterable[Widget]:
        yield SafeInput(placeholder="type to filter")
        yield RowList(self.columns(), self.rows(self._choices), empty=self._empty, markable=False, sign_width=1)

    def hints(self) -> Sequence[KeyHint]:
        return [KeyHint("up", "up"), KeyHint("down", "down"), KeyHint("enter", "take"), KeyHint("escape", "cancel")]

    def on_mount(self) -> None:
        self.query_one(SafeInput).focus()
        self.row_list.can_focus = False
        if self._current is not None:
            self.row_list.move_to(self._current)

    def on_input_changed(self) -> None:
        self.say("")
        found = self._found(self.query_one(SafeInput).raw)
        self._by_key.update((choice.key, choice) for choice in found)
        self.row_list.show(self.rows(found), cursor=found[0].key if found else None)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self._take(self.row_list.cursor_key)

    def on_row_list_selected(self, event: RowList.Selected) -> None:
        event.stop()
        self._take(event.key)

    def action_list(self, name: str) -> None:
        getattr(self.row_list, f"action_{name}")()

    def _found(self, query: str) -> Sequence[Choice]:
        if self._search is not None:
            return self._search(query)
        words = query.casefold().split()
        if not self._folded:
            self._folded = [f"{choice.label}\n{choice.note}".casefold() for choice in self._choices]
        pairs = zip(self._choices, self._folded, strict=True)
        return [choice for choice, text in pairs if all(word in text for word in words)]

    def _take(self, key: Key | None) -> None:
        if key is None:
            self.say(self._empty)
        elif not self.refused(key):
            self.dismiss(key)


class PickMany(_ListDialog):
    """Picks any number: space toggles, enter takes what is marked. Returns the keys in list order."""

    def __init__(self, title: str, choices: Sequence[Choice], *, chosen: Sequence[Key] = ()) -> None:
        super().__init__(title, choices)
        self._chosen = chosen

    def body(self) -> Iterable[Widget]:
        yield RowList(self.columns(), self.rows(self._choices), sign_width=1)

    def hints(self) -> Sequence[KeyHint]:
        marked = len(self.row_list.marked) if self.is_mounted else len(self._chosen)
        return [
            KeyHint("space", "mark"),
            KeyHint("enter", f"take {count(marked, 'choice')}"),
            KeyHint("escape", "cancel"),
        ]

    def on_mount(self) -> None:
        for key in self._chosen:
            self.row_list.mark(key)
        self.row_list.focus()

    def on_row_list_marks_changed(self, event: RowList.MarksChanged) -> None:
        event.stop()
        refused = [key for key in event.row_list.marked if self.refused(key)]
        for key in refused:
            event.row_list.mark(key, False)
        self.keys_changed()

    def on_row_list_selected(self, event: RowList.Selected) -> None:
        event.stop()
        marked = event.row_list.marked
        self.dismiss([choice.key for choice in self._choices if choice.key in marked])


class _ChoiceRows:
    """Choices as rows, made when they are looked at: there may be as many as there are entries."""

    def __init__(self, keys: Sequence[Key], choices: Mapping[Key, Choice]) -> None:
        self._keys = keys
        self._choices = choices

    def sections(self) -> Sequence[Section]:
        return [Section(self._keys)]

    def page(self, keys: Sequence[Key]) -> Sequence[Row | None]:
        return [_choice_row(self._choices[key]) for key in keys]


def _choice_row(choice: Choice) -> Row:
    if choice.why_not:
        return Row([choice.label, choice.note], sign="–", tone="muted")
    return Row([choice.label, choice.note])

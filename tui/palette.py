"""The palette: find an action, or an entry, by typing a part of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from . import actions
from .keymap import keys_of
from .screens.keys import listed
from .widgets.key_footer import key_name

if TYPE_CHECKING:
    from .desk_keys import DeskKeys
    from .widgets.dialogs import Choice

#: Entries offered for a text.
_ENTRIES = 30


class Palette:
    """One opening of the palette."""

    def __init__(self, app: DeskKeys) -> None:
        self._app = app

    async def ask(self) -> None:
        """Let the person pick, and do it."""
        from .widgets.dialogs import Pick

        picked = await self._app.push_screen_wait(Pick(
            "Do, or go to", self._actions(), empty="No action and no entry fits.", search=self._search,
        ))  # fmt: skip
        kind, _, what = str(picked or "").partition("=")
        if kind == "do":
            self._do(what)
        elif kind == "go":
            self._app.go_to(what)

    def _do(self, action_id: str) -> None:
        action = actions.BY_ID[action_id]
        if action.scope == "widget":
            self._app.simulate_key(keys_of(action, self._app.keymap)[0])
        else:
            self._app.perform(action_id)

    def _actions(self) -> list[Choice]:
        from .widgets.dialogs import Choice

        now = self._app.situation()
        shown = [a for a in listed(self._app.pane.ACTIONS) if a.scope != "widget" and a.id != "desk.palette"]
        shown.sort(key=lambda action: actions.SECTIONS.index(action.section))
        return [
            Choice(
                f"do={action.id}", said(action), key_name(keys_of(action, self._app.keymap)[0]),
                actions.why_not(action, now),
            )
            for action in shown
        ]  # fmt: skip

    def _search(self, text: str) -> Sequence[Choice]:
        from .widgets.dialogs import Choice

        words = text.casefold().split()
        fits = [c for c in self._actions() if all(word in f"{c.label}\n{c.note}".casefold() for word in words)]
        desk = self._app.live.desk
        if not words or desk is None:
            return fits
        # What is being typed is mostly the beginning of a word.
        begun = f"{text}*" if text[-1:].isalnum() else text
        hits = desk.store.search(begun, workspace=self._app.workspace, limit=_ENTRIES)
        found = [(hit.entry_row.id, hit.entry_row.name, hit.entry_row.description or "") for hit in hits]
        return [*fits, *(Choice(f"go={i}", f"{name}  {description}", "entry") for i, name, description in found)]


def said(action: actions.Action) -> str:
    """The label and the sentence of an action, the label not twice."""
    doubled = action.help.casefold().startswith(action.label.casefold())
    return action.help if doubled else f"{action.label}: {action.help}"

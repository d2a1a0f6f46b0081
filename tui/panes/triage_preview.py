"""The preview: what a decision on a marked set would make of the block, before it is applied (DESIGN 5)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence

from textual import events
from textual.widget import Widget

from ..widgets.dialog import Dialog
from ..widgets.key_footer import KeyFooter, KeyHint
from ..widgets.meter import Meter
from ..widgets.one_line import Status
from ..widgets.row_list import RowList
from ..words import count
from .triage_blocks import DECISIONS, PREVIEW_COLUMNS, Decision, Preview, PreviewRows

#: Reads the preview of a decision, in the reading thread.
Look = Callable[[Decision], Awaitable[Preview]]


class PreviewDialog(Dialog[Decision | None]):
    """Shows the block as it would be; a letter picks the decision, enter applies it, esc changes nothing."""

    DEFAULT_CSS = """
    PreviewDialog {
        #box { width: 100%; max-width: 120; height: 100%; max-height: 90%; }
        #used { background: $surface; }
        #sentence { background: $surface; margin: 0 1; }
        #decisions { background: $surface; }
        RowList { height: 1fr; }
    }
    """

    def __init__(self, ids: Sequence[str], look: Look, refused: Mapping[str, str] | None = None) -> None:
        """Create the preview of a set.

        Args:
            ids: the entries decided on.
            look: reads the preview of a decision.
            refused: action id -> why that decision cannot be made on this set.
        """
        super().__init__(f"Before you decide: what {count(len(ids), 'entry')} would do to the block")
        self._look = look
        self._refused = refused or {}
        self.shown: Preview | None = None

    def body(self) -> Iterable[Widget]:
        yield Meter(label="it would be", id="used")
        yield KeyFooter(id="decisions")
        yield Status(id="sentence")
        yield RowList(PREVIEW_COLUMNS, titles=True, markable=False, empty="Nothing would be injected.")

    def hints(self) -> Sequence[KeyHint]:
        apply = self.shown.decision.doing.lower() if self.shown else "apply"
        return [KeyHint("enter", apply, self.shown is not None), KeyHint("escape", "change nothing")]

    def keys_changed(self) -> None:
        self.query_one("#keys", KeyFooter).show(self.hints())
        self.query_one("#decisions", KeyFooter).show([self._decision_hint(decision) for decision in DECISIONS])

    def _decision_hint(self, decision: Decision) -> KeyHint:
        why_not = self._refused.get(decision.action, "")
        chosen = self.shown is not None and self.shown.decision is decision
        label = decision.doing.lower()
        return KeyHint(decision.key, f"[{label}]" if chosen else label, not why_not, why_not)

    def on_mount(self) -> None:
        self.query_one(RowList).focus()
        self.keys_changed()
        first = next((d for d in DECISIONS if d.action not in self._refused), None)
        if first is not None:
            self._choose(first)

    def on_key(self, event: events.Key) -> None:
        for decision in DECISIONS:
            if event.key == decision.key:
                event.stop()
                why_not = self._refused.get(decision.action, "")
                if why_not:
                    self.say(why_not)
                else:
                    self._choose(decision)

    def on_row_list_selected(self, event: RowList.Selected) -> None:
        event.stop()
        if self.shown is not None:
            self.dismiss(self.shown.decision)

    def _choose(self, decision: Decision) -> None:
        self.run_worker(self._show(decision), group="triage.preview", exclusive=True)

    async def _show(self, decision: Decision) -> None:
        shown = await self._look(decision)
        self.shown = shown
        self.say("")
        after = shown.after[0]
        self.query_one(Meter).show(after.used, after.max_chars, f"now {shown.before[0].used:,}")
        self.query_one("#sentence", Status).show(shown.sentence, "accent")
        self.query_one(RowList).show(PreviewRows(shown))
        self.keys_changed()

"""Triage: what the next session will have injected, where the cut falls, and what is below it (DESIGN 5, 9)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from textual.app import ComposeResult

from ...core.desk import Desk, Receipt
from ...core.digest import OTHERS, Mode
from ...core.model import EntryClass
from .. import actions
from ..actions import ENTRY_ACTIONS, Seen, Situation
from ..decisions import EntryDecisions
from ..message_line import MessageLine
from ..screens.reading import ReadingScreen
from ..widgets.dialogs import Ask as AskLine
from ..widgets.dialogs import Menu, Option
from ..widgets.meter import Meter
from ..widgets.one_line import Status
from ..widgets.row_list import Column, Key, RowList
from ..words import count, listing, number
from .pane import Pane
from .triage_blocks import (
    DECISIONS,
    LEAST_CHARS,
    MOST_CHARS,
    Ask,
    Decision,
    Lift,
    Preview,
    budget_beside,
    lifts,
    parse_budget,
)
from .triage_news import NEWS_COLUMNS
from .triage_preview import Look, PreviewDialog
from .triage_read import Place, TriageQuestion, TriageView, Visit, read_preview, read_pushes, read_view
from .triage_rows import COLUMNS, Board, Marked, initiative_blocks, moved

_EMPTY: Final = {
    Place.BLOCK: "Nothing would be injected: no thread is live and nothing is known yet.\n"
    "Agents and people add memory with `memdesk add`; `memdesk attach gaia` brings what is there already.",
    Place.INITIATIVE: "Nothing of this initiative is live any more. esc goes back.",
    Place.NEWS: "Nobody else changed anything since you were last here. esc goes back.",
}


class TriagePane(EntryDecisions, Pane):
    """The pane of a session start."""

    NAME = "triage"
    TITLE = "Triage"
    EMPTY = _EMPTY[Place.BLOCK]
    ACTIONS = (
        *ENTRY_ACTIONS,
        "triage.keep", "triage.lift", "triage.preview", "triage.block", "triage.sections", "triage.since",
        "triage.less", "triage.more", "triage.budget",
    )  # fmt: skip

    def __init__(self) -> None:
        super().__init__()
        self._place = Place.BLOCK
        self._initiative = ""
        self._mode = Mode.WORKLIST
        self._max_chars = Ask().max_chars
        self._kept: dict[str, str | None] = {}
        self._visit: Visit | None = None
        self._view: TriageView | None = None
        self._columns: Sequence[Column] = COLUMNS
        #: Where the cursor stood in the block, while the list shows something else.
        self._left_at: Key | None = None
        #: Writes of ours that the list does not show yet.
        self._landed: list[Receipt] = []
        self._meter = Meter(label="next session")
        self._line = Status(id="news")

    # -- the pane's parts -------------------------------------------------------------------------------------------

    def make_list(self) -> RowList:
        return RowList(COLUMNS, titles=True, sign_width=2, empty=_EMPTY[Place.BLOCK])

    def compose_top(self) -> ComposeResult:
        yield self._meter
        yield self._line

    @property
    def question_ask(self) -> Ask:
        """The block that is asked for."""
        return Ask(self._mode, self._max_chars, self.workspace)

    def question(self) -> TriageQuestion:
        return TriageQuestion(
            self._place, self.question_ask, self._initiative, self.filter_text, self.now(), self._visit,
            self._view.found if self._view else None,
        )  # fmt: skip

    def read(self, desk: Desk, question: TriageQuestion) -> TriageView:
        return read_view(desk, question)

    def present(self, view: TriageView) -> None:
        before, self._view, self._visit = self._view, view, view.visit
        place = view.question.place
        turned = before is None or before.question.place is not place
        self.list.set_empty("Nothing fits the filter." if view.question.filter else _EMPTY[place])
        columns = NEWS_COLUMNS if place is Place.NEWS else COLUMNS
        if columns is not self._columns:
            self._columns = columns
            self.list.set_columns(columns)
        rows = Marked(view.listed, lambda: self.busy, self._is_kept)
        self.list.show(rows, cursor=self._cursor_for(view) if turned else None)
        self._show_figures(view)
        self._tell_landed(before, view)
        if not view.found.whole:
            self.refresh_view()

    def _cursor_for(self, view: TriageView) -> Key | None:
        """Where the cursor starts when the list turns to something else: back on its entry, else on the first row."""
        if view.question.place is Place.BLOCK and self._left_at is not None:
            at, self._left_at = self._left_at, None
            return at
        sections = view.listed.sections()
        return next((key for section in sections for key in section.keys), None)

    def on_screen(self, key: Key) -> Seen | None:
        if self._view is None:
            return None
        return self._view.listed.row_of(str(key))

    @property
    def board(self) -> Board | None:
        """The block as it is shown, or as it was before the list turned to something else."""
        return self._view.board if self._view else None

    # -- figures and words ------------------------------------------------------------------------------------------

    def _show_figures(self, view: TriageView) -> None:
        main = view.board.main
        notes = []
        if len(view.board.blocks) > 1:
            anchors = view.board.blocks[1]
            over = f", {number(anchors.over)} over" if anchors.over else ""
            notes.append(f"about you and what we know: {number(anchors.used)}{over}")
        self._meter.show(main.used, main.max_chars, "  ".join(notes))
        self._line.show(*self._line_words(view))
        self._line.display = bool(self._line_words(view)[0])

    def _line_words(self, view: TriageView) -> tuple[str, str]:
        place = view.question.place
        if place is Place.INITIATIVE:
            whole = f"{view.question.initiative}: all that is live in it, with texts"
            return f"‹ {whole} · i reads it in one go · esc goes back", "accent"
        if place is Place.NEWS:
            return f"‹ {view.news.line or 'News'} · esc goes back", "accent"
        parts = [] if view.found.whole else ["counting the rest…"]
        parts += [f"{view.news.line} · n shows them"] if view.news.line else []
        places = view.found.workspaces
        if self.workspace is None and places > 1:
            parts.append(f"{count(places, 'workspace')} in one block, a session gets one: w picks it")
        return "  ·  ".join(parts), "accent"

    def after_write(self, receipt: Receipt) -> None:
        self._landed.append(receipt)

    def _tell_landed(self, before: TriageView | None, after: TriageView) -> None:
        """Say what our writes did to the block: who moved up, who fell below the cut."""
        landed, self._landed = self._landed, []
        if not landed or before is None or before.question.ask != after.question.ask:
            return
        decided = {entry.id for receipt in landed for entry in receipt.entries}
        what = moved(before.board.blocks, after.board.blocks, decided)
        line = self.desk_app.screen_stack[0].query_one(MessageLine)
        if what and line.message == landed[-1].summary:
            self.say(f"{line.message} · {what}", line.tone, line.hint)

    # -- why not ----------------------------------------------------------------------------------------------------

    def why_not(self, action_id: str) -> str:
        board = self.board
        if action_id == "triage.lift":
            return self._no_lift()
        if action_id == "triage.block" and (board is None or not board.text):
            return "There is no block: nothing would be injected."
        if action_id == "triage.since" and self._place is not Place.NEWS and not (self._view and self._view.news.line):
            return "Nobody else changed anything since you were last here."
        if action_id == "entry.initiative":
            return self._no_initiative()
        return ""

    def _no_initiative(self) -> str:
        seen = self._only()
        row = self._view.listed.row_of(seen.id) if self._view and seen else None
        if row is None or row.initiative or row.klass == EntryClass.THREAD:
            return ""
        return f"{row.name} belongs to no initiative."

    def _no_lift(self) -> str:
        seen = self._only()
        spot = self.board.spot(seen.id) if self.board and seen else None
        if spot is None:
            return "Only what is below the cut can move up."
        return "It is in the block already." if spot.injected else ""

    def _only(self) -> Seen | None:
        """The one entry that an action applies to: the marked one, else the one at the cursor."""
        marked = self.list.marked
        return self.on_screen(next(iter(marked))) if len(marked) == 1 else self.current()

    # -- keep -------------------------------------------------------------------------------------------------------

    def do_triage_keep(self) -> None:
        targets = self.targets()
        rows = {seen.id: self._view.listed.row_of(seen.id) for seen in targets} if self._view else {}
        self._kept.update({i: row.updated_at for i, row in rows.items() if row is not None})
        self.list.invalidate(*rows)
        for seen in targets:
            self.list.mark(seen.id, False)
        self.step_past({seen.id for seen in targets})
        left = self._unkept()
        rest = "the whole block was looked at"
        if left:
            rest = f"{count(left, 'entry')} of the block still to be looked at"
        name = targets[0].name if len(targets) == 1 else count(len(targets), "entry")
        self.say(f"Kept {name} · {rest}")

    def _is_kept(self, entry_id: str) -> bool:
        """Whether it was looked at in this sitting, and nobody changed it since."""
        row = self._view.listed.row_of(entry_id) if self._view else None
        return row is not None and entry_id in self._kept and self._kept[entry_id] == row.updated_at

    def _unkept(self) -> int:
        if self.board is None:
            return 0
        return sum(1 for d in self.board.blocks for i in d.items if self._kept.get(i.row.id, "") != i.row.updated_at)

    # -- what the list shows ----------------------------------------------------------------------------------------

    def _turn(self, place: Place, initiative: str = "") -> None:
        if self._place is Place.BLOCK:
            self._left_at = self.list.cursor_key
        self._place, self._initiative = place, initiative
        self.list.clear_marks()
        self.refresh_view()

    def step_back(self) -> bool:
        """From a whole initiative or the news back to the block; whether there was a way back."""
        if self._place is Place.BLOCK:
            return False
        self._turn(Place.BLOCK)
        return True

    async def do_entry_initiative(self) -> None:
        if self._place is Place.INITIATIVE:
            await self._read_initiative()
            return
        seen = self._only()
        row = self._view.listed.row_of(seen.id) if self._view and seen else None
        if row is not None:
            self._turn(Place.INITIATIVE, row.initiative or OTHERS)

    async def _read_initiative(self) -> None:
        """The texts of the whole initiative one after the other, to read in one go."""
        listed = self._view.listed if self._view else None
        if isinstance(listed, Board):
            title = f"Initiative {self._initiative}"
            await self.ask(ReadingScreen(title, initiative_blocks(listed.main, self.now()), listed.text))

    def do_triage_since(self) -> None:
        self._turn(Place.BLOCK if self._place is Place.NEWS else Place.NEWS)

    def do_triage_sections(self) -> None:
        self._mode = Mode.WORKLIST if self._mode is Mode.SECTIONS else Mode.SECTIONS
        if self._place is not Place.BLOCK:
            self._turn(Place.BLOCK)
        words = "the worklist and the anchors, as a session start injects them"
        self.say(f"Showing {words if self._mode is Mode.WORKLIST else 'the sections'}")
        self.refresh_view()

    # -- the budget -------------------------------------------------------------------------------------------------

    def do_triage_less(self) -> None:
        self._set_budget(budget_beside(self._max_chars, -1))

    def do_triage_more(self) -> None:
        self._set_budget(budget_beside(self._max_chars, 1))

    async def do_triage_budget(self) -> None:
        now = number(self._max_chars)
        choice = await self.ask(Menu(
            f"The budget is {now} characters",
            [
                Option("g", "800, what Gaia's own command asks for", "800"),
                Option("s", "1,500, what a session start asks for", "1500"),
                Option("o", "Another", "other"),
            ],
        ))  # fmt: skip
        if choice == "other":
            value, prompt = str(self._max_chars), "Characters of one block"
            choice = await self.ask(AskLine("The budget", prompt, value=value, check=_budget_problem))
        budget = parse_budget(choice) if choice else None
        if budget is not None:
            self._set_budget(budget)

    def _set_budget(self, max_chars: int) -> None:
        if max_chars == self._max_chars:
            self.say(f"The budget stays at {number(max_chars)} characters; m sets another.")
            return
        self._max_chars = max_chars
        self.say(f"The budget is {number(max_chars)} characters")
        self.refresh_view()

    # -- the block --------------------------------------------------------------------------------------------------

    def do_triage_block(self) -> None:
        assert self._view is not None
        listed = self._view.listed
        board = listed if isinstance(listed, Board) else self._view.board
        self.desk_app.copy_text(board.text, "the block")

    async def do_triage_preview(self) -> None:
        targets = self.targets()
        ids = [seen.id for seen in targets]
        situation = Situation(pane=self.NAME, targets=targets, marked=len(targets))
        refused = {d.action: actions.why_not(actions.BY_ID[d.action], situation) for d in DECISIONS}
        chosen = await self.ask(PreviewDialog(ids, self._look(ids), {a: why for a, why in refused.items() if why}))
        if chosen is None:
            self.say("Nothing was changed; the marks are still set.")
        elif chosen.action == "entry.delete":
            self.do_entry_delete()
        else:
            self._move(f"{chosen.doing}: {{}}", **_change(chosen))

    def _look(self, ids: Sequence[str]) -> Look:
        async def look(decision: Decision) -> Preview:
            assert self._view is not None
            return await self.desk_app.reading(
                read_preview, self._view.found.rows, self.question_ask, decision, ids, self._stamp()
            )

        return look

    def _stamp(self) -> str:
        return self.now().strftime("%Y-%m-%dT%H:%M:%S.%fZ")

    # -- moving an entry up -----------------------------------------------------------------------------------------

    async def do_triage_lift(self) -> None:
        seen = self._only()
        spot = self.board.spot(seen.id) if self.board and seen else None
        if seen is None or spot is None or spot.why is None:
            return
        ways = lifts(spot.row, spot.why, self._mode)
        first = ways[0]
        if first.action == "entry.carry" and not first.why_not:
            self.do_entry_carry()
            return
        pushed = await self._pushes(seen, ways[-1])
        options = [Option(way.key, way.label, way.action, way.why_not) for way in ways]
        action = await self.ask(Menu(f"Move {seen.name} up", options, pushed))
        if action is not None:
            self.perform(action)

    async def _pushes(self, seen: Seen, way: Lift) -> str:
        """What a change of this entry would do to the block."""
        assert self._view is not None
        inside, gone = await self.desk_app.reading(
            read_pushes, self._view.found.rows, self.question_ask, seen.id, way.patch, self._stamp()
        )
        if not inside:
            return "A change makes it the freshest, and still it would stay below the cut: close or move others first."
        out = f", and pushes out {listing(gone)}" if gone else ", and pushes nothing out"
        return f"Only what changes becomes fresh. A change brings it into the block{out}."


def _change(decision: Decision) -> dict[str, object]:
    """The keyword arguments of the desk's `reclassify` for a decision."""
    return {"klass" if name == "class" else name: value for name, value in decision.patch.items()}


def _budget_problem(text: str) -> str:
    if parse_budget(text) is not None:
        return ""
    return f"Give a number of characters, {LEAST_CHARS} to {number(MOST_CHARS)}."

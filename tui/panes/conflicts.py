"""Conflicts: what contradicts and what says the same twice, worst first; each row is settled by one key.

Scores are made in a thread of their own, with progress, and can be stopped. Nothing is merged by likeness alone: the
line above the list says what a merge would do before it is made (DESIGN 6, 9).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, cast

from textual.app import ComposeResult
from textual.timer import Timer

from ...core.desk import Desk, Receipt
from ...core.errors import MemdeskError
from ...core.merge import MergePlan
from ...core.store import EntryRow
from ..actions import Seen
from ..decisions import EntryDecisions
from ..entry_view import EntryView
from ..widgets.diff_view import DiffView
from ..widgets.entry_text import Gap, Plain
from ..widgets.one_line import Status
from ..widgets.row_list import Key, RowList
from ..writing import Expected
from .conflicts_read import ConflictsView, Group, Lane, Member, read_view
from .conflicts_rows import COLUMNS, SCORED, ConflictRows
from .conflicts_sheet import Sheet, SheetAsked, read_sheet
from .pane import Pane, Question

#: Cells from which the two texts stand beside the list; below that they stand under it, over the whole width.
_COLUMNS_FROM = 150
_TICK = 0.25
_LANED = {
    Lane.NAME: "Two entries cannot share a name: m merges them, or `memdesk rename` gives one another.",
    Lane.LOST: "This is one entry: a keeps what stands, b takes the other wording, x keeps both.",
}


class ConflictList(RowList):
    """The list; `space` takes a member out of its group, or in again."""

    def action_toggle_mark(self) -> None:
        pane = next(node for node in self.ancestors if isinstance(node, Pane))
        pane.desk_app.perform("conflicts.member")


class ConflictsDetail(EntryView):
    """The two texts beside each other."""

    def __init__(self) -> None:
        super().__init__()
        self.sheet = DiffView(empty="No conflict is selected.")
        self.sheet.side = True
        self.text = self.sheet
        self._shown: SheetAsked | None = None

    async def _load(self, entry_id: str | None) -> None:
        pane = next(node for node in self.ancestors if isinstance(node, ConflictsPane))
        asked = pane.asked(entry_id)
        if asked is None:
            self.sheet.show_sheet([])
            pane.tell(None)
            return
        try:
            sheet = await self._app.live.read(read_sheet, asked)
        except MemdeskError as error:
            sheet = Sheet([Gap(), Plain(error.message, "warn")], "")
        if entry_id != self.entry_id:
            return  # the cursor has gone on
        before, self._shown = self._shown, asked
        same = before is not None and (before.a, before.b) == (asked.a, asked.b)
        self.sheet.show_sheet(sheet.blocks, keep_place=same)
        pane.tell(sheet)


class ConflictsPane(EntryDecisions, Pane):
    """The pane."""

    NAME = "conflicts"
    TITLE = "Conflicts"
    EMPTY = "Nothing contradicts anything, and nothing says the same twice."
    ACTIONS = (
        "conflicts.merge", "conflicts.a", "conflicts.b", "conflicts.relate", "conflicts.different",
        "conflicts.keep_both", "conflicts.later", "conflicts.ask", "conflicts.member", "conflicts.next",
        "conflicts.previous", "conflicts.score", "conflicts.scan", "entry.reword", "entry.graph",
    )  # fmt: skip

    def __init__(self) -> None:
        super().__init__()
        #: Group key -> entries that are left out of it.
        self.off: dict[str, frozenset[str]] = {}
        self.scores = False
        self.stopped = False
        self._rows: ConflictRows | None = None
        self._what = Status(id="conflicts-what")
        self._stop = threading.Event()
        self._part = 0.0
        self._ticks: Timer | None = None

    def make_list(self) -> RowList:
        return ConflictList(COLUMNS, empty="Opening the store…", markable=False)

    def make_detail(self) -> ConflictsDetail:
        return ConflictsDetail()

    def compose_top(self) -> ComposeResult:
        yield self._what

    def on_mount(self) -> None:
        self._ticks = self.set_interval(_TICK, self._tell_progress, pause=True)

    def on_resize(self) -> None:
        self.set_class(self.app.size.width >= _COLUMNS_FROM, "-columns")

    def on_unmount(self) -> None:
        self._stop.set()  # the program ends only when the scoring does

    @property
    def sheet(self) -> DiffView:
        """The two texts."""
        return cast(ConflictsDetail, self.detail).sheet

    # -- reading ------------------------------------------------------------------------------------------------------

    def refresh_view(self) -> None:
        if not self.stopped:
            super().refresh_view()

    def read(self, desk: Desk, question: Question) -> ConflictsView | None:
        """The queue; None where the person stopped it."""
        from ...core.similarity.running import Stopped

        try:
            return read_view(desk, question, self._progress, self._stop.is_set)
        except Stopped:
            return None

    def _progress(self, part: float) -> None:
        self._part = part

    async def _read_once(self) -> None:
        landed, question = self.desk_app.writes.landed, self.question()
        self._part = 0.0
        self._stop.clear()
        if self._ticks is not None:
            self._ticks.resume()
        try:
            view = await self.desk_app.live.score(self.read, question)
        except MemdeskError as error:
            self.stale(error.message)
            return
        finally:
            if self._ticks is not None:
                self._ticks.pause()
            self.desk_app.view_shown()
        if not self.is_attached:
            return
        if view is None:
            self.stopped = True
            self.list.set_banner("stopped: what changed since is not compared yet; c goes on")
            return
        if question.filter == self.filter_text and question.workspace == self.workspace:
            self.present(view)
        self.list.set_banner("")
        self.desk_app.writes.shown(landed)
        self.detail.reload()
        self.keys_changed()

    def _tell_progress(self) -> None:
        self.list.set_banner(f"comparing what changed: {self._part:.0%}  (esc stops)")

    def present(self, view: ConflictsView) -> None:
        self.list.set_empty("Nothing fits the filter; esc clears it." if self.filter_text else self.EMPTY)
        known = {group.key for group in view.groups}
        self.off = {key: ids for key, ids in self.off.items() if key in known}
        before = self._rows.view.uncompared if self._rows and self._rows.view.uncompared else view.uncompared + 1
        self._show(view)
        self.desk_app.count_contradictions(view.contradictions)
        if 0 < view.uncompared < before:
            self._wanted = True  # one call compares so many; what it compared is kept, so the next one goes on

    def _show(self, view: ConflictsView) -> None:
        self._rows = ConflictRows(view, self.off, self.busy, self.scores)
        self.list.set_columns(SCORED if self.scores else COLUMNS)
        self.list.show(self._rows)

    def _again(self) -> None:
        if self._rows is not None:
            self._show(self._rows.view)
            self.detail.reload()
            self.keys_changed()

    # -- what the list stands for -------------------------------------------------------------------------------------

    def on_screen(self, key: Key) -> Seen | None:
        return None if self._rows is None else self._rows.seen(key)

    def key_of(self, entry_id: str) -> Key | None:
        return None if self._rows is None else self._rows.key_of(entry_id)

    def show_entry(self, entry_id: str | None) -> None:
        key = self.list.cursor_key
        self.detail.show_entry(None if key is None else str(key))

    def step_past(self, keys: set[Key]) -> None:
        """The rows of a group's members go with it."""
        order = list(self.list.keys())
        gone = {key for key in order if (group := self._group(key)) is not None and group.key in keys}
        super().step_past(gone)

    def step_back(self) -> bool:
        if self._reading:
            self._stop.set()
        return self._reading

    def _group(self, key: Key | None) -> Group | None:
        return None if self._rows is None else self._rows.group(key)

    def asked(self, key: str | None) -> SheetAsked | None:
        """What the right side shows for a row."""
        group = self._group(key)
        if group is None or self._rows is None:
            return None
        pair = self._rows.pair(key)
        on = tuple(i for member in self._rows.on(group) for i in member.ids)
        a, b = self._ends(pair) if pair else (group.ids[0], group.ids[0])
        return SheetAsked(group, a, b, on, self.now())

    def _ends(self, pair: tuple[Member, Member]) -> tuple[str, str]:
        """The ids of A and B; of copies of one text the first two."""
        one, other = pair
        return one.row.id, (other.row.id if other is not one else one.ids[min(1, len(one.ids) - 1)])

    def tell(self, sheet: Sheet | None) -> None:
        """Say above the list what the deciding key would do."""
        group = self._group(self.list.cursor_key)
        if sheet is None or group is None:
            self._what.show("")
        else:
            self._what.show(sheet.sentence, sheet.tone or "strong")

    # -- what works now -----------------------------------------------------------------------------------------------

    def why_not(self, action_id: str) -> str:
        name = action_id.removeprefix("conflicts.")
        if name == action_id:
            return ""
        if name == "scan":
            return "" if self.stopped or self._uncompared() else "Everything is compared."
        if name in ("score", "next", "previous"):
            return ""
        group, key = self._group(self.list.cursor_key), self.list.cursor_key
        if group is None or self._rows is None:
            return "There is no conflict here."
        refused = _LANED.get(group.lane, "")
        if refused and name not in {Lane.NAME: ("merge", "a", "b"), Lane.LOST: ("a", "b", "keep_both")}[group.lane]:
            return refused
        if name == "member" and self._rows.member(key) is None:
            return "Only the members of a group of three or more can be left out; stand on one."
        if name == "merge" and len([i for member in self._rows.on(group) for i in member.ids]) < 2:
            return "All others are left out; space takes one in again."
        if name == "ask" and group.asked:
            return "The owner is asked already; 6 lists what waits."
        if name == "ask" and not (group.lane is Lane.CONTRADICTION and group.has_decision()):
            return "There is nobody to ask: only a contradiction of a decision has an owner."
        return ""

    def _uncompared(self) -> bool:
        return self._rows is not None and self._rows.view.uncompared > 0

    # -- looking ------------------------------------------------------------------------------------------------------

    def do_conflicts_next(self) -> None:
        self._go(1)

    def do_conflicts_previous(self) -> None:
        self._go(-1)

    def _go(self, step: int) -> None:
        """To the next group, or the one before; each keeps its place in the text."""
        group = self._group(self.list.cursor_key)
        if group is None or self._rows is None:
            return
        keys = [one.key for one in self._rows.view.groups]
        place = keys.index(group.key) + step
        if 0 <= place < len(keys):
            self.list.move_to(keys[place])

    def do_conflicts_score(self) -> None:
        self.scores = not self.scores
        self.say("Scores are shown; they say how alike, not what is right." if self.scores else "Scores are hidden.")
        self._again()

    def do_conflicts_scan(self) -> None:
        self.stopped = False
        self.refresh_view()

    def do_conflicts_member(self) -> None:
        rows, key = self._rows, self.list.cursor_key
        group, member = self._group(key), rows.member(key) if rows else None
        if group is None or member is None:
            return
        self.off[group.key] = self.off.get(group.key, frozenset()) ^ {member.row.id}
        self._again()
        self.list.action_cursor_down()

    # -- deciding -----------------------------------------------------------------------------------------------------

    async def do_conflicts_merge(self) -> None:
        from ..screens.merging import MergeScreen

        rows, group = self._rows, self._group(self.list.cursor_key)
        assert rows is not None and group is not None
        on = rows.on(group)
        ids = [i for member in on for i in member.ids]
        entries = await self.desk_app.reading(lambda desk: desk.store.entries_of(ids))
        if len(entries) < 2:
            self.say("Somebody has settled this meanwhile.", "warn")
            return
        into, fields = ids[0], dict[str, Any]()
        if len(on) > 1:  # copies of one text have nothing to choose

            chosen = await self.ask(MergeScreen(entries, into, partial(self.desk_app.reading, _plan, ids)))
            if chosen is None:
                return
            into, fields = chosen
        saw = {
            e.id: {"title": e.title, "description": e.description, "body": e.body, "state": str(e.state)}
            for e in entries
        }  # fmt: skip
        name = next(e.shown_name for e in entries if e.id == into)
        self._settle(
            f"Merging into {name}", lambda desk: desk.merge(ids, into=into, fields=fields, expected=saw), group, on
        )

    def do_conflicts_a(self) -> None:
        self._side("ours", 0)

    def do_conflicts_b(self) -> None:
        self._side("theirs", 1)

    def _side(self, lost: str, newer: int) -> None:
        """A replaces B, or B replaces A; of a lost edit, which wording stands."""
        group = self._group(self.list.cursor_key)
        assert group is not None and self._rows is not None
        if group.lost is not None:
            self._settle_lost(group, lost)
            return
        pair = self._rows.pair(self.list.cursor_key)
        assert pair is not None
        ends = self._ends(pair)
        by, old = ends[newer], ends[1 - newer]
        member = pair[1 - newer]
        # Copies of the one that goes, go with it.
        olds = [old] if pair[0] is pair[1] else list(member.ids)
        names = pair[newer].row.name, member.row.name
        self._settle(f"Replacing {names[1]} by {names[0]}", lambda desk: desk.replace(by, olds), group, list(pair))

    def _settle_lost(self, group: Group, choice: str) -> None:
        lost = group.lost
        assert lost is not None
        self._settle(
            f"Settling {group.members[0].row.name}", lambda desk: desk.settle(lost.entry_id, lost.event_id, choice),
            group, list(group.members),
        )  # fmt: skip

    def do_conflicts_relate(self) -> None:
        group, pair = self._group(self.list.cursor_key), self._pair()
        assert group is not None
        a, b = self._ends(pair)
        seen = _contents(pair)
        self._settle(f"Relating {pair[0].row.name}", lambda desk: desk.relate(a, b, seen=seen), group, list(pair))

    def do_conflicts_different(self) -> None:
        self._judge("different")

    def do_conflicts_keep_both(self) -> None:
        group = self._group(self.list.cursor_key)
        if group is not None and group.lost is not None:
            self._settle_lost(group, "comment")
        else:
            self._judge("keep_both")

    def do_conflicts_later(self) -> None:
        self._judge("later")

    async def do_conflicts_ask(self) -> None:
        group, pair = self._group(self.list.cursor_key), self._pair()
        assert group is not None
        a, b = self._ends(pair)
        reason = await self.desk_app.reading(lambda desk: desk.why_not_ask(a, b))
        if reason:
            self.say(reason, "warn")
            return
        why = group.reason
        self._settle("Asking the owner", lambda desk: desk.ask_owner(a, b, why=why), group, list(pair))

    def _pair(self) -> tuple[Member, Member]:
        assert self._rows is not None
        pair = self._rows.pair(self.list.cursor_key)
        assert pair is not None
        return pair

    def _judge(self, verdict: str) -> None:
        """Judge all texts of a group, or (on the row of a member) that member against the others."""
        rows, key = self._rows, self.list.cursor_key
        group = self._group(key)
        assert rows is not None and group is not None
        on, member = rows.on(group), rows.member(key)
        seen = _contents(on)
        if member is not None and len(on) > 2:
            others = [one.row.id for one in on if one is not member]
            mine = member.row.id
            call: Callable[[Desk], Receipt] = lambda desk: desk.judge_each(mine, others, verdict, seen=seen)  # noqa: E731
            about = [member]
        else:
            ids = [one.row.id for one in on] if len(on) > 1 else list(on[0].ids if on else group.ids)
            call = lambda desk: desk.judge_group(ids, verdict, seen=seen)  # noqa: E731
            about = on
        self._settle(f"Judging {group.members[0].row.name}", call, group, about)

    def _settle(
        self, doing: str, call: Callable[[Desk], Receipt], group: Group, about: Sequence[Member]
    ) -> None:  # fmt: skip
        """Queue a decision. The cursor goes on at once where it settles the whole row."""
        rows: list[EntryRow] = [member.row for member in about]
        whole = len(group.members) <= 2 or len(about) >= len(group.members)

        def write(desk: Desk, expected: Expected) -> Receipt:
            return call(desk)

        self.write(doing, write, targets=rows, moves=False)
        if whole:
            self.step_past({group.key})
        self._again()


def _plan(desk: Desk, ids: Sequence[str], into: str, fields: dict[str, Any]) -> tuple[MergePlan, list[str]]:
    plan = desk.merge_plan(ids, into=into, fields=fields)
    return plan, plan.lines(desk.names_by_id())


def _contents(members: Sequence[Member]) -> dict[str, str]:
    return {entry_id: said for member in members for entry_id, said in member.contents.items()}

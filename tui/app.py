"""The desk on screen: one header line, one pane at a time, a message line, the keys that work now.

The app paints first and opens the store in a worker afterwards (STYLE 3). It owns what panes share: the threads on
the desk (`live`), the queue of writes (`writes`), the message line, the keys, the live refresh.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from textual import on
from textual.app import App, ComposeResult
from textual.timer import Timer
from textual.widgets import ContentSwitcher, Static

from ..core.config import Config
from ..core.desk import Actor, Desk, Receipt
from ..core.errors import MemdeskError, Stale
from ..core.model import Entry
from . import actions, keymap
from .actions import Action, Situation
from .desk_keys import DeskKeys
from .header_view import HeaderView, header_view, segments
from .leaving import Leaving
from .live import Live, background
from .looking_back import LookingBack
from .message_line import MessageLine
from .panes.approvals import ApprovalsPane
from .panes.conflicts import ConflictsPane
from .panes.graph import GraphPane
from .panes.history import HistoryPane
from .panes.pane import Pane
from .panes.threads import ThreadsPane
from .panes.triage import TriagePane
from .themes import pick_theme, register
from .typed_keys import TypedKeys
from .widgets.drafts import drop_draft
from .widgets.header import HeaderLine
from .widgets.key_footer import KeyFooter, KeyHint
from .widgets.rows import Tone
from .writing import Write, WriteQueue, desk_hint, stale_words

T = TypeVar("T")
#: Seconds between two looks at the store, and between two at the hosts.
POLL = 0.5
HOSTS_POLL = 2.0
#: Seconds after which the ages on screen are told anew.
AGES = 60.0
#: Seconds of rest before changed texts are compared in the background.
COMPARE = 2.0
#: Said where the breakpoints leave no room for the desk.
TOO_SMALL = "The window is too small: 30 by 7 at least. q leaves."
#: How long a write waits for a host's lock, milliseconds.
HOSTS_WAIT_MS = 200


class MemdeskApp(TypedKeys, Leaving, DeskKeys, LookingBack, App[MemdeskError | None]):
    """The desk. `run()` returns None, or the error that kept the store from being opened."""

    CSS_PATH = [
        "../styles/tokens.tcss", "../styles/app.tcss", "../styles/triage.tcss", "../styles/conflicts.tcss",
        "../styles/graph.tcss", "../styles/history.tcss", "../styles/approvals.tcss",
    ]  # fmt: skip
    ENABLE_COMMAND_PALETTE = False
    HORIZONTAL_BREAKPOINTS = [(0, "-thin"), (30, "-narrow"), (100, "-wide")]
    VERTICAL_BREAKPOINTS = [(0, "-flat"), (7, "-short"), (22, "-tall")]
    #: In the order of their number keys.
    PANES: ClassVar[tuple[type[Pane], ...]] = (
        TriagePane, ThreadsPane, ConflictsPane, GraphPane, HistoryPane, ApprovalsPane,
    )  # fmt: skip
    BINDINGS = [*actions.bindings(actions.desk_ids()), *Leaving.KEYS]

    def __init__(
        self,
        open_desk: Callable[[], Desk],
        *,
        config: Config | None = None,
        workspace: str | None = None,
        pane: str = "",
        now: Callable[[], datetime] | None = None,
        live: bool = True,
        environ: Mapping[str, str] = os.environ,
    ) -> None:
        """Create the app.

        Args:
            open_desk: opens the desk; called in the writing thread after the first paint.
            config: the settings of the store: keys and theme.
            workspace: the workspace to start in; None as for reading commands.
            pane: the name of the pane to start with; the first by default.
            now: tells the time by which ages are shown.
            live: whether to look for other processes' writes on a timer.
            environ: the environment, for the theme.
        """
        # Said before the first theme: Textual otherwise answers NO_COLOR with greys instead of no colour.
        super().__init__(ansi_color=True if environ.get("NO_COLOR") else None)
        self.live = Live(open_desk)
        self.writes = WriteQueue(self)
        self.config = config or Config()
        self.workspace = workspace
        self.now = now or (lambda: datetime.now(UTC))
        self.header: HeaderView | None = None
        self.keymap, self.key_problems = keymap.checked(self.config.keys, [pane.ACTIONS for pane in self.PANES])
        self._start = pane or self.PANES[0].NAME
        self._polls = live
        self._environ = environ
        self._rests: dict[str, tuple[Timer, Callable[[], None]]] = {}
        self._copied: tuple[str, str] | None = None
        self._leaving = False
        self._keys_due = False
        #: The store was opened, or could not be.
        self._begun = False
        #: How many the last comparing of texts found, for the header.
        self._contradictions = 0

    # -- the frame ----------------------------------------------------------------------------------------------------

    def compose(self) -> ComposeResult:
        yield HeaderLine(id="header")
        yield HeaderLine(id="past")
        with ContentSwitcher(initial=self._start, id="panes"):
            for pane in self.PANES:
                yield pane()
        yield MessageLine()
        yield KeyFooter(id="keys")
        yield Static(TOO_SMALL, id="too_small", markup=False)

    def on_mount(self) -> None:
        self.heed_signals()
        register(self)
        problems = list(self.key_problems)
        theme = pick_theme(self._environ, self.config.theme)
        if theme not in self.available_themes:
            problems.append(f"There is no theme {theme!r}; the desk's own are dark and light.")
            theme = pick_theme(self._environ)
        self.theme = theme
        self.set_keymap(self.keymap)
        self.pane.focus_list()
        self._show_header()
        self.say(" ".join(problems), "warn" if problems else "")
        self.call_after_refresh(self._begin)

    def _begin(self) -> None:
        background(self, self._open, "desk.open")

    async def _open(self) -> None:
        try:
            desk = await self.live.open()
            self.workspace = await self.live.read(_workspace, self.workspace)
            await self.live.moved()
        except MemdeskError as error:
            self._begun = True
            self.exit(error, return_code=error.exit_code)
            return
        # No key waits for a program that holds a host's lock: what cannot be pushed now is tried again by the timer.
        desk.hosts.wait_ms = HOSTS_WAIT_MS
        self.call_after_refresh(self._opened, desk)

    def _opened(self, desk: Desk) -> None:
        for pane in self.panes:
            pane.list.set_empty(pane.EMPTY)
        self.pane.refresh_view()
        self._begun = True
        if self._polls:
            self.set_interval(POLL, self._poll)
            self.set_interval(HOSTS_POLL, self._poll_hosts)
            self.set_interval(AGES, self.refresh_views)
            self.compare_soon()

    @property
    def panes(self) -> list[Pane]:
        """All panes."""
        return list(self.query(Pane))

    @property
    def pane(self) -> Pane:
        """The pane in front."""
        switcher = self.screen_stack[0].query_one("#panes", ContentSwitcher)
        return switcher.query_one(f"#{switcher.current}", Pane)

    def show_pane(self, name: str) -> None:
        """Bring a pane to the front; what was said of another one goes, unless it is about to be written."""
        if name != self.pane.NAME and not self.writes.pending:
            self.say("")
        self.query_one("#panes", ContentSwitcher).current = name
        self.pane.focus_list()
        self.pane.refresh_view()
        self._show_header()
        self.keys_changed()

    # -- time and threads ---------------------------------------------------------------------------------------------

    async def reading(self, call: Callable[..., T], *args: object) -> T:
        """Run `call(desk, *args)` in the reading thread."""
        return await self.live.read(call, *args)

    def later(self, name: str, seconds: float, call: Callable[[], None]) -> None:
        """Call when the keyboard has rested so long: a later call of the same name takes the place of this one."""
        if name in self._rests:
            self._rests.pop(name)[0].stop()

        def fire() -> None:
            self._rests.pop(name, None)
            call()

        self._rests[name] = (self.set_timer(seconds, fire), call)

    async def settle(self) -> None:
        """Wait until nothing is under way: rests are cut short, reads and writes have landed. For tests."""
        for name in list(self._rests):
            timer, call = self._rests.pop(name)
            timer.stop()
            call()
        await self.live.quiet()

    @property
    def is_settled(self) -> bool:
        """Whether nothing is under way."""
        quiet = not self._rests and self.live.is_quiet and not self.writes.pending and not self._keys_due
        return self._begun and quiet

    # -- live refresh (DESIGN 9 rule 6) -------------------------------------------------------------------------------

    def _poll(self) -> None:
        background(self, self.poll_now, "desk.watch", exclusive=True)

    async def poll_now(self) -> None:
        """Look whether any process wrote, and read again if so."""
        try:
            moved = await self.live.moved()
        except MemdeskError as error:
            self.pane.stale(error.message)
            return
        if moved:
            self.refresh_views()

    def _poll_hosts(self) -> None:
        # Not exclusive: a call that waits for a locked host must end, not be started anew behind itself.
        if not any(worker.group == "desk.hosts" and not worker.is_finished for worker in self.workers):
            background(self, self.poll_hosts_now, "desk.hosts")

    async def poll_hosts_now(self) -> None:
        """Bring what changed in the hosts, push what waits."""
        try:
            moved = await self.live.refresh_hosts()
        except MemdeskError as error:
            self.say(error.message, "warn", error.hint)
            return
        if moved:
            self.refresh_views()

    def refresh_views(self) -> None:
        """Read the pane in front and the header again; other panes read when they come to the front."""
        self.pane.refresh_view()
        self.refresh_header()
        self.compare_soon()

    def compare_soon(self) -> None:
        """Compare what changed, in the background, once things are quiet: the header counts contradictions."""
        if self._polls and self.pane.NAME != ConflictsPane.NAME:
            self.later("conflicts.soon", COMPARE, lambda: self.query_one(ConflictsPane).refresh_view())

    def count_contradictions(self, number: int) -> None:
        """The texts were compared: show how many contradictions wait."""
        if number != self._contradictions:
            self._contradictions = number
            self._show_header()

    def view_shown(self) -> None:
        """A pane shows what it read. The header waits for the first one: the selected row comes first."""
        if self.header is None:
            self.refresh_header()

    def refresh_header(self) -> None:
        """Read the header again."""
        background(self, self._read_header, "desk.header", exclusive=True)

    async def _read_header(self) -> None:
        workspace = self.workspace
        try:
            before, self.header = self.header, await self.live.look(lambda desk: header_view(desk, workspace))
        except MemdeskError as error:
            self.say(error.message, "warn", error.hint)
            return
        if before is not None and before.held_up and not self.header.held_up:
            self.say("What was held up has reached its host.", "good")
        self._show_header()

    def _show_header(self) -> None:
        keys = {p.NAME: keymap.keys_of(actions.BY_ID[f"pane.{p.NAME}"], self.keymap)[0] for p in self.PANES}
        tabs = [(keys[p.NAME], p.NAME, p.TITLE) for p in self.PANES]
        left, right = segments(
            tabs, self.pane.NAME, self.workspace, self.header, self.now(), self._contradictions
        )
        self.query_one("#header", HeaderLine).show(left, right)

    # -- writing ------------------------------------------------------------------------------------------------------

    def write_landed(self, write: Write, receipt: Receipt) -> None:
        """One of our writes is in the log."""
        if write.draft is not None:
            drop_draft(write.draft.path)
        if receipt.changed:
            self.say(receipt.summary, "good", self._after(write, receipt))
        else:
            self.say("Nothing to change: it is so already.", "", " ".join(receipt.warnings))
        (write.pane or self.pane).after_write(receipt)
        if receipt.requests:
            self.query_one(ApprovalsPane).decided_again(receipt)
        if write.then is not None:
            write.then(receipt)
        self.refresh_views()

    def _after(self, write: Write, receipt: Receipt) -> str:
        key = keymap.keys_of(actions.BY_ID["desk.redo" if receipt.verb == "undo" else "desk.undo"], self.keymap)[0]
        undo = f"{key} brings it back." if receipt.verb == "undo" else f"{key} undoes."
        if receipt.final:
            undo = f"It cannot be undone. {self.any_undo()} what was done before it."
        return " ".join([undo, *receipt.warnings])

    def write_failed(self, write: Write, error: MemdeskError, now: Entry | None) -> None:
        """One of our writes was refused: say why; a text that was typed for it is kept.

        Args:
            now: the entry as it stands, where the refusal is about one.
        """
        self._leaving = False  # what was refused must be read first
        kept = " Your text is kept: the same key offers it again." if write.draft is not None else ""
        if isinstance(error, Stale) and now is not None:
            self.say(stale_words(error, now, self.now()), "warn", f"Nothing was changed; decide again.{kept}")
        else:
            self.say(error.message, "bad", f"{self.undo_hint(error) or desk_hint(error.hint)}{kept}".strip())
        if write.pane is not None:
            write.pane.write_failed(write)
        self.refresh_views()

    def writes_ended(self) -> None:
        """Every write has landed or was refused."""
        if self._leaving:
            self.exit(None)

    # -- keys ---------------------------------------------------------------------------------------------------------

    def situation(self) -> Situation:
        """The facts that decide which actions work now."""
        pane = self.pane
        refused = {i: reason for i in (*pane.ACTIONS, *actions.desk_ids()) if (reason := pane.why_not(i))}
        return Situation(
            opened=self.live.desk is not None, pane=pane.NAME, targets=pane.sample(), marked=len(pane.list.marked),
            filtered=bool(pane.filter_text), copied=self._copied is not None,
            past=self.live.past is not None, refused=refused,
        )  # fmt: skip

    def keys_changed(self) -> None:
        """Draw the footer again, once, after what is being handled now."""
        if not self._keys_due:
            self._keys_due = True
            self.call_later(self._show_keys)

    def _show_keys(self) -> None:
        self._keys_due = False
        pane = self.pane
        if pane.typing_filter:
            hints = [KeyHint("enter", "to the list"), KeyHint("escape", "clear the filter")]
            self.screen_stack[0].query_one("#keys", KeyFooter).show(hints, f"{pane.list.total:,} fit")
            return
        now = self.situation()
        shown = [a for a in actions.TABLE if a.footer and (a.scope != "pane" or a.id in self.pane.ACTIONS)]
        hints = [self._hint(action, now) for action in sorted(shown, key=lambda a: a.footer)]
        note = f"{now.marked} marked" if now.marked else "this entry" if now.targets else ""
        self.screen_stack[0].query_one("#keys", KeyFooter).show(hints, note)

    def _hint(self, action: Action, now: Situation) -> KeyHint:
        reason = actions.why_not(action, now)
        return KeyHint(keymap.keys_of(action, self.keymap)[0], action.label, not reason, reason)

    @on(KeyFooter.Chosen)
    def _hint_chosen(self, message: KeyFooter.Chosen) -> None:
        if message.hint.enabled:
            self.simulate_key(message.hint.key)
        else:
            self.say(message.hint.why_not, "warn")

    def action_act(self, action_id: str) -> None:
        """A key of the desk was pressed."""
        self.perform(action_id)

    def perform(self, action_id: str) -> None:
        """Do an action of the table, or say why it does not work now."""
        action = actions.BY_ID[action_id]
        if action.scope == "pane" and self.pane.is_stray(action_id):
            return
        reason = actions.why_not(action, self.situation())
        if reason:
            self.say(reason, "warn")
        elif action.scope == "pane":
            self.pane.perform(action_id)
        elif action_id.startswith("pane."):
            self.show_pane(action_id.removeprefix("pane."))
        else:
            getattr(self, "do_" + action_id.split(".")[1])()

    def run_flow(self, steps: Coroutine[Any, Any, None], group: str) -> None:
        """Run what asks and waits in a worker; what the desk refuses on the way is said, not raised."""

        async def guarded() -> None:
            try:
                await steps
            except MemdeskError as error:
                self.say(error.message, "warn", error.hint)

        background(self, guarded, group, exclusive=True)

    def say(self, text: str, tone: Tone | str = "", hint: str = "", *, passing: bool = False) -> None:
        """Say something on the message line; `passing` is replaced by what comes of it."""
        self.screen_stack[0].query_one(MessageLine).say(text, tone, hint)  # type: ignore[arg-type]

    # -- leaving ----------------------------------------------------------------------------------------------------

    def on_unmount(self) -> None:
        self.ignore_signals()
        self.live.close()


def run_desk(folder: Path, actor: Actor, *, config: Config, workspace: str | None = None, pane: str = "") -> None:
    """Open the desk of the store in `folder` until the person leaves it.

    Raises:
        MemdeskError: the store could not be opened.
    """
    app = MemdeskApp(lambda: Desk.open(folder, actor, config=config), config=config, workspace=workspace, pane=pane)
    app.fault_folder = folder
    error = app.run()
    if app.live.desk is not None:
        with suppress(MemdeskError):  # a busy or read-only store keeps the older mark: the next visit lists more
            app.live.desk.mark_visit()
        app.live.desk.close()
    if app.fault_words:
        raise SystemExit(1)  # the sentence stands on the terminal already
    if error is not None:
        raise error


def _workspace(desk: Desk, wanted: str | None) -> str | None:
    return desk.workspace_for_reading(wanted)

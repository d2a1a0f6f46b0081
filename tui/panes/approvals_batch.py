"""A whole batch of requests in the person's own editor, from the desk: the same code as `memdesk requests review`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from textual.app import SuspendNotSupported

from ...core.desk import Desk, Receipt
from ..batch import KeptBatch, decide, needs_reason
from ..batch_text import Batch
from ..batch_text import Block as Asked
from ..screens.preview import PreviewScreen
from ..screens.reading import ReadingScreen
from ..widgets.editor import EditorFailed, hand_over
from ..widgets.entry_text import Block, Gap, Line, Lines, Plain, Title
from ..words import count
from .approvals_deciding import Deciding
from .approvals_results import results_blocks

_UNREAD: Final = "The line above the first request still stands, so this batch is not read to its end."
_KEPT: Final = "Nothing was decided; what you typed is kept, E goes on with it."
_WORDS: Final = {"approve": ("✓", "good"), "reject": ("×", "bad"), "skip": ("·", "muted")}


class InEditor(Deciding):
    """The key that opens the batch."""

    async def do_approvals_editor(self) -> None:
        kept = await self._begun()
        if kept is None:
            return
        try:
            decided = await self._gone_through(kept)
        except BaseException:
            kept.release()
            raise
        if not decided:
            kept.release()

    async def _gone_through(self, kept: KeptBatch) -> bool:
        """Edit, agree, and start deciding; False where nothing is decided."""
        asked = kept.blocks()
        batch = await self._edited(kept)
        if batch is None:
            return False
        if batch.unread:
            self.say(_UNREAD, "warn", _KEPT)
            return False
        if not batch.decides:
            kept.done()
            self.say(f"The batch {batch.plan}.")
            return False
        if not await self.ask(PreviewScreen("The plan of the batch", _plan(batch, asked), yes="do it")):
            self.say(_KEPT, "warn")
            return False
        reasons = await self._reasons(batch, asked)
        if reasons is None:
            self.say(_KEPT, "warn")
            return False
        self._decide_batch(kept, asked, batch, reasons)
        return True

    async def _begun(self) -> KeptBatch | None:
        """The batch: the one that was kept, or a new one of those marked, or of all in the list that are ready."""
        from ..widgets.dialogs import Menu, Option

        found = await self.desk_app.reading(KeptBatch.all_of)
        idle = [kept for kept in found if not kept.is_open]
        new = Option("n", "Begin a new one; the old text stays beside it", "new")
        if idle:
            way = await self.ask(Menu("A batch that you did not finish is kept",
                                      [Option("g", "Go on with it", "on"), new]))  # fmt: skip
            if way == "on" and idle[0].take():
                return idle[0]
        elif found:
            since = f"{found[0].since:%Y-%m-%d %H:%M} UTC"
            beside = Option("n", "Begin another one beside it", "new")
            way = await self.ask(Menu(f"A batch of yours is open elsewhere since {since}", [beside]))
        if found and way != "new":
            return None
        ids, now = self._marked() or self.listed(), self.now()
        self.desk_app.say("Writing the batch…", passing=True)
        kept, _ = await self.desk_app.reading(
            lambda desk: KeptBatch.begin(desk, desk.requests_of(ids), now)
        )
        if kept is None:
            nothing = "Nothing that is marked is ready." if ids else "Nothing that is ready waits for a decision."
            self.say(nothing, "warn")
            return None
        aside = [text for one in idle if one.take() and (text := one.set_aside())]
        self.say(f"The old text stays at {aside[0]}." if aside else "")
        return kept

    async def _edited(self, kept: KeptBatch) -> Batch | None:
        """What came back from the editor, which is opened again as long as it cannot be read and the person wishes."""
        from ..widgets.dialogs import Menu, Option

        while True:
            try:
                batch = hand_over(self.app, kept.edit)
            except (EditorFailed, SuspendNotSupported) as failure:
                no_hand = "This terminal cannot be handed to another program."
                told = no_hand if isinstance(failure, SuspendNotSupported) else str(failure)
                self.say(told, "bad", _KEPT if kept.there else "Nothing was decided.")
                return None
            self.app.refresh()
            if not batch.problems:
                return batch
            told = "\n".join(str(problem) for problem in batch.problems[:12])
            again = [Option("e", "Open it again", "edit")]
            if await self.ask(Menu("This cannot be read for certain", again, told)) is None:
                self.say(_KEPT, "warn")
                return None

    async def _reasons(self, batch: Batch, asked: Sequence[Asked]) -> dict[str, str] | None:
        """A reason for each rejection that carries none; the last one is offered for the next."""
        from ..widgets.dialogs import Ask

        heads = {one.request_id: one.head for one in asked}
        reasons: dict[str, str] = {}
        last = ""
        for choice in needs_reason(batch):
            reason = await self.ask(Ask("Why not? Who asked reads it.", heads[choice.request_id], value=last))
            if reason is None:
                return None
            reasons[choice.request_id] = last = reason
        return reasons

    def _decide_batch(self, kept: KeptBatch, asked: Sequence[Asked], batch: Batch, reasons: dict[str, str]) -> None:
        found: list[Any] = []

        def call(desk: Desk, expected: object) -> Receipt:
            try:
                found.extend(decide(desk, asked, batch, reasons))
            except BaseException:
                kept.release()  # it stays, to be gone on with
                raise
            done = [one.receipt for one in found if one.done]
            entries = tuple(entry for receipt in done for entry in receipt.entries)
            said = f"Decided {len(done):,} of {count(len(found), 'request')}"
            return Receipt(done[-1].op_id if done else None, "approve", said, "approved", entries=entries)

        def then(receipt: Receipt) -> None:
            aside = kept.finish(batch, found)
            for one in found:
                (self._note_mine if one.done else self._not_mine)(one.request_id)
            note = f"A wording of yours was not used; the text stays at {aside}." if aside else ""
            self.say(f"{receipt.summary}.", "good" if receipt.changed else "warn", note or "u undoes the last of them.")
            self.desk_app.push_screen(ReadingScreen(receipt.summary, results_blocks(found), ""))

        for choice in batch.choices:
            if choice.word != "skip":
                self._note_mine(choice.request_id)
        self.write("Deciding the batch", call, moves=False, then=then)


def _plan(batch: Batch, asked: Sequence[Asked]) -> list[Block]:
    heads = {one.request_id: one.head for one in asked}
    flagged = {one.request_id for one in asked if one.flagged}
    lines = []
    for choice in batch.choices:
        second_look = choice.word == "approve" and choice.request_id in flagged
        sign, tone = ("!", "warn") if second_look else _WORDS[choice.word]
        note = " (its block is gone)" if choice.deleted else " (in your wording)" if choice.edited else ""
        lines.append(Line(f"{choice.word}  {heads[choice.request_id]}{note}", sign, tone))  # type: ignore[arg-type]
        if choice.reason:
            lines.append(Line(f"because: {choice.reason}", "", "muted"))
        if choice.unused:
            lines.append(Line(f"your wording of its {', '.join(choice.unused)} is not used", "", "warn"))
        if choice.dropped_marks:
            marks = count(choice.dropped_marks, "hidden character")
            lines.append(Line(f"your wording leaves out {marks}", "", "muted"))
    blocks: list[Block] = [Title(f"The batch {batch.plan}", "nothing is decided yet"), Gap()]
    if batch.untouched:
        blocks += [Plain("! You changed nothing in it: y approves all that can be approved here.", "warn"), Gap()]
    if batch.emptied:
        blocks += [Plain("! The text came back empty: y rejects all of them.", "warn"), Gap()]
    return [*blocks, Lines(lines)]

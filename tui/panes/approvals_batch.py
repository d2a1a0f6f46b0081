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
from ..widgets.editor import EditorFailed
from ..widgets.entry_text import Block, Gap, Line, Lines, Plain, Title
from ..words import count
from .approvals_deciding import Deciding, results_blocks

_KEPT: Final = "Nothing was decided; what you typed is kept, E goes on with it."
_WORDS: Final = {"approve": ("✓", "good"), "reject": ("×", "bad"), "skip": ("·", "muted")}


class InEditor(Deciding):
    """The key that opens the batch."""

    async def do_approvals_editor(self) -> None:
        kept = await self.desk_app.reading(KeptBatch.of)
        asked = await self._begun(kept)
        if not asked:
            return
        batch = await self._edited(kept)
        if batch is None:
            return
        if not batch.decides:
            kept.done()
            self.say(f"The batch {batch.plan}.")
            return
        if not await self.ask(PreviewScreen("The plan of the batch", _plan(batch, asked), yes="do it")):
            self.say(_KEPT, "warn")
            return
        reasons = await self._reasons(batch, asked)
        if reasons is None:
            self.say(_KEPT, "warn")
            return
        self._decide_batch(kept, asked, batch, reasons)

    async def _begun(self, kept: KeptBatch) -> Sequence[Asked]:
        """The batch: the one that was kept, or a new one of those that are marked, or of all that are ready."""
        from ..widgets.dialogs import Menu, Option

        if kept.there:
            way = await self.ask(Menu("A batch that you did not finish is kept", [
                Option("g", "Go on with it", "on"), Option("n", "Begin a new one; the old text stays beside it", "new"),
            ]))  # fmt: skip
            if way is None:
                return ()
            if way == "on":
                return kept.blocks()
            kept.set_aside()
        ids, now = self._marked(), self.now()
        self.desk_app.say("Writing the batch…", passing=True)

        def begin(desk: Desk) -> Sequence[Asked]:
            return kept.begin(desk, desk.requests_of(ids) if ids else desk.requests(), now)

        asked = await self.desk_app.reading(begin)
        self.say("" if asked else "Nothing that is ready waits for a decision.", "" if asked else "warn")
        return asked

    async def _edited(self, kept: KeptBatch) -> Batch | None:
        """What came back from the editor, which is opened again as long as it cannot be read and the person wishes."""
        from ..widgets.dialogs import Menu, Option

        while True:
            try:
                with self.app.suspend():
                    batch = kept.edit()
            except (EditorFailed, SuspendNotSupported) as failure:
                no_hand = "This terminal cannot be handed to another program."
                self.say(no_hand if isinstance(failure, SuspendNotSupported) else str(failure), "bad", _KEPT)
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
            found.extend(decide(desk, asked, batch, reasons))
            done = [one.receipt for one in found if one.done]
            entries = tuple(entry for receipt in done for entry in receipt.entries)
            said = f"Decided {len(done):,} of {count(len(found), 'request')}"
            return Receipt(done[-1].op_id if done else None, "approve", said, "approved", entries=entries)

        def then(receipt: Receipt) -> None:
            failed = {one.request_id for one in found if not one.done}
            lost = any(c.edited or c.unused for c in batch.choices if c.request_id in failed or c.word != "approve")
            (kept.set_aside if lost else kept.done)()
            for one in found:
                (self._note_mine if one.done else self._not_mine)(one.request_id)
            note = f"A wording of yours was not used; the text stays at {kept.text}.dropped." if lost else ""
            self.say(f"{receipt.summary}.", "good" if receipt.changed else "warn", note or "u undoes the last of them.")
            self.desk_app.push_screen(ReadingScreen(receipt.summary, results_blocks(found), ""))

        for choice in batch.choices:
            if choice.word != "skip":
                self._note_mine(choice.request_id)
        self.write("Deciding the batch", call, moves=False, then=then)


def _plan(batch: Batch, asked: Sequence[Asked]) -> list[Block]:
    heads = {one.request_id: one.head for one in asked}
    lines = []
    for choice in batch.choices:
        sign, tone = _WORDS[choice.word]
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
        blocks += [Plain("! The text came back as it was: y approves all that can be approved here.", "warn"), Gap()]
    if batch.emptied:
        blocks += [Plain("! The text came back empty: y rejects all of them.", "warn"), Gap()]
    return [*blocks, Lines(lines)]

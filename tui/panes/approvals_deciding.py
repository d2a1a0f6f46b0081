"""What the keys of Approvals decide, and why one of them does not work now. A decision is one write in the queue."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from ...core.desk import Desk, Receipt
from ...core.desk.asked_texts import texts_of
from ...core.desk.asked_words import verb_words
from ...core.desk.deciding import decide_each
from ...core.model import BODY_LIMIT_BYTES
from ...core.store import RequestRow
from ..actions import PAST, OtherSeen
from ..line_fields import is_line, worded
from ..screens.preview import PreviewScreen
from ..screens.reading import ReadingScreen
from ..widgets.entry_text import Block, Gap, Heading, Line, Lines, Plain, Title
from ..widgets.row_list import Key
from ..words import count
from ..writing import KeptText, Write
from .approvals_read import IN_HOST, OVERRULED, Filled
from .approvals_results import as_receipt, names_of_requests, results_blocks, undo_words
from .approvals_seen import NOTING, UNREAD, ReadWhole

if TYPE_CHECKING:
    from ...core.desk.reviewing import Review
    from ...core.desk.revising import Rebase

_NOTHING: Final = "Nothing waits for you here."
_FIELDS: Final = {
    "body": "The text", "text": "The text that is added", "description": "The description", "title": "The title",
    "summary": "The short form",
}  # fmt: skip
#: Why a request that is in this state cannot be approved.
_NOT_READY: Final = {
    "stale": "It is stale: b compares and makes it anew, d drops it.",
    "gone": "It is gone, so there is nothing to change: d drops it.",
    "settled": "All of it stands already: d drops it.",
}


class Deciding(ReadWhole):
    """The decisions; the pane gives what stands first."""

    def __init__(self) -> None:
        super().__init__()
        #: Requests that this person decided here, the latest last.
        self.mine: list[str] = []
        #: Where the cursor goes with the next view: to a request that an undo brought back.
        self.goes_to: Key | None = None
        #: A host's program is deciding: it may take its time.
        self._asks_host = False

    if TYPE_CHECKING:

        def filled(self, key: Key | None) -> Filled | None: ...
        def host_approval(self, key: Key | None) -> Any: ...
        def proposals_waiting(self) -> int: ...

    # -- why not ------------------------------------------------------------------------------------------------------

    def why_not(self, action_id: str) -> str:
        name = action_id.removeprefix("approvals.")
        if action_id == "desk.history":
            return "" if self.entry_at_cursor() else "It is about no entry that is there."
        if name == action_id or name == "view":
            return ""
        if self.working:
            return self._why_not_work(name)
        if name == "veto":
            return "This is for what agents did on their own; s goes there."
        if name == "take":
            return "" if self.proposals_waiting() else "No proposals wait in a host."
        if name == "editor":
            return "" if self.list.total else _NOTHING
        if self.list.cursor_key is None:
            return _NOTHING
        return self._why_not_row(name)

    def _why_not_work(self, name: str) -> str:
        if name not in ("veto", "skip"):
            return "This is for what agents ask for; s goes back there."
        if self.desk_app.moment is not None:
            return PAST
        return "" if self.list.cursor_key is not None else "There is nothing to look through."

    def _why_not_row(self, name: str) -> str:
        key, marked = self.list.cursor_key, self._marked()
        if name == "skip":
            return ""
        if self.list.marked and not marked:
            return "Only requests are decided together; esc takes the marks away."
        if self.overruled(key) is not None and not marked:
            return "This only tells you of a decision that came first; x puts it away."
        if not self.busy.isdisjoint(self._about()) or self._asks_host:
            return "A decision on it is under way." if not self._asks_host else "The host's own program is deciding."
        if self.host_approval(key) is not None and not marked:
            if name == "approve":
                return "" if self.sheet_was_read else self._unread_words()
            return "" if name == "reject" else "It is decided in its host: a approves, r rejects there."
        if name == "reject" or (marked and name in ("approve", "drop")):
            return ""
        if marked and len(marked) > 1:
            return f"{count(len(marked), 'request')} are marked; this works on one (esc takes the marks away)."
        if name == "edit" and self.review is not None and not texts_of(self.review.row.verb, self.review.row.args):
            return "It writes no text that could be worded otherwise; a approves it, r rejects it."
        if name in ("approve", "edit"):
            return self.why_not_approve()
        state = self._state()
        if name == "rebase":
            return "" if state == "stale" else _only("stale", state, "b compares a request with what has moved since.")
        return "" if state in ("stale", "gone", "settled") else _only(
            "stale, gone or settled", state, "r rejects it with a reason."
        )  # fmt: skip

    def _state(self) -> str:
        review, filled = self.review, self.filled(self.list.cursor_key)
        return review.state if review is not None else filled.state if filled is not None else ""

    def why_not_approve(self) -> str:
        """Why the request at the cursor cannot be approved now."""
        review = self.review
        if review is None:
            return "It is still being read."
        if review.state != "ready":
            return _NOT_READY.get(review.state, f"It was {review.state} already.")
        return self._unread_words() if self.not_shown(review) else ""

    def _unread_words(self) -> str:
        """How much of the right side was on screen, in words."""
        seen, rows = self.sheet.seen_so_far
        if not seen:
            return f"{UNREAD}: nothing of it was on screen."
        if rows is not None and seen >= rows:
            return NOTING
        told = f"{seen:,} of {rows:,} lines were" if rows is not None else f"only its first {seen:,} lines were"
        return f"{UNREAD}: {told} on screen."

    def _marked(self) -> list[str]:
        """The requests that are marked, in list order."""
        return _requests(self.list.targets()) if self.list.marked else []

    def listed(self) -> list[str]:
        """The requests that the list shows: of the workspace and by the filter, in list order."""
        return _requests(self.list.keys())

    def _about(self) -> list[str]:
        """The requests that a decision is about: those marked, else the one at the cursor."""
        key = self.list.cursor_key
        return self._marked() or ([] if key is None else [str(key)])

    # -- approving ----------------------------------------------------------------------------------------------------

    def do_approvals_approve(self) -> Coroutine[Any, Any, None] | None:
        if self._marked():
            self._approve_marked(self._marked())
            return None
        host = self.host_approval(self.list.cursor_key)
        if host is not None:
            return self._decide_in_host(host, True)
        review = self.review
        assert review is not None
        if review.token:
            return self._erase(review)
        self._approve(review.row)
        return None

    def _approve(self, row: RequestRow, *, draft: KeptText | None = None, **given: Any) -> None:
        self._decide(
            row.request_id, f"Approving {row.asked_by}'s request to {verb_words(row.verb)}",
            lambda desk: desk.approve(row.request_id, revision=row.revision_id, **given), draft,
        )  # fmt: skip

    async def _erase(self, review: Review) -> None:
        from ..widgets.dialogs import Confirm

        row = review.row
        why = f"{review.effect}. Erasing cannot be undone: the text goes from the store and from every machine."
        title = f"Approve {row.asked_by}'s request to erase?"
        if await self.ask(Confirm(title, why, yes="erase for ever", token=review.token)):
            self._approve(row, token=review.token)

    def _approve_marked(self, ids: Sequence[str]) -> None:
        """Approve those marked that are ready and were shown."""
        self._decide_many("approve", ids, "Approving", "Approved", lambda desk: desk.approve_many(ids))

    def _decide_many(
        self, verb: str, ids: Sequence[str], doing: str, said: str, call: Callable[[Desk], Sequence[Any]]
    ) -> None:  # fmt: skip
        """Decide on several, each in an operation of its own; the results are listed."""
        found: list[Any] = []
        names: dict[str, str] = {}

        def run(desk: Desk, expected: object) -> Receipt:
            names.update(names_of_requests(desk, ids))
            found.extend(call(desk))
            return as_receipt(found, verb, said, said.casefold())

        def then(receipt: Receipt) -> None:
            for one in found:
                (self._note_mine if one.done else self._not_mine)(one.request_id)
            if receipt.changed:
                self.say(f"{receipt.summary}.", "good", undo_words(found))
            else:
                self.say(f"None of them could be {said.casefold()}.", "warn")
            self.desk_app.push_screen(ReadingScreen(receipt.summary, results_blocks(found, names), ""))

        for request_id in ids:
            self._note_mine(request_id)
        targets = [OtherSeen(request_id, request_id) for request_id in ids]
        self.write(f"{doing} {count(len(ids), 'request')}", run, targets=targets, moves=False, then=then)

    async def do_approvals_edit(self) -> None:
        """Approve with the reviewer's own wording of one text."""
        from ..widgets.dialogs import Choice, Compose, Pick

        review = self.review
        assert review is not None
        row = review.row
        texts: Mapping[str, str] = await self.desk_app.reading(lambda desk: desk.request_texts(row))
        if not texts:
            self.say("It writes no text that could be worded otherwise; a approves it, r rejects it.", "warn")
            return
        name: object = next(iter(texts))
        if len(texts) > 1:
            choices = [Choice(n, _FIELDS.get(n, n), text.replace("\n", " ")[:60]) for n, text in texts.items()]
            name = await self.ask(Pick("Word which text otherwise?", choices))
        if name is None:
            return
        field, path = str(name), self.draft_path(row.request_id, str(name))
        one_line = ", as one line" if is_line(field) else ""
        text = await self.ask(Compose(
            f"{_FIELDS.get(field, field)} that {row.asked_by} asked for", texts[field], draft=path,
            note=f"Saving approves it with your wording{one_line}; ctrl+e opens your editor.", check=_not_blank,
            limit_bytes=BODY_LIMIT_BYTES,
        ))  # fmt: skip
        if text is None:
            return
        text = worded(field, text, texts[field])
        edited = {field: text} if text != texts[field] else None
        self._approve(row, edited=edited, draft=KeptText(path, text, texts[field]) if edited else None)

    # -- turning down, going on ---------------------------------------------------------------------------------------

    async def do_approvals_reject(self) -> None:
        from ..widgets.dialogs import Ask

        host, ids = self.host_approval(self.list.cursor_key), self._about()
        about_host = host is not None and not self._marked()
        what = "this approval" if about_host else self._called(ids)
        reason = await self.ask(Ask(f"Reject {what}", "Why? Who asked reads it.", hint="such as: it still holds"))
        if reason is None:
            return
        if about_host:
            await self._decide_in_host(host, False, reason)
            return
        if len(ids) == 1:
            self._decide(ids[0], "Rejecting", partial(_reject, request_id=ids[0], reason=reason))
        else:
            self._decide_many("reject", ids, "Rejecting", "Rejected", lambda desk: decide_each(
                ids, lambda one: desk.reject(one, reason)
            ))  # fmt: skip

    def do_approvals_drop(self) -> None:
        ids = self._about()
        if len(ids) == 1:
            self._decide(ids[0], "Dropping", partial(_drop, request_id=ids[0]))
        else:
            self._decide_many("drop", ids, "Dropping", "Dropped", lambda desk: decide_each(ids, desk.drop))

    def do_approvals_skip(self) -> Coroutine[Any, Any, None] | None:
        """On to the next; what was only told is put away, what an agent did is kept."""
        key = self.list.cursor_key
        if self.working:
            return self._keep_work([str(key) for key in self.list.targets()])
        overruled = self.overruled(key)
        if overruled is not None:
            return self._acknowledge(overruled.row.request_id)
        before = self.list.position
        self.list.action_cursor_down()
        if before == self.list.position:
            self.say("That was the last one.")
        return None

    async def _acknowledge(self, request_id: str) -> None:
        await self.desk_app.live.write(lambda desk: desk.acknowledge_overruled(request_id))
        self.hold("approvals.skip")
        self.refresh_view()
        self.desk_app.refresh_header()

    def _decide(
        self, request_id: str, doing: str, call: Callable[[Desk], Receipt], draft: KeptText | None = None
    ) -> None:
        """Queue a decision on one request; the cursor goes on to the next at once."""
        self._note_mine(request_id)
        self.write(
            doing, lambda desk, expected: call(desk), targets=[OtherSeen(request_id, self._called([request_id]))],
            draft=draft,
        )  # fmt: skip

    def _note_mine(self, request_id: str) -> None:
        self._not_mine(request_id)
        self.mine.append(request_id)

    def _not_mine(self, request_id: str) -> None:
        if request_id in self.mine:
            self.mine.remove(request_id)

    def write_failed(self, write: Write) -> None:
        for seen in write.targets:
            self._not_mine(seen.id)
        super().write_failed(write)

    def _called(self, ids: Sequence[str]) -> str:
        if len(ids) != 1:
            return count(len(ids), "request")
        filled = self.filled(ids[0])
        return "this request" if filled is None else f"{filled.row.asked_by}'s request to {verb_words(filled.row.verb)}"

    # -- making a stale one anew --------------------------------------------------------------------------------------

    async def do_approvals_rebase(self) -> None:
        from ..widgets.dialogs import Compose

        review = self.review
        assert review is not None
        request_id = review.row.request_id
        plan: Rebase = await self.desk_app.reading(lambda desk: desk.plan_rebase(request_id))
        conflicts = [one for one in plan.fields if one.conflicts]
        yes = "settle what differs" if conflicts else "make it anew"
        if not await self.ask(PreviewScreen(
            "Against what stands now", rebase_blocks(plan), yes=yes, able=plan.possible,
        )):  # fmt: skip
            return
        fields: dict[str, str] = {}
        for one in conflicts:
            path = self.draft_path(request_id, f"rebase-{one.field}")
            text = await self.ask(Compose(
                f"{_FIELDS.get(one.field, one.label)}: both wordings", one.merged, draft=path,
                limit_bytes=BODY_LIMIT_BYTES,
                note="Between the marks stand both wordings: leave what shall be asked for, and no mark.",
                check=_settled,
            ))  # fmt: skip
            if text is None:
                return
            fields[one.field] = worded(one.field, text, one.merged)
        self.write(
            "Making it anew", lambda desk, expected: desk.rebase_request(request_id, fields=fields or None),
            targets=[OtherSeen(request_id, request_id)], moves=False,
        )  # fmt: skip

    # -- hosts --------------------------------------------------------------------------------------------------------

    def do_approvals_take(self) -> None:
        self.write("Taking proposals", lambda desk, expected: desk.take_proposals(), moves=False)

    async def _decide_in_host(self, host: Any, approve: bool, reason: str = "") -> None:
        """Through the host's own program, in the thread in which hosts may take their time."""
        self.desk_app.say("Asking the host's own program…", passing=True)
        self._asks_host = True
        try:
            done = await self.desk_app.live.in_host(
                lambda desk: desk.decide_host_approval(host.id, approve, reason=reason)
            )
        finally:
            self._asks_host = False
            self.hold("approvals.approve")  # keys that came meanwhile were held up
        self.say(done.words, "good", " ".join(done.warnings))
        self.desk_app.refresh_views()

    # -- what agents did ----------------------------------------------------------------------------------------------

    def do_approvals_veto(self) -> None:
        ids = [str(key) for key in self.list.targets()]
        targets = self.targets()
        if len(ids) == 1:
            self.write("Taking it back", lambda desk, expected: desk.veto(ids[0]), targets=targets)
            return
        found: list[Any] = []

        def call(desk: Desk, expected: object) -> Receipt:
            found.extend(desk.veto_many(ids))
            done = [one.receipt for one in found if one.done and one.receipt is not None]
            said = f"Took back {len(done):,} of {count(len(ids), 'operation')}"
            return Receipt(done[-1].op_id if done else None, "undo", said, "vetoed")

        def then(receipt: Receipt) -> None:
            if not receipt.changed:
                self.say("None of them could be taken back.", "warn")
            elif len(found) > 1:
                self.say(f"{receipt.summary}.", "good", "U brings the last of them back.")
            self.desk_app.push_screen(ReadingScreen(receipt.summary, results_blocks(found), ""))

        self.write(f"Taking back {count(len(ids), 'operation')}", call, targets=targets, moves=False, then=then)

    async def _keep_work(self, ids: Sequence[str]) -> None:
        self.list.clear_marks()
        self.step_past(set(ids))

        def keep(desk: Desk) -> None:
            for op_id in ids:
                desk.keep_work(op_id)

        await self.desk_app.live.write(keep)
        self.hold("approvals.skip")
        kept = "Kept: you have looked at it." if len(ids) == 1 else f"Kept {count(len(ids), 'operation')}."
        self.say(kept, "", "Keeping is no operation: u undoes what you did before it.")
        self.refresh_view()
        self.desk_app.refresh_header()


def _requests(keys: Iterable[Key]) -> list[str]:
    return [key for key in map(str, keys) if not key.startswith((IN_HOST, OVERRULED))]


def _reject(desk: Desk, request_id: str, reason: str) -> Receipt:
    return desk.reject(request_id, reason)


def _drop(desk: Desk, request_id: str) -> Receipt:
    return desk.drop(request_id)


def _only(wanted: str, state: str, instead: str) -> str:
    return f"Only for what is {wanted}; this is {state}. {instead}" if state else "It is still being read."


def _not_blank(text: str) -> str:
    return "" if text.strip() else "There is no text yet."


def _settled(text: str) -> str:
    from ...core.three_way import has_marks

    return "one of the marks is still in it" if has_marks(text) else _not_blank(text)


def rebase_blocks(plan: Rebase) -> list[Block]:
    """The three-way of each text: as it was, as asked for, as it is, and what would be asked for now."""
    from ..widgets.diff_lines import diff_lines

    blocks: list[Block] = [Title("What has moved since it was asked", "nothing is approved by this")]
    blocks += [Lines([Line(why, "↻", "warn") for why in plan.why])]
    for one in plan.fields:
        clash = count(one.conflicts, "place where both differ", "places where both differ") if one.conflicts else ""
        blocks += [Gap(), Heading(one.label[:1].upper() + one.label[1:] + (f": {clash}" if clash else ""))]
        for said, before, after in (
            ("What the agent asked to change", one.base, one.asked), ("What was changed since", one.base, one.now),
            ("Both wordings: you choose" if one.conflicts else "What it would ask for now", one.now, one.merged),
        ):  # fmt: skip
            lines = diff_lines(before, after) if before != after else [Line("nothing", "", "muted")]
            blocks += [Gap(), Plain(said, "accent"), Lines(lines)]
    for moved in plan.moved:
        blocks += [Gap(), Heading(f"What was changed since: {moved.label} of {moved.name}")]
        if not moved.known:
            blocks.append(Plain("What it said then is not known here any more. Now:", "muted"))
        blocks.append(Lines(diff_lines(moved.before, moved.now) or [Line("only what nobody sees", "", "muted")]))
    if not plan.possible:
        blocks += [Gap(), Plain(f"It cannot be made anew. {plan.cannot} d drops it, r rejects it.", "warn")]
    elif not plan.fields:
        blocks += [Gap(), Plain("What it asks for stays as it was asked, against what stands now.", "muted")]
    return blocks

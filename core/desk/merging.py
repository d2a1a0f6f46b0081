"""Deciding on what is alike: merge, relate, ask the owner (DESIGN 4, 6). `core/merge.py` says what a merge does."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..effects import unknown_name
from ..errors import InvalidValue, NotAllowed, NotFound, Stale, UsageError
from ..events import EDGE_ADD, EDGE_REMOVE, EDIT
from ..fold import LostEdit
from ..hosts import Change
from ..merge import Links, MergePlan, Wording, plan_merge
from ..model import RELATED_TO, TEXT_FIELDS, Edge, Entry, State, edge_key
from ..policy import AGAINST, Decision, Facts, Ruling, rule
from .adding import Adding
from .asking import ask
from .finding import ids_of
from .holding import Verdict
from .judging import Judging
from .nearby import text_of
from .session import Operation, Receipt, expect, facts_of, is_decision, value_of
from .texts import check_limits

_BY_NAME = ("left", "right", "both")


class Merging(Adding, Judging):
    """The verbs that settle a row of the conflict queue."""

    # -- merge ----------------------------------------------------------------------------------------------------

    def merge_plan(
        self, refs: Sequence[str], *, into: str | None = None, fields: Mapping[str, Any] | None = None,
        workspace: str | None = None,
    ) -> MergePlan:  # fmt: skip
        """What `merge` with the same arguments would do; nothing is written. Raises as `merge` does."""
        members, survivor = self._members(refs, into, workspace)
        wordings = self._one_side(members, survivor, self._wordings(fields, workspace))
        return plan_merge(members, survivor, wordings, self._links())

    def merge(
        self, refs: Sequence[str], *, into: str | None = None, fields: Mapping[str, Any] | None = None,
        workspace: str | None = None, expected: Mapping[str, Mapping[str, Any]] | None = None, rationale: str = "",
    ) -> Receipt:  # fmt: skip
        """Make one entry of several: the survivor takes in what the others say, and replaces them. Again is a no-op.

        Args:
            refs: two or more entries.
            into: which of them stays; the first by default.
            fields: title, description, summary or body -> left (the first named), right (the second), both, the name of
                a member, or {"text": …} for a wording of one's own; see `merge.plan_merge` for fields left out.
            expected: entry id -> {field: value} as the caller saw them.

        Raises:
            UsageError: fewer than two entries, or `into` is none of them.
            InvalidValue: one of them is deleted or replaced by something else; no such wording.
            EdgeRefused, ErrMemoryEdgeChainTooDeep: the lineage allows it only the other way round, or not at all.
            Stale: a member is not what the caller saw.
            NeedsApproval: this role may not do that alone; it is a request now.
        """
        members, survivor_id = self._members(refs, into, workspace)
        wordings = self._one_side(members, survivor_id, self._wordings(fields, workspace))
        plan = plan_merge(members, survivor_id, wordings, self._links())
        if plan.is_done:
            return Receipt(None, "merge", plan.sentence.capitalize(), "noop", entries=tuple(members))
        check_limits({**plan.patch})
        facts = self._facts(members, plan)
        args = {"refs": ids_of(members), "into": survivor_id, "fields": dict(wordings)}
        ruling = self.gate("merge", facts, refs=members, args=args, rationale=rationale)
        self.refresh([plan.survivor], plan.patch)
        self.refresh(plan.absorbed, ["state", *TEXT_FIELDS])
        self.refresh(self._far_ends(plan))
        with self.operation("merge", plan.summary) as op:
            now = [op.folded(entry.id).entry for entry in members]
            for entry in now:
                expect(entry, (expected or {}).get(entry.id))
            plan = plan_merge(now, survivor_id, wordings, self._links())
            self._still_allowed(now, plan, facts)
            op.summary = plan.summary
            self._write_merge(op, plan)
        return self.receipt(
            op, warnings=[*check_limits(dict(plan.patch)), *self._unheld(plan)], flagged=ruling.flagged,
            action="merged" if op.op_id else "noop", edges=(*plan.replacing, *plan.add),
            entries=self.read_back([survivor_id, *ids_of(plan.absorbed)]),
        )  # fmt: skip

    def _facts(self, members: Sequence[Entry], plan: MergePlan) -> Facts:
        """What the policy table needs to know about a merge. Text that it writes is looked at as an append's is."""
        keeper = plan.survivor
        written = {name: value for name, value in plan.patch.items() if value}
        if plan.appended:
            written["body"] = plan.appended
        return facts_of(
            members, replaces_text=plan.replaces_text, supersedes_decision=any(map(is_decision, plan.absorbed)),
            against=self.decisions_grown_against(keeper, written) if written else (),
        )  # fmt: skip

    def _still_allowed(self, members: Sequence[Entry], plan: MergePlan, judged: Facts) -> None:
        """Whether what the policy was asked about is what will be done: others may have written in between.

        Raises:
            Stale: it is more than that.
        """
        decided = any(map(is_decision, plan.absorbed))
        more = (plan.replaces_text and not judged.replaces_text) or (decided and not judged.supersedes_decision)
        if more and not self._approving and not rule(self.actor.role, "merge", facts_of(
            members, replaces_text=plan.replaces_text, supersedes_decision=decided,
        )).allowed:  # fmt: skip
            raise Stale(
                f"{plan.survivor.shown_name} changed meanwhile, and this would now replace text or a decision.",
                "Nothing was written. Look at the new text and merge again.", entry=plan.survivor.id,
            )  # fmt: skip

    def _members(self, refs: Sequence[str], into: str | None, workspace: str | None) -> tuple[list[Entry], str]:
        members = self.find_all(list(refs), workspace)
        if len(members) < 2:
            raise UsageError("A merge takes two or more different entries.", "Name each of them.")
        if into is None:
            return members, members[0].id
        survivor = self.find(into, workspace)
        if survivor.id not in ids_of(members):
            raise UsageError(
                f"{survivor.shown_name} is not among those that are merged.", "Name it as one of them, too."
            )
        return members, survivor.id

    def _one_side(self, members: Sequence[Entry], survivor_id: str, wordings: dict[str, Wording]) -> dict[str, Wording]:
        """The same choices; where the texts contradict each other, the survivor's text stays unless one was chosen:
        both together would carry the contradiction into one entry."""
        if "body" in wordings:
            return wordings
        own = text_of(next(e for e in members if e.id == survivor_id))
        others = (text_of(e) for e in members if e.id != survivor_id)
        against = any(f.lane == "conflict" for text in others for f in self.told_apart(own, text))
        return wordings | {"body": survivor_id} if against else wordings

    def _wordings(self, fields: Mapping[str, Any] | None, workspace: str | None) -> dict[str, Wording]:
        """The choices with members named by id.

        Raises:
            UsageError: no such field, or neither a word nor a text.
        """
        made: dict[str, Wording] = {}
        for name, choice in (fields or {}).items():
            if name not in TEXT_FIELDS:
                raise UsageError(f"{name!r} is not a field that is merged.", f"Use one of: {', '.join(TEXT_FIELDS)}.")
            if isinstance(choice, Mapping):
                text = choice.get("text")
                if set(choice) != {"text"} or not (text is None or isinstance(text, str)):
                    raise UsageError(f"The wording of {name} cannot be read.", 'Give a word, or {"text": "…"}.')
                made[name] = {"text": text}
            elif isinstance(choice, str):
                made[name] = choice if choice in _BY_NAME else self.find(choice, workspace).id
            else:
                raise UsageError(f"The wording of {name} cannot be read.", "Use left, right, both, or a name.")
        return made

    def _links(self) -> Links:
        store = self.store
        return Links(
            store.edges_of, store.entry, self._taken_away, self.config.edge_depth, self.config.edges_per_memory
        )

    def _taken_away(self, entry_id: str) -> set[tuple[str, str, str]]:
        """Edges at an entry that were removed on purpose, last thing; those that a merge moved are not."""
        events = [e for e in self.store.events_of(entry_id) if e.type in (EDGE_ADD, EDGE_REMOVE)]
        standing = self.store.standing_for(events)
        last = {}
        for event in sorted(events, key=lambda e: e.event_id):
            ends = [standing.real_id(str(event.payload.get(end))) for end in ("from_id", "to_id")]
            if standing.counts(event) and not event.erased:
                last[edge_key(ends[0], str(event.payload.get("edge_kind")), ends[1])] = event
        headers = self.store.headers({e.op_id for e in last.values() if e.op_id})
        moved = {op_id for op_id, header in headers.items() if header.payload.get("verb") == "merge"}
        return {key for key, event in last.items() if event.type == EDGE_REMOVE and event.op_id not in moved}

    def _far_ends(self, plan: MergePlan) -> list[Entry]:
        inside = {plan.survivor.id, *ids_of(plan.absorbed)}
        ends = {end for edge in (*plan.add, *plan.remove) for end in (edge.source, edge.target)} - inside
        return self.store.entries_of(sorted(ends))

    def _write_merge(self, op: Operation, plan: MergePlan) -> None:
        patch = dict(plan.patch)
        if plan.appended:
            del patch["body"]
            op.append(op.folded(plan.survivor.id), plan.appended)
        op.edit(op.folded(plan.survivor.id), patch, add_tags=plan.add_tags)
        for edge in plan.remove:
            op.unlink(*_ends(edge))
        for edge in (*plan.replacing, *plan.add):
            op.link(*_ends(edge))
        for entry in plan.absorbed:
            now = op.folded(entry.id)
            if now.entry.state is State.ACTIVE:  # replaced before and brought back: the old edge alone says nothing
                op.edit(now, {"state": str(State.SUPERSEDED)})

    def _unheld(self, plan: MergePlan) -> list[str]:
        """What of it the hosts have no place for."""
        said = self.hosts.warnings_for(plan.survivor, Change(patch=plan.patch, add_tags=plan.add_tags))
        for edge in (*plan.replacing, *plan.add):
            source, target = self.store.entry(edge.source), self.store.entry(edge.target)
            if source is not None and target is not None:
                said += self.hosts.warnings_for(source, Change(edges=((edge.kind, target),)))
        return said

    def names_by_id(self) -> Callable[[str], str]:
        """What to call the entry of an id, in `MergePlan.lines`."""

        def name(entry_id: str) -> str:
            entry = self.store.entry(entry_id)
            return entry.shown_name if entry is not None else unknown_name(entry_id)

        return name

    # -- other ways out of the queue ------------------------------------------------------------------------------

    def relate(self, a: str, b: str, *, workspace: str | None = None, seen: Mapping[str, str] | None = None) -> Receipt:
        """Two entries on one topic that both stay: linked as related, and judged different, in one operation.

        Args:
            seen: entry id -> content hash that the caller judged by.

        Raises:
            UsageError: the two are one. Stale: a text is not what the caller saw. EdgeRefused: no room for a link.
            NeedsApproval, NotAllowed: this role proposes only.
        """
        one, other = self._two(a, b, workspace)
        args = {"source": one.id, "kind": RELATED_TO, "target": other.id}
        ruling = self.gate("link", facts_of([one, other]), refs=[one, other], args=args)
        self.refresh([one, other])
        with self.operation("relate", f"Related {one.shown_name} and {other.shown_name}; both stay") as op:
            done = self.link(*(one.id, RELATED_TO, other.id))
            self.judge(one.id, other.id, Verdict.DIFFERENT, seen=seen)
        both = self.read_back([one.id, other.id])
        return self.receipt(op, warnings=done.warnings, flagged=ruling.flagged, entries=both)

    def replace(self, by: str, old: Sequence[str], *, workspace: str | None = None) -> Receipt:
        """`by` replaces several entries, such as copies of one text, in one operation. Raises as `supersede` does."""
        newer, olds = self.find(by, workspace), self.find_all(list(old), workspace)
        if len(olds) == 1:
            return self.supersede(olds[0].id, by=newer.id)
        ruling = self._at_once("supersede", facts_of([newer, *olds], supersedes_decision=any(map(is_decision, olds))))
        self.refresh([newer, *olds])  # within the operation nobody asks the host any more
        with self.operation("supersede", f"{newer.shown_name} replaces {len(olds)} entries") as op:
            for entry in olds:
                self.supersede(entry.id, by=newer.id)
        return self.receipt(op, flagged=ruling.flagged, entries=self.read_back([newer.id, *ids_of(olds)]))

    def _at_once(self, verb: str, facts: Facts) -> Ruling:
        """The ruling on a verb for several entries at once, which no request can ask for.

        Raises:
            NotAllowed: this role may not do all of it alone.
        """
        ruling = rule(self.actor.role, verb, facts)
        if not ruling.allowed:
            hint = "Take them one at a time: each becomes a request then."
            raise NotAllowed(ruling.reason, hint, role=self.actor.role)
        return ruling

    def judge_each(
        self, ref: str, others: Sequence[str], verdict: str, *, seen: Mapping[str, str] | None = None
    ) -> Receipt:
        """Say what one entry is to each of several others, in one operation: the one that does not belong in a group.

        Raises as `judge` does.
        """
        entry = self.find(ref)
        ruling = self._at_once("verdict", facts_of([entry, *self.find_all(list(others))]))
        with self.operation("verdict", f"Judged {entry.shown_name} {verdict.replace('_', ' ')} from the rest") as op:
            for other in others:
                self.judge(entry.id, other, verdict, seen=seen)
        return self.receipt(
            op, flagged=ruling.flagged, action="judged" if op.op_id else "noop",
            entries=self.read_back([entry.id, *others]),
        )  # fmt: skip

    def why_not_ask(self, a: str, b: str) -> str:
        """Why there is nobody to ask about two entries, or "": a decision is among them, touched by an agent."""
        entries = self.find_all([a, b])
        if not any(entry.type == "decision" for entry in entries):
            return "None of them is a decision; settle it here."
        decisions = [entry for entry in entries if entry.type == "decision"]
        if not any(_by_agent(entry) for entry in (*decisions, *entries)):
            return "No agent had a hand in it; settle it here."
        waiting = {row.request_id for row in self.store.requests("pending", entry_id=entries[0].id)}
        if any(row.request_id in waiting for row in self.store.requests("pending", entry_id=entries[1].id)):
            return "The owner has been asked already; it waits under Approvals."
        return ""

    def ask_owner(self, a: str, b: str, *, workspace: str | None = None, why: str = "") -> Receipt:
        """Ask the owner of a decision which of two entries holds: a request that the newer one replaces the older.

        Approving it does so; rejecting it leaves both, with the owner's reason.

        Args:
            why: what they contradict each other in, for the owner.

        Raises:
            InvalidValue: `why_not_ask`.
        """
        one, other = self._two(a, b, workspace)
        reason = self.why_not_ask(one.id, other.id)
        if reason:
            raise InvalidValue(reason, "Judge, merge or replace instead.")
        newer, older = sorted((one, other), key=lambda e: (e.created_at or "", e.id), reverse=True)
        question = f"{newer.shown_name} contradicts {older.shown_name}" + (f": {why}." if why else ".")
        decisions = tuple(entry.id for entry in (older, newer) if is_decision(entry))
        ruling = Ruling(Decision.ASK, AGAINST, against=decisions)
        request_id = ask(
            self, "supersede", [newer, older], {"old": older.id, "by": newer.id},
            f"{question} Does {newer.shown_name} replace {older.shown_name}?", ruling,
        ).request_id  # fmt: skip
        row = self.store.request(request_id)
        assert row is not None, "just written"
        op_id = self.store.events_by_id([row.event_id])[row.event_id].op_id
        return Receipt(
            op_id, "request", f"Asked the owner whether {newer.shown_name} replaces {older.shown_name}", "asked",
            entries=(newer, older), results=({"request_id": request_id},),
        )  # fmt: skip

    # -- lost edits -----------------------------------------------------------------------------------------------

    def settle(self, ref: str, event_id: str, choice: str, *, workspace: str | None = None) -> Receipt:
        """Settle an edit that was overwritten unseen (DESIGN 3.3, "Lost edits"): afterwards somebody has seen both.

        Args:
            event_id: the edit that lost; any field of it.
            choice: ours (what stands stays), theirs (the lost value is taken), comment (what stands stays, the lost
                wording is kept as a comment).

        Raises:
            NotFound: it is no lost edit (any more). Stale: what stands changed meanwhile. UsageError: no such choice.
            NeedsApproval: by the role.
        """
        if choice not in ("ours", "theirs", "comment"):
            raise UsageError(f"{choice!r} settles nothing.", "Use one of: ours, theirs, comment.")
        entry = self.find(ref, workspace)
        lost = self._lost(entry, event_id)
        patch = {e.field: e.value if choice == "theirs" else value_of(entry, e.field) for e in lost}
        args = {"ref": entry.id, "fields": patch}
        ruling = self.gate("edit", facts_of([entry], replaces_text=choice == "theirs"), refs=[entry], args=args)
        self.refresh([entry], patch)
        words = {"ours": "Kept {} as it stands", "theirs": "Took the other wording of {}",
                 "comment": "Kept {} as it stands, and the other wording as a comment"}  # fmt: skip
        with self.operation("settle", words[choice].format(entry.shown_name)) as op:
            folded = op.folded(entry.id)
            # What was chosen stands for what was seen: another edit, or another settling, may have come in between.
            self._lost(entry, event_id)
            expect(folded.entry, {name: value_of(entry, name) for name in patch})
            base = {}
            for name in patch:
                seen = folded.base(name)
                base[name] = sorted({*([seen] if isinstance(seen, str) else seen or []), event_id})
            stamp = self.hosts.stamp(entry, op.tx.timestamp)
            op.write(EDIT, {"memory_id": entry.id, "patch": patch, "base": base, **stamp})
            if choice == "comment":
                said = "\n\n".join(f"{e.field}: {e.value}" for e in lost)
                self.comment(entry.id, said, title=f"Another wording, by {lost[0].author}")
        return self.receipt(op, flagged=ruling.flagged, action="updated", entries=self.read_back([entry.id]))

    def _lost(self, entry: Entry, event_id: str) -> list[LostEdit]:
        found = [edit for edit in self.store.lost_edits(entry_id=entry.id) if edit.event_id == event_id]
        if not found:
            raise NotFound("That edit is not lost, or somebody has settled it.", "Refresh and look again.")
        return found

    def _two(self, a: str, b: str, workspace: str | None) -> tuple[Entry, Entry]:
        entries = self.find_all([a, b], workspace)
        if len(entries) < 2:
            raise UsageError("That is one entry, not two.", "Name two different ones.")
        return entries[0], entries[1]


def _ends(edge: Edge) -> tuple[str, str, str]:
    return edge.source, edge.kind, edge.target


def _by_agent(entry: Entry) -> bool:
    return any(not who.startswith("user:") for who in (entry.created_by, entry.last_edited_by) if who)

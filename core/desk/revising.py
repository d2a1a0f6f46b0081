"""Wording a request anew: other texts, or the same wish against what stands now (DESIGN 4).

A revision is another event of the same request, so that it can be undone and the asker stays who it was. Who approves
must have read that wording.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from ..errors import InvalidValue, NotAllowed, listed
from ..events import REQUEST
from ..model import STATE_LABELS, Entry, EntryClass, State, Status, role_label
from ..policy import Role
from ..store import RequestRow
from ..three_way import has_marks, three_way
from .as_asked import UNKNOWN, value_as_asked
from .asked_texts import replaced, texts_of, with_texts
from .asking import base_of, worded_anew
from .deciding import Deciding
from .readiness import GONE, READY, SETTLED, Around, Hitch
from .requests import FIELD_WORDS
from .session import Receipt
from .texts import check_body, check_limits

#: Verbs that a deletion does not get in the way of: they bring back, or end, what they are about.
_DESPITE_DELETION: Final = frozenset({"add", "checkpoint", "delete", "erase", "restore", "mend"})


@dataclass(frozen=True, slots=True)
class ThreeWay:
    """One text of a request beside what it was made from and what stands.

    Attributes:
        field: as in `request_texts`; `label` the same in words.
        base: the text as the asker saw it.
        asked: what the request would write.
        now: what stands.
        merged: both changes together; where they conflict both wordings stand in it between marks.
        conflicts: how many stretches both changed, each in its own way.
    """

    field: str
    label: str
    base: str
    asked: str
    now: str
    merged: str
    conflicts: int


@dataclass(frozen=True, slots=True)
class Moved:
    """A field that somebody has changed since a request was asked, and of which that writes no text of its own.

    Attributes:
        name: of the entry; `label` the field in words.
        before, now: what it said when it was asked and what stands, in the words of the screen.
        known: whether what it said is still known here; `before` is "" where not.
    """

    name: str
    label: str
    before: str
    now: str
    known: bool = True


@dataclass(frozen=True, slots=True)
class Rebase:
    """What re-making a request against what stands would come to.

    Attributes:
        fields: the texts that somebody else has changed since it was asked.
        why: why it is not ready.
        possible: whether it can be re-made at all.
        cannot: why not, in one sentence; "" where it can.
        code: the same for programs: not_stale, gone, settled, cannot_rebase.
        refs: the entries that it would be about, by id.
        args: its arguments, the merged texts in them.
        moved: what else has changed of the entries that it is about: who agrees to it again reads that.
    """

    row: RequestRow
    fields: tuple[ThreeWay, ...]
    why: tuple[str, ...]
    possible: bool
    cannot: str = ""
    code: str = ""
    refs: tuple[str, ...] = ()
    args: Mapping[str, Any] = field(default_factory=dict)
    moved: tuple[Moved, ...] = ()


class Revising(Deciding):
    """The verbs that word a request anew."""

    def edit_request(
        self, request_id: str, fields: Mapping[str, str], *, rationale: str | None = None
    ) -> Receipt:  # fmt: skip
        """Give a waiting request other texts; it still asks for the same, against what its asker had seen.

        Args:
            fields: field of `request_texts` -> its new text.
            rationale: new reasons; None leaves them.

        Raises:
            NotAllowed: neither role user nor who asked. UsageError: it has no such text.
            InvalidValue: decided already, or a text that could never be written.
        """
        with self.operation("revise", "") as op:
            row = self._revisable(request_id)
            args = self.reworded(row, fields)
            _check(fields)
            changes: dict[str, Any] = {"args": args} if args != dict(row.args) else {}
            if rationale is not None and rationale != row.rationale:
                changes["rationale"] = rationale
            op.summary = f"Reworded {self.asked(row)}"
            if changes:
                op.write(REQUEST, worded_anew(row, self.actor.name, **changes))
        return self.receipt(op, action="revised" if op.op_id else "noop")

    def plan_rebase(self, request_id: str) -> Rebase:
        """What `rebase_request` would do; nothing is written.

        Raises:
            NotFound: there is no such request. InvalidValue: decided already.
        """
        row = self._undecided(request_id)
        around = self.around([row])
        found = around.judge(row)
        why = tuple(self.why(row, around, found))
        if found.state == READY:
            return Rebase(row, (), why, False, "It can be carried out as it is.", "not_stale")
        if found.state in (GONE, SETTLED):
            return Rebase(row, (), why, False, " ".join(why), found.state)
        asked = row
        row, hindrance = self._follow(row, around, found.hitches)
        if hindrance:
            moved = tuple(self._what_moved(asked, around, found.hitches, ()))
            return Rebase(row, (), why, False, hindrance, "cannot_rebase", moved=moved)
        fields = tuple(f for f in self._fields(row, around) if f.now != f.base)
        moved = tuple(self._what_moved(asked, around, found.hitches, fields))
        args = with_texts(row.verb, row.args, {f.field: f.merged for f in fields})
        if self._is_settled(row, args):
            words = "What it asks for stands already, in the words of both."
            return Rebase(row, fields, why, False, words, SETTLED, moved=moved)
        return Rebase(row, fields, why, True, refs=row.refs, args=args, moved=moved)

    def rebase_request(self, request_id: str, *, fields: Mapping[str, str] | None = None) -> Receipt:
        """Make a stale request again against what stands; whoever decides reads it again.

        Args:
            fields: field -> the text to ask for, where both sides changed the same lines, or instead of what would
                come of bringing both together.

        Raises:
            NotAllowed: neither role user nor who asked.
            InvalidValue: not_stale, gone, settled (nothing is left to do), cannot_rebase, rebase_conflict (`fields`
                must say what is meant), or decided already. UsageError: it has no such text.
        """
        given = dict(fields or {})
        with self.operation("rebase", "") as op:
            row = self._revisable(request_id)
            plan = self.plan_rebase(row.request_id)
            if not plan.possible and not (given and plan.code == SETTLED and plan.fields):
                raise InvalidValue(
                    f"There is nothing to rebase. {plan.cannot}" if plan.code in ("not_stale", SETTLED)
                    else f"This request cannot be made again. {plan.cannot}",
                    "Decide on it as it is." if plan.code == "not_stale"
                    else f"Drop it: `memdesk requests drop {row.request_id}`.",
                    code=plan.code, request_id=row.request_id,
                )  # fmt: skip
            args = self._resolved(row, plan, given)
            op.summary = f"Made {self.asked(row)} again against what stands"
            refs = list(plan.refs or row.refs)
            op.write(REQUEST, worded_anew(row, self.actor.name, refs=refs, args=args, base=base_of(self, refs)))
        return self.receipt(op, action="rebased")

    # -- what becomes of it ---------------------------------------------------------------------------------------

    def _undecided(self, request_id: str) -> RequestRow:
        try:
            return self._pending(request_id)
        except InvalidValue as refusal:
            refusal.hint = "What was decided is not worded anew; ask again for what is wanted."
            raise

    def _revisable(self, request_id: str) -> RequestRow:
        row = self._undecided(request_id)
        if self.actor.role is not Role.USER and self.actor.name != row.asked_by:
            raise NotAllowed(
                f"This request is {row.asked_by}'s; only its asker, or a person, may word it anew.",
                "Ask for what you want yourself.", request_id=row.request_id,
            )  # fmt: skip
        return row

    def _resolved(self, row: RequestRow, plan: Rebase, given: Mapping[str, str]) -> dict[str, Any]:
        """The arguments to ask for.

        Raises:
            InvalidValue: a conflict is left, or nothing is left to do.
        """
        open_ = [f for f in plan.fields if f.conflicts and f.field not in given]
        marked = [name for name, text in given.items() if has_marks(text)]
        if open_ or marked:
            words = listed([f.label for f in open_] or marked)
            raise InvalidValue(
                f"Both sides changed the same lines of the {words}, so a person must say what is meant.",
                "Give the whole text of each such field, without the marks.", code="rebase_conflict",
                request_id=row.request_id, fields={f.field: f.merged for f in plan.fields if f.conflicts},
            )  # fmt: skip
        _check(given)
        base = replace(row, payload={**row.payload, "args": plan.args or row.args})
        args = self.reworded(base, given)
        if self._is_settled(replace(row, payload={**row.payload, "refs": list(plan.refs or row.refs)}), args):
            raise InvalidValue(
                "There is nothing to rebase: what it asks for stands already.",
                f"Drop it: `memdesk requests drop {row.request_id}`.", code=SETTLED, request_id=row.request_id,
            )  # fmt: skip
        return args

    def _is_settled(self, row: RequestRow, args: Mapping[str, Any]) -> bool:
        made = replace(row, payload={**row.payload, "args": args})
        return self.around([made]).judge(made).state == SETTLED

    def _follow(self, row: RequestRow, around: Around, hitches: tuple[Hitch, ...]) -> tuple[RequestRow, str]:
        """The request about the entries that stand where it points now, and what is in the way, or ""."""
        refs, args = list(row.refs), dict(row.args)
        for hitch in hitches:
            if hitch.kind == "deleted" and row.verb not in _DESPITE_DELETION and args.get("state") != State.ACTIVE:
                return row, "What it would change is deleted; restore that first, or drop the request."
            if hitch.kind == "replaced":
                return row, f"{around.folded[hitch.entry_id].entry.shown_name} is replaced by something else."
            if hitch.kind == "refused":
                return row, hitch.what
            if hitch.kind == "edge":
                return row, "A link that it would remove is gone."
            if hitch.kind == "taken" and row.verb not in ("add", "checkpoint"):
                return row, f"The name {hitch.what} is taken; it has to be asked for under another one."
            if hitch.kind == "taken":  # from now on it is about who has that name
                refs = [hitch.entry_id] if row.verb == "add" else [*refs, hitch.entry_id]
            if hitch.kind == "renamed":
                entry = around.folded[hitch.entry_id].entry
                args |= {"name": entry.name, "workspace": entry.workspace}
                args |= {"type": entry.type} if "type" in args else {}
        return replace(row, payload={**row.payload, "refs": list(dict.fromkeys(refs)), "args": args}), ""

    def _fields(self, row: RequestRow, around: Around) -> list[ThreeWay]:
        """Every text that would take the place of another, beside the two others."""
        texts, found = texts_of(row.verb, row.args), []
        for name, (target, part) in replaced(row.verb, row.args, row.refs).items():
            entry = self._target(row, target, around)
            if entry is None:
                continue
            seen = value_as_asked(self.store, row, entry.id, part) if entry.id in row.base else None
            base, now = seen if isinstance(seen, str) else "", getattr(entry, part) or ""
            merged = three_way(base, texts[name], now)
            label = FIELD_WORDS[part] + (f" of {entry.shown_name}" if row.verb == "checkpoint" else "")
            found.append(ThreeWay(name, label, base, texts[name], now, merged.text, merged.conflicts))
        return found

    def _what_moved(
        self, row: RequestRow, around: Around, hitches: Iterable[Hitch], fields: Iterable[ThreeWay]
    ) -> Iterator[Moved]:  # fmt: skip
        """What has changed since it was asked, but for the texts that are told three ways."""
        told = {f.label.partition(" of ")[0] for f in fields}
        done: set[tuple[str, str]] = set()
        for hitch in hitches:
            part = {"class": "role", "status": "role"}.get(hitch.what, hitch.what)
            label = "role" if part == "role" else "tags" if part == "tags" else FIELD_WORDS.get(part, part)
            if hitch.kind != "moved" or (hitch.entry_id, part) in done or label in told:
                continue
            done.add((hitch.entry_id, part))
            entry = around.folded[hitch.entry_id].entry
            was = self._as_it_said(row, entry, part)
            yield Moved(entry.shown_name, label, was or "", _said(entry, part), was is not None)

    def _as_it_said(self, row: RequestRow, entry: Entry, part: str) -> str | None:
        """A field as the asker saw it, in the words of the screen; None where that is not known any more."""
        if part == "tags":
            seen = row.base.get(entry.id)
            tags = seen.get("tags") if isinstance(seen, Mapping) else None
            return "\n".join(map(str, tags)) if isinstance(tags, list) else None
        names = ("class", "status") if part == "role" else (part,)
        values = [value_as_asked(self.store, row, entry.id, name) for name in names]
        if UNKNOWN in values:
            return None
        try:
            if part == "role":
                return role_label(EntryClass(values[0]), Status(values[1]) if values[1] else None, entry.type)
            return STATE_LABELS[State(values[0])] if part == "state" else str(values[0] or "")
        except ValueError:
            return None

    def _target(self, row: RequestRow, target: str, around: Around) -> Entry | None:
        name = target.removeprefix("name:")
        if name != target:
            return self.holder(str(row.args.get("workspace")), name)
        folded = around.folded.get(target)
        return folded.entry if folded is not None else None


def _said(entry: Entry, part: str) -> str:
    """A field as it stands, in the words of the screen."""
    if part == "role":
        return role_label(entry.klass, entry.status, entry.type)
    if part == "tags":
        return "\n".join(entry.tags)
    return STATE_LABELS[entry.state] if part == "state" else str(getattr(entry, part, None) or "")


def _check(fields: Mapping[str, str]) -> None:
    """Refuse texts that could never be written, before anybody has to read them.

    Raises:
        InvalidValue: a blank body, or one over its limit.
    """
    for name, text in fields.items():
        part = name.rpartition(".")[2]
        if part in ("body", "text"):
            check_body(text)
        if part in ("body", "summary", "text"):
            check_limits({"summary" if part == "summary" else "body": text})

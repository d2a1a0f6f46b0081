"""Verbs that grow, correct and classify entries: append, edit, reclassify.

Source: memory-mechanics seed ("operation vocabulary"), memory-maintenance seed, gaia/SPEC 4, DESIGN 3.4.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from ..errors import UsageError, listed
from ..hosts import Change
from ..model import TEXT_FIELDS, Entry, EntryClass, State, Status
from .adding import Adding
from .finding import ids_of, named
from .session import UNSET, Receipt, Unset, expect, facts_of, given
from .texts import (
    check_body,
    check_described,
    check_limits,
    lifecycle_patch,
    parse_audience,
    parse_initiative,
    parse_state,
)

_TEXT = str | None | Unset
#: What `fields` of an edit may hold: the texts, and the anchor, which an older version may have had none of.
_EDITABLE: Final = frozenset({*TEXT_FIELDS, "project_ref"})


class Writing(Adding):
    """The verbs that grow, correct and classify entries."""

    def append(self, ref: str, text: str, *, workspace: str | None = None, rationale: str = "") -> Receipt:
        """Add text after the body, a blank line between; the description stays.

        Raises:
            InvalidValue: blank text, the entry is deleted, or the body would pass its limit.
        """
        entry = self.find(ref, workspace)
        args = {"ref": entry.id, "text": text}
        check_body(text)
        self.must_exist(entry, "append to")
        warnings = check_limits({"body": f"{entry.body}\n\n{text}"})
        facts = facts_of([entry], against=self.decisions_grown_against(entry, {"body": text}))
        ruling = self.gate("append", facts, refs=[entry], args=args, rationale=rationale)
        self.refresh([entry])
        with self.operation("append", f"Added to {entry.shown_name}") as op:
            now = op.folded(entry.id)
            self.must_exist(now.entry, "append to")
            op.append(now, text)
        warnings.append("The description did not change; check that it still says what the entry holds.")
        return self.receipt(op, warnings=warnings, flagged=ruling.flagged)

    def edit(
        self,
        ref: str,
        *,
        fields: Mapping[str, str | None] | None = None,
        klass: str | None = None,
        status: _TEXT = UNSET,
        state: str | None = None,
        audience: str | None = None,
        project: str | None = None,
        project_ref: str | None = None,
        initiative: _TEXT = UNSET,
        add_tags: Sequence[str] = (),
        rm_tags: Sequence[str] = (),
        workspace: str | None = None,
        expected: Mapping[str, Any] | None = None,
        rationale: str = "",
    ) -> Receipt:
        """Correct an entry; every field goes into one event, all or nothing.

        Args:
            fields: title, description, summary, body -> new text (None clears all but the body).
            state: `active` restores a deleted or replaced entry.
            expected: field -> value as the caller saw it; a difference stops the write.

        Raises:
            Stale: something in `expected` moved meanwhile.
            InvalidValue, UsageError: a rule of DESIGN 3.4, or nothing to change was given.
        """
        entry = self.find(ref, workspace)
        args = given({k: v for k, v in locals().items() if k != "entry"}, ref=entry.id)
        if initiative is None:  # "not given" is UNSET: this clears it
            args["initiative"] = None
        patch = _texts_patch(entry, fields or {})
        warnings = check_limits(patch) + _still_described(entry, patch)
        patch |= self._scope_patch(entry, project, project_ref, initiative)
        if {"initiative", "project_ref"} & patch.keys():
            self.refuse_project_anchor(
                patch.get("initiative", entry.initiative), patch.get("project_ref", entry.project_ref)
            )
        if audience is not None:
            patch["audience"] = str(parse_audience(audience))
        asked, wanted = not isinstance(status, Unset), None if isinstance(status, Unset) else status
        patch |= lifecycle_patch(entry, klass, wanted, given=asked)
        if state is not None:
            patch["state"] = str(parse_state(state))
        if not patch and not add_tags and not rm_tags:
            raise UsageError("There is nothing to change.", "Name a field, a tag, a class or a status to edit.")
        self.hosts.refuse(entry, patch)
        ruling = self.gate("edit", facts_of([entry], replaces_text=True), refs=[entry], args=args, rationale=rationale)
        self.refresh([entry], patch)
        with self.operation("edit", _edit_summary(entry, patch, add_tags, rm_tags)) as op:
            now = op.folded(entry.id)
            expect(now.entry, expected)
            patch |= lifecycle_patch(now.entry, klass, wanted, given=asked)
            op.edit(now, patch, add_tags=add_tags, rm_tags=rm_tags)
            warnings += self.hosts.warnings_for(entry, Change(patch, tuple(add_tags), tuple(rm_tags)))
        return self.receipt(op, warnings=warnings, flagged=ruling.flagged, entries=self.read_back([entry.id]))

    def _scope_patch(
        self, entry: Entry, project: str | None, project_ref: str | None, initiative: _TEXT
    ) -> dict[str, str | None]:
        """The project and the initiative that an edit writes."""
        patch: dict[str, str | None] = {}
        if project is not None or project_ref is not None:
            patch["project_ref"] = project_ref or self.resolve_project(str(project), entry.workspace)
        if not isinstance(initiative, Unset):
            patch["initiative"] = parse_initiative(initiative)
        return patch

    def reclassify(
        self,
        ref: str | Sequence[str],
        *,
        klass: str | None = None,
        status: _TEXT = UNSET,
        workspace: str | None = None,
        expected: Mapping[str, Mapping[str, Any]] | None = None,
        rationale: str = "",
    ) -> Receipt:
        """Move one entry, or a set of entries in one operation, through its lifecycle.

        Args:
            ref: one reference, or several.
            klass, status: at least one; status None clears it.
            expected: entry id -> {field: value as the caller saw it}.

        Raises:
            UsageError: neither was given. InvalidValue: a status without class thread. Stale: moved meanwhile.
        """
        if klass is None and isinstance(status, Unset):
            raise UsageError("There is nothing to change.", "Give --class, --status, or both.")
        asked, wanted = not isinstance(status, Unset), None if isinstance(status, Unset) else status
        entries = self.find_all([ref] if isinstance(ref, str) else list(ref), workspace)
        for entry in entries:
            self.must_exist(entry, "reclassify")
            lifecycle_patch(entry, klass, wanted, given=asked)
        args = given({"ref": ids_of(entries), "klass": klass, "status": status})
        ruling = self.gate("reclassify", facts_of(entries), refs=entries, args=args, rationale=rationale)
        self.refresh(entries, ["class", "status"])
        with self.operation("reclassify", _moved(entries, klass, wanted)) as op:
            for entry in entries:
                now = op.folded(entry.id)
                expect(now.entry, (expected or {}).get(entry.id))
                self.must_exist(now.entry, "reclassify")
                op.edit(now, lifecycle_patch(now.entry, klass, wanted, given=asked))
        return self.receipt(op, flagged=ruling.flagged, entries=self.read_back(ids_of(entries)))


def _texts_patch(entry: Entry, fields: Mapping[str, str | None]) -> dict[str, Any]:
    """The texts that an edit writes. An entry made with a short form only keeps its body equal to it."""
    for name, text in fields.items():
        if name not in _EDITABLE or not (text is None or isinstance(text, str)):
            raise UsageError(f"The field {name!r} cannot be set to {text!r}.", f"Edit the {listed(TEXT_FIELDS)}.")
    patch: dict[str, Any] = dict(fields)
    if "summary" in patch and "body" not in patch and entry.summary is not None and entry.body == entry.summary:
        patch["body"] = patch["summary"] or ""
    check_body(patch.get("body", "x") or "")
    return patch


def _still_described(entry: Entry, patch: Mapping[str, Any]) -> list[str]:
    described = (patch.get("description", entry.description) or "").strip()
    if described or not {"body", "description"} & patch.keys():
        return []
    return check_described(patch.get("body", entry.body), None)


def _moved(entries: Sequence[Entry], klass: str | None, status: str | None) -> str:
    """`Closed project_x`, `Carried 3 entries forward`: what a reclassify did, in plain words."""
    what = named(entries)
    if status is not None:
        words = {
            Status.CLOSED: f"Closed {what}",
            Status.OPEN: f"Opened {what}",
            Status.CARRY_FORWARD: f"Carried {what} forward",
            Status.GRADUATED: f"Graduated {what}",
        }
        return words[Status(status)]
    if klass == EntryClass.LOG:
        return f"Moved {what} to the log"
    return f"Kept {what} as knowledge" if klass == EntryClass.ANCHOR else f"Moved {what}"


def _edit_summary(entry: Entry, patch: Mapping[str, Any], add: Sequence[str], rm: Sequence[str]) -> str:
    names = [k for k in patch if k != "state"] + (["tags"] if add or rm else [])
    if patch.get("state") == State.ACTIVE and not names:
        return f"Restored {entry.shown_name}"
    return f"Edited {', '.join(names) or 'the state'} of {entry.shown_name}"

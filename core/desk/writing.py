"""Verbs that write entries: add, create, append, edit, reclassify, comment, delete, restore, rename, move, erase.

Source: memory-mechanics seed ("operation vocabulary"), memory-maintenance seed, gaia/SPEC 4, DESIGN 3.4.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import ConfirmationNeeded, InvalidValue, NameTaken, UsageError
from ..events import PURGE_EXECUTED
from ..hosts import Change
from ..model import CHILD_OF, Entry, EntryClass, State, Status, normalise_initiative, slugify
from .linking import Linking
from .scopes import Scope
from .session import UNSET, Receipt, Unset, expect, facts_of
from .texts import (
    check_body,
    check_described,
    check_limits,
    check_name,
    default_class,
    parse_audience,
    parse_class,
    parse_state,
    parse_status,
    settle_lifecycle,
)

_TEXT = str | None | Unset


class Writing(Linking):
    """The verbs that make, grow, correct and retire entries."""

    # -- new entries ----------------------------------------------------------------------------------------------

    def add(
        self,
        *,
        name: str,
        body: str,
        type: str | None = None,
        description: _TEXT = UNSET,
        title: _TEXT = UNSET,
        summary: _TEXT = UNSET,
        klass: str | None = None,
        status: _TEXT = UNSET,
        audience: str | None = None,
        workspace: str | None = None,
        project: str | None = None,
        project_ref: str | None = None,
        initiative: str | None = None,
        tags: Sequence[str] = (),
        create_workspace: bool = False,
        rationale: str = "",
        origin_session_id: str | None = None,
    ) -> Receipt:
        """Write an entry; an existing name is updated, and fields not given stay as they are.

        (Gaia clears an omitted description on update: a trap, so memdesk does not.)

        Args:
            name: the slug; its prefix is the type.
            type: must agree with the prefix; may be left out.
            status: UNSET, a thread status, or None for null.
            workspace, project, project_ref: at least one must be given (DESIGN 3.4).

        Raises:
            InvalidName, InvalidValue: a rule of DESIGN 3.4.
            ScopeError, UnknownWorkspace: no or no usable scope; nothing is written.
            NameTaken: the name belongs to a purged entry; `memdesk restore` brings it back.
            NeedsApproval: it would replace text and this role may not do that alone.
        """
        args = _given(locals())
        scope = self.resolve_scope(
            workspace=workspace, project=project, project_ref=project_ref, create_workspace=create_workspace,
            initiative=initiative,
        )  # fmt: skip
        self.refuse_project_anchor(scope.initiative, scope.project_ref)
        check_body(body)
        fields: dict[str, Any] = {"body": body, "description": description, "title": title, "summary": summary}
        fields = {k: v for k, v in fields.items() if not isinstance(v, Unset)}
        if audience is not None:
            fields["audience"] = str(parse_audience(audience))
        self.hosts.before_create(scope.workspace, name)
        existing = self.store.name_owner(scope.workspace, name)
        if existing is not None:
            return self._upsert(existing, type, fields, klass, status, scope, initiative, tags, args, rationale)
        kind = check_name(name, type, self.config.types)
        warnings = check_limits(fields) + check_described(body, fields.get("description"))
        made = parse_class(klass) if klass else default_class(kind)
        lifecycle = settle_lifecycle(
            made, None, new_class=made, new_status=_status(status), given=not isinstance(status, Unset)
        )
        fields |= lifecycle | {
            "workspace": scope.workspace, "name": name, "type": kind, "tags": list(dict.fromkeys(tags)),
            "project_ref": scope.project_ref, "initiative": scope.initiative,
            "origin_session_id": origin_session_id or self.actor.session_id,
        }  # fmt: skip
        ruling = self.gate("add", facts_of(types=[kind]), args=args, rationale=rationale)
        with self.operation("add", f"Added {name}") as op:
            self.ensure_workspace(scope.workspace, create_workspace)
            entry_id = op.create(fields)
            warnings += self.hosts.warnings_for(self._inside(entry_id), Change(fields, tuple(tags)))
        return self.receipt(op, warnings=warnings, flagged=ruling.flagged)

    def _upsert(
        self, entry: Entry, type_: str | None, fields: dict[str, Any], klass: str | None, status: _TEXT, scope: Scope,
        initiative: str | None, tags: Sequence[str], args: Mapping[str, Any], rationale: str,
    ) -> Receipt:  # fmt: skip
        if type_ is not None and type_ != entry.type:
            check_name(entry.name, type_, self.config.types)
        folded = self.store.folded(entry.id)
        revived = entry.state is State.PURGED
        if revived and not (folded and folded.creation_undone):
            raise NameTaken(
                f"{entry.shown_name} was deleted; adding would bring it back unseen.",
                f"Bring it back with `memdesk restore {entry.shown_name}`, or choose another name.",
                id=entry.id,
            )
        warnings = check_limits(fields) + check_described(fields["body"], fields.get("description", entry.description))
        if scope.project_ref is not None:
            fields["project_ref"] = scope.project_ref
        if initiative is not None:
            fields["initiative"] = normalise_initiative(initiative)
        elif scope.project_ref is not None and entry.initiative is None:
            fields["initiative"] = scope.initiative
        if revived:
            fields["state"] = str(State.ACTIVE)
        if klass is not None or not isinstance(status, Unset):
            fields |= settle_lifecycle(
                entry.klass, entry.status, new_class=parse_class(klass) if klass else None,
                new_status=_status(status), given=not isinstance(status, Unset),
            )  # fmt: skip
        facts = facts_of([entry], replaces_text=not revived and _replaces_text(entry, fields))
        ruling = self.gate("add", facts, refs=[entry], args=args, rationale=rationale)
        self.refresh([entry], fields)
        with self.operation("add", f"Updated {entry.shown_name}") as op:
            now = op.folded(entry.id)
            op.edit(now, fields, add_tags=tags)
            warnings += self.hosts.warnings_for(entry, Change(fields, tuple(tags)))
        return self.receipt(op, warnings=warnings, flagged=ruling.flagged, entries=self._read_back([entry]))

    def create(
        self,
        *,
        kind: str,
        title: str,
        oneline: str,
        short: str | None = None,
        full: str | None = None,
        name: str | None = None,
        parent: str | None = None,
        workspace: str | None = None,
        project: str | None = None,
        project_ref: str | None = None,
        tags: Sequence[str] = (),
        create_workspace: bool = False,
        rationale: str = "",
    ) -> Receipt:
        """Write a new entry in the manner of thrum: three texts and an optional parent, one operation.

        Args:
            kind: the type. title: short heading. oneline: the description.
            short, full: the summary and the body; the body falls back to the shorter text.
            parent: an entry that it becomes part of; gives the scope where none is named.

        Raises:
            InvalidValue: title or oneline blank.
        """
        args = _given(locals())
        for label, text in (("title", title), ("oneline", oneline)):
            if not text.strip():
                raise InvalidValue(f"The {label} is blank.", f"Give one with --{label}.", field=label)
        above = self.find(parent, workspace) if parent else None
        if above is not None and not (workspace or project or project_ref):
            scope = Scope(above.workspace, above.project_ref, above.initiative)
        else:
            scope = self.resolve_scope(
                workspace=workspace, project=project, project_ref=project_ref, create_workspace=create_workspace
            )
        name = name or self._free_name(kind, title, scope.workspace)
        check_name(name, kind, self.config.types)
        if self.store.name_owner(scope.workspace, name) is not None:
            raise NameTaken(f"{name} exists already.", "Choose another --name, or use `memdesk edit`.")
        body = full or short or oneline
        check_body(body)
        fields = {"title": title, "description": oneline, "summary": short, "body": body}
        warnings = check_limits(fields)
        klass = default_class(kind)
        ruling = self.gate("create", facts_of(types=[kind]), args=args, rationale=rationale)
        with self.operation("create", f"Added {name}") as op:
            self.ensure_workspace(scope.workspace, create_workspace)
            entry_id = op.create({
                **fields, "workspace": scope.workspace, "name": name, "type": kind, "class": str(klass),
                "project_ref": scope.project_ref, "initiative": scope.initiative, "tags": list(dict.fromkeys(tags)),
                "origin_session_id": self.actor.session_id,
            })  # fmt: skip
            warnings += self.hosts.warnings_for(self._inside(entry_id), Change(fields, tuple(tags)))
            if above is not None:
                warnings += self._add_edge(op, self._inside(entry_id), CHILD_OF, above)
        return self.receipt(op, warnings=warnings, flagged=ruling.flagged, entries=self._read_back_ids([entry_id]))

    def comment(self, ref: str, text: str, *, title: str | None = None, workspace: str | None = None) -> Receipt:
        """Write a comment under an entry: an entry of type comment that is part of it (memory-maintenance seed)."""
        target = self.find(ref, workspace)
        check_body(text)
        first = text.strip().splitlines()[0][:200]
        topic = f"{target.name}"
        return self.create(
            kind="comment", title=title or f"Note on {target.shown_name}", oneline=first, full=text, parent=target.id,
            name=self._free_name("comment", topic, target.workspace),
        )  # fmt: skip

    def _free_name(self, kind: str, text: str, workspace: str) -> str:
        """`<kind>_<text as a slug>`, numbered when it is taken."""
        topic = slugify(text)[:60].strip("_") or "note"
        name, number = f"{kind}_{topic}", 1
        while self.store.name_owner(workspace, name) is not None:
            number += 1
            name = f"{kind}_{topic}_{number}"
        return name

    # -- growing and correcting -----------------------------------------------------------------------------------

    def append(self, ref: str, text: str, *, workspace: str | None = None, rationale: str = "") -> Receipt:
        """Add text after the body, a blank line between; the description stays.

        Raises:
            InvalidValue: blank text, the entry is deleted, or the body would pass its limit.
        """
        args = _given(locals())
        entry = self.find(ref, workspace)
        check_body(text)
        self._must_exist(entry, "append to")
        warnings = check_limits({"body": f"{entry.body}\n\n{text}"})
        ruling = self.gate("append", facts_of([entry]), refs=[entry], args=args, rationale=rationale)
        self.refresh([entry])
        with self.operation("append", f"Added to {entry.shown_name}") as op:
            op.append(op.folded(entry.id), text)
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
        args = _given(locals())
        entry = self.find(ref, workspace)
        patch: dict[str, Any] = dict(fields or {})
        if "summary" in patch and "body" not in patch and entry.summary is not None and entry.body == entry.summary:
            patch["body"] = patch["summary"] or ""  # made with a short form only: the two are one text
        check_body(patch.get("body", "x") or "")
        warnings = check_limits(patch)
        if patch.get("body") and not (patch.get("description", entry.description) or "").strip():
            warnings += check_described(patch["body"], None)
        if audience is not None:
            patch["audience"] = str(parse_audience(audience))
        if project is not None or project_ref is not None:
            patch["project_ref"] = project_ref or self.resolve_project(str(project), entry.workspace)
        if not isinstance(initiative, Unset):
            patch["initiative"] = normalise_initiative(initiative)
        if "project_ref" in patch or "initiative" in patch:
            self.refuse_project_anchor(
                patch.get("initiative", entry.initiative), patch.get("project_ref", entry.project_ref)
            )
        if klass is not None or not isinstance(status, Unset):
            patch |= settle_lifecycle(
                entry.klass, entry.status, new_class=parse_class(klass) if klass else None,
                new_status=_status(status), given=not isinstance(status, Unset),
            )  # fmt: skip
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
            op.edit(now, patch, add_tags=add_tags, rm_tags=rm_tags)
            warnings += self.hosts.warnings_for(entry, Change(patch, tuple(add_tags), tuple(rm_tags)))
        return self.receipt(op, warnings=warnings, flagged=ruling.flagged, entries=self._read_back([entry]))

    # -- lifecycle ------------------------------------------------------------------------------------------------

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
        args = _given(locals())
        if klass is None and isinstance(status, Unset):
            raise UsageError("There is nothing to change.", "Give --class, --status, or both.")
        new_class = parse_class(klass) if klass else None
        new_status, given = _status(status), not isinstance(status, Unset)
        entries = self.find_all([ref] if isinstance(ref, str) else list(ref), workspace)
        for entry in entries:
            self._must_exist(entry, "reclassify")
            settle_lifecycle(entry.klass, entry.status, new_class=new_class, new_status=new_status, given=given)
        ruling = self.gate("reclassify", facts_of(entries), refs=entries, args=args, rationale=rationale)
        self.refresh(entries, ["class", "status"])
        with self.operation("reclassify", _moved(entries, new_class, new_status)) as op:
            for entry in entries:
                now = op.folded(entry.id)
                expect(now.entry, (expected or {}).get(entry.id))
                op.edit(now, settle_lifecycle(
                    now.entry.klass, now.entry.status, new_class=new_class, new_status=new_status, given=given
                ))  # fmt: skip
        return self.receipt(op, flagged=ruling.flagged, entries=self._read_back(entries))

    def delete(
        self, ref: str | Sequence[str], *, reason: str | None = None, workspace: str | None = None,
        expected: Mapping[str, Mapping[str, Any]] | None = None, rationale: str = "",
    ) -> Receipt:  # fmt: skip
        """Soft-delete: the entry leaves every list and the digest, its text and edges stay."""
        args = _given(locals())
        entries = self.find_all([ref] if isinstance(ref, str) else list(ref), workspace)
        ruling = self.gate("delete", facts_of(entries), refs=entries, args=args, rationale=rationale or reason or "")
        self.refresh(entries, ["state"])
        with self.operation("delete", f"Deleted {_named(entries)}") as op:
            for entry in entries:
                now = op.folded(entry.id)
                expect(now.entry, (expected or {}).get(entry.id))
                op.delete(now, reason)
        return self.receipt(op, flagged=ruling.flagged, entries=self._read_back(entries))

    def restore(self, ref: str | Sequence[str], *, workspace: str | None = None, rationale: str = "") -> Receipt:
        """Bring deleted (or, outside a Gaia host, replaced) entries back (thrum: `edit --status active`)."""
        args = _given(locals())
        entries = self.find_all([ref] if isinstance(ref, str) else list(ref), workspace)
        for entry in entries:
            self.hosts.refuse(entry, {"state": str(State.ACTIVE)})
        ruling = self.gate("restore", facts_of(entries), refs=entries, args=args, rationale=rationale)
        self.refresh(entries, ["state"])
        with self.operation("restore", f"Restored {_named(entries)}") as op:
            for entry in entries:
                op.edit(op.folded(entry.id), {"state": str(State.ACTIVE)})
        return self.receipt(op, flagged=ruling.flagged, entries=self._read_back(entries))

    def erase(self, ref: str, confirm: str | None) -> Receipt:
        """Physically remove an entry's text from the store; cannot be undone (DESIGN 3.4, "Erase").

        Args:
            confirm: must be exactly `DELETE <id>`.

        Raises:
            ConfirmationNeeded: the token is missing or differs.
        """
        entry = self.find(ref)
        self.gate("erase", facts_of([entry]), refs=[entry], args={"ref": entry.id, "confirm": confirm})
        if confirm != f"DELETE {entry.id}":
            raise ConfirmationNeeded(
                f"Erasing {entry.shown_name} cannot be undone, so it needs the exact token.",
                f'Repeat with --confirm "DELETE {entry.id}".',
                id=entry.id,
            )
        self.hosts.before_erase(entry)
        self.refresh([entry])
        with self.operation("erase", f"Erased {entry.id}") as op:
            op.write(PURGE_EXECUTED, {"memory_id": entry.id})
            op.action = "erased"
        places = self.store.residue(entry.body) if len(entry.body) >= 16 else []
        warnings = [f"The removed text still stands in {place}." for place in places]
        return self.receipt(op, warnings=warnings, entries=(entry,))

    # -- names and places -----------------------------------------------------------------------------------------

    def rename(self, ref: str, name: str, *, workspace: str | None = None, rationale: str = "") -> Receipt:
        """Give an entry another name; the prefix may make it another type.

        Raises:
            InvalidName: not a slug. NameTaken: the name exists there, deleted ones included.
        """
        args = _given(locals())
        entry = self.find(ref, workspace)
        kind = check_name(name, None, self.config.types)
        self._name_free(entry, entry.workspace, name)
        ruling = self.gate("rename", facts_of([entry]), refs=[entry], args=args, rationale=rationale)
        self.refresh([entry], ["name", "type"])
        with self.operation("rename", f"Renamed {entry.shown_name} to {name}") as op:
            op.edit(op.folded(entry.id), {"name": name, "type": kind})
        return self.receipt(op, flagged=ruling.flagged, entries=self._read_back([entry]))

    def move_workspace(
        self, refs: Sequence[str], to: str, *, workspace: str | None = None, create_workspace: bool = False,
        rationale: str = "",
    ) -> Receipt:  # fmt: skip
        """Move entries to another workspace; their edges go with them (edges name ids, not names).

        Raises:
            UnknownWorkspace: `to` does not exist. NameTaken: a name exists there. HostError: it lives on a host.
        """
        args = _given(locals())
        entries = self.find_all(list(refs), workspace)
        self.require_workspace(to, create_workspace)
        for entry in entries:
            self._name_free(entry, to, entry.name)
            self.hosts.refuse(entry, {"workspace": to})
        ruling = self.gate("move-workspace", facts_of(entries), refs=entries, args=args, rationale=rationale)
        self.refresh(entries, ["workspace"])
        with self.operation("move-workspace", f"Moved {_named(entries)} to {to}") as op:
            self.ensure_workspace(to, create_workspace)
            for entry in entries:
                op.edit(op.folded(entry.id), {"workspace": to})
        return self.receipt(op, flagged=ruling.flagged, entries=self._read_back(entries))

    def _name_free(self, entry: Entry, workspace: str, name: str) -> None:
        owner = self.store.name_owner(workspace, name)
        if owner is not None and owner.id != entry.id:
            deleted = " (deleted)" if owner.state is State.PURGED else ""
            raise NameTaken(
                f"{workspace}/{name} exists already{deleted}.", "Choose another name, or merge the two.", id=owner.id
            )

    # -- small shared steps ---------------------------------------------------------------------------------------

    def _must_exist(self, entry: Entry, verb: str) -> None:
        """Deleted entries are not quietly written to, where no list would show the result (gaia/SPEC 4, trap 6)."""
        if entry.state is State.PURGED:
            raise InvalidValue(
                f"{entry.shown_name} is deleted, so there is nothing to {verb}.",
                f"Bring it back first: `memdesk restore {entry.shown_name}`.",
                field="state",
            )

    def _inside(self, entry_id: str) -> Entry:
        entry = self.store.entry(entry_id)
        assert entry is not None, "an entry made in this transaction"
        return entry

    def _read_back(self, entries: Sequence[Entry]) -> tuple[Entry, ...]:
        return self._read_back_ids([e.id for e in entries])

    def _read_back_ids(self, ids: Sequence[str]) -> tuple[Entry, ...]:
        return tuple(e for e in map(self.store.entry, ids) if e is not None)


def _given(arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a verb as a request keeps them: JSON-serialisable, without those not given."""
    skipped = {"self", "rationale", "expected", "__class__"}
    kept = {k: v for k, v in arguments.items() if k not in skipped and not isinstance(v, Unset) and v != ()}
    return {k: list(v) if isinstance(v, tuple) else v for k, v in kept.items() if v is not None or k == "status"}


def _status(value: _TEXT) -> Status | None:
    return None if value is None or isinstance(value, Unset) else parse_status(value)


def _replaces_text(entry: Entry, fields: Mapping[str, Any]) -> bool:
    texts = ("title", "description", "summary", "body")
    return any(getattr(entry, f) and f in fields and fields[f] != getattr(entry, f) for f in texts)


def _named(entries: Sequence[Entry]) -> str:
    return entries[0].shown_name if len(entries) == 1 else f"{len(entries)} entries"


def _moved(entries: Sequence[Entry], klass: EntryClass | None, status: Status | None) -> str:
    """`Closed project_x`, `Carried 3 entries forward`: what a reclassify did, in plain words."""
    what = _named(entries)
    if status is not None:
        words = {
            Status.CLOSED: f"Closed {what}",
            Status.OPEN: f"Opened {what}",
            Status.CARRY_FORWARD: f"Carried {what} forward",
            Status.GRADUATED: f"Graduated {what}",
        }
        return words[status]
    if klass is EntryClass.LOG:
        return f"Moved {what} to the log"
    return f"Kept {what} as knowledge" if klass is EntryClass.ANCHOR else f"Moved {what}"


def _edit_summary(entry: Entry, patch: Mapping[str, Any], add: Sequence[str], rm: Sequence[str]) -> str:
    names = [k for k in patch if k != "state"] + (["tags"] if add or rm else [])
    if patch.get("state") == State.ACTIVE and not names:
        return f"Restored {entry.shown_name}"
    return f"Edited {', '.join(names) or 'the state'} of {entry.shown_name}"

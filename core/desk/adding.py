"""Verbs that make entries: add, create, comment.

Source: memory-mechanics seed ("Write flow"), memory-maintenance seed, gaia/SPEC 4, DESIGN 3.4.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import InvalidValue, NameTaken
from ..hosts import Change
from ..model import CHILD_OF, Entry, State, slugify
from .linking import Linking
from .nearby import Nearby
from .scopes import Scope
from .session import UNSET, Operation, Receipt, Unset, expect, facts_of, given, value_of
from .texts import (
    check_body,
    check_described,
    check_limits,
    check_name,
    default_class,
    lifecycle_patch,
    parse_audience,
    parse_class,
    parse_initiative,
    parse_status,
    replaces_text,
    settle_lifecycle,
)

_TEXT = str | None | Unset


class Adding(Linking, Nearby):
    """The verbs that make entries."""

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
        args = given(locals())
        key = parse_initiative(initiative)
        scope = self.resolve_scope(
            workspace=workspace, project=project, project_ref=project_ref, create_workspace=create_workspace,
            initiative=initiative,
        )  # fmt: skip
        args |= {"workspace": scope.workspace}
        if self.actor.session_id:  # a request keeps the session of who asks, not of who approves
            args.setdefault("origin_session_id", self.actor.session_id)
        self.refuse_project_anchor(scope.initiative, scope.project_ref)
        check_body(body)
        texts = {"body": body, "description": description, "title": title, "summary": summary}
        fields: dict[str, Any] = {k: v for k, v in texts.items() if not isinstance(v, Unset)}
        if audience is not None:
            fields["audience"] = str(parse_audience(audience))
        self.hosts.before_create(scope.workspace, name)
        existing = self.store.name_owner(scope.workspace, name)
        if existing is not None:
            if initiative is not None:
                fields["initiative"] = key
            return self._upsert(existing, type, fields, klass, status, scope, tags, args, rationale)
        kind = check_name(name, type, self.config.types)
        fields |= _first_lifecycle(kind, klass, status) | {
            "workspace": scope.workspace, "name": name, "type": kind, "project_ref": scope.project_ref,
            "initiative": scope.initiative, "origin_session_id": origin_session_id or self.actor.session_id,
        }  # fmt: skip
        warnings = check_limits(fields) + check_described(body, fields.get("description"))
        facts = facts_of(types=[kind], against=self.decisions_against(fields))
        ruling = self.gate("add", facts, args=args, rationale=rationale)
        with self.operation("add", f"Added {name}") as op:
            self.ensure_workspace(scope.workspace, create_workspace)
            entry_id, said = self._create(op, fields, tags)
        said += self.near_hints(entry_id)
        return self.receipt(op, warnings=warnings + said, flagged=ruling.flagged, entries=self.read_back([entry_id]))

    def _create(self, op: Operation, fields: dict[str, Any], tags: Sequence[str]) -> tuple[str, list[str]]:
        """Write a new entry, unless its name was taken since it was looked up; its id and what the host says."""
        self.must_be_free(fields["workspace"], fields["name"])
        entry_id = op.create(fields | {"tags": list(dict.fromkeys(tags))})
        return entry_id, self.hosts.warnings_for(self.written_entry(entry_id), Change(fields, tuple(tags)))

    def _upsert(
        self, entry: Entry, type_: str | None, fields: dict[str, Any], klass: str | None, status: _TEXT, scope: Scope,
        tags: Sequence[str], args: Mapping[str, Any], rationale: str,
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
        if scope.project_ref is not None and entry.initiative is None:
            fields.setdefault("initiative", scope.initiative)
        if {"initiative", "project_ref"} & fields.keys():
            self.refuse_project_anchor(
                fields.get("initiative", entry.initiative), fields.get("project_ref", entry.project_ref)
            )
        if revived:
            fields["state"] = str(State.ACTIVE)
        asked = not isinstance(status, Unset)
        fields |= lifecycle_patch(entry, klass, None if isinstance(status, Unset) else status, given=asked)
        facts = facts_of(
            [entry], replaces_text=not revived and replaces_text(entry, fields),
            against=self.decisions_filled_against(entry, fields),
        )  # fmt: skip
        ruling = self.gate("add", facts, refs=[entry], args=args, rationale=rationale)
        self.refresh([entry], fields)
        with self.operation("add", f"Updated {entry.shown_name}") as op:
            now = op.folded(entry.id)
            expect(now.entry, {name: value_of(entry, name) for name in fields})  # what the ruling was given on
            op.edit(now, fields, add_tags=tags)
            warnings += self.hosts.warnings_for(entry, Change(fields, tuple(tags)))
        return self.receipt(op, warnings=warnings, flagged=ruling.flagged, entries=self.read_back([entry.id]))

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
        topic: str | None = None,
        tags: Sequence[str] = (),
        create_workspace: bool = False,
        rationale: str = "",
    ) -> Receipt:
        """Write a new entry in the manner of thrum: three texts and an optional parent, one operation.

        Args:
            kind: the type. title: short heading. oneline: the description.
            short, full: the summary and the body; the body falls back to the shorter text.
            parent: an entry that it becomes part of; gives the scope where none is named.
            topic: what the name is made of where none is given; the title by default.

        Raises:
            InvalidValue: title or oneline blank.
        """
        args = given(locals())
        for label, text in (("title", title), ("oneline", oneline)):
            if not text.strip():
                raise InvalidValue(f"The {label} is blank.", f"Give one with --{label}.", field=label)
        above = self.find(parent, workspace) if parent else None
        if above is not None:
            self.must_exist(above, "add to")
            args["parent"] = above.id
        if above is not None and not (workspace or project or project_ref):
            scope = Scope(above.workspace, above.project_ref, above.initiative)
        else:
            scope = self.resolve_scope(
                workspace=workspace, project=project, project_ref=project_ref, create_workspace=create_workspace
            )
            args["workspace"] = scope.workspace
        name = name or self._free_name(kind, topic or title, scope.workspace)
        check_name(name, kind, self.config.types)
        self.must_be_free(scope.workspace, name)
        body = full or short or oneline
        check_body(body)
        fields = {
            "title": title, "description": oneline, "summary": short, "body": body, "class": str(default_class(kind)),
            "workspace": scope.workspace, "name": name, "type": kind, "project_ref": scope.project_ref,
            "initiative": scope.initiative, "origin_session_id": self.actor.session_id,
        }  # fmt: skip
        warnings = check_limits(fields)
        against = self.decisions_against(fields)
        facts = facts_of([above] if above else [], types=[kind], against=against)
        ruling = self.gate("create", facts, args=args, rationale=rationale)
        with self.operation("create", f"Added {name}") as op:
            self.ensure_workspace(scope.workspace, create_workspace)
            entry_id, said = self._create(op, fields, tags)
            if above is not None:
                said += self.add_edge(op, self.written_entry(entry_id), CHILD_OF, above)
        said += self.near_hints(entry_id)
        return self.receipt(op, warnings=warnings + said, flagged=ruling.flagged, entries=self.read_back([entry_id]))

    def comment(self, ref: str, text: str, *, title: str | None = None, workspace: str | None = None) -> Receipt:
        """Write a comment under an entry: an entry of type comment that is part of it (memory-maintenance seed)."""
        target = self.find(ref, workspace)
        check_body(text)
        first = text.strip().splitlines()[0][:200]
        return self.create(
            kind="comment", title=title or f"Note on {target.shown_name}", oneline=first, full=text, parent=target.id,
            topic=target.name,
        )  # fmt: skip

    def _free_name(self, kind: str, text: str, workspace: str) -> str:
        """`<kind>_<text as a slug>`, numbered when it is taken."""
        topic = slugify(text)[:60].strip("_") or "note"
        name, number = f"{kind}_{topic}", 1
        while self.holder(workspace, name) is not None:
            number += 1
            name = f"{kind}_{topic}_{number}"
        return name


def _first_lifecycle(kind: str, klass: str | None, status: _TEXT) -> dict[str, str | None]:
    """Class and status of a new entry."""
    made = parse_class(klass) if klass else default_class(kind)
    wanted = None if status is None or isinstance(status, Unset) else parse_status(status)
    return settle_lifecycle(made, None, new_class=made, new_status=wanted, given=not isinstance(status, Unset))

"""Verbs made of others: graduate, checkpoint (all or nothing), batch (best effort).

Source: gaia/SPEC 4 (checkpoint), memory seed ("Report partial batch failures per operation"), DESIGN 3.5.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from types import NoneType
from typing import Any, Final, get_args, get_type_hints

from ..errors import BadShape, InvalidValue, MemdeskError, NeedsApproval
from ..model import DERIVED_FROM, GRADUATED_TO, Entry, EntryClass, Status, type_of_name
from .finding import ids_of
from .retiring import Retiring
from .session import UNSET, Receipt, Unset, expect, facts_of
from .texts import replaces_text

_PENDING_WORDS: Final = re.compile(
    r"- \[ \]|\btodo\b|\bpendientes?\b|\bpending\b|\bpr[oó]ximos? pasos?\b|\bnext steps?\b", re.IGNORECASE
)
#: Verbs that `batch` takes, with the keyword arguments of the desk method of that name.
BATCH_VERBS: Final = frozenset({
    "add", "create", "append", "edit", "reclassify", "link", "unlink", "supersede", "comment", "delete", "restore",
    "rename",
})  # fmt: skip
_BATCH_ALIASES: Final = {"class": "klass", "from": "source", "to": "target", "slug": "ref"}


class Composed(Retiring):
    """Verbs that write several things in one go."""

    def graduate(
        self, ref: str, *, into: str | None = None, anchor: Mapping[str, Any] | None = None,
        workspace: str | None = None, expected: Mapping[str, Any] | None = None,
    ) -> Receipt:  # fmt: skip
        """End a thread whose work left knowledge: status graduated, and the lineage to what it became.

        Args:
            into: an existing entry it became, or None.
            anchor: name, body and description of a new anchor to make, or None.
            expected: field -> value of the thread as the caller saw it.
        """
        if anchor is not None and not all(isinstance(anchor.get(k), str) for k in ("name", "body")):
            raise BadShape("A new anchor needs a name and a body.", "Give both, or name an existing entry.")
        thread = self.find(ref, workspace)
        _must_be_thread(thread)
        target = self.find(into, workspace) if into else None
        owner = self._owner(thread.workspace, anchor["name"]) if anchor else None
        known = [e for e in (thread, target, owner) if e is not None]
        made_type = type_of_name(anchor["name"], self.config.types) if anchor else None
        place = {"workspace": thread.workspace, "project_ref": thread.project_ref, "initiative": thread.initiative}
        rows = [(owner, anchor, made_type)] if anchor is not None else []
        facts = facts_of(known, types=[made_type] if made_type else [], **self._rows_facts(rows, place))
        args = {"ref": thread.id, "into": target.id if target else None, "anchor": dict(anchor) if anchor else None}
        ruling = self.gate("graduate", facts, refs=known, args=args)
        self.refresh([thread], ["class", "status"])
        self.refresh(known[1:])
        with self.operation("graduate", f"Graduated {thread.shown_name}") as op:
            now = op.folded(thread.id).entry
            expect(now, expected)
            _must_be_thread(now)
            if target is not None or anchor is not None:
                shown = target.shown_name if target else str((anchor or {})["name"])
                op.summary = f"Graduated {thread.shown_name} into {shown}"
            warnings = [*self.reclassify(thread.id, status=Status.GRADUATED).warnings]
            if anchor is not None:
                made = self.add(
                    name=anchor["name"], klass="anchor", workspace=thread.workspace, project_ref=thread.project_ref,
                    initiative=thread.initiative, **_texts(anchor),
                )  # fmt: skip
                target = made.entries[-1]
                warnings += made.warnings
            if target is not None:
                warnings += self.link(thread.id, GRADUATED_TO, target.id).warnings
        found = self.read_back(ids_of([thread] + ([target] if target else [])))
        return self.receipt(op, action="updated", warnings=warnings, flagged=ruling.flagged, entries=found)

    # -- checkpoint -----------------------------------------------------------------------------------------------

    def checkpoint(
        self, payload: Any, *, workspace: str | None = None, project: str | None = None,
        project_ref: str | None = None, create_workspace: bool = False, rationale: str = "",
    ) -> Receipt:  # fmt: skip
        """Record a milestone: one anchor, its pending threads, and the edges between, all or nothing.

        Args:
            payload: `{"resumen": {name, type, body, description?}, "pendientes": [{name, body, description?}]}`.

        Raises:
            BadShape: the payload is anything else; nothing is written.
            ScopeError: as for `add`.
        """
        record, pendings = _shape(payload)
        scope = self.resolve_scope(
            workspace=workspace, project=project, project_ref=project_ref, create_workspace=create_workspace
        )
        args = {
            "payload": payload, "workspace": scope.workspace, "project_ref": scope.project_ref,
            "create_workspace": create_workspace,
        }  # fmt: skip
        rows = [self._owner(scope.workspace, r["name"]) for r in (record, *pendings)]
        known = [e for e in rows if e is not None]
        written = [(e, r, str(record["type"])) for e, r in zip(rows, (record, *pendings), strict=True)]
        anchor_at = {"workspace": scope.workspace, "project_ref": scope.project_ref}
        facts = facts_of(known, types=[record["type"]], **self._rows_facts(written, anchor_at))
        ruling = self.gate("checkpoint", facts, refs=known, args=args, rationale=rationale)
        self.refresh(known, ["body", "description", "class", "status"])
        place = {"workspace": scope.workspace, "project_ref": scope.project_ref, "create_workspace": create_workspace}
        results: list[Mapping[str, Any]] = []
        warnings: list[str] = []
        with self.operation("checkpoint", f"Recorded {record['name']} and {len(pendings)} pending") as op:
            anchor = self._checkpoint_row(record, record["type"], "anchor", None, place, results, warnings)
            for pending in pendings:
                thread = self._checkpoint_row(
                    pending, record["type"], "thread", "carry_forward", place, results, warnings
                )
                was_linked = bool(self.store.edges(kind=DERIVED_FROM, source=thread.id, target=anchor.id))
                self.link(thread.id, DERIVED_FROM, anchor.id)
                results.append({
                    "link": True, "src_name": thread.name, "dst_name": anchor.name, "kind": DERIVED_FROM,
                    "action": "noop" if was_linked else "inserted",
                })  # fmt: skip
        if not pendings and _PENDING_WORDS.search(record["body"]):
            warnings.append(
                "The record speaks of pending work, but `pendientes` is empty: a hidden pending never resurfaces. "
                "Give each one a thread of its own."
            )
        ids = [str(r["id"]) for r in results if "id" in r]
        return self.receipt(
            op, warnings=warnings, flagged=ruling.flagged, results=tuple(results), action="applied",
            entries=self.read_back(ids),
        )  # fmt: skip

    def _checkpoint_row(
        self, row: Mapping[str, Any], kind: str, klass: str, status: str | None, place: Mapping[str, Any],
        results: list[Mapping[str, Any]], warnings: list[str],
    ) -> Entry:  # fmt: skip
        before = self._owner(str(place["workspace"]), row["name"])
        receipt = self.add(name=row["name"], type=kind, klass=klass, status=status or UNSET, **_texts(row), **place)
        entry = self._owner(str(place["workspace"]), row["name"])
        assert entry is not None, "just written"
        action = "inserted" if before is None else "noop" if before == entry else "updated"
        results.append({
            "id": entry.id, "name": entry.name, "action": action, "class": str(entry.klass),
            "memory_status": str(entry.status) if entry.status else None,
        })  # fmt: skip
        warnings += [f"{entry.name}: {w}" for w in receipt.warnings]
        return entry

    def _rows_facts(
        self, rows: Sequence[tuple[Entry | None, Mapping[str, Any], str | None]], place: Mapping[str, str | None]
    ) -> dict[str, Any]:
        """What the policy table needs to know of the `add`s that a composed verb is about to make.

        Args:
            rows: (the entry that has the name already, name and texts, type) of each.
            place: workspace and anchor that all of them get.
        """
        replaces, against = False, dict[str, None]()
        anchors = {name: value for name, value in place.items() if name != "workspace" and value is not None}
        for owner, row, kind in rows:
            texts = _texts(row)
            if owner is not None:
                replaces |= replaces_text(owner, texts | anchors)
                against |= dict.fromkeys(self.decisions_filled_against(owner, texts))
            else:
                made = {"workspace": place["workspace"], "name": row["name"], "type": kind, **texts}
                against |= dict.fromkeys(self.decisions_against(made))
        return {"replaces_text": replaces, "against": tuple(against)}

    def _owner(self, workspace: str, name: str) -> Entry | None:
        return self.store.name_owner(workspace, name)

    # -- batch ----------------------------------------------------------------------------------------------------

    def batch(self, operations: Any) -> Receipt:
        """Run independent operations in order, one result each; a failure does not stop the rest (DESIGN 3.5).

        Args:
            operations: a list of `{"op": verb, …arguments of that verb…}`.

        Raises:
            BadShape: not such a list; nothing is written.
        """
        if not isinstance(operations, list):
            raise BadShape(
                "A batch is a JSON list of operations.", 'Example: [{"op": "append", "ref": "…", "text": "…"}]'
            )
        results = [self._one_of_batch(place, operation) for place, operation in enumerate(operations)]
        failed = sum(1 for r in results if not r["ok"])
        waits = sum(1 for r in results if r.get("exit_code") == NeedsApproval.exit_code)
        parts = [f"{len(results) - failed} of {len(results)} operations done"]
        parts += [f"{waits} {'wait' if waits > 1 else 'waits'} for a person"] if waits else []
        parts += [f"{failed - waits} not"] if failed > waits else []
        summary = ", ".join(parts)
        return Receipt(None, "batch", summary, "applied" if not failed else "partial", results=tuple(results))

    def _one_of_batch(self, place: int, operation: Any) -> dict[str, Any]:
        if not isinstance(operation, Mapping):
            error = BadShape("An operation of a batch is an object.", 'It has an "op" and the arguments of that verb.')
            return {"index": place, "op": "", "ok": False, "exit_code": error.exit_code, "error": error.as_dict()}
        arguments = {_BATCH_ALIASES.get(str(k), str(k)): v for k, v in operation.items()}
        verb = str(arguments.pop("op", arguments.pop("verb", "")))
        result: dict[str, Any] = {"index": place, "op": verb}
        try:
            if verb not in BATCH_VERBS:
                allowed = ", ".join(sorted(BATCH_VERBS))
                raise BadShape(f"{verb!r} is not an operation of a batch.", f"Use one of: {allowed}.")
            receipt: Receipt = call_with(getattr(self, verb), arguments)
        except MemdeskError as error:
            return result | {"ok": False, "exit_code": error.exit_code, "error": error.as_dict()}
        return result | {
            "ok": True, "action": receipt.action, "summary": receipt.summary, "op_id": receipt.op_id,
            "names": [e.shown_name for e in receipt.entries], "warnings": list(receipt.warnings),
        }  # fmt: skip


def _must_be_thread(entry: Entry) -> None:
    if entry.klass is not EntryClass.THREAD:
        raise InvalidValue(
            f"{entry.shown_name} is no thread, so it cannot graduate.",
            f"Make it one with `memdesk reclassify {entry.shown_name} --class=thread`, or leave it as it is.",
            field="class",
        )


_LISTS: Final = frozenset({"tags", "add_tags", "rm_tags", "refs"})
_OBJECTS: Final = frozenset({"fields", "expected", "payload", "anchor"})
_FLAGS: Final = frozenset({"create_workspace", "force"})
_LINKS: Final = frozenset({"add", "remove"})


def call_with(verb: Callable[..., Receipt], arguments: Mapping[str, Any]) -> Receipt:
    """Call a verb with arguments from outside; wrong names and kinds are the caller's to mend, never a traceback.

    Raises:
        BadShape: an argument is unknown, missing, or of the wrong kind.
    """
    hint = "See `memdesk batch --help` for the arguments of each operation."
    try:
        bound = inspect.signature(verb).bind(**arguments)
    except TypeError as error:
        raise BadShape(f"The arguments do not fit: {_misfit(str(error))}.", hint) from None
    hints = get_type_hints(verb)
    for name, value in arguments.items():
        takes = set(get_args(hints[name]))
        wanted, fits = _kind_of_argument(name, value, several=bool(takes - {str, NoneType, Unset}))
        if not (fits if value is not None else NoneType in takes):
            raise BadShape(f"`{name}` must be {wanted}.", hint)
    return verb(*bound.args, **bound.kwargs)


def _misfit(said: str) -> str:
    """What `inspect` says of arguments that do not fit, in plain words."""
    named = re.search(r"'(\w+)'", said)
    if named is None:
        return "they are not those of this operation"
    return f"it has no `{named[1]}`" if "unexpected" in said else f"it needs `{named[1]}`"


def _kind_of_argument(name: str, value: Any, *, several: bool) -> tuple[str, bool]:
    if name in _LISTS:
        return "a list of texts", _is_text_list(value)
    if name in _OBJECTS:
        return "an object", isinstance(value, Mapping)
    if name in _LINKS:
        return "a list of links", isinstance(value, list) and all(_is_text_list(v) and len(v) == 3 for v in value)
    if name in _FLAGS:
        return "true or false", isinstance(value, bool)
    if name == "ref" and several:
        return "a name or a list of names", isinstance(value, str) or _is_text_list(value)
    return "a text", isinstance(value, str)


def _is_text_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str) and all(isinstance(v, str) for v in value)


def _shape(payload: Any) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The record and the pendings of a checkpoint.

    Raises:
        BadShape: anything is missing, of another kind, or named twice.
    """
    if not isinstance(payload, Mapping) or not isinstance(payload.get("resumen"), Mapping):
        raise _bad("it needs an object `resumen`")
    pendings = payload.get("pendientes", [])
    if not isinstance(pendings, list) or not all(isinstance(p, Mapping) for p in pendings):
        raise _bad("`pendientes` must be a list of objects")
    unknown = sorted(set(payload) - {"resumen", "pendientes"})
    if unknown:
        raise _bad(f"it has unknown keys: {', '.join(map(str, unknown))}")
    record = dict(payload["resumen"])
    for where, row, needed in [("resumen", record, ("name", "type", "body"))] + [
        (f"pendientes[{i}]", p, ("name", "body")) for i, p in enumerate(pendings)
    ]:
        for key in needed:
            if not isinstance(row.get(key), str) or not row[key].strip():
                raise _bad(f"`{where}.{key}` must be a text")
        if row.get("description") is not None and not isinstance(row["description"], str):
            raise _bad(f"`{where}.description` must be a text")
    names = [record["name"], *(p["name"] for p in pendings)]
    twice = sorted({n for n in names if names.count(n) > 1})
    if twice:
        raise _bad(f"{twice[0]} is named twice")
    return record, [dict(p) for p in pendings]


def _texts(row: Mapping[str, Any]) -> dict[str, Any]:
    """The texts that a row, or a new anchor, writes: a description that is left out stays as it stands."""
    described = {"description": row["description"]} if row.get("description") else {}
    return {"body": row["body"], **described}


def _bad(reason: str) -> BadShape:
    return BadShape(
        f"The checkpoint cannot be read: {reason}.",
        'It is {"resumen": {"name", "type", "body", "description"}, "pendientes": [{"name", "body", "description"}]}.',
    )

"""What a request would leave, worked out from its arguments: where it cannot be tried, or trying it is refused. Pure.

It knows no rule that may refuse a write: a stale request still says what it would do to the current text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from ..errors import MemdeskError
from ..merge import MergePlan
from ..model import (
    CHILD_OF,
    DERIVED_FROM,
    GRADUATED_TO,
    SUPERSEDES,
    TEXT_FIELDS,
    Edge,
    Entry,
    EntryClass,
    State,
    Status,
    edge_kind,
    slugify,
    type_of_name,
)
from .settled import CREATED
from .texts import default_class, lifecycle_patch

#: What the id of an entry begins with that has none yet.
NEW: Final = "new:"


@dataclass(slots=True)
class Tried:
    """What stands, and what would stand, of everything that a request touches.

    Attributes:
        before, after: id -> entry; one that is made is only in `after`, one that is erased only in `before`.
        came, went: the edges that would be added and removed.
    """

    before: dict[str, Entry] = field(default_factory=dict)
    after: dict[str, Entry] = field(default_factory=dict)
    came: list[Edge] = field(default_factory=list)
    went: list[Edge] = field(default_factory=list)

    def write(self, entry_id: Any, **values: Any) -> None:
        """Give an entry other values; one that is not there is passed over."""
        entry = self.after.get(str(entry_id))
        if entry is not None:
            self.after[entry.id] = replace(entry, **_fitting(values))

    def link(self, source: Any, kind: str, target: Any) -> None:
        """Add an edge, with what follows from it."""
        self.came.append(Edge(str(source), edge_kind(kind), str(target)))
        entry = self.after.get(str(target))
        if edge_kind(kind) == SUPERSEDES and entry is not None and entry.state is State.ACTIVE:
            self.write(target, state=State.SUPERSEDED)

    def make(self, name: str, workspace: str, **values: Any) -> str:
        """Add an entry; its id for as long as it has none of its own."""
        entry_id = f"{NEW}{name}"
        kind = type_of_name(name) or name.partition("_")[0]
        made = {"klass": default_class(kind), "status": None, "title": None, "description": None, "summary": None,
                "body": "", "tags": (), "project_ref": None, "initiative": None, "audience": "any"}  # fmt: skip
        self.after[entry_id] = Entry(
            id=entry_id, workspace=workspace, name=name, type=kind, state=State.ACTIVE, created_at=None, created_by="",
            updated_at=None, last_edited_by="", edit_count=0, **(made | _fitting(values)),
        )  # fmt: skip
        return entry_id


def foresee(
    verb: str, args: Mapping[str, Any], entries: Iterable[Entry], edges: Iterable[Edge] = (),
    plan: Callable[[], MergePlan] | None = None,
) -> Tried:  # fmt: skip
    """What a request would leave of the entries that it names, and which it would make.

    Args:
        verb: as in the policy table; one that this version does not know changes nothing.
        args: the arguments of the request.
        entries: those that it names, as they stand.
        edges: those that they have.
        plan: works out a merge; asked only for one.
    """
    known = {e.id: e for e in entries}
    tried = Tried(before=dict(known), after=dict(known))
    step = _STEPS.get(verb)
    try:
        if verb == "merge" and plan is not None:
            _merge(tried, plan())
        elif step is not None:
            step(tried, args)
        tried.went += [e for e in edges if {e.source, e.target} & (tried.before.keys() - tried.after.keys())]
    except (MemdeskError, KeyError, TypeError, ValueError, AttributeError, IndexError):
        pass  # arguments that no rule allows: what was understood of them is shown, the state says the rest
    return tried


def _fitting(values: Mapping[str, Any]) -> dict[str, Any]:
    """Those of the values that an entry can have: a request of another program may say anything."""
    found: dict[str, Any] = {}
    for name, value in values.items():
        if name == "tags":
            found[name] = tuple(tag for tag in value if isinstance(tag, str))
        elif isinstance(value, str) or (value is None and name not in ("body", "audience", "workspace")):
            found[name] = value
    return found


def _ids(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else [str(v) for v in value or ()]


def _lifecycle(entry: Entry, args: Mapping[str, Any]) -> dict[str, Any]:
    patch = lifecycle_patch(entry, args.get("klass"), args.get("status"), given="status" in args)
    made: dict[str, Any] = {}
    if "class" in patch:
        made["klass"] = EntryClass(str(patch["class"]))
    if "status" in patch:
        made["status"] = Status(patch["status"]) if patch["status"] else None
    return made


def _edit(tried: Tried, args: Mapping[str, Any]) -> None:
    entry = tried.after[str(args["ref"])]
    texts = dict(args.get("fields") or {})
    if "summary" in texts and "body" not in texts and entry.summary is not None and entry.body == entry.summary:
        texts["body"] = texts["summary"] or ""
    values = texts | {k: args[k] for k in ("audience", "project_ref", "initiative") if k in args}
    if args.get("state"):
        values["state"] = State(args["state"])
    removed = set(_ids(args.get("rm_tags")))
    tags = dict.fromkeys((*entry.tags, *_ids(args.get("add_tags"))))
    values["tags"] = tuple(t for t in tags if t not in removed)
    tried.write(entry.id, **values, **_lifecycle(entry, args))


def _add(tried: Tried, args: Mapping[str, Any]) -> None:
    texts = {k: args[k] for k in TEXT_FIELDS if k in args}
    more = {k: args[k] for k in ("audience", "project_ref", "initiative") if args.get(k)}
    there = next((e for e in tried.after.values() if e.name == args["name"]), None)
    if there is not None:
        tags = tuple(dict.fromkeys((*there.tags, *_ids(args.get("tags")))))
        tried.write(there.id, tags=tags, **texts, **more, **_lifecycle(there, args))
        return
    made = tried.make(
        str(args["name"]), str(args.get("workspace") or ""), tags=tuple(_ids(args.get("tags"))), **texts, **more
    )
    tried.write(made, **_lifecycle(tried.after[made], args))


def _create(tried: Tried, args: Mapping[str, Any]) -> None:
    texts = {to: args[key] for key, to in CREATED.items() if args.get(key)}
    texts.setdefault("body", args.get("short") or args["oneline"])
    above = tried.after.get(str(args.get("parent")))
    topic = slugify(str(args.get("topic") or args["title"]))[:60].strip("_") or "note"
    place = args.get("workspace") or (above.workspace if above else "")
    made = tried.make(
        str(args.get("name") or f"{args['kind']}_{topic}"), str(place), tags=tuple(_ids(args.get("tags"))), **texts
    )
    if above is not None:
        tried.link(made, CHILD_OF, above.id)


def _comment(tried: Tried, args: Mapping[str, Any]) -> None:
    first = str(args["text"]).strip().splitlines()[0][:200]
    above = tried.after.get(str(args["ref"]))
    title = args.get("title") or f"Note on {above.shown_name if above else args['ref']}"
    _create(tried, {"kind": "comment", "title": title, "oneline": first, "full": args["text"], "parent": args["ref"],
                    "topic": above.name if above else title})  # fmt: skip


def _append(tried: Tried, args: Mapping[str, Any]) -> None:
    entry = tried.after[str(args["ref"])]
    tried.write(entry.id, body=f"{entry.body}\n\n{args['text']}" if entry.body else str(args["text"]))


def _reclassify(tried: Tried, args: Mapping[str, Any]) -> None:
    for entry_id in _ids(args["ref"]):
        if entry_id in tried.after:
            tried.write(entry_id, **_lifecycle(tried.after[entry_id], args))


def _in_state(state: State) -> Callable[[Tried, Mapping[str, Any]], None]:
    def step(tried: Tried, args: Mapping[str, Any]) -> None:
        for entry_id in _ids(args["ref"]):
            tried.write(entry_id, state=state)

    return step


def _retire(tried: Tried, args: Mapping[str, Any]) -> None:
    for entry_id in list(tried.after):
        tried.write(entry_id, state=State.PURGED)


def _erase(tried: Tried, args: Mapping[str, Any]) -> None:
    tried.after.pop(str(args["ref"]), None)


def _rename(tried: Tried, args: Mapping[str, Any]) -> None:
    name = str(args["name"])
    tried.write(args["ref"], name=name, display_name="", type=type_of_name(name) or tried.after[str(args["ref"])].type)


def _move(tried: Tried, args: Mapping[str, Any]) -> None:
    for entry_id in _ids(args["refs"]):
        tried.write(entry_id, workspace=str(args["to"]))


def _link(tried: Tried, args: Mapping[str, Any]) -> None:
    tried.link(args["source"], str(args["kind"]), args["target"])


def _unlink(tried: Tried, args: Mapping[str, Any]) -> None:
    tried.went.append(Edge(str(args["source"]), edge_kind(str(args["kind"])), str(args["target"])))


def _supersede(tried: Tried, args: Mapping[str, Any]) -> None:
    tried.link(args["by"], SUPERSEDES, args["old"])


def _mend(tried: Tried, args: Mapping[str, Any]) -> None:
    tried.went += [Edge(str(a), edge_kind(kind), str(b)) for a, kind, b in args.get("remove") or ()]
    for a, kind, b in args.get("add") or ():
        tried.link(a, kind, b)


def _graduate(tried: Tried, args: Mapping[str, Any]) -> None:
    thread = tried.after[str(args["ref"])]
    tried.write(thread.id, status=Status.GRADUATED)
    anchor, target = args.get("anchor"), args.get("into")
    if anchor:
        target = _row(tried, anchor, thread.workspace, EntryClass.ANCHOR, None)
        tried.write(target, project_ref=thread.project_ref, initiative=thread.initiative)
    if target:
        tried.link(thread.id, GRADUATED_TO, target)


def _checkpoint(tried: Tried, args: Mapping[str, Any]) -> None:
    payload, place = args["payload"], str(args.get("workspace") or "")
    record = _row(tried, payload["resumen"], place, EntryClass.ANCHOR, None, args.get("project_ref"))
    for row in payload.get("pendientes") or ():
        made = _row(tried, row, place, EntryClass.THREAD, Status.CARRY_FORWARD, args.get("project_ref"))
        tried.link(made, DERIVED_FROM, record)


def _row(
    tried: Tried, row: Mapping[str, Any], workspace: str, klass: EntryClass, status: Status | None,
    project_ref: str | None = None,
) -> str:  # fmt: skip
    """An entry with these texts: the one of that name, or a new one; its id."""
    texts = {k: row[k] for k in ("description", "body") if row.get(k)}
    there = next((e for e in tried.after.values() if e.name == row["name"]), None)
    if there is not None:
        tried.write(there.id, klass=klass, status=status, **texts)
        return there.id
    return tried.make(str(row["name"]), workspace, klass=klass, status=status, project_ref=project_ref, **texts)


def _merge(tried: Tried, plan: MergePlan) -> None:
    keeper = plan.survivor
    tags = tuple(dict.fromkeys((*keeper.tags, *plan.add_tags)))
    tried.write(keeper.id, tags=tags, **{k: v for k, v in plan.patch.items() if k in TEXT_FIELDS})
    tried.went += plan.remove
    for edge in (*plan.replacing, *plan.add):
        tried.link(edge.source, edge.kind, edge.target)
    for entry in plan.absorbed:
        tried.write(entry.id, state=State.SUPERSEDED)


_STEPS: Final[Mapping[str, Callable[[Tried, Mapping[str, Any]], None]]] = {
    "add": _add, "create": _create, "append": _append, "edit": _edit, "reclassify": _reclassify, "link": _link,
    "unlink": _unlink, "supersede": _supersede, "delete": _in_state(State.PURGED),
    "restore": _in_state(State.ACTIVE), "erase": _erase, "rename": _rename, "move-workspace": _move,
    "checkpoint": _checkpoint, "comment": _comment, "graduate": _graduate, "retire": _retire, "mend": _mend,
}  # fmt: skip


def edges_in(edges: Mapping[str, list[Edge]]) -> Iterator[Edge]:
    """The edges at some entries, each once."""
    yield from {edge.key: edge for at in edges.values() for edge in at}.values()

"""Whether all that a request would write stands already, whoever wrote it (DESIGN 4, "settled elsewhere"). Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final

from ..errors import MemdeskError
from ..model import DERIVED_FROM, GRADUATED_TO, SUPERSEDES, TEXT_FIELDS, Entry, State, Status, edge_key, edge_kind
from ..store.pairs import Judged
from .holding import holds
from .nearby import content_of
from .session import value_of
from .texts import lifecycle_patch, parse_initiative

#: Argument of `create` -> the field that it writes.
CREATED: Final = {"title": "title", "oneline": "description", "short": "summary", "full": "body"}
#: verb -> the arguments that name the ends of its edge.
ENDS: Final = {"link": ("source", "target"), "unlink": ("source", "target"), "supersede": ("by", "old")}


@dataclass(frozen=True, slots=True)
class Now:
    """What stands around one request.

    Attributes:
        entries: the entries that it names, in the order of its refs.
        owner: who has a name; None for a name that is free.
        edges: keys (`Edge.key`) of the edges at those entries, and at the owners of the names that it would make.
        verdicts: the verdicts that stand, by pair of ids.
    """

    entries: Sequence[Entry]
    owner: Callable[[str], Entry | None]
    edges: Collection[tuple[str, str, str]]
    verdicts: Callable[[], Mapping[tuple[str, str], Judged]]


def stands(verb: str, args: Mapping[str, Any], now: Now) -> bool:
    """Whether nothing is left to do of a request; False also where that cannot be told."""
    check = _CHECKS.get(verb)
    try:
        return check is not None and check(args, now)
    except (MemdeskError, KeyError, TypeError, ValueError, AttributeError):
        # The arguments of another program, or ones that no rule allows: approving says what is wrong with them.
        return False


def new_edge(verb: str, args: Mapping[str, Any]) -> tuple[str, str, str] | None:
    """The edge that a request would add, as source, kind and target; None for verbs that add no one edge."""
    return _edge_in(verb, args) if verb != "unlink" else None


def _edge_in(verb: str, args: Mapping[str, Any]) -> tuple[str, str, str] | None:
    ends = ENDS.get(verb)
    if ends is None:
        return None
    kind = SUPERSEDES if verb == "supersede" else edge_kind(str(args.get("kind")))
    return str(args.get(ends[0])), kind, str(args.get(ends[1]))


def edge_of(verb: str, args: Mapping[str, Any]) -> tuple[str, str, str] | None:
    """The edge that a request is about, as `edge_key`; None for verbs that are about none."""
    edge = _edge_in(verb, args)
    return edge_key(*edge) if edge is not None else None


def _edit(args: Mapping[str, Any], now: Now) -> bool:
    if "project" in args:  # a name that only the scopes resolve
        return False
    (entry,) = now.entries
    patch = {**args.get("fields", {})}
    patch |= {k: args[k] for k in ("audience", "project_ref", "state") if k in args}
    if "initiative" in args:
        patch["initiative"] = parse_initiative(args["initiative"])
    patch |= _lifecycle(entry, args)
    return _holds(entry, patch, args.get("add_tags", ()), args.get("rm_tags", ()))


def _add(args: Mapping[str, Any], now: Now) -> bool:
    entry = now.owner(args["name"])
    if entry is None or entry.state is not State.ACTIVE or any(e.id != entry.id for e in now.entries):
        return False
    patch = {k: args[k] for k in (*TEXT_FIELDS, "audience") if k in args}
    if args.get("initiative") is not None:
        patch["initiative"] = parse_initiative(args["initiative"])
    return _holds(entry, patch | _lifecycle(entry, args), args.get("tags", ()))


def _create(args: Mapping[str, Any], now: Now) -> bool:
    entry = now.owner(args["name"])  # without a name a free one is made, so there is none to find
    wanted = {field: args[k] for k, field in CREATED.items() if k in args}
    wanted.setdefault("body", wanted.get("summary") or wanted["description"])
    return entry is not None and entry.state is State.ACTIVE and _holds(entry, wanted)


def _append(args: Mapping[str, Any], now: Now) -> bool:
    (entry,) = now.entries
    return f"\n\n{args['text']}\n\n" in f"\n\n{entry.body}\n\n"


def _reclassify(args: Mapping[str, Any], now: Now) -> bool:
    return all(_holds(entry, _lifecycle(entry, args)) for entry in now.entries)


def _edge(args: Mapping[str, Any], now: Now) -> bool:
    key = edge_of("link" if "source" in args else "supersede", args)
    return key in now.edges


def _unlink(args: Mapping[str, Any], now: Now) -> bool:
    return edge_of("unlink", args) not in now.edges


def _mend(args: Mapping[str, Any], now: Now) -> bool:
    gone = {edge_key(*edge) for edge in args.get("remove", ())}
    made = {edge_key(*edge) for edge in args.get("add", ())}
    return all(k not in now.edges for k in gone) and all(k in now.edges for k in made)


def _all_in(state: State) -> Callable[[Mapping[str, Any], Now], bool]:
    return lambda args, now: bool(now.entries) and all(e.state is state for e in now.entries)


def _rename(args: Mapping[str, Any], now: Now) -> bool:
    return [e.name for e in now.entries] == [args["name"]]


def _move(args: Mapping[str, Any], now: Now) -> bool:
    return bool(now.entries) and all(e.workspace == args["to"] for e in now.entries)


def _merge(args: Mapping[str, Any], now: Now) -> bool:
    others = [e for e in now.entries if e.id != args["into"]]
    return bool(others) and all(
        e.state is State.SUPERSEDED and edge_key(args["into"], SUPERSEDES, e.id) in now.edges for e in others
    )


def _verdict(args: Mapping[str, Any], now: Now) -> bool:
    known, contents = now.verdicts(), {e.id: content_of(e) for e in now.entries}
    pairs = [known.get(pair) for pair in combinations(sorted(contents), 2)]
    return bool(pairs) and all(j is not None and j.verdict == args["verdict"] and holds(j, contents) for j in pairs)


def _graduate(args: Mapping[str, Any], now: Now) -> bool:
    (thread,) = (e for e in now.entries if e.id == args["ref"])
    anchor, target = args.get("anchor"), args.get("into")
    if thread.status != Status.GRADUATED:
        return False
    if anchor:
        owner = now.owner(anchor["name"])
        if owner is None or not _row_stands(owner, anchor):
            return False
        target = owner.id
    return target is None or edge_key(thread.id, GRADUATED_TO, target) in now.edges


def _checkpoint(args: Mapping[str, Any], now: Now) -> bool:
    payload = args["payload"]
    record, pendings = payload["resumen"], payload.get("pendientes") or []
    owners = [now.owner(row["name"]) for row in (record, *pendings)]
    if not all(o is not None and _row_stands(o, row) for o, row in zip(owners, (record, *pendings), strict=True)):
        return False
    ids = [o.id for o in owners if o is not None]
    return all(edge_key(thread, DERIVED_FROM, ids[0]) in now.edges for thread in ids[1:])


def _row_stands(entry: Entry, row: Mapping[str, Any]) -> bool:
    wanted = {"body": row["body"]} | ({"description": row["description"]} if row.get("description") else {})
    return entry.state is State.ACTIVE and _holds(entry, wanted)


def _lifecycle(entry: Entry, args: Mapping[str, Any]) -> dict[str, Any]:
    return {**lifecycle_patch(entry, args.get("klass"), args.get("status"), given="status" in args)}


def _holds(
    entry: Entry, patch: Mapping[str, Any], tags: Iterable[str] = (), gone: Iterable[str] = ()
) -> bool:  # fmt: skip
    """Whether an entry has all of these values and tags, and none of the tags `gone`."""
    same = all(value_of(entry, name) == value for name, value in patch.items())
    return same and set(tags) <= set(entry.tags) and not set(gone) & set(entry.tags)


_CHECKS: Final[Mapping[str, Callable[[Mapping[str, Any], Now], bool]]] = {
    "edit": _edit, "add": _add, "create": _create, "append": _append, "reclassify": _reclassify, "link": _edge,
    "supersede": _edge, "unlink": _unlink, "mend": _mend, "delete": _all_in(State.PURGED),
    "restore": _all_in(State.ACTIVE), "rename": _rename, "move-workspace": _move, "merge": _merge,
    "verdict": _verdict, "graduate": _graduate, "checkpoint": _checkpoint,
}  # fmt: skip

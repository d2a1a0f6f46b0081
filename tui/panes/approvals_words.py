"""A request in the few words of a row: the entry first, then what happens to it. Pure.

The phrase of core/effects.py begins with a verb and names the entry last, where a narrow column would cut it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from ...core.model import SUPERSEDES, edge_kind
from ...core.store import RequestRow
from ..review_words import about_words
from ..words import listing

Name = Callable[[str], str]

#: What an entry is called of which nothing is left but its id.
GONE: Final = "(gone)"
#: Entries that a row names.
_NAMED: Final = 2
_ULID: Final = re.compile(r"^[0-9A-HJKMNP-TV-Z]{26}$")
_HIDES: Final = re.compile(r", (hides [\d,]+ entr(?:y|ies) from the digest)$")
#: What a phrase says of one field alone, and how it is said of the entry.
_CHANGES: Final = re.compile(r"^changes the (title|description|short form)$")
_JUDGED: Final = {
    "different": "are different things", "duplicate": "are duplicates", "contradiction": "contradict each other",
    "keep_both": "both stay", "later": "put off", "withdrawn": "the verdict is taken back",
}  # fmt: skip


def asker_words(actor: str) -> str:
    """An agent by its name alone, since they ask; anybody else with what it is."""
    name = actor.removeprefix("agent:")
    return actor if ":" in name else name


def called(names: Mapping[str, str]) -> Name:
    """What to call the entry of an id, or of a name; of one that is not there any more the id says nothing."""

    def name(ref: str) -> str:
        if ref in names:
            return names[ref]
        return GONE if _ULID.match(ref) else ref.rpartition("/")[2]

    return name


def row_words(row: RequestRow, name: Name, effect: str) -> str:
    """`atom_08: deleted`, `atom_12 → atom_34: merged, hides 1 entry from the digest`.

    Args:
        name: what to call the entry of an id.
        effect: the phrase of `Desk.request_effect`.
    """
    about, happens = _parts(row, name, effect)
    if row.payload.get("kind") == "proposal":
        happens += " (proposal)"
    return f"{about}: {happens}" if about else happens


def _parts(row: RequestRow, name: Name, effect: str) -> tuple[str, str]:
    step = None if row.erased else _STEPS.get(row.verb)
    if step is None:
        about = "" if row.erased or row.verb == "retire" else _about(row, name)
        return ("", effect) if about and about in effect else (about, _of_entry(effect))
    try:
        about, happens = step(row.args, name, effect)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError):
        return "", effect  # arguments of another program, which may be anything
    hides = _HIDES.search(effect)
    return about, happens + (hides.group() if hides and hides.group() not in happens else "")


def _about(row: RequestRow, name: Name) -> str:
    return listing([name(i) for i in row.refs], _NAMED) if row.refs else about_words(row, name)


def _of_entry(effect: str) -> str:
    found = _CHANGES.match(effect)
    return f"{found.group(1)} changes" if found else effect


def _ids(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else [str(one) for one in value or ()]


def _after(effect: str, start: str) -> str:
    """What a phrase says after its verb and its name."""
    return effect.removeprefix(start) if effect.startswith(start) else ""


def _simple(happens: str, key: str = "ref") -> Callable[[Any, Name, str], tuple[str, str]]:
    def step(args: Any, name: Name, effect: str) -> tuple[str, str]:
        return listing([name(i) for i in _ids(args[key])], _NAMED), happens

    return step


def _from_to(source: str, target: str, happens: str) -> Callable[[Any, Name, str], tuple[str, str]]:
    def step(args: Any, name: Name, effect: str) -> tuple[str, str]:
        return f"{name(str(args[source]))} → {name(str(args[target]))}", happens

    return step


def _add(args: Any, name: Name, effect: str) -> tuple[str, str]:
    made = str(args["name"])
    tail = _after(effect, f"adds {made}")
    return made, f"new{tail}" if tail else _of_entry(effect)


def _create(args: Any, name: Name, effect: str) -> tuple[str, str]:
    if effect.startswith("comments on "):
        return name(str(args["parent"])), f"new comment, {effect.rpartition(', ')[2]}"
    made = str(args.get("name") or args["title"])
    size = re.search(r", [\d,]+ characters?(?:, as part of .*)?$", effect)
    return made, f"new {args['kind']}{size.group() if size else ''}"


def _comment(args: Any, name: Name, effect: str) -> tuple[str, str]:
    return name(str(args["ref"])), f"new comment, {effect.rpartition(', ')[2]}"


def _reclassify(args: Any, name: Name, effect: str) -> tuple[str, str]:
    found = re.match(r"moves .*? (to “.*)$", effect)
    about = listing([name(i) for i in _ids(args["ref"])], _NAMED)
    return about, f"moved {found.group(1)}" if found else "stays where it is"


def _link(args: Any, name: Name, effect: str) -> tuple[str, str]:
    source, target = name(str(args["source"])), name(str(args["target"]))
    if edge_kind(str(args["kind"])) == SUPERSEDES:
        return f"{target} → {source}", "replaced"
    found = re.search(r"\(“.*”\)$", effect)
    return f"{source} → {target}", f"linked {found.group() if found else ''}".rstrip()


def _checkpoint(args: Any, name: Name, effect: str) -> tuple[str, str]:
    made = str(args["payload"]["resumen"]["name"])
    kind, verb = ("new", "adds") if effect.startswith("adds ") else ("rewritten", "rewrites")
    return made, f"{kind} checkpoint{_after(effect, f'{verb} {made}')}"


def _graduate(args: Any, name: Name, effect: str) -> tuple[str, str]:
    anchor, into = args.get("anchor"), args.get("into")
    target = str(anchor["name"]) if anchor else name(str(into)) if into else ""
    return name(str(args["ref"])) + (f" → {target}" if target else ""), "graduated"


def _verdict(args: Any, name: Name, effect: str) -> tuple[str, str]:
    return listing([name(i) for i in _ids(args["refs"])], _NAMED), _JUDGED[str(args["verdict"])]


def _merge(args: Any, name: Name, effect: str) -> tuple[str, str]:
    into = str(args.get("into") or _ids(args["refs"])[0])
    absorbed = [name(i) for i in _ids(args["refs"]) if i != into]
    return f"{listing(absorbed, _NAMED)} → {name(into)}", "merged"


def _rename(args: Any, name: Name, effect: str) -> tuple[str, str]:
    found = re.search(r" and makes it a \w+$", effect)
    return f"{name(str(args['ref']))} → {args['name']}", f"renamed{found.group() if found else ''}"


def _move(args: Any, name: Name, effect: str) -> tuple[str, str]:
    return listing([name(i) for i in _ids(args["refs"])], _NAMED), f"moved to the workspace {args['to']}"


_STEPS: Final[dict[str, Callable[[Any, Name, str], tuple[str, str]]]] = {
    "add": _add, "create": _create, "comment": _comment, "reclassify": _reclassify, "link": _link,
    "unlink": _from_to("source", "target", "the link is taken back"), "supersede": _from_to("old", "by", "replaced"),
    "delete": _simple("deleted"), "restore": _simple("comes back"), "erase": _simple("erased for ever"),
    "rename": _rename, "move-workspace": _move, "checkpoint": _checkpoint, "graduate": _graduate,
    "verdict": _verdict, "merge": _merge,
}  # fmt: skip

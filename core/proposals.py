"""What agents propose in their contracts, read as requests: `memory_delta`, `memorialize_suggestions`. Pure.

Source: gaia/SPEC 9.2 (both formats), memory-mechanics seed ("Who writes"), DESIGN 4. Whatever is given, nothing raises:
an entry that cannot be used is dropped with the reason, and the rest goes on.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from .errors import listed
from .model import BUILT_IN_TYPES, EntryClass, Status, is_slug, slugify, type_of_name

DELTA: Final = "memory_delta"
SUGGESTIONS: Final = "memorialize_suggestions"
#: The only version of `memory_delta` there is.
VERSION: Final = 1
#: The type of a suggestion that names none.
DEFAULT_TYPE: Final = "atom"

#: Where a row of Gaia keeps a contract, as JSON text.
_RAW: Final = "raw_handoff_json"
#: How deep a contract may be wrapped: `{"agent_contract_handoff": {…}}`, a row with `raw_handoff_json`.
_DEPTH: Final = 4
_NAME_LENGTH: Final = 60
_CLASSES: Final = tuple(c.value for c in EntryClass)
_STATUSES: Final = tuple(s.value for s in Status)
#: Optional texts of `create` -> the argument of `add`.
_TEXTS: Final = {
    "description": "description", "title": "title", "summary": "summary", "initiative": "initiative",
    "audience": "audience",
}  # fmt: skip
_CREATE_KEYS: Final = {*_TEXTS, "slug", "name", "type", "class", "status", "body", "rationale", "tags"}


@dataclass(frozen=True, slots=True)
class Proposal:
    """One proposal that can be asked for.

    Attributes:
        verb: the desk's verb: add, append, reclassify or link.
        args: its arguments, names as the agent wrote them; `workspace` and `project` only where the proposal says them.
        rationale: why, in the agent's words.
        index: its place in the list that the agent gave, from 0.
        named: the name was made from the description, so it may be numbered where it is taken.
        ignored: keys that the proposal has and no entry could keep.
    """

    verb: str
    args: Mapping[str, Any]
    rationale: str
    index: int
    named: bool = False
    ignored: tuple[str, ...] = ()

    @property
    def about(self) -> str:
        """The name it is about."""
        return str(self.args.get("name") or self.args.get("ref") or self.args.get("source") or "")


@dataclass(frozen=True, slots=True)
class Dropped:
    """An entry that cannot be asked for, and why, as one sentence."""

    index: int
    why: str


@dataclass(frozen=True, slots=True)
class Read:
    """What was found: each entry given is either kept or dropped.

    Attributes:
        notes: sentences about the whole, such as that one of two blocks was left aside.
    """

    proposals: tuple[Proposal, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def given(self) -> int:
        """How many entries the block that was read holds."""
        return len(self.proposals) + len(self.dropped)


class _Bad(Exception):
    """Why one entry is dropped."""


def read_proposals(data: object, types: Iterable[str] = BUILT_IN_TYPES) -> Read:
    """The proposals in `data`: either block alone, wrapped in its key, or somewhere in a contract or its JSON text.

    Where both blocks are there, `memory_delta` is read (gaia/SPEC 9.2) and a note says so.

    Args:
        data: decoded JSON, or the JSON text of a contract.
        types: the declared types.
    """
    notes: list[str] = []
    delta, suggestions = _blocks(data, notes)
    known = tuple(types)
    if delta:
        if suggestions:
            notes.append(
                f"There are both blocks: {DELTA} was read, and the {len(suggestions)} of {SUGGESTIONS} left aside."
            )
        return _name_all(_read(delta, _of_delta, known), notes)
    if suggestions:
        return _name_all(_read(suggestions, _of_suggestion, known), notes)
    if not notes:
        empty = suggestions is not None
        notes.append("It proposes nothing." if empty else f"It holds neither {DELTA} nor {SUGGESTIONS}.")
    return Read(notes=tuple(notes))


# -- where the blocks are -----------------------------------------------------------------------------------------


def _blocks(data: object, notes: list[str]) -> tuple[list[Any] | None, list[Any] | None]:
    """The entries of each block, None where there is none. An empty `memory_delta` hides no suggestions."""
    data = _decoded(data)
    if isinstance(data, list):
        is_delta = any(isinstance(e, Mapping) and "operation" in e for e in data)
        return (data, None) if is_delta else (None, data)
    if isinstance(data, Mapping) and "proposals" in data and DELTA not in data and SUGGESTIONS not in data:
        return _entries_of_delta(data, notes), None
    delta = suggestions = None
    for holder in _holders(data):
        if delta is None and holder.get(DELTA) is not None:
            delta = _entries_of_delta(holder[DELTA], notes)
        if suggestions is None and holder.get(SUGGESTIONS) is not None:
            found = _decoded(holder[SUGGESTIONS])
            if isinstance(found, list):
                suggestions = found
            else:
                notes.append(f"{SUGGESTIONS} is no list, so nothing was read of it.")
    if delta is not None and suggestions is None:
        suggestions = []
    return delta, suggestions


def _holders(data: object) -> Iterable[Mapping[Any, Any]]:
    """The object itself, then the objects in it, the outer ones first."""
    level: list[object] = [data]
    for _ in range(_DEPTH):
        found = [value for value in level if isinstance(value, Mapping)]
        yield from found
        # Only the text of a whole contract is opened: a text that quotes some JSON proposes nothing.
        below = [(k, v) for value in found for k, v in value.items() if k not in (DELTA, SUGGESTIONS)]
        level = [_decoded(value) if key == _RAW else value for key, value in below]


def _decoded(value: object) -> object:
    """A text that holds an object or a list, decoded; anything else as it is."""
    if not isinstance(value, str) or value.lstrip("\ufeff \t\r\n")[:1] not in ("{", "["):
        return value
    try:
        found: object = json.loads(value.lstrip("\ufeff"))
    except (ValueError, RecursionError):
        return value
    return found


def _entries_of_delta(delta: object, notes: list[str]) -> list[Any] | None:
    delta = _decoded(delta)
    if isinstance(delta, list):
        notes.append(f"{DELTA} is a bare list; it was read as version {VERSION}.")
        return delta
    if not isinstance(delta, Mapping):
        notes.append(f"{DELTA} is no object, so nothing was read of it.")
        return None
    entries = delta.get("proposals")
    if not isinstance(entries, list):
        notes.append(f"{DELTA} has no list of proposals, so nothing was read of it.")
        return None
    version = delta.get("version")
    if version is None:
        notes.append(f"{DELTA} names no version; it was read as version {VERSION}.")
    elif isinstance(version, bool) or version != VERSION:
        why = f"The version of its {DELTA} is {_shortly(version)}; only {VERSION} is known."
        return [_Unreadable(why) for _ in entries]
    return entries


@dataclass(frozen=True, slots=True)
class _Unreadable:
    """Stands for an entry of a block that cannot be read at all."""

    why: str


# -- one entry ----------------------------------------------------------------------------------------------------


def _read(entries: Sequence[Any], one: Any, types: tuple[str, ...]) -> Read:
    kept: list[Proposal] = []
    dropped: list[Dropped] = []
    for index, entry in enumerate(entries):
        try:
            if isinstance(entry, _Unreadable):
                raise _Bad(entry.why)
            if not isinstance(entry, Mapping):
                raise _Bad("It is no object.")
            kept.append(replace(one(entry, types), index=index))
        except _Bad as bad:
            dropped.append(Dropped(index, str(bad)))
    return Read(tuple(kept), tuple(dropped))


def _of_delta(entry: Mapping[str, Any], types: tuple[str, ...]) -> Proposal:
    operation = entry.get("operation")
    if not isinstance(operation, str) or operation not in _OPERATIONS:
        said = "names no operation" if operation is None else f"asks for the operation {_shortly(operation)}"
        raise _Bad(f"It {said}; known are {listed(list(_OPERATIONS))}.")
    given = entry.get(operation)
    if not isinstance(given, Mapping):
        raise _Bad(f"It has no object `{operation}`." if given is None else f"Its `{operation}` is no object.")
    slug = _target(entry, given)
    proposal: Proposal = _OPERATIONS[operation](given, slug, types)
    why = _text(entry, "rationale") or _text(given, "rationale") or ""
    known = {"operation", operation, "scope", "target", "rationale"}
    return replace(
        proposal, args={**proposal.args, **_scope(entry)}, rationale=why,
        ignored=(*proposal.ignored, *_unknown(entry, known)),
    )  # fmt: skip


def _target(entry: Mapping[str, Any], given: Mapping[str, Any]) -> str | None:
    """The slug that the entry names, in its target or in its payload."""
    target = entry.get("target")
    if isinstance(target, str):
        target = {"slug": target}
    if target is not None and not isinstance(target, Mapping):
        raise _Bad("Its `target` is no object.")
    outer = _text(target, "slug", "name") if target is not None else None
    inner = _text(given, "slug", "name")
    if outer and inner and outer != inner:
        raise _Bad(f"It names two entries, {_shortly(outer)} and {_shortly(inner)}.")
    return outer or inner


def _scope(entry: Mapping[str, Any]) -> dict[str, str]:
    scope = entry.get("scope")
    if scope is None:
        return {}
    if not isinstance(scope, Mapping):
        raise _Bad("Its `scope` is no object.")
    return {key: text for key in ("workspace", "project") if (text := _text(scope, key))}


def _append(given: Mapping[str, Any], slug: str | None, types: tuple[str, ...]) -> Proposal:
    args = {"ref": _needed(slug, "target.slug"), "text": _needed(_text(given, "body"), "append.body")}
    return Proposal("append", args, "", 0, ignored=_unknown(given, {"slug", "name", "body", "rationale"}))


def _reclassify(given: Mapping[str, Any], slug: str | None, types: tuple[str, ...]) -> Proposal:
    args: dict[str, Any] = {"ref": _needed(slug, "target.slug")}
    klass, status = _word(given, "class", _CLASSES), _text(given, "status")
    if klass:
        args["klass"] = klass
    if status:  # Gaia's literal `null` clears it
        args["status"] = None if status == "null" else _word(given, "status", _STATUSES)
    if len(args) == 1:
        raise _Bad("It names neither a class nor a status.")
    known = {"slug", "name", "class", "status", "rationale"}
    return Proposal("reclassify", args, "", 0, ignored=_unknown(given, known))


def _link(given: Mapping[str, Any], slug: str | None, types: tuple[str, ...]) -> Proposal:
    args = {
        "source": _needed(slug, "target.slug"), "kind": _needed(_text(given, "kind"), "link.kind"),
        "target": _needed(_text(given, "to_slug"), "link.to_slug"),
    }  # fmt: skip
    return Proposal("link", args, "", 0, ignored=_unknown(given, {"slug", "name", "to_slug", "kind", "rationale"}))


def _create(given: Mapping[str, Any], slug: str | None, types: tuple[str, ...]) -> Proposal:
    name = _needed(slug, "create.slug")
    return _added(given, name, _type_for(name, _text(given, "type"), types))


_OPERATIONS: Final[dict[str, Any]] = {
    "create": _create, "append": _append, "reclassify": _reclassify, "link": _link,
}  # fmt: skip


def _of_suggestion(entry: Mapping[str, Any], types: tuple[str, ...]) -> Proposal:
    """A suggestion is a `create`; without a slug its name is made of the description."""
    description = _needed(_text(entry, "description"), "description")
    name, kind = _text(entry, "slug", "name"), _text(entry, "type")
    scope = {key: text for key in ("workspace", "project") if (text := _text(entry, key))} | _scope(entry)
    if name is not None:
        made = _added(entry, name, _type_for(name, kind, types))
    else:
        kind = kind or DEFAULT_TYPE
        if kind not in types:
            raise _Bad(f"There is no type {_shortly(kind)}; known are {listed(types, 20)}.")
        made = replace(_added(entry, name_from(kind, description), kind), named=True)
    ignored = tuple(k for k in made.ignored if k not in ("workspace", "project", "scope"))
    return replace(made, args={**made.args, **scope}, rationale=_text(entry, "rationale") or "", ignored=ignored)


def _added(given: Mapping[str, Any], name: str, kind: str) -> Proposal:
    args: dict[str, Any] = {"name": name, "type": kind, "body": _needed(_text(given, "body"), "body")}
    args |= {arg: text for key, arg in _TEXTS.items() if (text := _text(given, key))}
    klass, status = _word(given, "class", _CLASSES), _word(given, "status", _STATUSES)
    if klass:
        args["klass"] = klass
    if status:
        args["status"] = status
    if status and klass != EntryClass.THREAD:
        raise _Bad("Only a thread has a status: it needs the class thread.")
    tags = given.get("tags")
    if tags is not None and not (isinstance(tags, list) and all(isinstance(t, str) and _is_text(t) for t in tags)):
        raise _Bad("Its `tags` are no list of texts.")
    if tags:
        args["tags"] = list(dict.fromkeys(t.strip() for t in tags if t.strip()))
    return Proposal("add", args, "", 0, ignored=_unknown(given, _CREATE_KEYS))


def _type_for(name: str, kind: str | None, types: tuple[str, ...]) -> str:
    """The type of a name; slug and type must agree, both ways."""
    if kind is not None and kind not in types:
        raise _Bad(f"There is no type {_shortly(kind)}; known are {listed(types, 20)}.")
    fits = type_of_name(name, types)
    if fits is None or not is_slug(name, types):
        raise _Bad(f"{_shortly(name)} is no name: one is <type>_<topic> in lower-case letters, digits and underscores.")
    if kind is not None and kind != fits:
        raise _Bad(f"{_shortly(name)} is of type {fits} by its name, and the type given is {kind}.")
    return fits


# -- names --------------------------------------------------------------------------------------------------------


def name_from(kind: str, description: str) -> str:
    """`<kind>_<words of the description>`, cut between words where it would get long."""
    topic = slugify(description)
    if len(topic) > _NAME_LENGTH:
        head = topic[: _NAME_LENGTH + 1]
        topic = (head.rpartition("_")[0] or head[:_NAME_LENGTH]).strip("_")
    return f"{kind}_{topic or 'note'}"


def numbered(name: str, number: int) -> str:
    """The name for the n-th entry that would be called so: `atom_x`, `atom_x_2`, …"""
    return name if number == 1 else f"{name}_{number}"


def _name_all(read: Read, notes: list[str]) -> Read:
    """Names made from descriptions differ from each other and from those that are written out.

    The same suggestion given twice keeps one name: it is one thing to ask for.
    """
    taken = {str(p.args["name"]): _texts_of(p) for p in read.proposals if p.verb == "add" and not p.named}
    kept = []
    for proposal in read.proposals:
        if proposal.named:
            number = 1
            name = str(proposal.args["name"])
            while taken.setdefault(numbered(name, number), _texts_of(proposal)) != _texts_of(proposal):
                number += 1
            proposal = replace(proposal, args={**proposal.args, "name": numbered(name, number)})
        kept.append(proposal)
    return replace(read, proposals=tuple(kept), notes=tuple(notes))


def _texts_of(proposal: Proposal) -> tuple[Any, ...]:
    return tuple(proposal.args.get(k) for k in ("workspace", "project", "type", "description", "body"))


# -- values -------------------------------------------------------------------------------------------------------


def _text(holder: Mapping[str, Any], *keys: str) -> str | None:
    """The text under the first of these keys that has one; null and blank count as not given."""
    for key in keys:
        value = holder.get(key)
        if value is None:
            continue
        if not isinstance(value, str):
            raise _Bad(f"Its `{key}` is no text.")
        if not _is_text(value):
            raise _Bad(f"Its `{key}` holds a NUL or half a character, so it is no text.")
        if value.strip():
            return value if key in ("body", "rationale") else value.strip()
    return None


def _is_text(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return "\0" not in value


def _word(holder: Mapping[str, Any], key: str, allowed: Sequence[str]) -> str | None:
    text = _text(holder, key)
    if text is not None and text not in allowed:
        raise _Bad(f"{_shortly(text)} is no {key}; known are {listed(allowed)}.")
    return text


def _needed(text: str | None, where: str) -> str:
    if not text:
        raise _Bad(f"It has no `{where}`.")
    return text


def _unknown(holder: Mapping[str, Any], known: set[str]) -> tuple[str, ...]:
    return tuple(str(k) for k in holder if k not in known and holder[k] is not None)


def _shortly(value: object) -> str:
    if isinstance(value, list | Mapping):
        return "a list" if isinstance(value, list) else "an object"
    text = repr(value[:80] if isinstance(value, str) else value)
    return text if len(text) <= 60 else text[:59] + "…"

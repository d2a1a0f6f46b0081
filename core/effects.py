"""What a request would do, in one phrase for a list: "removes 80 % of the body", "replaces decision_a by atom_b". Pure.

Worked out from the verb, its arguments and the entries as they stand: against the current text, so that a request that
does more by now than when it was asked says so. Roles are named as on screen, never as they are stored (DESIGN 1).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from .fold import SEPARATOR
from .model import (
    LIVE_STATUSES,
    STATE_LABELS,
    SUPERSEDES,
    Entry,
    EntryClass,
    State,
    Status,
    edge_kind,
    edge_words,
    role_label,
    type_of_name,
)
from .text import LONG, one_line, times_as_long

#: The parts of a text whose share is told: words, signs, and letters of scripts that put no blanks between words.
_PIECE: Final = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af]|[^\W_]+|[^\w\s]|_+")
#: An id of an entry.
_ID: Final = re.compile(r"[0-7][0-9A-HJKMNP-TV-Z]{25}")
#: Under this share of a text a change is "a few words".
_FEW: Final = 0.05
#: From this share of new words on a shortened text is not just shortened.
_OTHER: Final = 0.2
#: From this difference on a text that is rewritten also grows or shrinks.
_FURTHER: Final = 0.3
#: From this share on most of a text is another one.
_MOST: Final = 0.6
#: The most characters of a title or a name in a phrase.
_NAMED: Final = 60

#: verb -> what it asks for, as the words after "asks to"; the commands are other words.
ASKS: Final = {
    "add": "add", "create": "add", "append": "add to", "edit": "change", "reclassify": "move", "link": "link",
    "unlink": "unlink", "supersede": "replace", "delete": "delete", "retire": "delete", "restore": "bring back",
    "erase": "erase", "rename": "rename", "move-workspace": "move", "checkpoint": "write the checkpoint",
    "comment": "comment on", "graduate": "graduate", "mend": "mend the links of", "verdict": "judge", "merge": "merge",
}  # fmt: skip
_FIELDS: Final = {"title": "title", "description": "description", "summary": "short form"}
#: Who gets an entry injected, in words.
AUDIENCE_WORDS: Final = {"any": "everybody", "orchestrator": "orchestrators only", "executor": "executors only"}

Entries = Mapping[str, Entry]
_Phrase = Callable[[Mapping[str, Any], Entries], str]


def effect(verb: str, args: Mapping[str, Any], entries: Entries) -> str:
    """What carrying out a request would do, as one phrase that begins with a verb.

    Args:
        verb: as in the policy table.
        args: the arguments of the request; of another program they may be anything.
        entries: id -> entry as it stands, of those that the request names and that are there.
    """
    phrase = PHRASES.get(verb)
    if phrase is None:
        return f"asks for “{one_line(verb, _NAMED)}”, which this version cannot do"
    try:
        return phrase(args, entries)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError):
        return f"asks to {ASKS.get(verb, verb)}, with arguments that cannot be read"


def body_effect(before: str, after: str) -> str:
    """What becomes of a body: "removes 80 % of the body", "adds 40 % to the body", "rewrites most of the body"."""
    if before == after:
        return ""
    if not after.strip():
        return "removes the whole body"
    had, has = Counter(_PIECE.findall(before)), Counter(_PIECE.findall(after))
    total = _size(had)
    if not total:
        return f"adds a body, {_characters(after)}"
    gone, come = _size(had - has) / total, _size(has - had) / total
    # Little beside what stood may be all that would stand: a page replaced by one other sentence is no mere removal.
    new = _size(has - had) / max(1, _size(has))
    if not gone and not come:
        return "changes the order or the layout of the body"
    if gone < _FEW and come < _FEW:
        return "changes a few words of the body"
    # Where it only grows or shrinks, in characters, as the heading of the difference tells it.
    grown = (len(after) - len(before)) / len(before)
    if gone < _FEW:
        return _added(grown if grown > 0 else come)
    if come < _FEW and new < _OTHER:
        return f"removes {_percent(-grown if grown < 0 else gone)} % of the body"
    if gone >= 0.95:
        return "replaces the whole body"
    if come - gone >= _FURTHER and grown > 0:
        longer = grown + 1 >= LONG
        more = f"makes it {times_as_long(grown + 1)}" if longer else f"adds {max(1, round(grown * 100)):,} %"
        return f"rewrites {_percent(gone)} % of the body and {more}"
    if gone - come >= _FURTHER and grown < 0:
        return f"removes {_percent(-grown)} % of the body and rewrites {_percent(come)} %"
    return "rewrites most of the body" if gone >= _MOST else f"rewrites {_percent(gone)} % of the body"


def hidden(before: Iterable[Entry], goes: Callable[[Entry], bool]) -> int:
    """How many of these entries a session start may show now and would not show any more.

    Args:
        goes: whether an entry would leave.
    """
    return sum(1 for e in before if injected(e) and goes(e))


def injected(entry: Entry) -> bool:
    """Whether a session start has a place for an entry: a live thread, or an anchor about the user (DESIGN 5)."""
    if entry.state is not State.ACTIVE:
        return False
    return entry.is_live or (entry.klass is EntryClass.ANCHOR and entry.type == "user")


# -- parts of phrases -------------------------------------------------------------------------------------------------


def _size(pieces: Counter[str]) -> int:
    return sum(len(piece) * number for piece, number in pieces.items())


def _percent(share: float) -> int:
    """As a whole number; never 0 or 100 for a part."""
    return min(99, max(1, round(share * 100))) if share < 1 else 100


def _added(share: float) -> str:
    if share + 1 < LONG:
        return f"adds {max(1, round(share * 100)):,} % to the body"
    return f"makes the body {times_as_long(share + 1)}"


def _characters(text: str) -> str:
    return f"{len(text):,} character{'' if len(text) == 1 else 's'}"


def _number(count: int, one: str, many: str) -> str:
    return f"{count:,} {one if count == 1 else many}"


def _name(entry_id: Any, entries: Entries) -> str:
    entry = entries.get(str(entry_id))
    return one_line(entry.shown_name if entry is not None else unknown_name(str(entry_id)), _NAMED)


def unknown_name(entry_id: str) -> str:
    """What to call an entry that is not here: nobody knows an id by heart."""
    return "an entry that is gone" if _ID.fullmatch(entry_id) else entry_id.rpartition("/")[2]


def _ids(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else [str(v) for v in value or ()]


def _names(ids: Sequence[str], entries: Entries) -> str:
    """The name of one entry, else how many."""
    return _name(ids[0], entries) if len(ids) == 1 else f"{len(ids):,} entries"


def _known(ids: Iterable[str], entries: Entries) -> list[Entry]:
    return [entries[i] for i in ids if i in entries]


def _hiding(count: int) -> list[str]:
    return [f"hides {_number(count, 'entry', 'entries')} from the digest"] if count else []


def _listed(parts: Iterable[str]) -> str:
    found = [part for part in parts if part]
    return ", ".join([*found[:-2], " and ".join(found[-2:])]) if found else "changes nothing"


def _then(first: str, more: Iterable[str]) -> str:
    return ", ".join([first, *more])


# -- one phrase a verb ------------------------------------------------------------------------------------------------


def _add(args: Mapping[str, Any], entries: Entries) -> str:
    there = next((e for e in entries.values() if e.name == args["name"]), None)
    if there is not None:
        texts = {k: args[k] for k in ("body", *_FIELDS) if k in args}
        more = {k: v for k, v in args.items() if k in ("klass", "status", "audience", "initiative", "project_ref")}
        return _edit({"ref": there.id, "fields": texts, "add_tags": args.get("tags", ()), **more}, entries)
    return f"adds {one_line(str(args['name']), _NAMED)}, {_characters(str(args['body']))}"


def _create(args: Mapping[str, Any], entries: Entries) -> str:
    body = str(args.get("full") or args.get("short") or args["oneline"])
    parent = args.get("parent")
    if args["kind"] == "comment" and parent:
        return f"comments on {_name(parent, entries)}, {_characters(body)}"
    what = args.get("name") or f"{args['kind']} “{one_line(str(args['title']), _NAMED)}”"
    below = f", as part of {_name(parent, entries)}" if parent else ""
    return f"adds {one_line(str(what), _NAMED + 20)}, {_characters(body)}{below}"


def _comment(args: Mapping[str, Any], entries: Entries) -> str:
    return f"comments on {_name(args['ref'], entries)}, {_characters(str(args['text']))}"


def _append(args: Mapping[str, Any], entries: Entries) -> str:
    text, entry = str(args["text"]), entries.get(str(args["ref"]))
    if entry is None or not entry.body.strip():
        return f"adds {_characters(text)} to the body"
    return _added(len(SEPARATOR + text) / len(entry.body))


def _edit(args: Mapping[str, Any], entries: Entries) -> str:
    entry = entries.get(str(args["ref"]))
    fields = dict(args.get("fields") or {})
    parts = []
    if "body" in fields:
        body = str(fields.pop("body") or "")
        parts.append(body_effect(entry.body, body) if entry else "replaces the body")
    parts += [_text_effect(name, value, entry) for name, value in fields.items()]
    if args.get("klass") or "status" in args:
        parts.append(_role_effect(args, entry))
    if args.get("state"):
        parts.append(_state_effect(State(args["state"]), entry))
    if args.get("audience") and (entry is None or entry.audience != args["audience"]):
        parts.append(f"shows it to {AUDIENCE_WORDS.get(args['audience'], args['audience'])}")
    for key in ("project", "project_ref"):
        if args.get(key):
            parts.append(f"moves it to the project {one_line(str(args[key]), _NAMED)}")
    if "initiative" in args and (entry is None or (args["initiative"] or None) != entry.initiative):
        to = args["initiative"]
        parts.append(f"moves it to {one_line(str(to), _NAMED)}" if to else "takes it out of its initiative")
    parts += _tags_effect(args, entry)
    gone = entry is not None and hidden([entry], lambda e: not _stays(e, args))
    return _then(_listed(parts), _hiding(int(gone)))


def _text_effect(name: str, value: Any, entry: Entry | None) -> str:
    if name == "project_ref":
        return f"moves it to the project {one_line(str(value), _NAMED)}" if value else "takes it out of its project"
    words, now = _FIELDS.get(name, name), getattr(entry, name, None)
    if (value or None) == (now or None):
        return ""
    if not value:
        return f"clears the {words}"
    return f"changes the {words}" if now or entry is None else f"adds a {words}"


def _role_effect(args: Mapping[str, Any], entry: Entry | None) -> str:
    klass = args.get("klass") or (entry.klass if entry else EntryClass.THREAD)
    status = args.get("status") or (entry.status if entry and entry.klass == klass else Status.CARRY_FORWARD)
    label = role_label(klass, status, entry.type if entry else "")
    if entry is not None and label == role_label(entry.klass, entry.status, entry.type):
        return ""
    return f"moves it to “{label}”"


def _state_effect(state: State, entry: Entry | None) -> str:
    if entry is not None and entry.state is state:
        return ""
    return "brings it back" if state is State.ACTIVE else f"makes it {STATE_LABELS[state]}"


def _tags_effect(args: Mapping[str, Any], entry: Entry | None) -> list[str]:
    has = set(entry.tags) if entry is not None else set()
    come = [t for t in _ids(args.get("add_tags")) if t not in has]
    gone = [t for t in _ids(args.get("rm_tags")) if entry is None or t in has]
    parts = []
    for verb, tags in (("adds", come), ("removes", gone)):
        if tags:
            what = f"the tag {one_line(tags[0], _NAMED)}" if len(tags) == 1 else f"{len(tags)} tags"
            parts.append(f"{verb} {what}")
    return parts


def _stays(entry: Entry, args: Mapping[str, Any]) -> bool:
    """Whether an entry that a session start may show would still be one after new class, status or state."""
    klass = args.get("klass") or entry.klass
    if args.get("state") and args["state"] != State.ACTIVE:
        return False
    if klass != EntryClass.THREAD:
        return bool(klass == EntryClass.ANCHOR and entry.type == "user")
    status = args.get("status") or (entry.status if entry.klass is EntryClass.THREAD else Status.CARRY_FORWARD)
    return status in LIVE_STATUSES


def _reclassify(args: Mapping[str, Any], entries: Entries) -> str:
    ids = _ids(args["ref"])
    known = _known(ids, entries)
    labels = {_role_effect(args, entry) for entry in known} or {_role_effect(args, None)}
    label = next((found for found in labels if found), "")
    if not label:
        return f"leaves {_names(ids, entries)} where it is"
    gone = hidden(known, lambda e: not _stays(e, args))
    return _then(label.replace("moves it", f"moves {_names(ids, entries)}"), _hiding(gone))


def _link(args: Mapping[str, Any], entries: Entries) -> str:
    kind, a, b = edge_kind(str(args["kind"])), _name(args["source"], entries), _name(args["target"], entries)
    if kind == SUPERSEDES:
        return _supersede({"old": args["target"], "by": args["source"]}, entries)
    return f"links {a} to {b} (“{one_line(edge_words(kind), _NAMED)}”)"


def _unlink(args: Mapping[str, Any], entries: Entries) -> str:
    kind, a, b = edge_kind(str(args["kind"])), _name(args["source"], entries), _name(args["target"], entries)
    return f"takes back that {a} {one_line(edge_words(kind), _NAMED)} {b}"


def _supersede(args: Mapping[str, Any], entries: Entries) -> str:
    old = str(args["old"])
    gone = hidden(_known([old], entries), lambda e: True)
    return _then(f"replaces {_name(old, entries)} by {_name(args['by'], entries)}", _hiding(gone))


def _delete(args: Mapping[str, Any], entries: Entries) -> str:
    ids, why = _ids(args["ref"]), args.get("reason")
    # A retired session or author is told there alone: a request to retire is one to delete these entries.
    because = [f"with the reason “{one_line(why, _NAMED)}”"] if isinstance(why, str) and why.strip() else []
    hides = _hiding(hidden(_known(ids, entries), lambda e: True))
    return _then(f"deletes {_names(ids, entries)}", [*because, *hides])


def _retire(args: Mapping[str, Any], entries: Entries) -> str:
    whose = f"session {args['session']}" if args.get("session") else f"author {args['author']}"
    found = list(entries.values())
    what = _number(len(found), "entry", "entries") if found else "everything"
    return _then(f"deletes {what} that came from {one_line(whose, _NAMED)}", _hiding(hidden(found, lambda e: True)))


def _restore(args: Mapping[str, Any], entries: Entries) -> str:
    return f"brings back {_names(_ids(args['ref']), entries)}"


def _erase(args: Mapping[str, Any], entries: Entries) -> str:
    ref = str(args["ref"])
    return _then(f"erases {_name(ref, entries)} for ever", _hiding(hidden(_known([ref], entries), lambda e: True)))


def _rename(args: Mapping[str, Any], entries: Entries) -> str:
    entry, name = entries.get(str(args["ref"])), str(args["name"])
    kind = type_of_name(name)
    more = f" and makes it a {kind}" if entry is not None and kind and kind != entry.type else ""
    return f"renames {_name(args['ref'], entries)} to {one_line(name, _NAMED)}{more}"


def _move(args: Mapping[str, Any], entries: Entries) -> str:
    return f"moves {_names(_ids(args['refs']), entries)} to the workspace {one_line(str(args['to']), _NAMED)}"


def _checkpoint(args: Mapping[str, Any], entries: Entries) -> str:
    payload = args["payload"]
    rows = [payload["resumen"], *(payload.get("pendientes") or ())]
    names = {e.name for e in entries.values()}
    over = sum(1 for row in rows if row["name"] in names)
    size = sum(len(str(row["body"])) for row in rows)
    more = f" and {_number(len(rows) - 1, 'thread', 'threads')}" if len(rows) > 1 else ""
    written = f", writes over {_number(over, 'entry', 'entries')}" if over else ""
    verb = "adds" if over < len(rows) else "rewrites"
    return f"{verb} {one_line(str(rows[0]['name']), _NAMED)}{more}, {size:,} characters{written}"


def _graduate(args: Mapping[str, Any], entries: Entries) -> str:
    ref, anchor, into = str(args["ref"]), args.get("anchor"), args.get("into")
    target = ""
    if anchor:
        target = f" into {one_line(str(anchor['name']), _NAMED)}, {_characters(str(anchor['body']))}"
    elif into:
        target = f" into {_name(into, entries)}"
    return _then(f"graduates {_name(ref, entries)}{target}", _hiding(hidden(_known([ref], entries), lambda e: True)))


def _mend(args: Mapping[str, Any], entries: Entries) -> str:
    gone, come = args.get("remove") or (), args.get("add") or ()
    replaced = [str(edge[2]) for edge in come if edge_kind(edge[1]) == SUPERSEDES]
    parts = [f"removes {_number(len(gone), 'link', 'links')}"] if gone else []
    parts += [f"adds {_number(len(come), 'link', 'links')}"] if come else []
    return _then(_listed(parts), _hiding(hidden(_known(replaced, entries), lambda e: True)))


def _verdict(args: Mapping[str, Any], entries: Entries) -> str:
    ids = _ids(args["refs"])
    names = f"{_name(ids[0], entries)} and {_name(ids[1], entries)}" if len(ids) == 2 else f"{len(ids):,} entries"
    said = {
        "different": f"says that {names} are different things",
        "duplicate": f"says that {names} are duplicates",
        "contradiction": f"says that {names} contradict each other",
        "keep_both": f"keeps {names}, all of them" if len(ids) > 2 else f"keeps both {names}",
        "later": f"puts {names} off",
        "withdrawn": f"takes back what was said of {names}",
    }
    return said[str(args["verdict"])]


def _merge(args: Mapping[str, Any], entries: Entries) -> str:
    into = str(args.get("into") or _ids(args["refs"])[0])
    absorbed = [i for i in _ids(args["refs"]) if i != into]
    gone = hidden(_known(absorbed, entries), lambda e: True)
    return _then(f"merges {_names(absorbed, entries)} into {_name(into, entries)}", _hiding(gone))


#: verb -> its phrase. Every verb that can be asked for stands here; a test fails for one that does not.
PHRASES: Final[Mapping[str, _Phrase]] = {
    "add": _add, "create": _create, "append": _append, "edit": _edit, "reclassify": _reclassify, "link": _link,
    "unlink": _unlink, "supersede": _supersede, "delete": _delete, "restore": _restore, "erase": _erase,
    "rename": _rename, "move-workspace": _move, "checkpoint": _checkpoint, "comment": _comment,
    "graduate": _graduate, "retire": _retire, "mend": _mend, "verdict": _verdict, "merge": _merge,
}  # fmt: skip

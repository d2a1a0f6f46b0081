"""What a request would write, and whether that has moved since it was asked (DESIGN 4, "stale"). Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from ..fold import Folded
from ..model import TEXT_FIELDS, Entry

#: verb -> the fields that it writes, whatever its arguments; `_GIVEN` lists the rest. A verb in neither place concerns
#: the whole entry: who asked for it had read all of it.
_FIELDS: Final = {
    "append": ("body",), "reclassify": ("class", "status"), "rename": ("name", "type"),
    "move-workspace": ("workspace", "name"), "link": (), "unlink": (), "supersede": (), "restore": (),
    "edit": (), "add": ("body",),
}  # fmt: skip
#: Argument of `edit` and `add` -> the fields that it writes.
_GIVEN: Final = {
    "klass": ("class", "status"), "status": ("class", "status"), "state": ("state",), "audience": ("audience",),
    "project": ("project_ref",), "project_ref": ("project_ref",), "initiative": ("initiative",),
    **{name: (name,) for name in TEXT_FIELDS},
}  # fmt: skip
_TAGS: Final = ("add_tags", "rm_tags", "tags")


def seen_of(folded: Folded) -> dict[str, Any]:
    """What a request notes of an entry as its `base`: who wrote each field last, and the tags."""
    return {**folded.tips, "body": folded.body_heads, "tags": list(folded.entry.tags)}


def concern(verb: str, args: Mapping[str, Any]) -> tuple[frozenset[str], frozenset[str]] | None:
    """(fields, tags) that a request would write; None for the whole entry."""
    if verb not in _FIELDS:
        return None
    texts = args.get("fields")
    names = {*_FIELDS[verb], "state", *(texts if isinstance(texts, Mapping) else ())}
    if verb in ("edit", "add"):
        names |= {field for key in args for field in _GIVEN.get(key, ())}
    tags = {t for key in _TAGS for t in _words(args.get(key))}
    return frozenset(names), frozenset(tags)


def moves(
    seen: Mapping[str, Any], now: Mapping[str, Any], wanted: tuple[frozenset[str], frozenset[str]] | None
) -> list[str]:
    """The fields (and `tags`) of `wanted` that differ between the `base` of a request and what stands."""
    if wanted is None:
        names: frozenset[str] = frozenset({*seen, *now} - {"tags"})
        tags = frozenset({*_words(seen.get("tags")), *_words(now.get("tags"))})
    else:
        names, tags = wanted
    found = sorted(n for n in names if seen.get(n) != now.get(n))
    if "tags" in seen and tags & {*_words(seen["tags"])} != tags & {*_words(now.get("tags"))}:
        found.append("tags")
    return found


def needed(verb: str, args: Mapping[str, Any], refs: Iterable[str]) -> list[str]:
    """The ids of the entries without which a request means nothing."""
    parent = args.get("parent") if verb in ("create", "comment") else None
    return [*refs, *([parent] if isinstance(parent, str) else [])]


def names_made(verb: str, args: Mapping[str, Any], entries: Sequence[Entry]) -> Iterator[tuple[str, str]]:
    """(workspace, name) of each entry that a request names and may make, or move a name to.

    Args:
        entries: those that it is about, as `needed` names them.
    """
    home = entries[0].workspace if entries else None
    place, rows = args.get("workspace"), [args]
    if verb == "checkpoint":
        payload = args.get("payload")
        payload = payload if isinstance(payload, Mapping) else {}
        rows = [payload.get("resumen") or {}, *_list(payload.get("pendientes"))]
    elif verb == "graduate":
        place, rows = home, [args.get("anchor") or {}]
    elif verb == "rename":
        place = home
    elif verb == "move-workspace":
        place, rows = args.get("to"), [{"name": e.name} for e in entries]
    elif verb == "create":
        place = place or home
    elif verb != "add":
        return
    for row in rows:
        name = row.get("name") if isinstance(row, Mapping) else None
        if isinstance(place, str) and isinstance(name, str):
            yield place, name


def edges_in(args: Mapping[str, Any], key: str) -> list[tuple[str, str, str]]:
    """The edges that an argument lists, each as source, kind and target."""
    found = [edge for edge in _list(args.get(key)) if len(_words(edge)) == 3]
    return [(source, kind, target) for source, kind, target in found]


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _words(value: Any) -> list[str]:
    return [word for word in _list(value) if isinstance(word, str)]

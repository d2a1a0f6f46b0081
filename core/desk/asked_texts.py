"""The texts that a request would write, by the name of their field, and the same request with other texts. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from ..model import TEXT_FIELDS

#: verb -> argument -> field, for verbs that hold each text in an argument of its own.
_ARGUMENTS: Final[Mapping[str, Mapping[str, str]]] = {
    "add": {name: name for name in TEXT_FIELDS},
    "create": {"title": "title", "oneline": "description", "short": "summary", "full": "body"},
    "append": {"text": "text"},
    "comment": {"title": "title", "text": "text"},
    "delete": {"reason": "reason"},
}  # fmt: skip
_ROW: Final = ("description", "body")

#: (field, text, a function that puts another text there)
_Place = tuple[str, str, Callable[[str], None]]


def texts_of(verb: str, args: Mapping[str, Any]) -> dict[str, str]:
    """Field -> text that a request would write.

    Fields are title, description, summary and body; `text` of what is appended or commented, `reason` of a deletion;
    of a checkpoint `NAME.body` and `NAME.description` for every entry in it. Verbs without texts have none.
    """
    return {field: text for field, text, _ in _places(verb, _copied(args))}


def with_texts(verb: str, args: Mapping[str, Any], texts: Mapping[str, str]) -> dict[str, Any]:
    """The arguments with other texts in the place of some.

    Args:
        texts: field -> text; fields as in `texts_of`, others are passed over.
    """
    made: dict[str, Any] = _copied(args)
    for field, _, put in list(_places(verb, made)):
        if field in texts:
            put(texts[field])
    return made


def replaced(verb: str, args: Mapping[str, Any], refs: tuple[str, ...]) -> dict[str, tuple[str, str]]:
    """Field -> (entry, its field) of each text that would take the place of what an existing entry says.

    The entry is an id, or for an `add` and the rows of a checkpoint `name:` and its name: whoever has that by now.
    """
    found = {}
    for field in texts_of(verb, args):
        if verb == "edit" and refs:
            found[field] = (refs[0], field)
        elif verb == "merge" and isinstance(args.get("into"), str):
            found[field] = (args["into"], field)
        elif verb == "add":
            found[field] = (f"name:{args.get('name')}", field)
        elif verb == "checkpoint":
            name, _, part = field.rpartition(".")
            found[field] = (f"name:{name}", part)
    return found


def _copied(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {k: _copied(v) for k, v in value.items()}
    return [_copied(v) for v in value] if isinstance(value, list) else value


def _places(verb: str, args: dict[str, Any]) -> Iterator[_Place]:
    """Each text of the arguments, with the way to put another one in its place."""
    if verb == "edit":
        yield from _of(args.get("fields"), {name: name for name in TEXT_FIELDS})
    elif verb == "merge":
        chosen = args.get("fields")
        for name, choice in (chosen if isinstance(chosen, dict) else {}).items():
            yield from _of(choice, {"text": name})
    elif verb == "graduate":
        yield from _of(args.get("anchor"), {name: name for name in _ROW})
    elif verb == "checkpoint":
        payload = args.get("payload")
        payload = payload if isinstance(payload, dict) else {}
        pendings = payload.get("pendientes")
        for row in [payload.get("resumen"), *(pendings if isinstance(pendings, list) else [])]:
            if isinstance(row, dict):
                yield from _of(row, {name: f"{row.get('name')}.{name}" for name in _ROW})
    else:
        yield from _of(args, _ARGUMENTS.get(verb, {}))


def _of(holder: Any, fields: Mapping[str, str]) -> Iterator[_Place]:
    for key, field in fields.items():
        text = holder.get(key) if isinstance(holder, dict) else None
        if isinstance(text, str):

            def put(value: str, key: str = key) -> None:
                holder[key] = value

            yield field, text, put

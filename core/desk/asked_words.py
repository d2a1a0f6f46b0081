"""What is asked for, in plain words: the same for the list, the sheet, the commands and the record (DESIGN 4). Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from ..effects import ASKS, unknown_name
from ..text import one_line

if TYPE_CHECKING:
    from ..store import RequestRow

#: The most characters of a name or title in a sentence.
_NAMED: Final = 60


def verb_words(verb: str) -> str:
    """What a verb asks for, as the words after "asks to"; one that this version does not know stays as it is."""
    return ASKS.get(verb) or one_line(verb, _NAMED)


def wish_words(row: RequestRow, name: Callable[[str], str], most: int = 5) -> str:
    """`replace decision_a by decision_b`, `add atom_x`: what a request asks for.

    Args:
        name: what to call the entry of an id.
        most: the most entries that are named.
    """
    over = row.verb == "add" and row.refs  # of a name that is there already
    return f"{'change' if over else verb_words(row.verb)} {about_words(row, name, most)}".rstrip()


def about_words(row: RequestRow, name: Callable[[str], str], most: int = 5) -> str:
    """The entries that it is about, or the name of the one that it would make."""
    args = row.args
    if row.verb == "supersede" and args.get("old") and args.get("by"):
        return f"{name(str(args['old']))} by {name(str(args['by']))}"
    if row.refs:
        return _listed([name(i) for i in row.refs], most)
    payload = args.get("payload")
    resumen = payload.get("resumen") if isinstance(payload, Mapping) else None
    for source in (args, resumen):
        if isinstance(source, Mapping) and (own := source.get("name") or source.get("title")):
            return one_line(str(own), _NAMED)
    return ""


def namer(names: Mapping[str, str]) -> Callable[[str], str]:
    """What to call the entry of an id, where the names of those that are there are known."""
    return lambda entry_id: names.get(entry_id) or unknown_name(entry_id)


def _listed(words: Sequence[str], most: int) -> str:
    if len(words) > most:
        return f"{', '.join(words[:most])} and {len(words) - most:,} more"
    return " and ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else "".join(words)

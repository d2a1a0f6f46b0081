"""Keys from the `[keys]` table of config.toml, checked here: Textual takes unknown ids and nonsense without a word
and drops clashing keys silently (STYLE 3). Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from textual.keys import KEY_NAME_REPLACEMENTS, Keys, _character_to_key

from .actions import BY_ID, TABLE, Action

_NAMED: Final = frozenset(str(key.value) for key in Keys) | {"space", "enter", "tab", "escape", "backspace", "delete"}
_PUNCTUATION: Final = frozenset({
    "question_mark", "slash", "colon", "asterisk", "full_stop", "comma", "plus", "minus", "equals_sign", "number_sign",
    "exclamation_mark", "less_than_sign", "greater_than_sign", "semicolon", "underscore", "at", "percent_sign",
    "ampersand", "tilde", "vertical_line", "left_square_bracket", "right_square_bracket", "apostrophe",
    "quotation_mark", "backslash", "dollar_sign", "circumflex_accent", "grave_accent", "left_parenthesis",
    "right_parenthesis", "left_curly_bracket", "right_curly_bracket",
})  # fmt: skip


def key_name(key: str) -> str:
    """The name Textual knows a key by: "?" is "question_mark"."""
    key = key.strip()
    if len(key) == 1:
        return _character_to_key(key)
    return KEY_NAME_REPLACEMENTS.get(key, key)


def keys_of(action: Action, keymap: Mapping[str, str]) -> tuple[str, ...]:
    """The keys of an action under a keymap that `checked` returned."""
    mapped = keymap.get(action.id)
    return tuple(part.strip() for part in mapped.split(",")) if mapped else action.keys


def checked(wanted: Mapping[str, str], pane_actions: Iterable[Iterable[str]] = ()) -> tuple[dict[str, str], list[str]]:
    """The part of a wanted keymap that can be used, and one plain sentence for each entry that cannot.

    Args:
        wanted: action id -> keys, several separated by commas.
        pane_actions: for each pane, the ids it answers: two panes may share a key, one pane may not.
    """
    usable: dict[str, str] = {}
    problems: list[str] = []
    for action_id, text in wanted.items():
        problem = _problem(action_id, text)
        if problem:
            problems.append(problem)
        else:
            usable[action_id] = ",".join(part.strip() for part in _split(text))
    panes = [set(ids) for ids in pane_actions]
    for action_id in list(usable):
        other = _clash(action_id, usable, panes)
        if other:
            keys = usable.pop(action_id)
            problems.append(f"The key {keys!r} for {action_id} belongs to {other} already, so it was left as it is.")
    return usable, problems


def _problem(action_id: str, text: str) -> str:
    if action_id not in BY_ID:
        return f"There is no action {action_id!r} to give a key to; docs/keys.md lists them."
    parts = _split(text)
    if not parts:
        return f"The key for {action_id} is empty, so it was left as it is."
    wrong = [part for part in parts if not _is_key(part)]
    return f"{wrong[0]!r} is not a key, so {action_id} was left as it is." if wrong else ""


def _split(text: str) -> list[str]:
    """The keys of a comma-separated list; the comma itself is "comma"."""
    return [part.strip() for part in text.split(",") if part.strip()]


def _is_key(key: str) -> bool:
    *modifiers, last = key.split("+") if key != "+" else [key]
    if any(modifier not in ("ctrl", "shift", "alt") for modifier in modifiers):
        return False
    if len(last) == 1:
        return last.isprintable() and not last.isspace()
    return key_name(last) in _NAMED or last in _PUNCTUATION or key in _NAMED


def _clash(action_id: str, usable: Mapping[str, str], panes: list[set[str]]) -> str:
    mine = {key_name(key) for key in keys_of(BY_ID[action_id], usable)}
    for other in TABLE:
        if other.id != action_id and _meet(action_id, other.id, panes):
            theirs = {key_name(key) for key in keys_of(other, usable)}
            if mine & theirs:
                return other.id
    return ""


def _meet(one: str, other: str, panes: list[set[str]]) -> bool:
    """Whether two actions can wait for a key at the same time."""
    first, second = BY_ID[one], BY_ID[other]
    if first.scope == second.scope == "widget":
        return one.split(".")[0] == other.split(".")[0]
    if first.scope == second.scope == "pane":
        return any(one in ids and other in ids for ids in panes)
    # An action that no pane answers waits for nothing.
    asked = [action.id for action in (first, second) if action.scope == "pane"]
    return all(any(i in ids for ids in panes) for i in asked)


def clashes(pane_actions: Iterable[Iterable[str]]) -> list[str]:
    """Pairs of actions of the table itself that share a key where both can be pressed: must be empty (tested)."""
    panes = [set(ids) for ids in pane_actions]
    found = []
    for place, one in enumerate(TABLE):
        for other in TABLE[place + 1 :]:
            shared = {key_name(k) for k in one.keys} & {key_name(k) for k in other.keys}
            if shared and _meet(one.id, other.id, panes):
                found.append(f"{one.id} and {other.id} share {', '.join(sorted(shared))}")
    return found

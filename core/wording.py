"""Two wordings of one field made into one. Pure; nothing that either says is left out of `both` (DESIGN 6)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from .errors import InvalidValue
from .model import Entry
from .text import fold_text
from .tokens import STOP_WORDS

#: The text fields in the words of the screen.
FIELD_WORDS: Final = {"title": "title", "description": "description", "summary": "short form", "body": "text"}

_WORD: Final = re.compile(r"[^\W_]+|[<>=!%+*/$€#@&|~^-]")
_FENCE: Final = re.compile(r"\s{0,3}(```|~~~)")


def wording_of(name: str, members: Sequence[Entry], choice: str) -> str | None:
    """The text of the member that `choice` names.

    Args:
        name: the field.
        choice: "left" for the first member, "right" for the second, or the id of one.

    Raises:
        InvalidValue: it names none of them.
    """
    chosen = {entry.id: entry for entry in members}
    if len(members) >= 2:
        chosen |= {"left": members[0], "right": members[1]}
    if choice not in chosen:
        raise InvalidValue(
            f"{choice!r} is not a wording of the {FIELD_WORDS[name]}.",
            "Use left (the first named), right (the second), both, or the name of one that is merged.", field=name,
        )  # fmt: skip
    value: str | None = getattr(chosen[choice], name)
    return value


def both(name: str, one: str | None, other: str | None) -> str | None:
    """Both texts as one; what stands in both stands there once.

    A body goes on after its first text with the paragraphs (or, of those, the lines) of the other that it lacks; a line
    is followed by the other one.
    """
    if not (one or "").strip() or not (other or "").strip():
        return one if (one or "").strip() else other
    assert one is not None and other is not None
    if name in ("body", "summary"):
        more = _lacking(one, other)
        return f"{one}\n\n{more}" if more else one
    ones, others = fold_text(one), fold_text(other)
    if others.casefold() in ones.casefold():
        return one
    return other if ones.casefold() in others.casefold() else f"{one.rstrip()} · {other.strip()}"


def says_more(text: str, than: str) -> bool:
    """Whether `text` has a line whose words, in their order, no line of `than` has; function words aside.

    "B before A" says more than "A before B"; "calls time out" does not say more than "calls often time out".
    """
    known = list(dict.fromkeys(tuple(_spoken(line)) for line in than.split("\n")))
    exact = set(known)
    holding: dict[str, list[int]] = {}
    for place, told in enumerate(known):
        for word in set(told):
            holding.setdefault(word, []).append(place)
    for line in text.split("\n"):
        said = tuple(_spoken(line))
        if not said or said in exact:
            continue
        # Only lines that hold its rarest word can hold them all: long lists of like lines stay cheap.
        places = min((holding.get(word, []) for word in said), key=len)
        if not any(_runs_through(said, known[place]) for place in places):
            return True
    return False


def _spoken(line: str) -> list[str]:
    """The words and signs of a line in their order, function words left out; a line without any stands for itself."""
    found = _WORD.findall(fold_text(line).casefold())
    spoken = [word for word in found if len(word) == 1 or word not in STOP_WORDS]
    return spoken or ([fold_text(line)] if line.strip() else [])


def _runs_through(said: Sequence[str], line: Sequence[str]) -> bool:
    rest = iter(line)
    return all(word in rest for word in said)


def _lacking(known: str, text: str) -> str:
    """What of `text` does not stand in `known`: whole blocks of code, paragraphs, or lines of a paragraph."""
    blocks = {fold_text(block) for block in _blocks(known)}
    lines = {fold_text(line) for line in known.split("\n")}
    found = []
    for block in _blocks(text):
        if fold_text(block) in blocks:
            continue
        if not _FENCE.match(block):
            rest = [line for line in block.split("\n") if fold_text(line) not in lines]
            block = "\n".join(rest)
        if block.strip():
            found.append(block)
    return "\n\n".join(found)


def _blocks(text: str) -> list[str]:
    """Paragraphs; a fenced block of code is one, with the blank lines in it."""
    blocks: list[list[str]] = [[]]
    fence = ""
    for line in text.replace("\r\n", "\n").split("\n"):
        mark = _FENCE.match(line)
        if fence:
            blocks[-1].append(line)
            if mark and mark.group(1) == fence:
                fence = ""
                blocks.append([])
        elif mark:
            fence = mark.group(1)
            blocks.append([line])
        elif line.strip():
            blocks[-1].append(line)
        else:
            blocks.append([])
    return ["\n".join(block) for block in blocks if block]

"""What a shell command does to the memory of Gaia: which verb, which entries (gaia/SPEC 4, 9.1). Pure."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Sequence
from typing import Final

from ..asking import Touch

#: What ends one command and begins the next.
_BREAKS: Final = "();<>|&`\n"
#: How deep `bash -c "…"` is followed.
_DEPTH: Final = 3
_SWITCHES: Final = frozenset({
    "--hard", "--yes", "-y", "--json", "--delete", "--append", "--dry-run", "--purge-memory", "--force",
})  # fmt: skip
#: `gaia context …` verbs that move or remove memory.
_CONTEXT: Final = frozenset({"move-memory", "wipe"})
#: Verbs whose entries are arguments -> how many of them; the others name theirs with --name.
_ARGUMENTS: Final = {"delete": 1, "append": 1, "reclassify": 1, "link": 2, "show": 1, "story": 1}


def touches(command: str, depth: int = 0) -> tuple[Touch, ...]:
    """Every `gaia memory …`, `gaia context move-memory` and `gaia context wipe` in a command line.

    Looks through wrappers (`env X=1 timeout 5 gaia …`), chains and `bash -c "…"`. Text that cannot be split as a shell
    would is split at blanks.
    """
    found: list[Touch] = []
    for words in _commands(command):
        places = [i for i, word in enumerate(words) if os.path.basename(word) == "gaia"]
        found += [t for t in (_touch(words[i + 1 :]) for i in places) if t is not None][:1]
        if not places and depth < _DEPTH:
            found += [t for word in words if " " in word and "gaia" in word for t in touches(word, depth + 1)]
    return tuple(found)


def _commands(text: str) -> Iterator[list[str]]:
    lexer = shlex.shlex(text, posix=True, punctuation_chars=_BREAKS)
    lexer.whitespace = " \t\r"
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        words = list(lexer)
    except ValueError:
        words = [word.strip("'\"") for word in text.split()]
    one: list[str] = []
    for word in words:
        if word and not word.strip(_BREAKS):
            yield one
            one = []
        else:
            one.append(word)
    yield one


def _touch(words: Sequence[str]) -> Touch | None:
    rest = list(words)
    while rest and rest[0].startswith("-"):
        rest.pop(0)
    if len(rest) < 2 or rest[0] not in ("memory", "context"):
        return None
    verb = rest[1]
    if verb.startswith("-") or (rest[0] == "context" and verb not in _CONTEXT):
        return None
    flags, arguments = _parts(rest[2:])
    names = tuple(flags.get("--name", ())) or tuple(arguments[: _ARGUMENTS.get(verb, 0)])
    place = flags.get("--from") if verb == "move-memory" else flags.get("--workspace")
    to = flags.get("--to")
    hard = "--hard" in flags or "--purge-memory" in flags
    return Touch(verb, names, place[-1] if place else None, to[-1] if to else None, hard)


def _parts(words: Sequence[str]) -> tuple[dict[str, list[str]], list[str]]:
    """(flag -> its values, arguments)."""
    flags: dict[str, list[str]] = {}
    arguments: list[str] = []
    pending = list(words)
    while pending:
        word = pending.pop(0)
        if word == "--":
            return flags, arguments + pending
        if not word.startswith("-") or word == "-":
            arguments.append(word)
            continue
        flag, has_value, value = word.partition("=")
        values = flags.setdefault(flag, [])
        if has_value:
            values.append(value)
        elif flag not in _SWITCHES and pending:
            values.append(pending.pop(0))
    return flags, arguments

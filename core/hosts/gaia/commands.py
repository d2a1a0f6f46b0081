"""What a shell command does to the memory of Gaia: which verb, which entries (gaia/SPEC 4, 9.1). Pure."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Sequence
from itertools import dropwhile, islice
from typing import Final

from ..asking import Touch

#: What ends one command and begins the next.
_BREAKS: Final = "();<>|&`\n"
#: What a shell takes out of a word: `ga"ia"` runs gaia too.
_QUOTES: Final = str.maketrans("", "", "'\"\\")
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
    if "gaia" not in command.translate(_QUOTES):  # most do not: taking a long one apart takes long
        return ()
    for words in _commands(command):
        places = [i for i, word in enumerate(words) if os.path.basename(word) == "gaia"]
        found += islice((t for i in places if (t := _touch(words, i + 1)) is not None), 1)
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


def _touch(words: Sequence[str], start: int) -> Touch | None:
    """What the arguments from `start` on ask of Gaia's program."""
    rest = dropwhile(lambda word: word.startswith("-"), (words[i] for i in range(start, len(words))))
    part, verb = next(rest, ""), next(rest, "-")
    if part not in ("memory", "context") or verb.startswith("-") or (part == "context" and verb not in _CONTEXT):
        return None
    flags, arguments = _parts(rest)
    names = tuple(flags.get("--name", ())) or tuple(arguments[: _ARGUMENTS.get(verb, 0)])
    place = flags.get("--from") if verb == "move-memory" else flags.get("--workspace")
    to = flags.get("--to")
    hard = "--hard" in flags or "--purge-memory" in flags
    return Touch(verb, names, place[-1] if place else None, to[-1] if to else None, hard)


def _parts(words: Iterator[str]) -> tuple[dict[str, list[str]], list[str]]:
    """(flag -> its values, arguments)."""
    flags: dict[str, list[str]] = {}
    arguments: list[str] = []
    for word in words:
        if word == "--":
            return flags, [*arguments, *words]
        if not word.startswith("-") or word == "-":
            arguments.append(word)
            continue
        flag, has_value, value = word.partition("=")
        values = flags.setdefault(flag, [])
        if has_value:
            values.append(value)
        elif flag not in _SWITCHES:
            values += islice(words, 1)
    return flags, arguments

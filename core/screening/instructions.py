"""Words in a memory that give orders to the agent which reads it, in English and Spanish. Pure.

Memory is full of imperatives that are its very purpose ("Always use tabs in Go files", "Remember to run the tests"): an
imperative alone is no alarm. The border drawn here: a passage is flagged when it speaks to the reading agent about its
own standing conduct, that is when it

- asks to be remembered or followed always, from now on, in every answer, or whenever a user asks;
- sets other instructions aside, or puts itself above them;
- asks that something be kept from the person;
- gives the reader another role, or speaks of its system prompt;
- looks like the frame of a prompt (`<system>`, `[INST]`, a line that begins "assistant:");
- asks that secrets or a conversation be sent away.

Not found: other languages, paraphrases that use none of these words, letters spaced out or turned into figures,
encodings such as base64, and poison that states a falsehood without ordering anything. It helps a reviewer; it is no
wall.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from .flags import Found
from .folded import Folded
from .phrases import FRAME, FRAMES, PHRASES, TURNS, Phrase

_GAP: Final = r"[\s,*_\"'«»`~-]{1,6}"


def _by_beginning() -> dict[str, list[Phrase]]:
    """The phrases by their first word: the words may be apart in any way, so the first alone is looked for."""
    found: dict[str, list[Phrase]] = {}
    for phrase in PHRASES:
        found.setdefault(phrase.begins.split(" ")[0], []).append(phrase)
    return found


_PHRASES: Final = _by_beginning()


@cache
def patterns(begin: str) -> tuple[tuple[re.Pattern[str], Phrase], ...]:
    """The phrases that begin so, compiled when a text first holds the word: all of them take a tenth of a second."""
    return tuple(
        (re.compile(phrase.pattern.replace(" ?", "\0").replace(" ", _GAP).replace("\0", " ?")), phrase)
        for phrase in _PHRASES[begin]
    )


_FRAME_PATTERNS: Final = tuple((begin, re.compile(pattern)) for begin, pattern in FRAMES)

_OPENS: Final = re.compile(r"(?:\A|[\n.!?:;>(*\"'`-])[ *_\"'`-]{0,3}\Z")
_NOT: Final = re.compile(r"(?:not|never|no|nobody|cannot|avoid|without|nunca|jamas|ni|\w+n't)\Z")
#: The most characters in which the words before are looked for.
_BACK: Final = 120


def orders_in(folded: Folded) -> Iterator[Found]:
    """Passages that read like orders to an agent, with places in the folded text; they may overlap."""
    text = folded.lower
    for begin in _PHRASES:
        for at in folded.occurrences(begin):
            if at and text[at - 1].isalnum() and not begin.startswith("n'"):
                continue
            for pattern, row in patterns(begin):
                match = pattern.match(text, at)
                if match is not None and _fits(text, at, row):
                    yield Found(at, match.end(), row.words)
                    break
    for begin, pattern in _FRAME_PATTERNS:
        for at in folded.occurrences(begin):
            match = pattern.match(text, at)
            if match is not None:
                yield Found(at, match.end(), FRAME)
    for at in _line_starts(text):
        match = TURNS.match(text, at)
        if match is not None:
            yield Found(at + len(match[0]) - len(match[0].lstrip()), match.end(), FRAME)


def _line_starts(text: str) -> Iterator[int]:
    at = 0
    while at >= 0:
        yield at
        at = text.find("\n", at) + 1 or -1


def _fits(text: str, at: int, row: Phrase) -> bool:
    if row.opens and _OPENS.search(text, max(0, at - 4), at) is None:
        return False
    if not row.unless_not:
        return True
    before = text[max(0, at - _BACK) : at]
    words = re.split(r"[.!?\n;:]", before)[-1].split()[-row.unless_not :]
    return not any(_NOT.match(word.strip("*_,\"'`()")) for word in words)

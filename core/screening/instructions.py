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
from typing import Final

from .flags import Found
from .folded import Folded
from .phrases import FRAME, FRAMES, PHRASES, TURNS, Phrase

_GAP: Final = r"[\s,*_\"'«»`~-]{1,6}"


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern.replace(" ?", "\0").replace(" ", _GAP).replace("\0", " ?"))


def _by_beginning() -> dict[str, list[tuple[re.Pattern[str], Phrase]]]:
    found: dict[str, list[tuple[re.Pattern[str], Phrase]]] = {}
    for row in PHRASES:
        # The literal must be findable whatever separates its words, so only its first word is looked for.
        found.setdefault(row.begins.split(" ")[0], []).append((_compiled(row.pattern), row))
    return found


_PATTERNS: Final = _by_beginning()
_FRAME_PATTERNS: Final = tuple((begin, re.compile(pattern)) for begin, pattern in FRAMES)

_OPENS: Final = re.compile(r"(?:\A|[\n.!?:;>(*\"'`-])[ *_\"'`-]{0,3}\Z")
_NOT: Final = re.compile(r"(?:not|never|no|nobody|cannot|avoid|without|nunca|jamas|ni|\w+n't)\Z")
#: The most characters in which the words before are looked for.
_BACK: Final = 120


def orders_in(folded: Folded) -> Iterator[Found]:
    """Passages that read like orders to an agent, with places in the folded text; they may overlap."""
    text = folded.lower
    for begin, rows in _PATTERNS.items():
        for at in folded.occurrences(begin):
            if at and text[at - 1].isalnum() and not begin.startswith("n'"):
                continue
            for pattern, row in rows:
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

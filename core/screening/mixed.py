"""Words of Latin letters among which one of another script passes for one of them. Pure.

Nobody sees the difference, and a search, a name or an address that holds such a letter is another one.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

from .flags import Found

#: Letters of Cyrillic, then of Greek, that are drawn like Latin ones.
_CYRILLIC: Final = "аеорсхуіјѕһԁԛԝАВЕКМНОРСТХІЈЅ"
_GREEK: Final = "οανιρΑΒΕΖΗΙΚΜΝΟΡΤΥΧ"
_ONE: Final = re.compile(f"[{_CYRILLIC}{_GREEK}]")
#: A whole word of nothing but such letters and plain ones: with any other letter it is a word of that script.
_WORD: Final = re.compile(rf"(?<!\w)[A-Za-z0-9_{_CYRILLIC}{_GREEK}]+(?!\w)")
_LATIN: Final = re.compile("[A-Za-z]")
_SHOWN: Final = 40


def mixed_words(text: str) -> Iterator[Found]:
    """Each such word of a text, with the name of the first letter that is not what it seems."""
    if _ONE.search(text) is None:
        return
    for word in _WORD.finditer(text):
        odd = _odd(word[0])
        if odd:
            shown = _ONE.sub(lambda m: f"‹U+{ord(m[0]):04X}›", word[0][:_SHOWN])
            name = unicodedata.name(odd, "a letter").lower()
            yield Found(word.start(), word.end(), f"look-alike: {name} in “{shown}”", shown)


def _odd(word: str) -> str:
    """The first letter of a word that passes for a Latin one, or "".

    Greek letters stand at the ends of names in earnest (TNFα, αMSH), Cyrillic ones do not.
    """
    latin = [found.start() for found in _LATIN.finditer(word)]
    if not latin:
        return ""
    inside = (c for i, c in enumerate(word) if c in _CYRILLIC or (c in _GREEK and latin[0] < i < latin[-1]))
    return next(inside, "")

"""Facts about a person of which there is one, whatever verb states them: "I work at A" and "I joined B". Pure.

Alignment does not see these, because the sentences share no content word. Source: CASES "Duplicates, merging".
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from . import grammar
from .finding import Span
from .lexicon import Lexicon
from .lexing import Sort
from .reading import read

_WHO: Final = r"(?P<who>\bI(?:['’]m)?|\bwe|\b(?:the )?user|\bhe|\bshe|\b[A-Z][a-z]+)"
_VALUE: Final = r"(?P<value>[^\s,;:.()][^,;:()]*?)"
_END: Final = (
    r"(?=\s*(?:[,;:()]|\.(?:\s|$)|$|\b(?:as|and|but|since|because|in|on|with|from|for|now|to|where|while|these|last|this|y|como|"
    r"desde|porque|pero|over|instead|rather|a la|en)\b))"
)
_ADVERB: Final = r"(?:\s+(?:now|currently|still|just|recently|actually|already))?"
_IS: Final = r"(?:am|is|are|['’]m|['’]s)"


def _pattern(text: str) -> re.Pattern[str]:
    built = text.replace("WHO", _WHO).replace("VALUE", _VALUE + _END).replace("ADV", _ADVERB).replace("IS", _IS)
    return re.compile(built, re.UNICODE)


_PATTERNS: Final = tuple(
    (name, _pattern(text))
    for name, text in (
        ("employer", r"WHOADV\s+works?\s+(?:at|for)\s+VALUE"),
        ("employer", r"WHOADV\s+(?:have\s+|has\s+)?joined\s+VALUE"),
        ("employer", r"WHO\s*ISADV\s+(?:working|employed)\s+(?:at|by|for)\s+VALUE"),
        ("employer", r"(?:[Mm]y|[Oo]ur|(?P<who>[A-Z]\w+)['’]s)\s+(?:current\s+)?(?:employer|company)\s+is\s+VALUE"),
        ("employer", r"(?:[Yy]o\s+)?(?:[Tt]rabajo|[Tt]rabaja)\s+(?:en|para)\s+VALUE"),
        ("home", r"WHOADV\s+(?:lives?|resides?)\s+in\s+(?P<value>[^\s,;:.()]+(?:\s+[A-Z]\w+)?)"),
        ("home", r"WHOADV\s+(?:have\s+|has\s+)?(?:moved|relocated)\s+to\s+(?P<value>[A-Z]\w+(?:\s+[A-Z]\w+)?)"),
        ("home", r"WHO\s*ISADV\s+(?:based|living)\s+in\s+(?P<value>[^\s,;:.()]+(?:\s+[A-Z]\w+)?)"),
        (
            "home",
            r"(?:[Vv]ivo|[Vv]ive|[Mm]e\s+mud[ée]\s+a|[Rr]esido)\s+(?:en\s+)?(?P<value>[^\s,;:.()]+(?:\s+[A-Z]\w+)?)",
        ),
        ("name", r"(?:[Mm]y|(?P<who>[Uu]ser)['’]s)\s+name\s+is\s+VALUE"),
        ("name", r"(?:[Pp]lease\s+)?[Cc]all\s+me\s+VALUE"),
        ("name", r"WHO\s+(?:goes?|go)\s+by\s+VALUE"),
        ("name", r"(?:[Mm]i\s+nombre\s+es|[Mm]e\s+llamo)\s+VALUE"),
    )
)
# One spelling for the person who writes the memory.
_SELF: Final = frozenset({"", "i", "i'm", "i’m", "we", "user", "the user", "he", "she", "please"})


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact of which there is one.

    Attributes:
        relation: what it says, with the person: "employer of me".
        value: the stems of its value.
        span: where the value stands in the sentence.
    """

    relation: str
    value: frozenset[str]
    span: Span


def facts(text: str, lexicon: Lexicon) -> list[Fact]:
    """The facts a sentence states; none where it denies or only tells of the past."""
    found: list[Fact] = []
    for name, pattern in _PATTERNS:
        for match in pattern.finditer(text):
            person = (match.groupdict().get("who") or "").lower()
            value = _value(match["value"], lexicon)
            if value and not _denied(text[: match.start("value")], lexicon):
                who = "me" if person in _SELF else person
                found.append(Fact(f"{name} of {who}", value, match.span("value")))
    return found


def _value(text: str, lexicon: Lexicon) -> frozenset[str]:
    reading = read(text, lexicon)
    named = [key for key, i in zip(reading.keys, reading.content, strict=True) if _names(reading.tokens[i].text)]
    # "I work at night" states no employer: a name has a capital, a digit or stands alone.
    return frozenset(named) if named and len(reading.keys) <= 4 else frozenset()


def _names(text: str) -> bool:
    return text[:1].isupper() or any(c.isdigit() for c in text) or not text.isascii() or text.lower() not in _COMMON


_COMMON: Final = grammar.word_set(
    """home night day work weekends office least times the best all full half remote people team teams project projects
    company companies clients client school university call meeting meetings standup waitlist channel group
    noche casa"""
)


def _denied(before: str, lexicon: Lexicon) -> bool:
    tail = read(before, lexicon).tokens[-6:]
    return any(t.sort is Sort.NEGATION or t.folded in ("used", "formerly", "previously", "antes") for t in tail)


def contradicting(left: list[Fact], right: list[Fact]) -> tuple[Fact, Fact] | None:
    """The first pair of facts of one relation with values that share nothing."""
    for one in left:
        for other in right:
            if one.relation == other.relation and one.value.isdisjoint(other.value):
                return one, other
    return None

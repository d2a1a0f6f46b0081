"""A sentence cut into tokens: words, negations, values, identifiers and the signs that part clauses. Pure.

Source: SIMILARITY "Contradictions".
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import Final

from . import grammar, quantities
from .lexicon import Lexicon, Member, fold_word
from .quantities import Clock, Day, Quantity, Value, Version


class Sort(Enum):
    """What a token is."""

    WORD = auto()
    FUNCTION = auto()
    NEGATION = auto()
    NUMBER = auto()
    VERSION = auto()
    DATE = auto()
    TIME = auto()
    IDENTIFIER = auto()
    SIGN = auto()


#: Sorts that carry content, in which a difference counts.
VALUES: Final = frozenset({Sort.NUMBER, Sort.VERSION, Sort.DATE, Sort.TIME})
CONTENT: Final = VALUES | {Sort.WORD, Sort.IDENTIFIER}


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a sentence.

    Attributes:
        text: as written.
        start: offset in the sentence.
        end: offset after it.
        sort: what it is.
        folded: in lower case, composed.
        stem: what inflection leaves alone; for values their written form.
        value: for numbers, versions, dates and times.
        members: the exclusive classes it belongs to.
        code: whether it stood between backticks.
    """

    text: str
    start: int
    end: int
    sort: Sort
    folded: str
    stem: str
    value: Value | None = None
    members: tuple[Member, ...] = ()
    code: bool = False

    @property
    def capital(self) -> bool:
        """Whether it begins with a capital letter."""
        return self.text[:1].isupper()


_TOKEN: Final = re.compile(
    r"""
    (?P<url>[a-z][a-z0-9+.-]*://[^\s<>()\[\]"'`]*[^\s<>()\[\]"'`.,;:])
  | (?P<email>[\w.+-]+@[\w-]+(?:\.[\w-]+)+)
  | (?P<time>\d{1,2}:\d{2}(?!\d)(?::\d{2})?(?:\s?[aApP]\.?[mM]\b\.?)?|\d{1,2}\s?[aApP]\.?[mM]\b\.?|\d{1,2}h[0-5]\d\b)
  | (?P<date>\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2})?Z?)?(?![\d-])|\d{1,2}/\d{1,2}/\d{2,4}|\d{1,2}\.\d{1,2}\.\d{4})
  | (?P<ip>\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?(?:/\d+)?(?![\w.]))
  | (?P<path>(?:~|\.{1,2}|\b[A-Za-z]:)?(?<![\w/])[/\\](?:[\w.@+~-]+[/\\])*[\w.@+~*-]*[\w*]/?|~/[\w./-]*\w
      |\b[\w@.-]+/[\w.@-]+/[\w./@-]*\w|\b[\w-]+/[\w.-]*[\w-]\.[a-z]{1,5}\b|\b(?:feature|fix|release|hotfix|origin|bugfix)/[\w.-]*\w)
  | (?P<flag>(?<![\w-])--?[a-zA-Z][\w-]*)
  | (?P<ref>\#\d+\b|(?<![\w-])[A-Z]{2,10}-\d+\b(?![\w.]))
  | (?P<uuid>\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{4,27}\b|\b(?=[0-9a-f]*[a-f])(?=[0-9a-f]*\d)[0-9a-f]{7,64}\b)
  | (?P<version>\b[vV]\d+(?:\.[\dx*]+)*(?:-[a-z]+[\w.]*)?\b\+?|\b\d+(?:\.\d+){2,}(?:-\w[\w.-]*)?\b
      |\b\d+(?:\.\d+)*\.[xX*](?!\w))
  | (?P<number>(?:[$€£]\s?)?(?<![\w.])(?:\d{1,3}(?:[,_]\d{3})+(?:\.\d+)?|\d+(?:[.,]\d+)?)(?:st|nd|rd|th)?
      (?:\s?[%€£$°µμ][a-zA-Z]?|[a-zA-Z]{1,3}(?![\w-]))?\+?)(?![\w])
  | (?P<word>[^\W_](?:[\w+\#]*[\w+\#])?(?:[.’'\-][^\W_][\w+\#]*)*)
  | (?P<sign>=>|->|→|==?|[,;:()—–|/&+<>]|\s--?\s)
    """,
    re.VERBOSE,
)
_CODE: Final = re.compile(r"`([^`]+)`")
_PLAIN: Final = re.compile(r"[^\W\d_]+\Z")
_IDENTIFIER: Final = re.compile(r"(?=.*[\d_.+#:]|[a-z]+[A-Z]|.*-.*-)[\w.+#-]+\Z|[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+\Z")
_REGION: Final = re.compile(r"(?:us|eu|ap|sa|ca|me|af|cn|asia|europe|northamerica)-[a-z]+-?\d[a-z]?\Z")
_NUMBER: Final = re.compile(r"([$€£]?)\s?([\d.,_]*\d)(st|nd|rd|th)?\s?([^\d\s.,+]*)\+?\Z")
_CONTRACTION: Final = re.compile(r"(?i)(.*[^\W\d_])(n['’]t|['’](?:s|re|ve|ll|d|m))\Z")
_CONTRACTED: Final = {"ca": "can", "wo": "will", "sha": "shall", "ai": "is"}
NUMBER_WORDS: Final = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "eleven": 11, "twelve": 12, "fifteen": 15, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50,
    "sixty": 60, "ninety": 90, "hundred": 100, "thousand": 1000, "dozen": 12, "twice": 2, "thrice": 3,
    "cero": 0, "dos": 2, "tres": 3, "cuatro": 4, "cinco": 5, "seis": 6, "siete": 7, "ocho": 8, "nueve": 9, "diez": 10,
    "once": 11, "doce": 12, "quince": 15, "veinte": 20, "treinta": 30, "cuarenta": 40, "cincuenta": 50, "sesenta": 60,
    "cien": 100, "mil": 1000,
}  # fmt: skip


def tokens(text: str, lexicon: Lexicon) -> list[Token]:
    """The tokens of a sentence in order; values, phrases and contractions are not put together yet."""
    code = [found.span(1) for found in _CODE.finditer(text)] if "`" in text else []
    made: list[Token] = []
    for found in _TOKEN.finditer(text):
        kind = found.lastgroup or "sign"
        start = found.start()
        piece = found[0]
        start += len(piece) - len(piece.lstrip())
        for token in _MAKERS[kind](piece.strip(), start, lexicon):
            quoted = any(first <= token.start and token.end <= last for first, last in code)
            made.append(replace(token, code=True) if quoted else token)
    return made


def word(text: str, start: int, lexicon: Lexicon) -> Token:
    """A word, its sort found by the word tables."""
    folded = fold_word(text)
    members = lexicon.members.get(folded, ())
    if not members and _REGION.match(folded):
        members = (("region", folded),)
    sort = Sort.WORD
    if folded in grammar.NEGATIONS or folded in grammar.NEGATIVE_VERBS:
        sort = Sort.NEGATION
    elif folded in NUMBER_WORDS and folded not in ("one", "once", "dozen"):
        number = float(NUMBER_WORDS[folded])
        return Token(text, start, start + len(text), Sort.NUMBER, folded, folded, Quantity(number, number))
    elif folded in grammar.FUNCTION or (len(folded) == 1 and folded.islower() and text.islower()):
        sort = Sort.FUNCTION
    elif not members and _IDENTIFIER.match(text):
        sort = Sort.IDENTIFIER
    stem = folded if sort is Sort.IDENTIFIER else grammar.stem(folded)
    if text[-1:] == "s" and text[:-1].isupper() and len(text) > 2:
        stem = folded[:-1]  # PRs, APIs
    return Token(text, start, start + len(text), sort, folded, stem, None, members)


def _words(text: str, start: int, lexicon: Lexicon) -> list[Token]:
    """One token, or several where a contraction or a hyphen joins words that have a meaning of their own."""
    folded = fold_word(text)
    if folded in lexicon.members or folded in grammar.NEGATIONS:
        return [word(text, start, lexicon)]
    if found := _CONTRACTION.match(text):
        return _contraction(found, start, lexicon)
    if "-" in text and all(_PLAIN.match(part) for part in text.split("-")) and not _known(folded, lexicon):
        parts: list[Token] = []
        for piece in text.split("-"):
            parts.append(word(piece, start, lexicon))
            start += len(piece) + 1
        # "no-cache" names something; "non-blocking" is read as a word with a prefix.
        return [
            replace(part, sort=Sort.WORD) if part.sort is Sort.NEGATION or len(part.text) == 1 else part
            for part in parts
        ]
    return [word(text, start, lexicon)]


def _known(folded: str, lexicon: Lexicon) -> bool:
    return folded in lexicon.opposites or folded.startswith(("non-", "un-"))


def _contraction(found: re.Match[str], start: int, lexicon: Lexicon) -> list[Token]:
    stem, ending = found[1], found[2]
    base = _CONTRACTED.get(stem.lower(), stem) if ending[:1] in "nN" else stem
    first = word(base, start, lexicon)
    first = replace(first, text=stem, end=start + len(stem))
    if ending[:1] in "nN":
        last = start + len(stem)
        return [first, Token(ending, last, last + len(ending), Sort.NEGATION, "not", "not")]
    return [first]


def _identifier(text: str, start: int, lexicon: Lexicon) -> list[Token]:
    folded = fold_word(text)
    members = lexicon.members.get(folded, ())
    return [Token(text, start, start + len(text), Sort.IDENTIFIER, folded, folded.rstrip("/"), None, members)]


def _number(text: str, start: int, lexicon: Lexicon) -> list[Token]:
    found = _NUMBER.match(text)
    value = quantities.number(found[2]) if found else None
    if found is None or value is None:
        return _identifier(text, start, lexicon)
    raw, unit = value, ""
    ending = fold_word(found[4].strip())
    if (factor := quantities.magnitude(ending)) is not None and (found[1] or ending not in lexicon.units):
        value, ending = value * factor, ""
        raw = value
    spelling = found[1] or ending
    if spelling and spelling not in lexicon.units:
        return _identifier(text, start, lexicon)
    dimension = ""
    if spelling:
        dimension, scale, unit = lexicon.units[spelling]
        value *= scale
    folded = fold_word(text)
    sort = Sort.NUMBER
    return [Token(text, start, start + len(text), sort, folded, folded, Quantity(value, raw, dimension, unit))]


def _version(text: str, start: int, lexicon: Lexicon) -> list[Token]:
    return _value(Sort.VERSION, quantities.version(text), text, start, lexicon)


def _date(text: str, start: int, lexicon: Lexicon) -> list[Token]:
    return _value(Sort.DATE, quantities.day(text), text, start, lexicon)


def _time(text: str, start: int, lexicon: Lexicon) -> list[Token]:
    return _value(Sort.TIME, quantities.clock(text), text, start, lexicon)


def _value(sort: Sort, value: Version | Day | Clock | None, text: str, start: int, lexicon: Lexicon) -> list[Token]:
    if value is None:
        return _identifier(text, start, lexicon)
    folded = fold_word(text)
    return [Token(text, start, start + len(text), sort, folded, folded, value)]


def _sign(text: str, start: int, lexicon: Lexicon) -> list[Token]:
    return [Token(text, start, start + len(text), Sort.SIGN, text, text)]


_MAKERS: Final[dict[str, Callable[[str, int, Lexicon], list[Token]]]] = {
    "url": _identifier,
    "email": _identifier,
    "ip": _identifier,
    "path": _identifier,
    "flag": _identifier,
    "ref": _identifier,
    "uuid": _identifier,
    "time": _time,
    "date": _date,
    "version": _version,
    "number": _number,
    "word": _words,
    "sign": _sign,
}

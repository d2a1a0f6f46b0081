"""Tokens put together: "100 req / min" is one rate, "March 3" one date, "google cloud" one name, "no longer" one
negation.

Pure. Source: SIMILARITY "Contradictions".
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from . import grammar
from .lexicon import Lexicon, Unit
from .lexing import Sort, Token
from .quantities import Clock, Day, Quantity, Value, Version

_MONTH_NAMES: Final = (
    "january jan enero", "february feb febrero", "march mar marzo", "april apr abril", "may mayo", "june jun junio",
    "july jul julio", "august aug agosto", "september sep sept septiembre", "october oct octubre",
    "november nov noviembre", "december dec diciembre",
)  # fmt: skip
_MONTHS: Final = {name: index for index, names in enumerate(_MONTH_NAMES, 1) for name in names.split()}
# Read as a month only with a capital letter, or beside a number.
_AMBIGUOUS: Final = frozenset({"may", "march", "mar", "sep", "jan", "dec"})
_PER: Final = frozenset({"per", "a", "an", "each", "every", "por", "al", "cada", "/"})
_EVERY: Final = frozenset({"every", "each", "per", "cada"})
_FREQUENCY: Final = {
    "h": "hourly",
    "day": "daily",
    "week": "weekly",
    "month": "monthly",
    "quarter": "quarterly",
    "year": "yearly",
}
_NO_COUNT: Final = (
    grammar.DETERMINERS | grammar.PRONOUNS | grammar.word_set("which what no any every each last next only")
)
_NAMED_TIMES: Final = {"noon": 720, "midday": 720, "midnight": 0, "mediodía": 720, "medianoche": 0}
# Classes whose members have no releases: a number after one of them is no version.
_UNVERSIONED: Final = grammar.word_set(
    """weekday month season daypart frequency colour boolean environment branch city country currency timezone compass
    level priority tongue units log-level indent drink diet meeting answer"""
)
_VERSION_WORDS: Final = frozenset({"version", "versión", "release", "v"})
_YEAR_BEFORE: Final = frozenset(
    {"in", "since", "until", "by", "of", "from", "en", "desde", "hasta", "de", "year", "año"}
)
_ON_AFTER: Final = frozenset(
    {"in", "for", "by", "at", "during", "while", "when", "and", "but", "or", "everywhere", "only", "again"}
)


def joined(tokens: list[Token], lexicon: Lexicon) -> list[Token]:
    """The tokens with everything put together that means one thing."""
    made: list[Token] = []
    at = 0
    if _is_english(tokens):
        # "sin" and "ni" deny in Spanish only.
        tokens = [replace(t, sort=Sort.WORD) if t.folded in ("sin", "ni", "nada") else t for t in tokens]
    while at < len(tokens):
        token, used = _next(tokens, at, made, lexicon)
        made.append(token)
        at += used
    return _names(made)


def _names(tokens: list[Token]) -> list[Token]:
    """Names of two or three words as one token: "Laura Stein". Not at the front, where a capital says nothing."""
    plain = [t for t in tokens if t.sort is Sort.WORD]
    if 2 * sum(_could_name(t) for t in plain) > len(plain) + 2:
        return tokens  # a title in capitals
    made: list[Token] = []
    at = 0
    while at < len(tokens):
        end = at
        while at and end < len(tokens) and end - at < 3 and _could_name(tokens[end]) and _touches(tokens, at, end):
            end += 1
        if end - at > 1:
            name, used = _fold(tokens, end - at, at, Sort.WORD)
            made.append(replace(name, text=" ".join(t.text for t in tokens[at:end])))
            at += used
        else:
            made.append(tokens[at])
            at += 1
    return made


def _could_name(token: Token) -> bool:
    if token.sort is not Sort.WORD or token.members or not token.capital or token.code:
        return False
    return token.text.isalpha() and not token.text.isupper()


def _touches(tokens: list[Token], at: int, end: int) -> bool:
    return end == at or tokens[end].start - tokens[end - 1].end == 1


def _is_english(tokens: list[Token]) -> bool:
    words = {token.folded for token in tokens}
    return not words.isdisjoint(_ENGLISH) and words.isdisjoint(grammar.SPANISH)


_ENGLISH: Final = grammar.word_set("the and of to is are with for it be this not")


def _next(tokens: list[Token], at: int, made: list[Token], lexicon: Lexicon) -> tuple[Token, int]:
    token = tokens[at]
    if token.folded in lexicon.phrases and (found := _phrase(tokens, at, lexicon)):
        return found
    if token.sort is Sort.NUMBER:
        return _date(tokens, at) or _measure(tokens, at, made, lexicon)
    if token.folded in _MONTHS and (found := _date(tokens, at)):
        return found
    if token.folded in _NAMED_TIMES:
        return replace(token, sort=Sort.TIME, value=Clock(_NAMED_TIMES[token.folded])), 1
    if token.folded in _EVERY and at + 1 < len(tokens) and (found := _frequency(tokens, at, lexicon)):
        return found
    if token.folded == "on" and _is_state(tokens, at):
        return replace(token, sort=Sort.WORD), 1
    if token.folded in ("a", "an", "un", "una") and (found := _one_unit(tokens, at, lexicon)):
        return found
    if len(token.text) == 1 and token.capital and _is_name(tokens, at):
        return replace(token, sort=Sort.WORD), 1
    if token.folded == "one" and (found := _one(tokens, at, made, lexicon)):
        return found
    return _negation(tokens, at, made)


def _fold(tokens: list[Token], count: int, at: int, sort: Sort, value: Value | None = None) -> tuple[Token, int]:
    first, last = tokens[at], tokens[at + count - 1]
    words = " ".join(token.folded for token in tokens[at : at + count])
    return replace(first, text=words, end=last.end, sort=sort, folded=words, stem=words, value=value, members=()), count


def _phrase(tokens: list[Token], at: int, lexicon: Lexicon) -> tuple[Token, int] | None:
    for words in lexicon.phrases[tokens[at].folded]:
        if tuple(token.folded for token in tokens[at : at + len(words)]) == words:
            token, used = _fold(tokens, len(words), at, Sort.WORD)
            text = tokens[at].text if tokens[at].capital else token.text
            return replace(token, text=text, members=lexicon.members[" ".join(words)]), used
    return None


def _measure(tokens: list[Token], at: int, made: list[Token], lexicon: Lexicon) -> tuple[Token, int]:
    token = tokens[at]
    quantity = token.value
    if not isinstance(quantity, Quantity):
        return token, 1
    used = 1
    if not quantity.dimension:
        unit = _unit(tokens, at + 1, lexicon)
        if unit:
            quantity = Quantity(quantity.value * unit[1], quantity.raw, unit[0], unit[2])
            used = 2
        elif (found := _release(tokens, at, made)) or (found := _year(token, quantity, made)):
            return found
    rate = at + used
    if not quantity.dimension and rate < len(tokens) and tokens[rate].sort is Sort.WORD:
        rate += 1  # "5 deploys per day": the noun stays a word of its own
    per = _unit(tokens, rate + 1, lexicon) if rate < len(tokens) and tokens[rate].folded in _PER else None
    if per and per[0] == "time":
        dimension = f"{quantity.dimension or 'count'}/time"
        quantity = Quantity(quantity.value / per[1], quantity.raw, dimension, f"{quantity.unit}/{per[2]}")
        if rate == at + used:
            used += 2
        else:
            # The words after the noun are part of the rate: they carry nothing of their own.
            for index in (rate, rate + 1):
                tokens[index] = replace(tokens[index], sort=Sort.FUNCTION)
    return _fold(tokens, used, at, Sort.NUMBER, quantity)


def _unit(tokens: list[Token], at: int, lexicon: Lexicon) -> Unit | None:
    if at >= len(tokens) or tokens[at].sort not in (Sort.WORD, Sort.FUNCTION):
        return None
    # Single letters are units only where they touch the number, which the lexer has seen.
    return lexicon.units.get(tokens[at].folded) if len(tokens[at].text) > 1 or tokens[at].text in "smhgw" else None


def _release(tokens: list[Token], at: int, made: list[Token]) -> tuple[Token, int] | None:
    """A bare number behind the name of something that has releases."""
    token = tokens[at]
    if not made or token.start - made[-1].end > 1 or not token.folded.rstrip("+").replace(".", "").isdigit():
        return None
    before = made[-1]
    named = any(name not in _UNVERSIONED for name, _ in before.members)
    if not named and before.folded not in _VERSION_WORDS:
        return None
    if before.folded == "release" and "." not in token.folded:
        return None
    if at + 1 < len(tokens) and "." not in token.folded and _plural(tokens[at + 1]):
        return None  # "runs on Linux 3 times", "Postgres 2 replicas"
    parts = tuple(token.folded.rstrip("+").split("."))
    return replace(token, sort=Sort.VERSION, value=Version(parts)), 1


def _plural(token: Token) -> bool:
    return token.sort is Sort.WORD and token.folded.endswith("s") and token.stem not in grammar.VERB_STEMS


def _year(token: Token, quantity: Quantity, made: list[Token]) -> tuple[Token, int] | None:
    if made and made[-1].folded in _YEAR_BEFORE and 1950 <= quantity.raw <= 2100 and len(token.text) == 4:
        return replace(token, sort=Sort.DATE, value=Day(int(quantity.raw), None, None)), 1
    return None


def _date(tokens: list[Token], at: int) -> tuple[Token, int] | None:
    """March 3, March 3rd 2024, 3 March, 3 de marzo de 2024, March 2024."""
    first, end = tokens[at], at + 1
    day: int | None = None
    month = _month(first)
    if month is None:
        day = _day_number(first)
        if end < len(tokens) and tokens[end].folded in ("of", "de"):
            end += 1
        month = _month(tokens[end]) if end < len(tokens) else None
        if day is None or month is None:
            return None
        end += 1
    elif end < len(tokens) and (day := _day_number(tokens[end])) is not None:
        end += 1
    year = _year_number(tokens, end)
    if year is not None:
        end = year[1]
    elif day is None:
        return None
    return _fold(tokens, end - at, at, Sort.DATE, Day(year[0] if year else None, month, day))


def _month(token: Token) -> int | None:
    if token.folded in _AMBIGUOUS and not token.capital:
        return None
    return _MONTHS.get(token.folded)


def _day_number(token: Token) -> int | None:
    value = token.value
    if token.sort is Sort.NUMBER and isinstance(value, Quantity) and not value.dimension and 1 <= value.raw <= 31:
        return int(value.raw) if value.raw == int(value.raw) else None
    return None


def _year_number(tokens: list[Token], at: int) -> tuple[int, int] | None:
    if at < len(tokens) and tokens[at].folded in (",", "de", "of", "del"):
        at += 1
    value = tokens[at].value if at < len(tokens) else None
    if isinstance(value, Quantity) and not value.dimension and 1950 <= value.raw <= 2100:
        return int(value.raw), at + 1
    return None


def _frequency(tokens: list[Token], at: int, lexicon: Lexicon) -> tuple[Token, int] | None:
    unit = lexicon.units.get(tokens[at + 1].folded)
    if unit is None or unit[0] != "time" or tokens[at + 1].sort is not Sort.WORD:
        return None
    token, used = _fold(tokens, 2, at, Sort.WORD)
    name = _FREQUENCY.get(unit[2], f"every {unit[2]}")
    return replace(token, members=(("frequency", name),)), used


def _one_unit(tokens: list[Token], at: int, lexicon: Lexicon) -> tuple[Token, int] | None:
    """ "an hour" is one hour."""
    if at + 1 >= len(tokens) or tokens[at + 1].sort is not Sort.WORD:
        return None
    unit = lexicon.units.get(tokens[at + 1].folded)
    if unit is None or unit[0] != "time" or len(tokens[at + 1].folded) < 3:
        return None
    return _fold(tokens, 2, at, Sort.NUMBER, Quantity(unit[1], 1.0, unit[0], unit[2]))


def _is_name(tokens: list[Token], at: int) -> bool:
    """Whether a single capital letter names something, as in "A replaces B"."""
    token = tokens[at]
    if token.sort is not Sort.FUNCTION or token.text == "I":
        return False
    after = tokens[at + 1] if at + 1 < len(tokens) else None
    if after is None or after.sort is Sort.SIGN or token.text not in "AYOE":
        return True
    return after.folded in grammar.FINITE or (after.folded.endswith("s") and after.stem in grammar.VERB_STEMS)


def _is_state(tokens: list[Token], at: int) -> bool:
    """Whether "on" says that something runs: "the flag is on", "turn it on", "keep X on"."""
    if at + 1 < len(tokens) and tokens[at + 1].sort is not Sort.SIGN and tokens[at + 1].folded not in _ON_AFTER:
        return tokens[at - 1].folded in ("turn", "turned", "switch", "switched") if at else False
    return at > 0


def _one(tokens: list[Token], at: int, made: list[Token], lexicon: Lexicon) -> tuple[Token, int] | None:
    """ "one" as a number: before a noun or a unit, not behind a determiner."""
    if at + 1 >= len(tokens) or tokens[at + 1].sort is not Sort.WORD or (made and made[-1].folded in _NO_COUNT):
        return None
    number = replace(tokens[at], sort=Sort.NUMBER, value=Quantity(1.0, 1.0))
    return _measure([*tokens[:at], number, *tokens[at + 1 :]], at, made, lexicon)


def _negation(tokens: list[Token], at: int, made: list[Token]) -> tuple[Token, int]:
    token = tokens[at]
    after = tokens[at + 1] if at + 1 < len(tokens) else None
    if (
        token.folded in grammar.NEGATIVE_BEFORE_VERB
        and after
        and (after.folded == "to" or after.folded.endswith("ing"))
    ):
        return replace(token, sort=Sort.NEGATION), 2 if after.folded == "to" else 1
    if token.folded in ("dejar", "deja", "dejó", "dejamos", "deje") and after and after.folded == "de":
        return replace(token, sort=Sort.NEGATION), 2
    if token.folded == "against" and made and made[-1].stem in _DECIDING:
        return replace(token, sort=Sort.NEGATION), 1
    if token.sort is not Sort.NEGATION:
        return token, 1
    if after and after.folded in grammar.NOT_NEGATED:
        return replace(token, sort=Sort.FUNCTION), 1
    if token.folded == "nor" and any(t.folded == "neither" for t in made):
        return replace(token, sort=Sort.FUNCTION), 1
    if token.folded in _REPEATED and any(t.folded == "no" for t in made[-6:]):
        return replace(token, sort=Sort.FUNCTION), 1  # "no se usa nunca": Spanish denies once with two words
    if token.folded == "no" and after and after.sort is Sort.NUMBER and tokens[at].capital and at == 0:
        return replace(token, sort=Sort.FUNCTION), 1
    return token, 1


_DECIDING: Final = grammar.stems("decide advise vote argue recommend rule opt")
_REPEATED: Final = grammar.word_set("nunca jamás nadie nada ningún ninguno ninguna tampoco ni")

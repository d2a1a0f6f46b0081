"""The word tables of a comparison: opposites, exclusive classes, units and synonyms, built in and from the settings.

The built-in tables are package data, read once, English and Spanish; the settings add to them. Source: DESIGN 6.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import resources
from typing import Any, Final

from ..errors import InputError
from .grammar import stem, word_set

#: Class and member: ("database", "postgres").
Member = tuple[str, str]
SettingsKey = tuple[tuple[tuple[str, str], ...], tuple[tuple[str, tuple[str, ...]], ...]]
#: Dimension, factor to its base unit, name of the unit.
Unit = tuple[str, float, str]

_PREFIXES: Final = ("un", "in", "im", "ir", "il", "dis", "non", "des")
# What such a prefix seems to negate, and does not.
_NO_PREFIX: Final = word_set(
    """form port press stall sid put com creas tend vent volv line deed stanc prov play cover patch cuss tribut charg
    order it ion cap clud dex ner tern voic sert spect tak vestigat tension habit sist telligenc tract cid arm
    pos count tanc ten tegrat tegrity terest tegr dustri fect fer fin flat fluenc novat quir still struct sur
    vit ject iti stant tens valu ventory jur sight stagram bound vest tellij crib plic criptor cript arrollo iad
    cargo"""
)


@dataclass(frozen=True, slots=True)
class Settings:
    """What a person may add to the tables.

    Attributes:
        antonyms: pairs of words that exclude each other.
        classes: class -> its members; "=" joins spellings of one member, as in the built-in table.
    """

    antonyms: tuple[tuple[str, str], ...] = ()
    classes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def from_table(cls, data: Mapping[str, Any]) -> Settings:
        """Settings from the decoded `[contradiction]` table of the configuration.

        Args:
            data: `antonyms`, a list of pairs of words, and `classes`, lists of at least two members by class name.

        Raises:
            InputError: a value has the wrong shape.
        """
        antonyms, classes = data.get("antonyms", []), data.get("classes", {})
        if not isinstance(antonyms, list) or not all(_is_words(pair) and len(pair) == 2 for pair in antonyms):
            raise _wrong("antonyms", "a list of pairs of words")
        if any(stem(fold_word(left.strip())) == stem(fold_word(right.strip())) for left, right in antonyms):
            raise _wrong("antonyms", "pairs of different words")
        if not isinstance(classes, Mapping) or not all(_is_words(m) and len(m) > 1 for m in classes.values()):
            raise _wrong("classes", "lists of at least two members, by class name")
        return cls(
            antonyms=tuple((left, right) for left, right in antonyms),
            classes={str(name): tuple(members) for name, members in classes.items()},
        )

    def key(self) -> SettingsKey:
        """A hashable form, so that the tables of one set of settings are built once."""
        return (self.antonyms, tuple(sorted((name, tuple(members)) for name, members in self.classes.items())))


def _is_words(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(word, str) and word.strip() for word in value)


def _wrong(name: str, wanted: str) -> InputError:
    return InputError(f"`contradiction.{name}` must be {wanted}.", "Mend the setting, or remove it for the default.")


@dataclass(frozen=True, eq=False)  # compared by identity: it is a cache key
class Lexicon:
    """The tables, keyed by folded words or stems.

    Attributes:
        opposites: stem -> stems of its opposites.
        members: word or phrase (words joined by one space) -> the classes it belongs to.
        scopes: classes that mostly say where or when a statement holds.
        phrases: first word -> the phrases of `members` that begin with it, longest first.
        units: spelling -> unit.
        groups: stem -> the synonym groups that hold it.
    """

    opposites: Mapping[str, frozenset[str]]
    members: Mapping[str, tuple[Member, ...]]
    scopes: frozenset[str]
    phrases: Mapping[str, tuple[tuple[str, ...], ...]]
    units: Mapping[str, Unit]
    groups: Mapping[str, frozenset[int]]

    def are_opposite(self, left: str, right: str) -> bool:
        """Whether two stems exclude each other: listed, or one is the other behind a negating prefix."""
        if right in self.opposites.get(left, ()):
            return True
        longer, shorter = (left, right) if len(left) > len(right) else (right, left)
        if len(shorter) < 3 or shorter in _NO_PREFIX or not longer.endswith(shorter):
            return False
        return longer[: -len(shorter)].rstrip("-") in _PREFIXES

    def are_synonyms(self, left: str, right: str) -> bool:
        """Whether notes exchange two stems freely."""
        return not self.groups.get(left, frozenset()).isdisjoint(self.groups.get(right, frozenset()))


def lexicon(settings: Settings | None = None) -> Lexicon:
    """The tables for these settings; the built-in ones alone without."""
    return _lexicon((settings or Settings()).key())


@lru_cache(maxsize=4)
def _lexicon(key: SettingsKey) -> Lexicon:
    antonyms, classes = key
    members, scopes = _classes([*_class_rows(), *((name, list(spellings)) for name, spellings in classes)])
    return Lexicon(
        opposites=_opposites(antonyms),
        members=members,
        scopes=scopes,
        phrases=_phrases(members),
        units=dict(_units()),
        groups=_groups(),
    )


def fold_word(word: str) -> str:
    """The form in which words are looked up."""
    return unicodedata.normalize("NFC", word.lower())


def _rows(table: str) -> Iterator[str]:
    text = resources.files(__package__).joinpath("data", table).read_text(encoding="utf-8")
    return (line for line in text.splitlines() if line.strip() and not line.startswith("#"))


def _opposites(extra: Iterable[tuple[str, str]]) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for table in ("antonyms_wordnet.txt", "antonyms_technical.txt", "antonyms_spanish.txt"):
        for row in _rows(table):
            left, right = row.split()
            _pair(found, left, right)
    for left, right in extra:
        _pair(found, fold_word(left), fold_word(right))
    return {word: frozenset(others) for word, others in found.items()}


def _pair(found: dict[str, set[str]], left: str, right: str) -> None:
    first, second = stem(left), stem(right)
    if first != second:
        found.setdefault(first, set()).add(second)
        found.setdefault(second, set()).add(first)


def _class_rows() -> Iterator[tuple[str, list[str]]]:
    for row in _rows("classes.txt"):
        name, _, members = row.partition(":")
        yield name.strip(), [member.strip() for member in members.split(",")]


def _classes(rows: Iterable[tuple[str, list[str]]]) -> tuple[dict[str, tuple[Member, ...]], frozenset[str]]:
    found: dict[str, list[Member]] = {}
    scopes: set[str] = set()
    for marked, members in rows:
        name = marked.rstrip("+")
        if name != marked:
            scopes.add(name)
        for spellings in members:
            names = [fold_word(spelling) for spelling in spellings.split("=") if spelling]
            for spelling in names:
                for form in {spelling, spelling.replace("-", " ")}:
                    found.setdefault(form, []).append((name, names[0]))
    return {word: tuple(dict.fromkeys(members)) for word, members in found.items()}, frozenset(scopes)


def _phrases(members: Iterable[str]) -> dict[str, tuple[tuple[str, ...], ...]]:
    found: dict[str, list[tuple[str, ...]]] = {}
    for member in members:
        words = tuple(re.split(r"\s+", member))
        if len(words) > 1:
            found.setdefault(words[0], []).append(words)
    return {first: tuple(sorted(rest, key=len, reverse=True)) for first, rest in found.items()}


def _units() -> Iterator[tuple[str, Unit]]:
    for row in _rows("units.txt"):
        dimension, _, rest = row.partition(": ")
        name, factor, *spellings = rest.split()
        # Things counted are not converted into one another.
        dimension = f"count:{name}" if dimension == "count" else dimension
        for spelling in (name, *spellings):
            yield fold_word(spelling), (dimension, float(factor), name)


def _groups() -> dict[str, frozenset[int]]:
    found: dict[str, set[int]] = {}
    for index, row in enumerate(_rows("synonyms.txt")):
        for word in row.split():
            found.setdefault(stem(word), set()).add(index)
    return {word: frozenset(groups) for word, groups in found.items()}

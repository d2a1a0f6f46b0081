"""Where in its sentence a change stands: in the subject, in a list, behind a verb, in a phrase of place. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from . import grammar
from .differences import Change, Differences
from .lexicon import Lexicon
from .lexing import VALUES, Sort, Token
from .quantities import Quantity
from .reading import Reading


@dataclass(frozen=True, slots=True)
class Pair:
    """Two aligned sentences with what differs between them."""

    left: Reading
    right: Reading
    found: Differences
    lexicon: Lexicon

    def ends(self, change: Change) -> tuple[Token, Token]:
        """The first token of both sides of a change."""
        return self.left.token(change.left[0]), self.right.token(change.right[0])

    def indexes(self, change: Change) -> tuple[int, int]:
        """The index of the first token of both sides of a change."""
        return self.left.content[change.left[0]], self.right.content[change.right[0]]


def names_release(reading: Reading, index: int) -> bool:
    """Whether a bare number follows a name at once: "Building 7", "GTK# 2.10"."""
    token, before = reading.tokens[index], reading.tokens[index - 1] if index else None
    if (
        before is None
        or token.sort is not Sort.NUMBER
        or not isinstance(token.value, Quantity)
        or token.value.dimension
    ):
        return False
    return before.sort is Sort.IDENTIFIER or bool(before.members) or (before.capital and before.sort is Sort.WORD)


def in_subject(reading: Reading, index: int) -> bool:
    """Whether a token belongs to the subject, or to the phrase in front of it."""
    first, end = reading.subject
    return first <= index < end or reading.scope[0] <= index < reading.scope[1]


def is_verb(pair: Pair, token: Token) -> bool:
    """Whether a token is a form of a verb and no name."""
    return token.sort is Sort.WORD and token.stem in grammar.VERB_STEMS and not token.capital


def is_label(reading: Reading, index: int) -> bool:
    """Whether a number is the name of something: "sprint 12", "server 3"."""
    token = reading.tokens[index]
    return index > 0 and token.sort is Sort.NUMBER and reading.tokens[index - 1].folded in grammar.LABELS


def labels_reference(reading: Reading, index: int) -> bool:
    """Whether a label refers to something by its number, wherever it stands: "issue 12", "step 3"."""
    return reading.tokens[index - 1].folded in grammar.REFERENCE_LABELS


_ROLE_WORDS: Final = grammar.UNIQUE | grammar.word_set(
    """used required mandatory recommended installed pinned deployed supported our the my in chosen enough needed
    nuestro nuestra el la"""
)


def states_role(pair: Pair, change: Change) -> bool:
    """Whether a bare name is the whole subject and what follows gives it a role: "Postgres is our main database"."""
    for reading, index in zip((pair.left, pair.right), pair.indexes(change), strict=True):
        first, end = reading.subject
        inside = [i for i in range(first, end) if reading.tokens[i].sort not in (Sort.FUNCTION, Sort.SIGN)]
        names = [i for i in inside if reading.tokens[i].sort not in VALUES]
        if index not in range(first, end) or len(names) != 1 or end >= len(reading.tokens):
            return False
        verb = reading.tokens[end]
        after = reading.tokens[end + 1].folded if end + 1 < len(reading.tokens) else ""
        if verb.folded in grammar.COPULAS:
            if after not in _ROLE_WORDS:
                return False
        elif verb.stem not in grammar.OWNING_STEMS:
            return False
    return True


def attributive(pair: Pair, change: Change) -> bool:
    """Whether the words of a change belong to a noun behind them: "the Python client"."""
    for reading, index in zip((pair.left, pair.right), pair.indexes(change), strict=True):
        after = reading.tokens[index + 1] if index + 1 < len(reading.tokens) else None
        if after is None or after.sort not in (Sort.WORD, Sort.IDENTIFIER) or after.folded in _GENERIC:
            return False
    return True


# "the staging environment" is no other thing than "staging".
_GENERIC: Final = grammar.word_set(
    "environment language platform os system branch database entorno lenguaje first only"
)


def is_additive(pair: Pair, change: Change) -> bool:
    """Whether the nearest verb before the change denies no other object: "supports Linux"."""
    for reading, index in zip((pair.left, pair.right), pair.indexes(change), strict=True):
        verb = next((t for t in reversed(reading.tokens[:index]) if is_verb(pair, t)), None)
        if verb is not None and verb.stem in grammar.ADDITIVE_STEMS:
            return True
        if any(t.folded in ("also", "including", "e.g", "también") for t in reading.tokens[:index]):
            return True
    return False


def is_list(reading: Reading, position: int) -> bool:
    """Whether a member stands in a list of its class: "Linux and macOS"."""
    mine = {name for name, _ in reading.token(position).members}
    for other in (position - 1, position + 1):
        if 0 <= other < len(reading.content):
            between = reading.tokens[min(reading.content[other], reading.content[position]) + 1 :]
            joined = between[0].text in (",", "/", "|", "&") or between[0].folded in ("and", "or", "y", "o", "e")
            if joined and mine & {name for name, _ in reading.token(other).members}:
                return True
    return False


def is_listed_number(reading: Reading, index: int) -> bool:
    """Whether a number stands in a list of numbers: "410, 412 and 415"."""
    tokens = reading.tokens
    for step in (1, -1):
        at = index + step
        if not 0 <= at + step < len(tokens) or tokens[at].folded not in (",", "and", "or", "/", "y", "o"):
            continue
        other = tokens[at + step]
        if other.sort is tokens[index].sort and other.sort in (Sort.NUMBER, Sort.VERSION):
            return _bare(other) and _bare(tokens[index])
    return False


def _bare(token: Token) -> bool:
    return not isinstance(token.value, Quantity) or not token.value.dimension


def is_adjunct(pair: Pair, change: Change) -> bool:
    """Whether a member of a scope class stands in a phrase that says where the statement holds: "use tabs in Go"."""
    if class_of(pair, change) not in pair.lexicon.scopes:
        return False
    if attributive(pair, change):
        return True
    for reading, index in zip((pair.left, pair.right), pair.indexes(change), strict=True):
        at = index - 1
        while at > 0 and (
            reading.tokens[at].folded in grammar.DETERMINERS or reading.tokens[at].folded in grammar.UNIQUE
        ):
            at -= 1
        if at <= 0 or reading.tokens[at].folded not in _WHERE:
            return False
        before = reading.tokens[at - 1]
        if before.folded in grammar.COPULAS or (before.stem in grammar.VERB_STEMS and before.sort is Sort.WORD):
            return False
    return True


_WHERE: Final = grammar.word_set("in on for under with at within during inside en para con bajo")


def class_of(pair: Pair, change: Change) -> str:
    """The exclusive class that both sides of a change are members of, "" for none."""
    one, other = pair.ends(change)
    return next((name for name, _ in one.members if any(name == also for also, _ in other.members)), "")


def named(pair: Pair, change: Change) -> bool:
    """Whether both sides of a change are names."""
    return all(is_named(token) for token in pair.ends(change))


def is_named(token: Token) -> bool:
    """Whether a token is a name: a capital, a known member of a class, or an identifier."""
    return token.capital or bool(token.members) or token.sort is Sort.IDENTIFIER

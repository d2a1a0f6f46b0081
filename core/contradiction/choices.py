"""Named choices: values of something that has one, whatever its name. "We use X for Y", "the owner is X". Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from . import grammar
from .differences import Change
from .finding import Kind
from .lexing import Sort, Token
from .placing import Pair, is_additive, is_named, is_verb, named, states_role
from .reading import Reading


def rejects(pair: Pair) -> bool:
    """Whether one of the sentences names what was not chosen."""
    return bool(pair.left.rejected or pair.right.rejected)


def is_choice(pair: Pair, change: Change) -> bool:
    """Whether the change is between two values of something that has one."""
    if _chosen_and_rejected(pair, change):
        return True
    if states_role(pair, change) and change.kind is not Kind.EXCLUSIVE:
        return named(pair, change)
    if _is_recipient(pair, change):
        return True
    return all(
        _selected(reading, index) or _filled(reading, index)
        for reading, index in zip((pair.left, pair.right), pair.indexes(change), strict=True)
    )


def _is_recipient(pair: Pair, change: Change) -> bool:
    """Whether all but the name that something goes to is the same: "escalate to Priyanka", "approved by Owen"."""
    if len(pair.found.changes) > 1 or pair.found.left_rest or pair.found.right_rest:
        return False
    if change.kind is Kind.IDENTIFIER or is_additive(pair, change):
        return False
    if any(is_verb(pair, token) for token in pair.ends(change)):
        return False  # "by populating the tree" names nobody
    names = named(pair, change)
    for reading, index in zip((pair.left, pair.right), pair.indexes(change), strict=True):
        at = index - 1
        while at > 0 and reading.tokens[at].folded in grammar.DETERMINERS:
            at -= 1
        if at < 1 or not reading.verbal:
            return False
        word, verb = reading.tokens[at].folded, reading.tokens[at - 1]
        agent = word in ("by", "por") and verb.stem in grammar.VERB_STEMS
        goes = names and word in ("to", "by", "via", "through", "por")
        personal = names and word in ("at", "from", "in", "for", "en") and _is_personal(reading, at)
        if not (agent or goes or personal):
            return False
    return True


def _is_personal(reading: Reading, at: int) -> bool:
    """Whether a person is said to be at, from or in something: "the user studied at X", "Ana is an engineer at Y"."""
    first, end = reading.subject
    subject = [t for t in reading.tokens[first:end] if t.sort is not Sort.SIGN]
    person = any(t.folded in grammar.PRONOUNS or t.folded in ("user", "usuario") for t in subject)
    person = person or (len(subject) == 1 and subject[0].capital and not subject[0].members)
    if not person or end >= len(reading.tokens):
        return False
    verb = reading.tokens[end]
    return reading.tokens[at - 1].stem in grammar.PERSONAL_STEMS or (verb.folded in grammar.COPULAS and at > end + 1)


def _chosen_and_rejected(pair: Pair, change: Change) -> bool:
    """Whether one side chooses what the other rejects."""
    one, other = pair.ends(change)
    for chosen, reading in ((one, pair.right), (other, pair.left)):
        if any(_alike(chosen, reading.tokens[i]) for i in reading.rejected):
            return True
    return False


def _alike(one: Token, other: Token) -> bool:
    return one.stem == other.stem or not set(one.members).isdisjoint(other.members)


def _selected(reading: Reading, index: int) -> bool:
    """Whether the token is the object of a choosing verb that states a purpose: "we use X for Y", "chose X over Y"."""
    at = index - 1
    while at >= 0 and (reading.tokens[at].folded in grammar.DETERMINERS or reading.tokens[at].folded in _FILLERS):
        at -= 1
    if (
        at < 0
        or reading.tokens[at].stem not in grammar.SELECTING_STEMS
        or reading.tokens[at].folded in ("ships", "tests")
    ):
        return False
    if reading.rejected:
        return True
    if reading.scope[1] and reading.tokens[0].folded in ("for", "para"):
        return True
    tokens = reading.tokens
    return any(
        tokens[i].folded in _PURPOSE
        and i + 1 < len(tokens)
        and tokens[i + 1].sort is not Sort.SIGN
        and not 0 < at - i < 2
        for i in (*range(index + 1, min(len(tokens), index + 5)), 0)
    )


_FILLERS: Final = grammar.word_set("to on with as in by for only always now currently exclusively with a con en de")
_PURPOSE: Final = grammar.word_set("for as to para como when about before regarding sobre if")


def _filled(reading: Reading, index: int) -> bool:
    """Whether the token fills something that has one value: "the owner of X is Y", "X defaults to Y", "editor: Y"."""
    first, end = reading.subject
    if index < end or end >= len(reading.tokens):
        return False
    verb = reading.tokens[end]
    subject = [t for t in reading.tokens[first:end] if t.sort is Sort.WORD]
    if not subject:
        return False
    between = [t for t in reading.tokens[end + 1 : index] if t.sort is not Sort.FUNCTION]
    if verb.stem == "default" or (
        between and between[-1].stem in ("set", "default", "call", "nam") and len(between) == 1
    ):
        return True
    if verb.folded not in grammar.COPULAS and verb.text not in (":", "=", "->", "→", "=>"):
        return False
    if verb.folded in grammar.COPULAS and not between and _is_definite(reading) and is_named(reading.tokens[index]):
        return True
    head = _head(subject, reading.tokens[first:end])
    single = head.stem in grammar.SINGULAR_STEMS and not (
        head.folded.endswith("s") and head.folded not in grammar.SINGULAR
    )
    return not between and (single or any(t.folded in grammar.UNIQUE for t in subject))


def _is_definite(reading: Reading) -> bool:
    """Whether the subject names one thing: "the largest customer", "our mascot"."""
    first, end = reading.subject
    begins = reading.tokens[first].folded
    noun = reading.tokens[end - 1]
    return (begins in grammar.DETERMINERS or begins == "user") and not noun.folded.endswith("s")


def _head(subject: Sequence[Token], tokens: Sequence[Token]) -> Token:
    """The noun a subject is about: the last before a preposition."""
    head = subject[0]
    for token in tokens:
        if token.folded in grammar.PREPOSITIONS and token.start > head.start:
            break
        if token.sort is Sort.WORD:
            head = token
    return head

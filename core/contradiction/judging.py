"""From the differences of two aligned sentences to findings: what is a conflict, and what only tells two facts apart. Pure.

Two statements conflict where all but one thing is the same, and that thing can have one value only. They do not where the
subject, or the condition under which they hold, differs as well: then they are two facts of one template. And the
unexplained rest may be at most a fifth of the content words. Source: SIMILARITY "Contradictions".
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from . import grammar, roles
from .differences import Change, Differences, differences, rest_share
from .finding import Kind, Lane, Span
from .lexicon import Lexicon
from .lexing import VALUES, Sort, Token
from .polarity import Flip, flips
from .quantities import Quantity
from .reading import Reading

#: Largest share of content words that may be left unexplained in a conflict.
REST: Final = 0.2
#: Share from which an unexplained rest is worth a remark by itself.
REMARKED: Final = 0.3


@dataclass(frozen=True, slots=True)
class Judged:
    """A finding with spans inside the two sentences."""

    lane: Lane
    kind: Kind
    left: Span
    right: Span
    reason: str
    #: Keys of the two sides where the difference names what the sentence is about; ("", "") elsewhere.
    about: tuple[str, str] = ("", "")
    #: Whether that difference is sure: names or identifiers, or not the only one.
    topic: bool = False


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


def judge(left: Reading, right: Reading, lexicon: Lexicon, *, loose: bool = False) -> list[Judged]:
    """The findings of two aligned sentences.

    Args:
        left, right: the two sentences.
        lexicon: the word tables.
        loose: the alignment is weak: nothing is a conflict, and only values are worth telling.
    """
    if not loose and (found := _roles(left, right)):
        return [found]
    pair = Pair(left, right, differences(left, right, lexicon), lexicon)
    turned = flips(left, right, pair.found)
    keys = [change for change in pair.found.changes if _is_key(pair, change)]
    apart = bool(keys) or _scoped_alone(pair) or _mixed(pair, turned)
    judged = [_turned(pair, flip) for flip in turned]
    judged += [_changed(pair, change, keys) for change in pair.found.changes if change.kind is not Kind.ANTONYM]
    judged += [_changed(pair, change, keys) for change in _attributes(pair, turned)]
    share = rest_share(left, right, pair.found)
    if not judged and share >= REMARKED:
        judged.append(_rest(pair))
    return [_settled(pair, item, apart or loose, share) for item in judged if not loose or item.kind not in _VAGUE]


_VAGUE: Final = frozenset({Kind.WORD, Kind.IDENTIFIER})


def _settled(pair: Pair, item: Judged, apart: bool, share: float) -> Judged:
    """The finding in its final lane."""
    if item.lane is Lane.CONFLICT and (apart or share > REST + _own_share(pair, item)):
        return replace(item, lane=Lane.SLOT)
    return item


def _rest(pair: Pair) -> Judged:
    """What only one of the sentences says, where nothing else differs."""
    left = [pair.left.token(i) for i in pair.found.left_rest]
    right = [pair.right.token(j) for j in pair.found.right_rest]
    if left and right:
        reason = f"{_words(left)} against {_words(right)}"
    else:
        reason = f"only one says “{_words(left or right)}”"
    end = len(pair.left.text), len(pair.right.text)
    spans = [_span(side) if side else (last, last) for side, last in zip((left, right), end, strict=True)]
    return Judged(Lane.SLOT, Kind.WORD, spans[0], spans[1], reason)


def _own_share(pair: Pair, item: Judged) -> float:
    """What the words of a named choice themselves add to the unexplained rest: they are its explanation."""
    if item.kind is not Kind.CHOICE:
        return 0.0
    total = len(pair.left.keys) + len(pair.right.keys)
    words = sum(len(c.left) + len(c.right) for c in pair.found.changes if c.kind is Kind.WORD)
    return words / total if total else 0.0


# -- keys: what tells two subjects apart ---------------------------------------------------------------------------


def _is_key(pair: Pair, change: Change) -> bool:
    """Whether a change says that the sentences are about different things."""
    one, other = pair.ends(change)
    here, there = pair.indexes(change)
    about = _in_subject(pair.left, here) or _in_subject(pair.right, there)
    if not pair.left.verbal and not pair.right.verbal and change.kind not in (Kind.NUMBER, Kind.UNIT):
        return _qualifies(pair, change)
    if change.kind in (Kind.NUMBER, Kind.VERSION, Kind.DATE, Kind.TIME, Kind.UNIT):
        if _is_label(pair.left, here) and _is_label(pair.right, there):
            return about or _labels_reference(pair.left, here)
        if about and _names_release(pair.left, here) and _names_release(pair.right, there):
            return not _states_role(pair, change)
        return (
            change.kind is not Kind.NUMBER and change.kind is not Kind.UNIT and about and not _states_role(pair, change)
        )
    if change.kind is Kind.EXCLUSIVE:
        return about and not _states_role(pair, change)
    if change.kind is Kind.ANTONYM:
        return about and _names_thing(pair, change)
    if _is_verb(pair, one) and _is_verb(pair, other):
        return False
    if about:
        return not _states_role(pair, change)
    return len(pair.found.changes) > 1 and not _is_choice(pair, change)


def _qualifies(pair: Pair, change: Change) -> bool:
    """Whether a change in a title tells two things apart: "help files (French)", "headers for Linux 6.1", "Redis port"."""
    if change.kind in (Kind.WORD, Kind.IDENTIFIER):
        return True
    for reading, index in zip((pair.left, pair.right), pair.indexes(change), strict=True):
        tokens = reading.tokens
        before = tokens[index - 1] if index else None
        if before is not None and before.members and index > 1:
            before = tokens[index - 2]  # "for Linux 6.1"
        after = tokens[index + 1] if index + 1 < len(tokens) else None
        bound = before is not None and (before.folded in grammar.PREPOSITIONS or before.text == "(")
        names = after is not None and after.sort in (Sort.WORD, Sort.IDENTIFIER, Sort.NUMBER, Sort.VERSION)
        if not bound and not (names and change.kind is not Kind.ANTONYM and change.kind is not Kind.VERSION):
            return False
    return True


def _names_release(reading: Reading, index: int) -> bool:
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


def _in_subject(reading: Reading, index: int) -> bool:
    first, end = reading.subject
    return first <= index < end or reading.scope[0] <= index < reading.scope[1]


def _is_verb(pair: Pair, token: Token) -> bool:
    return token.sort is Sort.WORD and token.stem in grammar.VERB_STEMS and not token.capital


def _is_label(reading: Reading, index: int) -> bool:
    """Whether a number is the name of something: "sprint 12", "server 3"."""
    token = reading.tokens[index]
    return index > 0 and token.sort is Sort.NUMBER and reading.tokens[index - 1].folded in grammar.LABELS


def _labels_reference(reading: Reading, index: int) -> bool:
    return reading.tokens[index - 1].folded in grammar.REFERENCE_LABELS


def _names_thing(pair: Pair, change: Change) -> bool:
    """Whether an opposite in the subject belongs to what is spoken of: "upload limits" and "download limits"."""
    for reading, index in zip((pair.left, pair.right), pair.indexes(change), strict=True):
        if index + 1 < reading.subject[1] or index < reading.scope[1] or _has_predicate(reading):
            return True
    return False


def _has_predicate(reading: Reading) -> bool:
    return any(t.folded in grammar.FINITE or t.text in (":", "=") for t in reading.tokens[reading.subject[1] :][:1])


_ROLE_WORDS: Final = grammar.UNIQUE | frozenset(
    """used required mandatory recommended installed pinned deployed supported our the my in chosen enough needed
    nuestro nuestra el la""".split()
)


def _states_role(pair: Pair, change: Change) -> bool:
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


def _scoped_alone(pair: Pair) -> bool:
    """Whether one side alone is bound to a place or a time: "the API" against "the staging API"."""
    for reading, rest in ((pair.left, pair.found.left_rest), (pair.right, pair.found.right_rest)):
        for position in rest:
            token = reading.token(position)
            if any(name in pair.lexicon.scopes for name, _ in token.members) and not _is_list(reading, position):
                return True
    return False


def _mixed(pair: Pair, turned: Sequence[Flip]) -> bool:
    """Whether differences of several sorts stand together, one of them a condition: two facts, not one denied."""
    kinds = {change.kind for change in pair.found.changes}
    values = kinds & {Kind.NUMBER, Kind.VERSION, Kind.UNIT}
    if values and kinds & {Kind.DATE}:
        return True
    others = [c for c in pair.found.changes if c.kind is Kind.EXCLUSIVE and _is_adjunct(pair, c)]
    if others and (values or turned or len(pair.found.changes) > len(others)):
        return True
    if values and any(c.kind is Kind.EXCLUSIVE and _class_of(pair, c) in _WHEN for c in pair.found.changes):
        return True
    return bool(values) and any(
        _attributive(pair, change) for change in pair.found.changes if change.kind is Kind.ANTONYM
    )


_WHEN: Final = frozenset({"weekday", "month", "season", "daypart", "frequency"})


def _attributive(pair: Pair, change: Change) -> bool:
    for reading, index in zip((pair.left, pair.right), pair.indexes(change), strict=True):
        after = reading.tokens[index + 1] if index + 1 < len(reading.tokens) else None
        if after is None or after.sort not in (Sort.WORD, Sort.IDENTIFIER) or after.folded in _GENERIC:
            return False
    return True


# "the staging environment" is no other thing than "staging".
_GENERIC: Final = frozenset(
    "environment language platform os system branch database entorno lenguaje first only".split()
)


# -- lanes ---------------------------------------------------------------------------------------------------------


def _turned(pair: Pair, flip: Flip) -> Judged:
    left = [pair.left.tokens[i] for i in flip.left] + [pair.left.token(c.left[0]) for c in flip.opposites]
    right = [pair.right.tokens[j] for j in flip.right] + [pair.right.token(c.right[0]) for c in flip.opposites]
    if flip.opposites and not flip.left and not flip.right:
        reason = f"{left[0].text} against {right[0].text}"
        return Judged(Lane.CONFLICT, Kind.ANTONYM, _span(left), _span(right), reason)
    spans = [_span(side) if side else _answer(pair, flip, which) for which, side in enumerate((left, right))]
    said = (left or right)[0].text
    reason = f"only one says “{said}”" if len(left) + len(right) == 1 else "denied on one side"
    return Judged(Lane.CONFLICT, Kind.NEGATION, spans[0], spans[1], reason)


def _answer(pair: Pair, flip: Flip, side: int) -> Span:
    """Where the side without a negation says what the other denies."""
    reading, other = (pair.left, pair.right) if side == 0 else (pair.right, pair.left)
    denied = dict(other.denied)
    for index in flip.right if side == 0 else flip.left:
        position = denied.get(index, -1)
        partners = {j: i for i, j in pair.found.same.items()} if side == 0 else pair.found.same
        if position in partners:
            return _span([reading.token(partners[position])])
    return (0, 0)


def _attributes(pair: Pair, turned: Sequence[Flip]) -> list[Change]:
    """Opposites that no clause is turned round by, but that name what the sentences are about."""
    told = {id(change) for flip in turned for change in flip.opposites}
    return [
        change
        for change in pair.found.changes
        if change.kind is Kind.ANTONYM and id(change) not in told and not pair.left.denied and not pair.right.denied
    ]


def _changed(pair: Pair, change: Change, keys: Sequence[Change]) -> Judged:
    left = [pair.left.token(i) for i in change.left]
    right = [pair.right.token(j) for j in change.right]
    reason = f"{_words(left)} against {_words(right)}"
    is_key = any(change is key for key in keys)
    about = (left[0].stem, right[0].stem) if is_key else ("", "")
    topic = is_key and (_named(pair, change) or _differ_again(pair, change))
    lane, kind = _lane(pair, change)
    if kind is Kind.EXCLUSIVE:
        reason += f" ({_class_of(pair, change)})"
    return Judged(lane, kind, _span(left), _span(right), reason, about, topic)


def _differ_again(pair: Pair, key: Change) -> bool:
    """Whether something besides a key differs, other than one verb for another."""
    return any(
        change is not key and not (change.kind is Kind.WORD and all(_is_verb(pair, t) for t in pair.ends(change)))
        for change in pair.found.changes
    )


def _lane(pair: Pair, change: Change) -> tuple[Lane, Kind]:
    """The lane of a change by itself, before the rest of the sentence is looked at."""
    here, there = pair.indexes(change)
    if change.kind in (Kind.WORD, Kind.EXCLUSIVE, Kind.IDENTIFIER) and _is_choice(pair, change):
        return Lane.CONFLICT, Kind.EXCLUSIVE if change.kind is Kind.EXCLUSIVE and not _rejects(pair) else Kind.CHOICE
    if change.kind is Kind.WORD or change.kind is Kind.IDENTIFIER:
        return Lane.SLOT, change.kind
    if change.kind is Kind.ANTONYM:
        return Lane.SLOT, Kind.ANTONYM
    if change.kind is Kind.EXCLUSIVE:
        free = _is_additive(pair, change) or _is_adjunct(pair, change)
        listed = _is_list(pair.left, change.left[0]) or _is_list(pair.right, change.right[0])
        return (Lane.SLOT if free or listed else Lane.CONFLICT), Kind.EXCLUSIVE
    if _is_label(pair.left, here) and _is_label(pair.right, there) and _labels_reference(pair.left, here):
        return Lane.SLOT, Kind.IDENTIFIER
    if _is_listed_number(pair.left, here) or _is_listed_number(pair.right, there):
        return Lane.SLOT, change.kind
    return Lane.CONFLICT, change.kind


def _is_additive(pair: Pair, change: Change) -> bool:
    """Whether the nearest verb before the change denies no other object: "supports Linux"."""
    for reading, index in zip((pair.left, pair.right), pair.indexes(change), strict=True):
        verb = next((t for t in reversed(reading.tokens[:index]) if _is_verb(pair, t)), None)
        if verb is not None and verb.stem in grammar.ADDITIVE_STEMS:
            return True
        if any(t.folded in ("also", "including", "e.g", "también") for t in reading.tokens[:index]):
            return True
    return False


def _is_list(reading: Reading, position: int) -> bool:
    """Whether a member stands in a list of its class: "Linux and macOS"."""
    mine = {name for name, _ in reading.token(position).members}
    for other in (position - 1, position + 1):
        if 0 <= other < len(reading.content):
            between = reading.tokens[min(reading.content[other], reading.content[position]) + 1 :]
            joined = between[0].text in (",", "/", "|", "&") or between[0].folded in ("and", "or", "y", "o", "e")
            if joined and mine & {name for name, _ in reading.token(other).members}:
                return True
    return False


def _is_listed_number(reading: Reading, index: int) -> bool:
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


def _is_adjunct(pair: Pair, change: Change) -> bool:
    """Whether a member of a scope class stands in a phrase that says where the statement holds: "use tabs in Go"."""
    if _class_of(pair, change) not in pair.lexicon.scopes:
        return False
    if _attributive(pair, change):
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
        if before.folded in grammar.COPULAS or before.stem in grammar.VERB_STEMS and before.sort is Sort.WORD:
            return False
    return True


_WHERE: Final = frozenset("in on for under with at within during inside en para con bajo".split())


def _class_of(pair: Pair, change: Change) -> str:
    one, other = pair.ends(change)
    return next((name for name, _ in one.members if any(name == also for also, _ in other.members)), "")


# -- named choices -------------------------------------------------------------------------------------------------


def _rejects(pair: Pair) -> bool:
    return bool(pair.left.rejected or pair.right.rejected)


def _is_choice(pair: Pair, change: Change) -> bool:
    """Whether the change is between two values of something that has one."""
    if _chosen_and_rejected(pair, change):
        return True
    if _states_role(pair, change) and change.kind is not Kind.EXCLUSIVE:
        return _named(pair, change)
    if _is_recipient(pair, change):
        return True
    return all(
        _selected(reading, index) or _filled(reading, index)
        for reading, index in zip((pair.left, pair.right), pair.indexes(change), strict=True)
    )


def _is_recipient(pair: Pair, change: Change) -> bool:
    """Whether all but the name that something goes to is the same: "escalate to Priyanka", "approved by Owen"."""
    if len(pair.found.changes) > 1 or pair.found.left_rest or pair.found.right_rest or not _named(pair, change):
        return False
    if change.kind is Kind.IDENTIFIER or _is_additive(pair, change):
        return False
    for reading, index in zip((pair.left, pair.right), pair.indexes(change), strict=True):
        at = index - 1
        while at > 0 and reading.tokens[at].folded in grammar.DETERMINERS:
            at -= 1
        if at < 1 or reading.tokens[at].folded not in ("to", "by", "via", "through", "por") or not reading.verbal:
            return False
    return True


def _named(pair: Pair, change: Change) -> bool:
    return all(token.capital or token.members or token.sort is Sort.IDENTIFIER for token in pair.ends(change))


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
    after = reading.tokens[index + 1 :]
    return any(
        token.folded in _PURPOSE and number + 1 < len(after) and after[number + 1].sort is not Sort.SIGN
        for number, token in enumerate(after[:4])
    )


_FILLERS: Final = frozenset("to on with as in by for only always now currently exclusively with a con en de".split())
_PURPOSE: Final = frozenset("for as to para como when".split())


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
    head = _head(subject, reading.tokens[first:end])
    single = head.stem in grammar.SINGULAR_STEMS and not (
        head.folded.endswith("s") and head.folded not in grammar.SINGULAR
    )
    return not between and (single or any(t.folded in grammar.UNIQUE for t in subject))


def _head(subject: Sequence[Token], tokens: Sequence[Token]) -> Token:
    """The noun a subject is about: the last before a preposition."""
    head = subject[0]
    for token in tokens:
        if token.folded in grammar.PREPOSITIONS and token.start > head.start:
            break
        if token.sort is Sort.WORD:
            head = token
    return head


# -- roles and spans -----------------------------------------------------------------------------------------------


def _roles(left: Reading, right: Reading) -> Judged | None:
    if names := roles.swapped(left, right):
        said = [" ".join(left.tokens[i].text for i in name) for name in names]
        first, second = left.tokens[names[0].start], left.tokens[names[1].stop - 1]
        kind = Kind.CHOICE if left.rejected and right.rejected else Kind.ROLES
        where = next((t.start for t in right.tokens if t.start >= 0), 0)
        span = (where, len(right.text.rstrip(" .")))
        return Judged(Lane.CONFLICT, kind, (first.start, second.end), span, f"{said[0]} and {said[1]} change places")
    if verbs := roles.turned(left, right):
        one, other = left.tokens[verbs[0]], right.tokens[verbs[1]]
        reason = f"“{one.text}” one way and the other"
        return Judged(Lane.CONFLICT, Kind.ROLES, (one.start, one.end), (other.start, other.end), reason)
    return None


def _span(tokens: Iterable[Token]) -> Span:
    found = list(tokens)
    return min(t.start for t in found), max(t.end for t in found)


def _words(tokens: Sequence[Token]) -> str:
    return " ".join(token.text for token in tokens)

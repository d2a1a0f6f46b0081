"""A sentence read for comparing: its content, what is denied, where its subject ends, and what it chooses over what.

Pure. Source: SIMILARITY "Contradictions".
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from . import grammar
from .joining import joined
from .lexicon import Lexicon
from .lexing import CONTENT, VALUES, Sort, Token, tokens
from .quantities import Clock, Day, Quantity, Version


@dataclass(frozen=True, slots=True)
class Reading:
    """One sentence, read.

    Attributes:
        text: the sentence.
        tokens: everything in it, in order.
        content: indexes of the tokens that carry content, rejected choices left out.
        keys: for each of `content`, what it is compared by: equal keys mean the same.
        shapes: for each of `content`, its key with values and members of a class blanked out: for finding the partner.
        denied: for each negation its index in `tokens`, and the position in `content` of what it denies, -1 for none.
        subject: indexes of the first token of the subject and of the first after it.
        verbal: whether something was found that says anything of the subject; a title says nothing.
        scope: the same for a leading phrase such as "On Linux,"; (0, 0) where there is none.
        clauses: for each token the number of its clause.
        rejected: indexes of tokens that name what was not chosen: Y in "X over Y".
    """

    text: str
    tokens: tuple[Token, ...]
    content: tuple[int, ...]
    keys: tuple[str, ...]
    shapes: tuple[str, ...]
    denied: tuple[tuple[int, int], ...]
    subject: tuple[int, int]
    verbal: bool
    scope: tuple[int, int]
    clauses: tuple[int, ...]
    rejected: frozenset[int]

    def token(self, position: int) -> Token:
        """The token at a position of `content`."""
        return self.tokens[self.content[position]]


@lru_cache(maxsize=4096)
def read(text: str, lexicon: Lexicon) -> Reading:
    """Read one sentence; the last few thousand readings are kept, since a text is compared with many others."""
    found = joined(tokens(text, lexicon), lexicon)
    scope = _scope(found)
    rejected, silent = _rejected(found)
    examples = _examples(found)
    content = [i for i, token in enumerate(found) if token.sort in CONTENT and i not in rejected and i not in examples]
    clauses = _clauses(found)
    subject_end, verbal = _subject_end(found, scope[1])
    return Reading(
        text=text,
        tokens=tuple(found),
        content=tuple(content),
        keys=tuple(key(found[i]) for i in content),
        shapes=tuple(_shape(found[i]) for i in content),
        denied=tuple(_denied(found, content, rejected | silent | examples, clauses)),
        subject=(scope[1], subject_end),
        verbal=verbal,
        scope=scope,
        clauses=tuple(clauses),
        rejected=frozenset(rejected),
    )


def key(token: Token) -> str:
    """What a token is compared by: the member it names, the value it states, else its stem."""
    if token.members:
        name, member = token.members[0]
        return f"@{name}:{member}"
    value = token.value
    if isinstance(value, Quantity):
        return f"#{value.dimension}:{value.value:.9g}"
    if isinstance(value, Version):
        return "#v" + ".".join(value.parts)
    if isinstance(value, Day):
        return f"#{value.year}-{value.month}-{value.day}"
    if isinstance(value, Clock):
        return f"#{value.minutes}"
    return token.stem


def _shape(token: Token) -> str:
    if token.sort in VALUES:
        return "#"
    return "@" + token.members[0][0] if token.members else token.stem


# -- clauses, scope and subject ------------------------------------------------------------------------------------

_BREAKS: Final = frozenset(",;:()—–|")
_NEW_CLAUSE: Final = grammar.CONJUNCTIONS - {"or", "o", "e", "u"}


def _clauses(found: Sequence[Token]) -> list[int]:
    number, numbers = 0, []
    for token in found:
        if (token.sort is Sort.SIGN and token.text in _BREAKS) or token.folded in _NEW_CLAUSE:
            number += 1
        numbers.append(number)
    return numbers


def _scope(found: Sequence[Token]) -> tuple[int, int]:
    """A phrase before the first comma that says where or when: "In staging, ...", "When the build fails, ..."."""
    if not found or found[0].folded not in grammar.SCOPE_WORDS:
        return (0, 0)
    for index, token in enumerate(found[:10]):
        if token.text == "," and index + 1 < len(found):
            return (0, index + 1)
    return (0, 0)


_DEFINING: Final = frozenset({":", "=", "==", "->", "=>", "→"})


def _subject_end(found: Sequence[Token], first: int) -> tuple[int, bool]:
    """Index of the token that begins what is said of the subject, and whether a verb or a sign like ":" stands there.

    The index is `first` for an order, which has no subject.
    """
    start = first
    while start < len(found) and (found[start].sort is Sort.NEGATION or _is_filler(found[start])):
        start += 1
    if start >= len(found):
        return first, False
    if found[start].folded in grammar.FINITE:
        return start, True
    if found[start].folded in grammar.PRONOUNS:
        return start + 1, True
    verb = next((i for i in range(start + 1, len(found)) if _ends_subject(found, i)), None)
    # "Deploy on Fridays" orders; "Deploy jobs run on Fridays" and "Test: passed" state.
    sure = _is_order(found, start) and (_commands(found[start]) or verb is None or verb > start + 3)
    if sure or (verb is not None and _is_order(found, start) and _broken(found, start, verb)):
        return first, True
    if verb is not None:
        return verb, True
    verb = next((i for i in range(start + 1, len(found) - 1) if _is_likely_verb(found, i)), None)
    if verb is not None:
        return verb, True
    past = next((i for i in range(start + 1, len(found)) if _is_past(found[i])), None)
    if past is not None:
        return past, True
    value = next((i for i in range(start + 1, len(found)) if found[i].sort in VALUES), None)
    last = max((i for i, token in enumerate(found) if token.sort in CONTENT), default=first)
    return (last if value is None else value), False


def _is_filler(token: Token) -> bool:
    return token.folded in ("do", "please", "always", "siempre", "just", "remember", "to", "only", "se")


def _is_likely_verb(found: Sequence[Token], at: int) -> bool:
    """Whether an unknown word stands where a verb does: "services communicate over X", "the job exceeds the limit"."""
    token, before, after = found[at], found[at - 1], found[at + 1]
    if token.sort is not Sort.WORD or before.sort is not Sort.WORD or not token.folded.isalpha():
        return False
    if token.folded.endswith("s"):
        return after.folded in grammar.DETERMINERS and not before.folded.endswith("s")
    plural = before.folded.endswith("s") and not token.folded.endswith(("ed", "ing"))
    return plural and (after.folded in grammar.DETERMINERS or after.folded in grammar.PREPOSITIONS)


def _is_order(found: Sequence[Token], at: int) -> bool:
    return (found[at].folded in grammar.VERBS or _is_past(found[at])) and (
        at + 1 == len(found) or found[at + 1].text not in _DEFINING
    )


def _commands(token: Token) -> bool:
    """Whether a verb in front can be nothing else: "use", "chose"; "deploy" may be a noun and "cached" an adjective."""
    return token.folded not in grammar.NOUN_VERBS and not token.folded.endswith("ed")


def _broken(found: Sequence[Token], start: int, verb: int) -> bool:
    """Whether something between the two shows that the first is a verb with its object."""
    between = found[start + 1 : verb]
    if found[verb].text in _DEFINING or any(token.sort is Sort.SIGN for token in between):
        return True
    return any(token.folded in grammar.DETERMINERS or token.folded in grammar.PREPOSITIONS for token in between)


def _ends_subject(found: Sequence[Token], at: int) -> bool:
    token, before = found[at], found[at - 1]
    if token.folded in grammar.FINITE:
        return True
    if token.text in _DEFINING:
        return True
    if token.sort is Sort.NEGATION:
        return token.folded not in ("without", "sin", "no", "none") or (token.folded == "no" and before.sort in CONTENT)
    if token.folded in grammar.VERBS and before.sort is Sort.WORD and before.folded.endswith("s"):
        return not (at + 1 < len(found) and found[at + 1].folded in grammar.FINITE)  # "backups run"
    if token.sort is not Sort.WORD or not token.folded.endswith("s") or token.stem not in grammar.VERB_STEMS:
        return False
    if before.folded in grammar.DETERMINERS or before.sort in VALUES or before.folded in grammar.PREPOSITIONS:
        return False
    # "The nightly builds are slow", "frontend tests use X": a plural, not a verb.
    after = found[at + 1].folded if at + 1 < len(found) else ""
    return after not in grammar.FINITE and (after not in grammar.VERBS or after in grammar.NOUN_VERBS)


def _is_past(token: Token) -> bool:
    if token.sort is not Sort.WORD or token.stem not in grammar.VERB_STEMS:
        return False
    return token.folded.endswith("ed") or token.folded in grammar.IRREGULAR


# -- what is denied ------------------------------------------------------------------------------------------------


def _denied(
    found: Sequence[Token], content: Sequence[int], silent: Collection[int], clauses: Sequence[int]
) -> Iterator[tuple[int, int]]:
    """Each negation with the content that it denies: the next of its clause, else the last before it."""
    for index, token in enumerate(found):
        if token.sort is not Sort.NEGATION or index in silent:
            continue
        after = [p for p, i in enumerate(content) if i > index and clauses[i] == clauses[index]]
        heavy = [p for p in after if found[content[p]].folded not in grammar.NEUTRAL]
        before = [p for p, i in enumerate(content) if i < index and clauses[i] == clauses[index]]
        yield index, (heavy or after or before[-1:] or [-1])[0]


# -- what is chosen over what --------------------------------------------------------------------------------------

_INSTEAD: Final = (
    ("instead", "of"),
    ("rather", "than"),
    ("en", "lugar", "de"),
    ("en", "vez", "de"),
    ("in", "place", "of"),
)
_OVER: Final = frozenset({"over", "sobre", "antes"})
_MOVING: Final = grammar.stems(
    "move migrate switch change go convert transition port cambiar migrar pasar cambiamos migramos"
)
_REPLACING: Final = grammar.stems("replace swap substitute drop ditch abandon reemplazar sustituir")
_PURPOSE: Final = grammar.word_set(
    "for as because since in on to when so para por porque como and but due while until from with at de desde"
)
_MAX_REJECTED: Final = 5


def _rejected(found: Sequence[Token]) -> tuple[set[int], set[int]]:
    """Indexes of what is named as not chosen, and of negations that belong to it."""
    rejected: set[int] = set()
    silent: set[int] = set()
    for index, token in enumerate(found):
        phrase = _instead(found, index)
        if phrase:
            rejected.update(_run(found, index + phrase))
        elif token.folded in _OVER and _selects(found, index):
            rejected.add(index)
            rejected.update(_run(found, index + (2 if token.folded == "antes" else 1)))
        elif token.folded in ("not", "no") and _is_contrast(found, index):
            silent.add(index)
            rejected.update(_run(found, index + 1))
        elif token.stem in _MOVING:
            rejected.update(_origin(found, index))
        elif token.stem in _REPLACING:
            rejected.update(_replaced(found, index))
    return rejected, silent


_EXAMPLE: Final = frozenset({"e.g", "eg", "example", "instance", "ejemplo", "p.ej"})


def _examples(found: Sequence[Token]) -> set[int]:
    """Indexes of what only stands for its kind: "(e.g. 2024-05-01)", "for example Redis"."""
    examples: set[int] = set()
    for index, token in enumerate(found):
        if token.folded in _EXAMPLE and (token.folded.startswith("e") or found[index - 1].folded in ("for", "por")):
            if token.folded == "example" and found[index - 1].folded != "for":
                continue
            end = next(
                (i for i in range(index + 1, len(found)) if found[i].text in (")", ";", ",") and i > index + 1),
                len(found),
            )
            examples.update(range(index, end))
    return examples


def _instead(found: Sequence[Token], at: int) -> int:
    for words in _INSTEAD:
        if tuple(token.folded for token in found[at : at + len(words)]) == words:
            return len(words)
    return 0


def _run(found: Sequence[Token], start: int) -> list[int]:
    """Content from `start` to the next sign or purpose, a few words at most."""
    run: list[int] = []
    for index in range(start, len(found)):
        token = found[index]
        if token.text in _BREAKS or (token.folded in _PURPOSE and index > start) or len(run) == _MAX_REJECTED:
            break
        if token.sort in CONTENT:
            run.append(index)
    return run


def _selects(found: Sequence[Token], at: int) -> bool:
    return any(token.stem in grammar.CHOOSING_STEMS for token in found[max(0, at - 8) : at])


def _is_contrast(found: Sequence[Token], at: int) -> bool:
    """ "Use pnpm, not npm": a denial that names the other choice, with no verb of its own."""
    if at == 0 or found[at - 1].text not in (",", "(", "—", "–", "-", "and", "but", "y", "|"):
        return False
    if found[at].folded == "no" and not any(t.folded in grammar.SPANISH for t in found):
        return False  # "simple, no frameworks" names no choice; "usa pnpm, no npm" does
    run = _run(found, at + 1)
    if not run or len(run) > 4:
        return False
    behind = found[at + 1 : run[-1] + 1]
    first = found[at + 1].folded
    return (
        first not in ("to", "yet")
        and not any(
            t.folded in grammar.FINITE or t.folded in grammar.PRONOUNS or t.sort is Sort.NEGATION for t in behind
        )
        and not (found[at - 1].folded in ("and", "but", "y") and first in grammar.VERBS)
    )


def _origin(found: Sequence[Token], verb: int) -> list[int]:
    """X in "moved from X to Y"; both words must stand in one clause."""
    words = [token.folded for token in found[verb : verb + 12]]
    for start, end in (("from", "to"), ("de", "a"), ("desde", "a")):
        if start in words and end in words[words.index(start) :]:
            first = words.index(start)
            last = words.index(end, first)
            if last - first <= 5 and not any(found[verb + i].text in _BREAKS for i in range(first, last)):
                return [verb + i for i in range(first, last) if found[verb + i].sort in CONTENT]
    return []


def _replaced(found: Sequence[Token], verb: int) -> list[int]:
    """X in "replaced X with Y" and "dropped X in favour of Y"."""
    for index in range(verb + 1, min(len(found), verb + 7)):
        folded = found[index].folded
        favour = folded == "in" and index + 1 < len(found) and found[index + 1].stem in ("favour", "favor")
        if favour or (folded in ("with", "by", "por", "con") and found[verb - 1].folded not in grammar.COPULAS):
            return [i for i in range(verb + 1, index) if found[i].sort in CONTENT]
        if found[index].text in _BREAKS:
            break
    return []

"""Search text: how stored text and what a person types are brought to one form, and how a query is read.

Pure. `search_text` is what the full-text index holds; `parse` turns anything typed into words, phrases and prefixes
that never raise. Source: CASES "Text and search".
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

# Scripts written without spaces: each character becomes a word of its own, so that one or two of them can be found
# inside a longer run. Kana with its marks, Han with extensions, Hangul, Bopomofo.
_CJK: Final = re.compile(
    "([\u1100-\u11ff\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3041-\u309f\u30a1-\u30ff\u3100-\u318f"
    "\u31a0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U0001b000-\U0001b16f"
    "\U00020000-\U0003ffff])"
)
_ACCENTS: Final = re.compile("[\u0300-\u036f]+")
_APOSTROPHES: Final = str.maketrans({"\u2018": "'", "\u2019": "'", "\u02bc": "'", "\u201c": '"', "\u201d": '"'})
_PIECE: Final = re.compile(r'"([^"]*)"|(\S+?(?=\s|$|"[^"]*")|\S)')
_NOT_AFTER_WORD: Final = r"(?<![^\W_])"
_NOT_BEFORE_WORD: Final = r"(?![^\W_])"
_GAP: Final = r"[\W_]*"
MAX_TERMS: Final = 32
MAX_QUERY: Final = 2000
MAX_SNIPPET_SOURCE: Final = 64 * 1024


def fold(text: str) -> str:
    """Compatibility forms, case and accents folded away; characters a query may hold literally stay as they are."""
    if text.isascii():
        return text.lower()
    text = unicodedata.normalize("NFKC", text.translate(_APOSTROPHES)).casefold()
    return unicodedata.normalize("NFC", _ACCENTS.sub("", unicodedata.normalize("NFD", text)))


def search_text(text: str | None) -> str | None:
    """The form in which the index holds a text: folded, with spaces around each CJK character."""
    if text is None or text.isascii():
        return text  # the tokenizer folds ASCII case itself
    return _CJK.sub(r" \1 ", fold(text))


@dataclass(frozen=True, slots=True)
class Term:
    """One word or phrase of a query, folded.

    Attributes:
        text: the folded text, white space collapsed.
        prefix: whether longer words fit too.
        literal: whether the words alone are not enough: the text holds signs (`C++`, `#12`, `don't`) that the index
            does not keep, so that a hit must hold the text as it stands.
    """

    text: str
    prefix: bool = False
    literal: bool = False

    @property
    def match(self) -> str:
        """The term as FTS5 reads it: always quoted, so that no word of the query is an operator."""
        quoted = '"' + search_form(self.text).replace('"', " ") + '"'
        return quoted + " *" if self.prefix else quoted

    @property
    def pattern(self) -> re.Pattern[str]:
        """Where the term stands in folded text: whole words, CJK anywhere."""
        body = re.escape(self.text)
        if not self.literal:
            body = _GAP.join(re.escape(w) for w in search_form(self.text).split())
        before = "" if _open_edge(self.text[0]) else _NOT_AFTER_WORD
        after = "" if self.prefix or _open_edge(self.text[-1]) else _NOT_BEFORE_WORD
        return re.compile(before + body + after)


@dataclass(frozen=True, slots=True)
class Parsed:
    """A query as read.

    Attributes:
        terms: what must all be found in the index.
        signs: where the query holds no word at all (`?`, `*`): the signs to look for as they stand.
    """

    terms: tuple[Term, ...] = ()
    signs: str = ""

    @property
    def empty(self) -> bool:
        """Whether nothing was asked; that never means everything."""
        return not self.terms and not self.signs

    @property
    def match(self) -> str:
        """The MATCH expression: all terms."""
        return " AND ".join(t.match for t in self.terms)

    def fits(self, texts: Iterable[str | None]) -> bool:
        """Whether the fields of an entry hold every term that the index cannot decide."""
        wanted = [t.pattern for t in self.terms if t.literal]
        if not wanted:
            return True
        folded = [" ".join(fold(t).split()) for t in texts if t]
        return all(any(p.search(t) for t in folded) for p in wanted)

    @property
    def needs_text(self) -> bool:
        """Whether hits of the index must be looked at with `fits`."""
        return any(t.literal for t in self.terms)


def search_form(text: str) -> str:
    """`search_text` of a text that is there."""
    return search_text(text) or ""


def parse(query: str, *, typing: bool = False) -> Parsed:
    """Read what a person typed; never raises, whatever it holds.

    Words are all required; `"…"` is a phrase; a word that ends in `*` fits longer words.

    Args:
        query: anything.
        typing: the last word may be unfinished, so it fits longer words (a list filtered while one types).
    """
    pieces = list(_pieces(query))
    terms: list[Term] = []
    for place, (raw, quoted) in enumerate(pieces):
        last = place == len(pieces) - 1
        text = " ".join(fold(raw).split())
        prefix = not quoted and text.endswith("*")
        bare = text.rstrip("*") if prefix else text
        if not _is_word(bare):
            continue
        unfinished = typing and last and not quoted and not query[-1:].isspace() and bare[-1:].isalnum()
        literal = any(not (c.isalnum() or c == " ") for c in bare)
        terms.append(Term(bare, (prefix and bare[-1:].isalnum()) or unfinished, literal))
        if len(terms) == MAX_TERMS:
            break
    if terms:
        return Parsed(tuple(dict.fromkeys(terms)))
    return Parsed(signs=" ".join(" ".join(raw for raw, _ in pieces).split()))


def _pieces(query: str) -> Iterator[tuple[str, bool]]:
    """(text, whether it was a phrase) of a query; a quote without its partner is a sign like any other."""
    for found in _PIECE.finditer(query.replace("\x00", " ")[:MAX_QUERY]):
        phrase, word = found.group(1), found.group(2)
        if phrase is not None:
            yield phrase, True
        else:
            yield word.strip('"') or word, False


def _is_word(text: str) -> bool:
    return any(c.isalnum() for c in text)


def _open_edge(char: str) -> bool:
    """Whether a term may begin or end inside a run of letters at this character."""
    return not char.isalnum() or _CJK.fullmatch(char) is not None


# -- snippets -----------------------------------------------------------------------------------------------------


def snippet(texts: Iterable[str | None], parsed: Parsed, *, width: int = 160) -> str:
    """One line around the best match, each match between [ and ]; '' when nothing matches.

    Args:
        texts: the fields of an entry, the most telling first; the one that holds most of the terms is shown.
        parsed: the query.
        width: about how many characters to show.
    """
    patterns = [t.pattern for t in parsed.terms]
    if parsed.signs:
        patterns.append(re.compile(re.escape(fold(parsed.signs))))
    best: tuple[int, str, list[tuple[int, int]]] | None = None
    for text in texts:
        if not text:
            continue
        line = " ".join(text[:MAX_SNIPPET_SOURCE].split())
        folded, origin = _with_origins(line)
        spans: list[tuple[int, int]] = []
        found = 0
        for pattern in patterns:
            hits = [(origin[m.start()], origin[m.end() - 1] + 1) for m in pattern.finditer(folded) if m[0]]
            found += bool(hits)
            spans += hits
        if found and (best is None or found > best[0]):
            best = (found, line, _merged(spans))
    return _marked(best[1], best[2], width) if best else ""


def _with_origins(line: str) -> tuple[str, Sequence[int]]:
    """The folded line and, for each of its characters, the index of the character that it came from."""
    if line.isascii():
        return line.lower(), range(len(line))
    folded: list[str] = []
    origin: list[int] = []
    cache: dict[str, str] = {}
    for index, char in enumerate(line):
        form = cache.get(char)
        if form is None:
            form = cache[char] = fold(char)
        folded.append(form)
        origin += [index] * len(form)
    return "".join(folded), origin


def _merged(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _marked(line: str, spans: list[tuple[int, int]], width: int) -> str:
    start = max(0, spans[0][0] - width // 3)
    end = min(len(line), start + width)
    if start > 0:
        start = line.find(" ", start, spans[0][0]) + 1 or start
    if end < len(line):
        space = line.rfind(" ", max(start, spans[0][1]), end)
        end = space if space > 0 else end
    parts, at = ["…" if start else ""], start
    for left, right in spans:
        if left >= start and right <= max(end, spans[0][1]):
            parts += [line[at:left], "[", line[left:right], "]"]
            at = right
    parts += [line[at:end], "…" if end < len(line) else ""]
    return "".join(parts)

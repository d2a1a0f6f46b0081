"""Untrusted text made showable, and folded for comparing. Pure: str in, str out; both faces use it.

What a terminal would obey or hide (control characters, escape sequences, zero-width, bidi and tag
characters, odd separators, lone surrogates) becomes a visible mark, so that memory text can neither change
the screen nor hide from a reviewer (DESIGN 9 rule 3; CASES "Terminal"). Comparing follows DESIGN 3.1: NFC
and white-space folding.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

# Every character that is never shown as it is. Variation selectors and the zero-width joiner stand here
# too: whether one may stay (inside an emoji) is decided by its neighbours in _belongs_to_emoji. "\n" and
# "\t" are absent, "\r\n" is one line end.
_CONTROL: Final = "\x00-\x08\x0b-\x1f\x7f-\x9f"
_BIDI: Final = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_ZERO_WIDTH: Final = (
    "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200d\u2060-\u2065\u206a-\u206f\u3164\ufeff\uffa0\ufff0-\uffff"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
)
_SEPARATOR: Final = "\u2028\u2029"
_SURROGATE: Final = "\ud800-\udfff"
_VARIATION: Final = "\ufe00-\ufe0f"
_TAG: Final = "\U000e0000-\U000e0fff"

_SUSPECT: Final = re.compile(f"[{_CONTROL}{_BIDI}{_ZERO_WIDTH}{_SEPARATOR}{_SURROGATE}{_VARIATION}{_TAG}]")
_SUSPECT_OR_NEWLINE: Final = re.compile(f"\r\n|{_SUSPECT.pattern[:-1]}\n]")

_KINDS: Final = (
    ("control", re.compile(f"[{_CONTROL}]")),
    ("bidi", re.compile(f"[{_BIDI}]")),
    ("separator", re.compile(f"[{_SEPARATOR}]")),
    ("surrogate", re.compile(f"[{_SURROGATE}]")),
    ("variation", re.compile(f"[{_VARIATION}\U000e0100-\U000e01ef]")),
    ("tag", re.compile(f"[{_TAG}]")),
)

# Characters an emoji sequence can be made of. Generous on the symbol blocks: a joiner is only kept with one
# of these on BOTH sides.
_EMOJI: Final = re.compile(
    "[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2194-\u21aa\u231a-\u23ff\u24c2\u25aa-\u25fe\u2600-\u27bf\u2934\u2935"
    "\u2b05-\u2b55\u3030\u303d\u3297\u3299\U0001f000-\U0001faff]"
)
_KEYCAP_BASE: Final = frozenset("0123456789#*")
_KEYCAP: Final = "\u20e3"
_VS15: Final = "\ufe0e"
_VS16: Final = "\ufe0f"
_ZWJ: Final = "\u200d"

_SPACE_RUN: Final = re.compile(r"\s+")

# The names of control characters that the Unicode data leaves nameless.
_CONTROL_NAMES: Final = {
    "\x00": "null",
    "\x07": "bell",
    "\x08": "backspace",
    "\n": "line feed",
    "\r": "carriage return",
    "\x1b": "escape",
    "\x7f": "delete",
    "\x85": "next line",
    "\x90": "device control string",
    "\x9b": "control sequence introducer",
    "\x9d": "operating system command",
}


@dataclass(frozen=True, slots=True)
class Mark:
    """One character of a text that is shown as a mark.

    Attributes:
        start: index of the character in the text.
        end: index after it.
        char: the character itself.
        shown: what stands for it on screen, such as "␛" or "‹U+202E›".
        name: its name in lower case, such as "right-to-left override".
        kind: control, escape, bidi, zero-width, tag, separator, surrogate or variation.
    """

    start: int
    end: int
    char: str
    shown: str
    name: str
    kind: str


def visible(text: str, *, keep_newlines: bool = True) -> str:
    """Return the text with everything a terminal would obey or hide replaced by visible marks.

    Idempotent. Tabs stay; "\\r\\n" becomes "\\n" (a lone "\\r" is a mark); joiners and variation selectors
    stay inside an emoji.

    Args:
        text: any string, lone surrogates included.
        keep_newlines: False shows line ends as "␊" too, so that the result is one line.

    Source: DESIGN 9 rule 3.
    """
    if not keep_newlines:
        if _SUSPECT_OR_NEWLINE.search(text) is None:
            return text
    elif _SUSPECT.search(text) is None:
        return text
    return "".join(shown for shown, _ in _pieces(text, keep_newlines))


def one_name(value: str) -> str:
    """Who, in which session or on which machine, as it can stand in a sentence: on one line, what hides as a mark.

    Another program may have written anything there; forged lines of it must not look like memdesk's own.
    """
    return visible(value, keep_newlines=False)


def pieces(text: str, *, keep_newlines: bool = True) -> list[tuple[str, bool]]:
    """Return the visible text in pieces, each with whether it is a mark; joined they are `visible(text)`."""
    return list(_pieces(text, keep_newlines))


def marks(text: str) -> list[Mark]:
    """Return every hidden character of the text, in order; line ends and tabs are not hidden."""
    return [
        Mark(found.start(), found.end(), found[0], _shown(found[0]), _name(found[0]), _kind(found[0]))
        for found in _hidden(text)
    ]


def has_marks(text: str) -> bool:
    """Return whether the text holds anything hidden: the flag a reviewer's row shows."""
    return _SUSPECT.search(text) is not None and next(_hidden(text), None) is not None


def marks_summary(text: str) -> str:
    """Return "" or one clause for a reviewer: how many hidden characters, and up to three of their names."""
    found = marks(text)
    if not found:
        return ""
    names = list(dict.fromkeys(mark.name for mark in found))
    more = "" if len(names) <= 3 else f" and {len(names) - 3} more kinds"
    noun = "hidden character" if len(found) == 1 else "hidden characters"
    return f"{len(found):,} {noun}: {', '.join(names[:3])}{more}"


#: From how many times as long on a percentage is less plain than that number.
LONG: Final = 11
#: How many times as long a text must be that only "many times" says it.
_MANY: Final = 100


def times_as_long(times: float) -> str:
    """`12 times as long`, at most `more than 100 times as long`: beyond, the number says nothing.

    Args:
        times: the new length by the old one, from about 10 on: below, a percentage is plainer.
    """
    return f"{times:,.0f} times as long" if times <= _MANY else f"more than {_MANY} times as long"


def one_line(text: str, limit: int = 0) -> str:
    """Return the text on one line: marks shown, every run of white space one space, ends stripped.

    Args:
        text: any string.
        limit: the most characters to return, the cut shown as "…"; 0 for no limit.
    """
    # Reading a 256 KB body for the 80 characters a row shows would make long lists slow.
    head = text[: limit * 8 + 200] if limit > 0 else text
    line = _SPACE_RUN.sub(" ", visible(head)).strip()
    if limit > 0 and (len(line) > limit or len(head) < len(text)):
        return line[: limit - 1].rstrip() + "…"
    return line


def fold_text(text: str) -> str:
    """Return the comparing form: NFC, every run of white space one space, ends stripped (DESIGN 3.1)."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def same_text(first: str, second: str) -> bool:
    """Return whether two texts differ at most in composition, white space and line ends (DESIGN 3.1)."""
    return first == second or fold_text(first) == fold_text(second)


def excerpt(text: str, limit: int = 160, *, around: str = "") -> str:
    """Return one line of at most `limit` characters, cut at words, with "…" wherever something was left out.

    Args:
        text: any string.
        limit: the most characters to return.
        around: text to show in the middle, found without regard to case; the beginning is shown where it is
            absent.
    """
    line = one_line(text)
    if len(line) <= limit:
        return line
    if limit <= 2:
        return "…"[:limit]
    start = 0
    hit = line.lower().find(one_line(around).lower()) if around.strip() else -1
    if hit > limit * 2 // 3:
        start = _word_start(line, min(hit - limit // 3, len(line) - limit + 1), hit)
    lead = "…" if start else ""
    room = limit - len(lead)
    if len(line) - start <= room:
        return lead + line[start:]
    return lead + _cut_at_word(line[start : start + room]) + "…"


def _pieces(text: str, keep_newlines: bool) -> Iterator[tuple[str, bool]]:
    """Yield (shown, is_mark) in order, never an empty piece."""
    pattern = _SUSPECT if keep_newlines else _SUSPECT_OR_NEWLINE
    plain_from = 0
    for found in pattern.finditer(text):
        char, start = found[0], found.start()
        if char == "\r" and keep_newlines and text[start + 1 : start + 2] == "\n":
            shown = ""
        elif _belongs_to_emoji(text, start):
            continue
        else:
            shown = _shown(char)
        if start > plain_from:
            yield text[plain_from:start], False
        plain_from = found.end()
        if shown:
            yield shown, True
    if plain_from < len(text):
        yield text[plain_from:], False


def _hidden(text: str) -> Iterator[re.Match[str]]:
    for found in _SUSPECT.finditer(text):
        start = found.start()
        if found[0] == "\r" and text[start + 1 : start + 2] == "\n":
            continue
        if not _belongs_to_emoji(text, start):
            yield found


def _belongs_to_emoji(text: str, index: int) -> bool:
    """Return whether the joiner or selector at `index` is part of an emoji, by its neighbours alone."""
    char = text[index]
    if index == 0:
        return False
    before = text[index - 1]
    if char in (_VS15, _VS16):
        if before in _KEYCAP_BASE:
            return text[index + 1 : index + 2] == _KEYCAP
        return _EMOJI.match(before) is not None
    if char != _ZWJ:
        return False
    if before == _VS16 and index > 1:
        before = text[index - 2]
    after = text[index + 1 : index + 2]
    return _EMOJI.match(before) is not None and _EMOJI.match(after) is not None


def _shown(char: str) -> str:
    if char == "\r\n":
        return "␊"
    code = ord(char)
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    return f"‹U+{code:04X}›"


def _name(char: str) -> str:
    named = _CONTROL_NAMES.get(char) or unicodedata.name(char, "").lower()
    return named or f"{_kind(char)} character U+{ord(char):04X}"


def _kind(char: str) -> str:
    if char == "\x1b":
        return "escape"
    for kind, pattern in _KINDS:
        if pattern.match(char):
            return kind
    return "zero-width"


def _word_start(line: str, index: int, last: int) -> int:
    """Return the first start of a word from `index` to `last`; `index` where there is none."""
    space = line.find(" ", index - 1, last)
    return space + 1 if space >= 0 else index


def _cut_at_word(piece: str) -> str:
    piece = piece[:-1]
    space = piece.rfind(" ", len(piece) * 2 // 3)
    return (piece[:space] if space > 0 else piece).rstrip()

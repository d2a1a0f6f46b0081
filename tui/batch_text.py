"""The requests of a review as one text for an editor, and back: what stays is approved, what is gone is rejected. Pure.

A block of the text begins at the margin; every line of a request's own text is indented, so nothing that an agent wrote
can be taken for a block, by the reader or by the person. Each text begins and ends with a line that names its field and
its request: deleting half of one block and half of the next is noticed, and does not join their texts.

The command `requests review --editor` and the key E of the desk use it: the batch shows each request whole (DESIGN 4).
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from ..core.text import marks, one_line, visible
from .line_fields import worded

Word = Literal["approve", "skip", "reject"]

INDENT: Final = "    "
_NOTE_WIDTH: Final = 110
_HEAD: Final = re.compile(r"(approve|skip|reject)(?![\w-])(.*)", re.IGNORECASE)
_ID: Final = re.compile(r"req_\w+")
_NO_TEXT: Final = re.compile("[\0\ud800-\udfff]")
#: Hidden characters that part words or lines; a rewording has a line end in their place.
_PARTING: Final = frozenset("\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029")

#: The line that a person deletes who has read the batch: what is approved was shown (DESIGN 4).
CONSENT: Final = "delete this line when you have read it all; while it stands nothing is decided"

_INTRO: Final = """\
# {waits}, oldest first. Nothing is decided before you have seen the plan and agreed to it.
#
#   leave a block as it is            it is approved
#   reword an indented text           it is approved with your wording
#   write  skip  for  approve         it goes on waiting
#   write  reject: WHY  for  approve  it is turned down, and who asked reads why
#   delete a whole block              the same; the reason is asked for afterwards
#
# The texts are indented by four spaces, and so must be what you add to them. A line that begins with # is not read.
# Hidden characters are shown as marks, such as ‹U+200B›. A text that you leave alone is written exactly as it was asked
# for, its hidden characters included; one that you reword is written as it stands here, without the marks.
"""


@dataclass(frozen=True, slots=True)
class Block:
    """One request, as the editor shows it.

    Attributes:
        revision: id of the wording that is shown; a decision holds for this one alone.
        head: who asks what and since when, on one line.
        notes: sentences for the reviewer (why, effect, what to look out for), shown as comments.
        texts: field -> the text that it would write, as asked.
        after: lines below the texts, such as differences, shown as comments.
        alone: it cannot be approved here: an erase is decided alone, with its token.
    """

    request_id: str
    revision: str
    head: str
    notes: tuple[str, ...] = ()
    texts: Mapping[str, str] = field(default_factory=dict)
    after: tuple[str, ...] = ()
    alone: bool = False

    @property
    def flagged(self) -> bool:
        """Whether a note says that it needs a second look."""
        return any(note.startswith("! ") for note in self.notes)


@dataclass(frozen=True, slots=True)
class Choice:
    """What the edited text says of one request.

    Attributes:
        reason: of a rejection; "" where none was written.
        edited: field -> the reviewer's own wording, for the texts that were reworded.
        deleted: its block is gone.
        dropped_marks: marks that a rewording leaves out.
        unused: texts that were reworded although the request is not approved.
    """

    request_id: str
    word: Word
    reason: str = ""
    edited: Mapping[str, str] = field(default_factory=dict)
    deleted: bool = False
    dropped_marks: int = 0
    unused: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that cannot be read for certain: nothing of the batch is decided."""

    line: int
    words: str

    def __str__(self) -> str:
        return f"Line {self.line:,}: {self.words}"


@dataclass(frozen=True, slots=True)
class Batch:
    """What was read.

    Attributes:
        choices: one for every request, in the order of the text; those whose block is gone at the end.
        problems: empty, or nothing may be decided.
        untouched: its blocks came back as they were. emptied: no block is left.
        unread: the line that stands for not having read it is there, so nothing may be decided.
    """

    choices: tuple[Choice, ...]
    problems: tuple[Problem, ...] = ()
    untouched: bool = False
    emptied: bool = False
    unread: bool = False

    @property
    def plan(self) -> str:
        """`approves 3 (1 reworded), rejects 2, skips 1`."""
        approved, rejected, skipped = (
            [c for c in self.choices if c.word == word] for word in ("approve", "reject", "skip")
        )
        reworded = sum(bool(c.edited) for c in approved)
        return f"approves {len(approved):,}" + (f" ({reworded:,} reworded)" if reworded else "") + (
            f", rejects {len(rejected):,}, skips {len(skipped):,}"
        )

    @property
    def decides(self) -> bool:
        """Whether any request is approved or rejected."""
        return any(c.word != "skip" for c in self.choices)


# -- writing ------------------------------------------------------------------------------------------------------


def batch_text(blocks: Sequence[Block]) -> str:
    """The text for the editor, ending with a line end."""
    waits = "1 request waits for you" if len(blocks) == 1 else f"{len(blocks):,} requests wait for you"
    head = [_INTRO.format(waits=waits), f"{CONSENT}\n"]
    return "\n".join([*head, *("\n".join(_written(block)) + "\n" for block in blocks)])


def _written(block: Block) -> Iterator[str]:
    yield f"{_word(block)} {block.request_id} {_tail(block)}"
    for note in block.notes:
        yield from _comments(_wrapped(note))
    if block.alone:
        yield from _comments(["It cannot be approved here, only skipped or rejected."])
    for name, text in block.texts.items():
        yield _opens(name, block.request_id)
        # A blank line carries no indentation: editors that trim line ends leave it as it is.
        yield from (INDENT + line if line else "" for line in visible(text).split("\n"))
        yield _ends(name, block.request_id)
    yield from _comments(block.after)


def _word(block: Block) -> Word:
    return "skip" if block.alone else "approve"


def _tail(block: Block) -> str:
    return f"({one_line(block.head)})"


def _opens(name: str, request_id: str) -> str:
    return f"{one_line(name)} of {request_id}:"


def _ends(name: str, request_id: str) -> str:
    return f"end of {one_line(name)} of {request_id}"


def _comments(lines: Iterable[str]) -> Iterator[str]:
    for text in lines:
        for line in visible(text).split("\n"):
            yield f"# {line}" if line else "#"


def _wrapped(note: str) -> Iterator[str]:
    # An editor would show the rest of a long line at its margin, where blocks begin.
    for line in visible(note).split("\n"):
        yield from textwrap.wrap(line, _NOTE_WIDTH, replace_whitespace=False, subsequent_indent="  ") or [""]


# -- reading ------------------------------------------------------------------------------------------------------


def read_batch(text: str, blocks: Sequence[Block]) -> Batch:
    """What the edited text says of these requests.

    Either line end is taken, a last one may be missing, and blocks may stand in any order. Whatever cannot be read for
    certain becomes a `Problem` with its line: a line of no known kind, a request that is named twice or is not of this
    batch, a text that lost its first or last line, or is blank now.

    Args:
        text: as the editor left it.
        blocks: those that `batch_text` was given.
    """
    reader = _Reader(blocks)
    for number, line in enumerate(text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n"), 1):
        reader.take(number, line)
    return reader.done()


@dataclass(slots=True)
class _Open:
    """A block that is being read: where it began, what it says, and the lines of each text with where they began."""

    block: Block
    line: int
    word: Word
    reason: str
    texts: dict[str, tuple[int, list[str]]] = field(default_factory=dict)


class _Reader:
    def __init__(self, blocks: Sequence[Block]) -> None:
        self._blocks = {b.request_id: b for b in blocks}
        self._begins = {_opens(name, b.request_id): (b, name) for b in blocks for name in b.texts}
        self._closes = {_ends(name, b.request_id) for b in blocks for name in b.texts}
        self._problems: list[Problem] = []
        self._read: dict[str, _Open] = {}
        self._at: _Open | None = None
        self._inside: str | None = None  # the field whose text is being read
        self._unread = False

    def take(self, number: int, line: str) -> None:
        """Read one line."""
        plain = line.rstrip(" \t")
        if self._inside is not None:
            self._text_line(number, line, plain)
        elif plain in self._begins:
            self._begin_text(number, *self._begins[plain])
        elif not plain or plain.startswith("#"):
            return
        elif plain == CONSENT:
            self._unread = True
        elif found := _HEAD.fullmatch(plain):
            self._begin_block(number, found[1].lower(), found[2])
        elif plain in self._closes:
            self._wrong(number, f"{plain!r} ends a text that did not begin.")
        else:
            self._wrong(number, f"{_quoted(plain)} is neither a block nor inside a text; texts are indented.")

    def done(self) -> Batch:
        """Everything that was read."""
        if self._at is not None and self._inside is not None:
            self._unfinished()
        choices = [self._choice(at) for at in self._read.values()]
        gone = [Choice(i, "reject", deleted=True) for i in self._blocks if i not in self._read]
        untouched = not gone and not any(
            c.edited or c.unused or c.reason or c.word != _word(self._blocks[c.request_id]) for c in choices
        )
        return Batch(
            (*choices, *gone), tuple(sorted(self._problems, key=lambda p: p.line)),
            untouched and bool(choices), not choices, self._unread,
        )  # fmt: skip

    def _wrong(self, number: int, words: str) -> None:
        self._problems.append(Problem(number, words))

    # texts

    def _begin_text(self, number: int, block: Block, name: str) -> None:
        at = self._at
        if at is None or at.block is not block:
            self._wrong(number, f"The {name} of {block.request_id} stands outside its block.")
            at = self._at = _Open(block, number, _word(block), "")  # read on, so that one slip is one problem
        if name in at.texts:
            self._wrong(number, f"The {name} of {block.request_id} is there twice; see line {at.texts[name][0]:,}.")
        at.texts[name] = (number, [])
        self._inside = name

    def _text_line(self, number: int, line: str, plain: str) -> None:
        at, name = self._at, self._inside
        assert at is not None and name is not None
        if plain == _ends(name, at.block.request_id):
            self._inside = None
        elif line.startswith(INDENT):
            at.texts[name][1].append(line.removeprefix(INDENT))
        elif not plain:
            at.texts[name][1].append("")
        elif plain in self._begins or plain in self._closes or (_HEAD.fullmatch(plain) and _ID.search(plain)):
            self._unfinished()
            if plain not in self._closes:
                self.take(number, line)
        else:
            self._wrong(
                number, f"{_quoted(plain)} stands in the {name} of {at.block.request_id}: indent it by four spaces."
            )

    def _unfinished(self) -> None:
        assert self._at is not None and self._inside is not None
        number, _ = self._at.texts[self._inside]
        ends = _ends(self._inside, self._at.block.request_id)
        self._wrong(number, f"The text that begins here has no end; its last line is {ends!r}.")
        self._inside = None

    # blocks

    def _begin_block(self, number: int, word: str, rest: str) -> None:
        self._at = None
        found = self._named(rest)
        if found is None:
            named = _ID.findall(rest)
            if not named:
                self._wrong(number, f"This names no request; write `{word} req_…`.")
            elif named[-1] not in self._blocks:
                self._wrong(number, f"{named[-1]} is not one of this batch.")
            else:
                self._wrong(number, f"What follows {named[-1]} is not understood; a reason goes before it, "
                                    f"as in `reject: WHY {named[-1]}`.")  # fmt: skip
            return
        block, reason = found
        if block.request_id in self._read:
            self._wrong(number, f"{block.request_id} is there twice; see line {self._read[block.request_id].line:,}.")
            self._at = _Open(block, number, "skip", "")
            return
        if word != "reject" and reason:
            self._wrong(number, f"{_quoted(reason)} is not understood; a reason follows `reject:`.")
        if word == "approve" and block.alone:
            self._wrong(number, "An erase is decided alone, with its token; write skip, and approve it by itself.")
        self._at = self._read[block.request_id] = _Open(block, number, _as_word(word), reason)

    def _named(self, rest: str) -> tuple[Block, str] | None:
        """The request that a head names, which is the id that only its own tail or nothing follows, and the reason."""
        for token in reversed(list(_ID.finditer(rest))):
            block = self._blocks.get(token[0])
            if block is not None and _folded(rest[token.end() :]) in ("", _folded(_tail(block))):
                return block, _folded(rest[: token.start()].strip().removeprefix(":"))
        return None

    def _choice(self, at: _Open) -> Choice:
        block, edited, dropped = at.block, {}, 0
        for name, original in block.texts.items():
            if name not in at.texts:
                if at.word == "approve":
                    self._wrong(at.line, f"The {name} of {block.request_id} is missing; put it back, or write skip.")
                continue
            number, lines = at.texts[name]
            shown = visible(original).split("\n")
            if _trimmed(lines or [""]) == _trimmed(shown):
                continue
            wording, marked = _own_wording("\n".join(lines), original)
            wording = worded(name, wording, original)
            if wording == original:
                continue
            edited[name] = wording
            dropped += marked
            if at.word == "approve" and not edited[name].strip():
                self._wrong(number, f"The {name} is empty; to turn the request down, delete its whole block.")
            if _NO_TEXT.search(edited[name]):
                self._wrong(number, f"The {name} holds a NUL or half a character, so it is no text.")
        if at.word == "approve":
            return Choice(block.request_id, "approve", edited=edited, dropped_marks=dropped)
        return Choice(block.request_id, at.word, at.reason, unused=tuple(edited))


def _as_word(word: str) -> Word:
    return "approve" if word == "approve" else "skip" if word == "skip" else "reject"


def _trimmed(lines: Sequence[str]) -> list[str]:
    """Without white space at line ends, which some editors remove on their own: that is no rewording."""
    return [line.rstrip(" \t") for line in lines]


def _own_wording(text: str, original: str) -> tuple[str, int]:
    """A reworded text without the marks of the original's hidden characters, and how many were left out."""
    count = 0
    for shown, char in {mark.shown: mark.char for mark in marks(original)}.items():
        count += text.count(shown)
        text = text.replace(shown, "\n" if char in _PARTING else "")
    return text, count


def _folded(text: str) -> str:
    return " ".join(text.split())


def _quoted(line: str) -> str:
    return f"“{one_line(line, 40)}”"

"""The right side of Approvals: all of one request, so that nothing is agreed to that was not on screen (DESIGN 4).

Everything a request would write stands in its diffs, whole: no stretch of equal lines hides a part of it. Ages are left
to the list, since a sheet that changed each minute would have to be read anew each minute.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final, cast

from ...core.desk import Desk
from ...core.desk.asked_before import rationale_by, turned_down, turned_down_words
from ...core.desk.asked_words import namer
from ...core.diff import compare
from ...core.errors import NotFound
from ...core.history import size_change
from ...core.store import RequestRow
from ...core.text import one_line
from ..review_words import asked_words, placed_flags, revised_words, standing
from ..widgets.diff_blocks import DiffBlock, SheetBlock
from ..widgets.entry_text import Facts, Gap, Heading, Line, Lines, Plain, Title
from ..words import count
from .approvals_rows import STATES
from .history_read import exactly, machine

if TYPE_CHECKING:
    from ...core.desk.deciding import Overruled
    from ...core.desk.reviewing import Change, Review
    from ...core.screening import Flag

#: Flags of one kind that are told one by one.
_FLAGS: Final = 40
_KINDS: Final = {"hidden": "hidden character", "instruction": "instruction", "secret": "secret", "link": "link"}
#: Verbs that keep the text that stands: of it, only what is near the addition is shown at first.
_KEEPING: Final = frozenset({"append"})


@dataclass(frozen=True, slots=True)
class Sheet:
    """What was read for the right side; `review` is None where the row is no request."""

    blocks: Sequence[SheetBlock]
    review: Review | None = None


def read_request(desk: Desk, request_id: str) -> Sheet:
    """Read the sheet of a request. Raises NotFound where it is no longer there."""
    found = desk.requests_of([request_id])
    if not found:
        raise NotFound("This request is no longer there.", "")
    row = found[0]
    review = desk.review(row)
    texts = desk.request_texts(row)
    before = turned_down(desk.store, row)
    told = [turned_down_words(before)] if before else []
    blocks = list(_blocks(review, texts, desk.store.origin, told, rationale_by(desk.store, row)))
    # A diff ends with an empty row of its own.
    close = [b for before, b in pairwise([None, *blocks]) if not (isinstance(b, Gap) and isinstance(before, DiffBlock))]
    return Sheet(cast("list[SheetBlock]", close), review)


def _blocks(
    review: Review, texts: Mapping[str, str], here: str, before: Sequence[str], whose: str
) -> Iterator[SheetBlock]:  # fmt: skip
    row = review.row
    names = {entry.id: entry.shown_name for entry in review.entries}
    yield Title(asked_words(row, namer(names)), _note(row, here))
    yield Gap()
    yield Lines(list(_state(review)))
    if review.because:
        yield Facts([("waits because", review.because)])
    if before:
        yield Lines([Line(said, "!", "warn") for said in before])
    yield from _rationale(row, whose)
    yield from _flagged(review, texts)
    yield from _changes(review.changes, row.verb, any(flag.kind != "hidden" for flag in review.flags))
    if not review.changes:
        yield from _asked(texts)
    yield from _standing(review)
    if review.links:
        signs = {True: ("+", "good"), False: ("-", "bad")}
        lines = [Line(link.sentence, *signs[link.added]) for link in review.links]  # type: ignore[arg-type]
        yield from (Gap(), Heading("Links that change"), Lines(lines))
    if review.edges:
        yield from (Gap(), Heading("Links as they stand"), Lines([Line(said, "→") for said in review.edges]))
    yield from _digest(review)


def _note(row: RequestRow, here: str) -> str:
    parts = [exactly(row.asked_at), machine(row.origin, None, here)]
    parts += [f"session {row.session_id}"] if row.session_id else []
    if row.revised_by:
        words = revised_words(row)
        parts.append(f"{words[0].lower()}{words[1:]}, {exactly(row.revised_at or '')}")
    return " · ".join(parts)


def _state(review: Review) -> Iterator[Line]:
    sign, tone = STATES.get(review.state, ("", ""))
    yield Line(review.effect, "▸", "accent")
    if review.state != "ready":
        yield Line(_STATE_WORDS.get(review.state, f"It was {review.state}."), sign, tone)  # type: ignore[arg-type]
    for why in review.why:
        yield Line(why, "" if sign and review.state != "ready" else "!", tone or "warn")  # type: ignore[arg-type]


_STATE_WORDS: Final = {
    "stale": "Stale: what it would change has moved since it was asked.",
    "gone": "Gone: what it would change is no longer there.",
    "settled": "Settled elsewhere: all that it would write stands already.",
}


def _rationale(row: RequestRow, whose: str) -> Iterator[SheetBlock]:
    why = row.rationale
    heading = "Why, in the asker's words" if whose == row.asked_by else f"Why, in the words of {whose}"
    yield from (Gap(), Heading(heading))
    yield Plain(why) if why else Plain("No reason was given.", "muted")


# -- flags --------------------------------------------------------------------------------------------------------


def _flagged(review: Review, texts: Mapping[str, str]) -> Iterator[SheetBlock]:
    if not review.flags:
        return
    from ...core.screening import flags_summary

    placed = placed_flags(review, texts)
    lines = [
        Line(f"{_KINDS.get(flag.kind, flag.kind)}: {_said(flag)}{f', in {where}' if where else ''}", "!", "warn")
        for flag, where in placed[:_FLAGS]
    ]
    if len(placed) > _FLAGS:
        lines.append(Line(f"and {count(len(placed) - _FLAGS, 'more such place', 'more such places')}", "!", "warn"))
    yield from (Gap(), Heading(f"Look out: {flags_summary(review.flags)}"), Lines(lines))


def _said(flag: Flag) -> str:
    words = flag.words.partition(": ")[2] or flag.words if flag.kind == "hidden" else flag.words
    text = one_line(flag.text, 80)
    return words if not text or text in words or flag.kind == "hidden" else f"{words} “{text}”"


# -- what changes -------------------------------------------------------------------------------------------------


def _changes(changes: Sequence[Change], verb: str, flagged: bool) -> Iterator[SheetBlock]:
    before = None
    for number, change in enumerate(changes):
        if change.entry_id != before:
            yield from (Gap(), Heading(change.name))
            before = change.entry_id
        key, label = f"{number}.{change.field}", _capital(change.label)
        yield DiffBlock(
            key, label, compare(change.before, change.after), _became(change), whole=verb not in _KEEPING,
            marks=_marks(change.after) if flagged else (),
        )  # fmt: skip


def _marks(text: str) -> tuple[str, ...]:
    """The passages of a text to look at; hidden characters have marks of their own."""
    from ...core.screening import screen

    found = (text[flag.start : flag.end] for flag in screen(text) if flag.kind != "hidden")
    return tuple(dict.fromkeys(part for passage in found for part in passage.split("\n") if part.strip()))


def _became(change: Change) -> str:
    """What becomes of a field: of a text the lines that go and come, else a word."""
    if "\n" not in change.before + change.after:
        return "new" if not change.before else "gone" if not change.after else "changes"
    gone, came = compare(change.before, change.after).counts
    size = size_change(change.before, change.after) if change.before and change.field == "body" else ""
    return f"-{gone:,} +{came:,}" + (f" · {size}" if size else "")


def _asked(texts: Mapping[str, str]) -> Iterator[SheetBlock]:
    """The texts of a request that would change nothing, or can change nothing."""
    for name, text in texts.items():
        yield from (Gap(), Heading(f"The {name} that it asks for"), Plain(text))


def _standing(review: Review) -> Iterator[SheetBlock]:
    """The entries of which no text changes: what is deleted, linked or brought back is read before that."""
    for one in standing(review):
        yield from (Gap(), Heading(f"As it stands: {one.heading}"), Plain(one.note, "muted"))
        for label, text in one.texts.items():
            if label != "body":
                yield Facts([(label, text)])
        if "body" in one.texts:
            yield from (Gap(), Plain(one.texts["body"]))


def _capital(label: str) -> str:
    return label[:1].upper() + label[1:]


def _digest(review: Review) -> Iterator[SheetBlock]:
    digest = review.digest
    if not (digest.words or _moves(review)):
        return
    yield from (Gap(), Heading("At the next session start"), Plain(digest.words, "" if _moves(review) else "muted"))
    lines = [Line(f"{name} is injected no more", "-", "bad") for name in digest.leaves]
    lines += [Line(f"{name} is injected", "+", "good") for name in digest.enters]
    if lines:
        yield Lines(lines)


def _moves(review: Review) -> bool:
    return bool(review.digest.leaves or review.digest.enters)


# -- rows that are no requests of this memory -----------------------------------------------------------------------


def overruled_sheet(desk: Desk, one: Overruled) -> Sheet:
    """A decision of this person that lost to another one."""
    names = {entry.id: entry.shown_name for entry in desk.store.entries_of(one.row.refs)}
    title = asked_words(one.row, namer(names))
    facts = [
        ("you", f"{one.mine_outcome} it, {exactly(one.mine_at)}"),
        ("what stands", f"{one.stands_by} {one.stands_outcome} it" if one.stands_by else "it waits again"),
        ("their reason", one.stands_reason),
    ]
    return Sheet([
        Title(title, f"asked {exactly(one.row.asked_at)}"), Gap(),
        Plain("! Another decision on the same request came first: that one stands, yours changed nothing.", "warn"),
        Gap(), Facts([(label, value) for label, value in facts if value]), Gap(),
        Plain("x puts this away.", "muted"),
    ])  # fmt: skip

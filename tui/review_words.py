"""What a reviewer reads of a request, as plain lines for a terminal or an editor. Nothing here knows Textual.

The lines hold texts as they are, hidden characters included: who prints them makes the marks. Diffs are the exception,
since a carriage return at the end of a line must not vanish where it is what differs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from ..core.desk.asked_words import about_words as about_words
from ..core.desk.asked_words import wish_words as wish_words
from ..core.diff import as_patch
from ..core.effects import ASKS
from ..core.model import STATE_LABELS, TEXT_FIELDS, role_label
from ..core.text import one_line, visible
from .words import ago, change, count, listing

if TYPE_CHECKING:
    from ..core.desk.reviewing import Change, Review
    from ..core.screening import Flag
    from ..core.store import RequestRow

#: What is asked for, in plain words.
VERBS: Final = ASKS
#: The states a request can be in, as a sentence.
STATES: Final = {
    "ready": "It can be done as it was asked.",
    "stale": "What it would change has been changed since.",
    "gone": "What it would change is no longer there.",
    "settled": "What it asks for stands already.",
}
#: Lines around a change.
_CONTEXT: Final = 3
#: The most characters of a passage that a line about it repeats.
_PASSAGE: Final = 80
#: Characters up to which entries are shown whole beside a request that changes no text of theirs.
_WHOLE: Final = 400_000


def asked_words(row: RequestRow, name: Callable[[str], str]) -> str:
    """`agent:scout asks to replace atom_a by atom_b`, on one line.

    Args:
        name: what to call the entry of an id, as `Desk.names_by_id` gives it.
    """
    if row.erased:
        return one_line(f"{row.asked_by} asked for something about an entry that is erased")
    asks = "proposes" if row.payload.get("kind") == "proposal" else "asks"
    return one_line(f"{row.asked_by} {asks} to {wish_words(row, name)}")


def effect_words(row: RequestRow, name: Callable[[str], str], effect: str) -> str:
    """What would come of it, with the entry that it is about: `change atom_a: removes 80 % of the body`."""
    if row.erased:
        return effect
    about = about_words(row, name)
    named = [about, *map(name, row.refs), *([name(str(row.args["parent"]))] if row.args.get("parent") else [])]
    if any(one and one in effect for one in named):
        return effect
    return wish_words(row, name) + (f": {effect}" if effect else "")


def head_words(row: RequestRow, name: Callable[[str], str], now: datetime) -> str:
    """`agent:scout asks to change decision_x, 3 days ago`."""
    return f"{asked_words(row, name)}, {ago(row.asked_at, now)}"


def state_lines(review: Review) -> list[str]:
    """What state it is in; where it is not ready, why."""
    return list(review.why) or ([STATES[review.state]] if review.state in STATES and review.state != "ready" else [])


def origin_lines(row: RequestRow, now: datetime, here: str, because: str) -> list[str]:
    """Who asked, when and where; who worded it anew; why it waits.

    Args:
        here: the id of this machine, `Desk.store.origin`.
        because: `Review.because`.
    """
    where = f" in session {row.session_id}" if row.session_id else ""
    where += " on this machine" if row.origin == here else f" on machine {row.origin}" if row.origin else ""
    lines = [f"Asked by {row.asked_by} {ago(row.asked_at, now)} ({row.asked_at}){where}"]
    if row.revised_by:
        lines.append(f"{revised_words(row)} {ago(row.revised_at, now)} ({row.revised_at})")
    if because:
        lines.append(f"It waits because {because}")
    return lines


def revised_words(row: RequestRow) -> str:
    """`Worded anew by user:ana`, or for one that took up what stands, `Made anew against what stands by user:ana`."""
    again = row.payload.get("revises") and "base_at" not in row.payload
    return f"{'Made anew against what stands' if again else 'Worded anew'} by {row.revised_by}"


def flag_lines(review: Review, texts: Mapping[str, str]) -> list[str]:
    """One line for each passage to look at: its kind, what it is, the passage itself, and where it stands.

    Args:
        texts: `Desk.request_texts` of the request.
    """
    lines = []
    for flag, where in placed_flags(review, texts):
        text = one_line(flag.text, _PASSAGE)
        adds = flag.kind not in ("hidden", "secret") and text and text not in flag.words
        told = f"{flag.kind}: {flag.words}" + (f" “{text}”" if adds else "")
        lines.append(f"{told}, in {where}" if where else told)
    return lines


def placed_flags(review: Review, texts: Mapping[str, str]) -> list[tuple[Flag, str]]:
    """Each flag with where it stands, "" where that is neither a text nor the rationale; one that stands in several
    lines of a text is told once."""
    from ..core.desk.reviewing import coming_back, entry_texts
    from ..core.screening import screen

    sources = {**{f"the {name}": text for name, text in texts.items()}, "the rationale": review.row.rationale}
    for entry in coming_back(review.row, review.entries):
        sources |= {f"the {label} of {entry.shown_name}": text for label, text in entry_texts(entry).items()}
    found: dict[tuple[str, str, str, str], tuple[Flag, list[str]]] = {}
    known: set[tuple[str, str, str]] = set()
    for name, text in sources.items():
        for flag in screen(text):
            known.add((flag.kind, flag.words, flag.text))
            number = str(text.count("\n", 0, flag.start) + 1) if "\n" in text else ""
            found.setdefault((name, flag.kind, flag.words, flag.text), (flag, []))[1].append(number)
    placed = [(flag, _place(name, numbers)) for (name, *_), (flag, numbers) in found.items()]
    others = {(flag.kind, flag.words, flag.text): flag for flag in review.flags}
    return [*placed, *((flag, "") for key, flag in others.items() if key not in known)]


def _place(name: str, numbers: Sequence[str]) -> str:
    lines = [number for number in dict.fromkeys(numbers) if number]
    if not lines:
        return name if len(numbers) == 1 else f"{name}, {count(len(numbers), 'time')}"
    return f"{'line' if len(lines) == 1 else 'lines'} {listing(lines, 6)} of {name}"


def change_heading(one: Change) -> str:
    """`body of me/project_x: 312 to 60 characters, -80 %`."""
    sizes = f"{len(one.before):,} to {count(len(one.after), 'character')}, {change(len(one.before), len(one.after))}"
    if not one.before or not one.after:
        size = count(len(one.after) or len(one.before), "character")
        sizes = f"{size}, new" if one.after else f"{size}, removed"
    return one_line(f"{one.label or one.field} of {one.name}: {sizes}")


def is_text(one: Change) -> bool:
    """Whether a change is one of a text; the others are told in a line each."""
    return one.field in TEXT_FIELDS or "\n" in one.before or "\n" in one.after


def fact_line(one: Change) -> str:
    """A change of something short: `state of atom_a: current, then deleted`."""
    then = one.after or "nothing"
    return f"{one.label or one.field} of {one.name}: " + (f"{one.before}, then {then}" if one.before else then)


def diff_lines(before: str, after: str) -> list[str]:
    """The lines of a unified diff, with marks for what a screen would hide; a text that is new is all `+`."""
    same_ends = not before or not after or ("\r\n" in before) == ("\r\n" in after)
    if not before or not after or before.endswith("\n") == after.endswith("\n"):
        # A missing last line end is worth a line only where it is what differs.
        before, after = (text + "\n" if text and not text.endswith("\n") else text for text in (before, after))
    patch = as_patch("text", before, after, context=_CONTEXT).split("\n")[2:-1]
    return [visible(line.removesuffix("\r") if same_ends else line) for line in patch]


def effect_lines(review: Review) -> list[str]:
    """What becomes of links and of the digest, and the links that the entries have."""
    lines = [f"{'+' if link.added else '-'} {link.sentence}" for link in review.links]
    lines += [f"now: {sentence}" for sentence in review.edges]
    if review.digest.words:
        lines.append(f"Digest: {review.digest.words}")
    lines += [f"- leaves the digest: {name}" for name in review.digest.leaves]
    lines += [f"+ enters the digest: {name}" for name in review.digest.enters]
    return lines


@dataclass(frozen=True, slots=True)
class Standing:
    """An entry as it stands, beside a request that changes no text of it.

    Attributes:
        heading: which it is, and what it has to do with the request.
        note: its role and its state.
        texts: label -> text, whole.
    """

    heading: str
    note: str
    texts: Mapping[str, str]


def standing(review: Review) -> list[Standing]:
    """The entries that a request is about and of which no text would change, and the decisions that it contradicts:
    who decides on them reads them."""
    from ..core.desk.reviewing import coming_back, entry_texts

    reworded = {one.entry_id for one in review.changes if is_text(one)}
    back = {entry.id for entry in coming_back(review.row, review.entries)}
    found, room = [], _WHOLE
    for entry in (*review.entries, *review.against):
        if entry.id in reworded:
            continue
        texts = entry_texts(entry)
        room -= sum(map(len, texts.values()))
        if room < 0:
            texts = {"begins": one_line(entry.description or entry.body, _PASSAGE)}
        ties = "Contradicted: " if entry in review.against else "Comes back: " if entry.id in back else ""
        note = f"{role_label(entry.klass, entry.status, entry.type)} · {STATE_LABELS[entry.state]}"
        found.append(Standing(f"{ties}{entry.ref}", note, texts))
    return found


def standing_lines(review: Review) -> list[str]:
    """`standing` as lines."""
    lines = []
    for one in standing(review):
        lines.append(f"{one.heading} · {one.note}")
        for label, text in one.texts.items():
            if label != "body":
                text = f"{label}: {text}"
            lines += [f"  {line}" for line in text.replace("\r\n", "\n").split("\n")]
    return lines


def wording_parts(review: Review, now: datetime) -> Iterator[tuple[str, list[str]]]:
    """How it was worded before: a heading, and what the next wording made of each text; then, where the reviewer had
    words of their own, what was asked for in their place."""
    for one, later in pairwise(review.wordings):
        lines = []
        for field in dict.fromkeys((*one.texts, *later.texts)):
            changed = diff_lines(one.texts.get(field, ""), later.texts.get(field, ""))
            lines += [f"{field}:", *changed] if changed else []
        if one.rationale != later.rationale:
            lines += ["reasons:", *diff_lines(one.rationale, later.rationale)]
        if lines:
            yield f"As {one.by} worded it {ago(one.at, now)}, and what {later.by} made of it", lines
    asked = next((one for one in review.wordings if one.in_force), None)
    for field in review.edited:
        if asked is not None and field in asked.texts:
            yield f"The {field} that was asked for, before the reviewer's edits", asked.texts[field].split("\n")


def review_json(review: Review, texts: Mapping[str, str]) -> dict[str, Any]:
    """The same facts for `--json`."""
    return {
        "state": review.state, "why_not_ready": list(review.why), "effect": review.effect,
        "changes": [
            {"id": c.entry_id, "name": c.name, "field": c.field, "before": c.before, "after": c.after,
             "diff": as_patch(f"{c.name}/{c.field}", c.before, c.after)} for c in review.changes
        ],
        "links": [{"added": link.added, "sentence": link.sentence} for link in review.links],
        "edges": list(review.edges),
        "entries": [
            {"id": e.id, "name": e.shown_name, "workspace": e.workspace, "state": str(e.state),
             "description": e.description, "body": e.body, "updated_at": e.updated_at} for e in review.entries
        ],
        "digest": {
            "words": review.digest.words, "leaves": list(review.digest.leaves), "enters": list(review.digest.enters),
        },
        "flags": [flag_json(flag, where) for flag, where in placed_flags(review, texts)],
        "against": [{"id": e.id, "name": e.shown_name, "body": e.body} for e in review.against],
        "because": review.because, "token": review.token, "shown": review.shown,
        "wordings": [
            {"revision": w.revision_id, "by": w.by, "at": w.at, "texts": dict(w.texts), "rationale": w.rationale,
             "in_force": w.in_force} for w in review.wordings
        ],
    }  # fmt: skip


def flag_json(flag: Flag, where: str) -> dict[str, Any]:
    """A flag for `--json`."""
    return {"kind": flag.kind, "words": flag.words, "text": flag.text, "where": where}


def batch_notes(
    review: Review, texts: Mapping[str, str], now: datetime, here: str, whose: str = ""
) -> Iterator[str]:  # fmt: skip
    """What stands above the texts of a block in the editor.

    Args:
        whose: who wrote the reasons, where that is not who asked.
    """
    yield from origin_lines(review.row, now, here, review.because)
    if review.row.rationale:
        by = f", in the words of {whose}" if whose not in ("", review.row.asked_by) else ""
        yield f"Why{by}: {review.row.rationale}"
    if review.effect:
        yield f"Effect: {review.effect}"
    yield from effect_lines(review)
    yield from (f"! {line}" for line in flag_lines(review, texts))


def batch_diffs(review: Review, texts: Mapping[str, str]) -> Iterator[str]:
    """What stands below the texts: every change against what stands now, but for a new text, which stands above."""
    for one in review.changes:
        if not is_text(one):
            yield fact_line(one)
        elif one.before or texts.get(one.field) != one.after:
            yield change_heading(one)
            yield from diff_lines(one.before, one.after)
    if standing := standing_lines(review):
        yield "As it stands:"
        yield from (f"  {line}" for line in standing)

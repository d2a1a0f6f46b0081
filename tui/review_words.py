"""What a reviewer reads of a request, as plain lines for a terminal or an editor. Nothing here knows Textual.

The lines hold texts as they are, hidden characters included: who prints them makes the marks. Diffs are the exception,
since a carriage return at the end of a line must not vanish where it is what differs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from ..core.diff import as_patch
from ..core.text import one_line, visible
from .words import ago, change, listing

if TYPE_CHECKING:
    from ..core.desk.reviewing import Change, Review
    from ..core.screening import Flag
    from ..core.store import RequestRow

#: What is asked for, where the words of a sentence are others than those of the commands.
VERBS: Final = {
    "supersede": "replace", "edit": "change", "append": "add to", "reclassify": "move", "move-workspace": "move",
    "verdict": "judge", "create": "add", "checkpoint": "write the checkpoint",
}  # fmt: skip
#: The states a request can be in, as a sentence.
STATES: Final = {
    "ready": "It can be done as it was asked.",
    "stale": "What it would change has been changed since.",
    "gone": "What it would change is no longer there.",
    "settled": "What it asks for stands already.",
}
#: Lines around a change.
_CONTEXT: Final = 3


def asked_words(row: RequestRow, name: Callable[[str], str]) -> str:
    """`agent:scout asks to replace atom_a by atom_b`, on one line.

    Args:
        name: what to call the entry of an id, as `Desk.names_by_id` gives it.
    """
    asks = "proposes" if row.payload.get("kind") == "proposal" else "asks"
    return one_line(f"{row.asked_by} {asks} to {VERBS.get(row.verb, row.verb)} {about_words(row, name)}")


def about_words(row: RequestRow, name: Callable[[str], str]) -> str:
    """The entries that it is about, or the name of the one that it would make."""
    if row.verb == "supersede" and row.args.get("old") and row.args.get("by"):
        return f"{name(str(row.args['old']))} by {name(str(row.args['by']))}"
    if row.refs:
        return listing([name(i) for i in row.refs], 5)
    payload = row.args.get("payload")
    resumen = payload.get("resumen") if isinstance(payload, Mapping) else None
    for source in (row.args, resumen):
        if isinstance(source, Mapping) and (own := source.get("name") or source.get("title")):
            return str(own)
    return ""


def head_words(row: RequestRow, name: Callable[[str], str], now: datetime) -> str:
    """`agent:scout asks to change decision_x, 3 days ago`."""
    return f"{asked_words(row, name)}, {ago(row.asked_at, now)}"


def state_lines(review: Review) -> list[str]:
    """What state it is in; where it is not ready, why."""
    if review.state == "ready":
        return []
    return [STATES.get(review.state, ""), *review.why] if review.state in STATES else list(review.why)


def origin_lines(row: RequestRow, now: datetime) -> list[str]:
    """Who asked, when and where; who worded it anew; why it waits."""
    where = [f"in session {row.session_id}"] if row.session_id else []
    where += [f"on {row.origin}"] if row.origin else []
    lines = [f"Asked by {row.asked_by} {ago(row.asked_at, now)} ({row.asked_at})" + "".join(f" {w}" for w in where)]
    if row.revised_by:
        lines.append(f"Worded anew by {row.revised_by} {ago(row.revised_at, now)} ({row.revised_at})")
    because = str(row.payload.get("reason") or "")
    if because:
        lines.append(f"It waits because {because}")
    return lines


def flag_lines(flags: tuple[Flag, ...]) -> list[str]:
    """One line for each passage to look at: its kind, what it is, and the passage itself."""
    return [f"{flag.kind}: {flag.words}" + (f": {flag.text}" if _adds(flag) else "") for flag in flags]


def _adds(flag: Flag) -> bool:
    return flag.kind not in ("hidden", "secret") and bool(flag.text) and flag.text not in flag.words


def change_heading(one: Change) -> str:
    """`body of me/project_x: 312 to 60 characters, -80 %`."""
    sizes = f"{len(one.before):,} to {len(one.after):,} characters, {change(len(one.before), len(one.after))}"
    if not one.before or not one.after:
        sizes = f"{len(one.after):,} characters, new" if one.after else f"{len(one.before):,} characters, removed"
    return one_line(f"{one.label or one.field} of {one.name}: {sizes}")


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
    lines += [f"  {sentence}" for sentence in review.edges]
    if review.digest.words:
        lines.append(f"Digest: {review.digest.words}")
    lines += [f"- leaves the digest: {name}" for name in review.digest.leaves]
    lines += [f"+ enters the digest: {name}" for name in review.digest.enters]
    return lines


def review_json(review: Review) -> dict[str, Any]:
    """The same facts for `--json`."""
    return {
        "state": review.state, "why_not_ready": list(review.why), "effect": review.effect,
        "changes": [
            {"id": c.entry_id, "name": c.name, "field": c.field, "before": c.before, "after": c.after,
             "diff": as_patch(f"{c.name}/{c.field}", c.before, c.after)} for c in review.changes
        ],
        "links": [{"added": link.added, "sentence": link.sentence} for link in review.links],
        "edges": list(review.edges),
        "digest": {
            "words": review.digest.words, "leaves": list(review.digest.leaves), "enters": list(review.digest.enters),
        },
        "flags": [flag_json(flag) for flag in review.flags],
        "token": review.token, "shown": review.shown,
    }  # fmt: skip


def flag_json(flag: Flag) -> dict[str, Any]:
    """A flag for `--json`."""
    return {"kind": flag.kind, "words": flag.words, "text": flag.text, "start": flag.start, "end": flag.end}


def batch_notes(review: Review, now: datetime) -> Iterator[str]:
    """What stands above the texts of a block in the editor."""
    yield from origin_lines(review.row, now)
    if review.row.rationale:
        yield f"Why: {review.row.rationale}"
    if review.effect:
        yield f"Effect: {review.effect}"
    yield from effect_lines(review)
    yield from (f"! {line}" for line in flag_lines(review.flags))


def batch_diffs(review: Review) -> Iterator[str]:
    """What stands below the texts: every change against what stands now."""
    for one in review.changes:
        yield change_heading(one)
        yield from diff_lines(one.before, one.after)

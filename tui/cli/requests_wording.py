"""`requests edit` and `requests rebase`: a request worded anew, by who asked or by a reviewer (DESIGN 4)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ...core.errors import MemdeskError, UsageError
from ..review_words import diff_lines, wish_words
from .call import this_call
from .inputs import TEXT, WORD, one_text
from .output import put_indented, put_line, put_styled
from .receipts import give
from .shell import verb

if TYPE_CHECKING:
    from ...core.desk import Desk
    from ...core.desk.revising import Rebase, ThreeWay

F = TypeVar("F", bound=Callable[..., Any])


# -- a wording on the command line --------------------------------------------------------------------------------


def wording_flags(command: F) -> F:
    """The texts of a request, under the flags that `edit` has for those of an entry."""
    for option in reversed((
        click.option("--title", type=TEXT, help="The heading, in your wording; or @FILE, as for every text."),
        click.option("--description", "--oneline", "description", type=TEXT, help="The one line, in your wording."),
        click.option("--summary", "--short", "summary", type=TEXT, help="The short form, in your wording."),
        click.option("--body", "--full", "body", type=TEXT, help="The body (or the text to append), in your wording."),
        click.option("--body-file", metavar="PATH|-", help="The body from a file, or from standard input."),
        click.option("--text", "texts", multiple=True, metavar="FIELD=TEXT",
                     help="Any text of the request by the name that `requests show` gives it; repeatable."),
    )):  # fmt: skip
        command = option(command)
    return command


def wording(desk: Desk, row: Any, given: Mapping[str, Any]) -> dict[str, str]:
    """Field of the request -> the text that was given for it; {} where none was.

    Args:
        given: the values of `wording_flags`.

    Raises:
        UsageError: a field is given twice, or the request writes no such text.
    """
    found: dict[str, str] = {}
    body = one_text(given["body"], given["body_file"], "--body and --body-file")
    own = {"title": given["title"], "description": given["description"], "summary": given["summary"], "body": body}
    pairs = [(name, text) for name, text in own.items() if text is not None] + [_pair(one) for one in given["texts"]]
    texts = desk.request_texts(row)
    for name, text in pairs:
        if name == "body" and "body" not in texts and "text" in texts:
            name = "text"  # of an append or a comment
        if name not in texts:
            writes = f"It writes: {', '.join(texts)}." if texts else "It writes no text."
            raise UsageError(f"This request writes no {name}.", writes)
        if name in found:
            raise UsageError(f"The {name} is given twice.", "Give it once.")
        # A file ends with a line end; a line of text does not.
        found[name] = text if name in ("body", "text") else text.rstrip("\r\n")
    return found


def _pair(one: str) -> tuple[str, str]:
    name, equals, value = one.partition("=")
    if not equals or not name:
        raise UsageError(f"--text {one!r} names no field.", "Write FIELD=TEXT, or FIELD=@FILE.")
    return name, TEXT.convert(value, None, None)


# -- edit ---------------------------------------------------------------------------------------------------------


@verb(
    "edit",
    examples=[
        "memdesk requests edit req_01JABC --body @shorter.md",
        'memdesk requests edit req_01JABC --rationale "the limit moved on Monday"',
    ],
)
@click.argument("request_id", type=WORD)
@wording_flags
@click.option("--rationale", type=TEXT, help="Why, worded anew; the person who decides reads it.")
@click.pass_context
def requests_edit(ctx: click.Context, request_id: str, rationale: str | None, **given: Any) -> None:
    """Word a request anew before it is decided: who asked its own, a person anybody's. Earlier wordings are kept."""
    call = this_call(ctx)
    with call.desk() as desk:
        row = desk.request(request_id)
        fields = wording(desk, row, given)
        if not fields and rationale is None:
            raise UsageError("Nothing is worded anew.", "Give a text, such as --body, or --rationale.")
        receipt = desk.edit_request(row.request_id, fields, rationale=rationale)
        after = desk.request(row.request_id)
    give(call, receipt, gaia={
        "request_id": after.request_id, "revision": after.revision_id, "fields": list(fields),
        "revised_by": after.revised_by, "revised_at": after.revised_at,
    })  # fmt: skip


# -- rebase -------------------------------------------------------------------------------------------------------


@verb(
    "rebase",
    examples=[
        "memdesk requests rebase req_01JABC --show",
        "memdesk requests rebase req_01JABC",
        "memdesk requests rebase req_01JABC --body @both.md",
    ],
)
@click.argument("request_id", type=WORD)
@click.option("--show", "only_show", is_flag=True, help="Only show what would come of it; change nothing.")
@wording_flags
@click.pass_context
def requests_rebase(ctx: click.Context, request_id: str, only_show: bool, **given: Any) -> None:
    """Make a stale request anew against what stands now, and show the three wordings that meet.

    Where both changed the same lines it is refused, with both wordings; then give the text, for example --body @FILE.
    """
    call = this_call(ctx)
    with call.desk() as desk:
        row = desk.request(request_id)
        plan = desk.plan_rebase(row.request_id)
        fields = wording(desk, row, given)
        data = _rebase_json(plan, fields)
        if only_show:
            call.answer(data | {"dry_run": True}, lambda: _tell_rebase(desk, plan, fields))
            return
        left = [f for f in plan.fields if f.conflicts and f.field not in fields]
        if left and plan.possible:
            if not call.json:
                _tell_rebase(desk, plan, fields)
            raise _conflict(row.request_id, left)
        receipt = desk.rebase_request(row.request_id, fields=fields or None)
        after = desk.request(row.request_id)
        if not call.json:
            _tell_rebase(desk, plan, fields)
    give(call, receipt, gaia=data | {"request_id": after.request_id, "revision": after.revision_id})


def _conflict(request_id: str, left: list[ThreeWay]) -> MemdeskError:
    names = " and ".join(f.field for f in left)
    flags = " ".join(f"--{_flag(f.field)} @FILE" for f in left)
    return MemdeskError(
        f"Both sides changed the same lines of the {names}.",
        f"Say how it reads now: `memdesk requests rebase {request_id} {flags}`.",
        code="rebase_conflict", request_id=request_id, conflicts=[_three_json(f) for f in left],
    )  # fmt: skip


def _flag(field: str) -> str:
    plain = {"text": "body"}.get(field, field)
    return plain if plain in ("title", "description", "summary", "body") else f"text {field}="


def _rebase_json(plan: Rebase, own: Mapping[str, str]) -> dict[str, Any]:
    return {
        "request_id": plan.row.request_id, "possible": plan.possible, "why": list(plan.why),
        "cannot": plan.cannot,
        "fields": [_three_json(f) for f in plan.fields], "own": dict(own),
        "moved": [{"entry": m.name, "field": m.label, "before": m.before if m.known else None, "now": m.now}
                  for m in plan.moved],
    }  # fmt: skip


def _three_json(field: ThreeWay) -> dict[str, Any]:
    return {
        "field": field.field, "conflicts": field.conflicts, "base": field.base, "asked": field.asked,
        "now": field.now, "merged": field.merged,
    }  # fmt: skip


def _tell_rebase(desk: Desk, plan: Rebase, own: Mapping[str, str]) -> None:
    """The wordings that meet, and what will be asked for: the given text, else both together."""
    put_styled(f"{plan.row.request_id}  {wish_words(plan.row, desk.names_by_id())}", "bold")
    put_indented(plan.why)
    for field in plan.fields:
        label = field.label or field.field
        put_styled(f"{label}, what was asked for", "bold")
        put_indented(diff_lines(field.base or "", field.asked or ""))
        put_styled(f"{label}, what was changed meanwhile", "bold")
        put_indented(diff_lines(field.base or "", field.now or ""))
        if field.field in own:
            put_styled(f"{label}, as you word it, against what stands now", "bold")
            put_indented(diff_lines(field.now or "", own[field.field]))
        elif field.conflicts:
            places = "1 place" if field.conflicts == 1 else f"{field.conflicts:,} places"
            put_styled(f"Both changed {places}; together", "bold")
            put_indented([field.merged or ""])
        else:
            put_styled("Both together, against what stands now", "bold")
            put_indented(diff_lines(field.now or "", field.merged or ""))
    for moved in plan.moved:
        put_styled(f"{moved.label} of {moved.name}, what was changed meanwhile", "bold")
        put_indented(diff_lines(moved.before, moved.now))
        if not moved.known:
            put_indented(["(what it said when this was asked is not known here any more)"])
    asked = desk.request_texts(plan.row)
    for name in own.keys() - {field.field for field in plan.fields}:
        put_styled(f"{name}, as you word it, against what was asked for", "bold")
        put_indented(diff_lines(asked.get(name, ""), own[name]))
    if not plan.possible:
        put_line(plan.cannot)

"""`conflicts`, `similar`, `merge`, `judge`, `verdicts`: what contradicts or says the same twice, and settling it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import click

from ...core.errors import UsageError
from ...core.model import TEXT_FIELDS
from .call import now, this_call
from .flags import rationale_flag, workspace_flag
from .inputs import NAME, TEXT
from .output import put_line, put_styled, warn
from .receipts import entry_json, give
from .shell import verb

if TYPE_CHECKING:
    from ...core.desk import Desk
    from ...core.desk.conflicting import Conflicts
    from ...core.desk.judging import VerdictShown
    from ...core.desk.nearby import Alike
    from ...core.merge import MergePlan

_VERDICTS: Final = ("different", "duplicate", "contradiction", "keep_both", "later", "related", "ask")
_THRESHOLD: Final = 0.3
_threshold = click.option(
    "--threshold", type=float, default=_THRESHOLD, show_default=True,
    help="0 to 1: what is more alike than this is looked at.",
)  # fmt: skip


# -- looking --------------------------------------------------------------------------------------------------------


@verb(
    "conflicts",
    examples=["memdesk conflicts", "memdesk conflicts --kind contradiction --json", "memdesk conflicts --threshold .5"],
)
@_threshold
@click.option("--kind", type=click.Choice(["all", "contradiction", "duplicate"]), default="all", show_default=True,
              help="Only one lane of the queue.")  # fmt: skip
@click.option("--all-workspaces", is_flag=True, help="Compare across workspaces, too.")
@workspace_flag
@click.pass_context
def conflicts_command(
    ctx: click.Context, threshold: float, kind: str, all_workspaces: bool, workspace: str | None
) -> None:
    """List what contradicts and what says nearly the same, worst first. Nothing is changed.

    Contradictions come first; what contradicts is never offered as a duplicate. Exact: no pair above the threshold is
    missing. What a verdict has settled is left out until one of its texts changes.
    """
    call = this_call(ctx)
    with call.desk() as desk:
        place = None if all_workspaces else desk.workspace_for_reading(workspace)
        found = desk.conflicts(threshold=threshold, workspace=place, kind=kind, all_workspaces=all_workspaces)
    call.answer(found.as_json(), lambda: _tell_conflicts(found))


def _tell_conflicts(found: Conflicts) -> None:
    heading = ""
    for row in found.rows:
        section = _section(row)
        if section != heading:
            put_styled(section, "bold")
            heading = section
        names = [
            found.entries[member.texts[0].entry_id].ref
            + (f" (×{len(member.texts)})" if len(member.texts) > 1 else "")
            for member in row.members if member.texts[0].entry_id in found.entries
        ]  # fmt: skip
        put_line(f"  {'  '.join(names)}")
        put_styled(f"    {row.score:.2f}  {found.reason(row)}", "dim")
    if not found.rows:
        put_line("Nothing contradicts anything, and nothing says the same twice.")
    else:
        put_styled("Settle one: memdesk merge A B, memdesk supersede OLD --by NEW, memdesk judge A B VERDICT.", "dim")
    if found.uncompared:
        warn(f"{found.uncompared:,} pairs are not compared yet; run it again.")


def _section(row: Any) -> str:
    if str(row.kind) == "contradiction":
        return "Contradictions"
    return "Near-duplicates" if row.offered else "Alike, but for a value"


@verb("similar", examples=["memdesk similar decision_x", "memdesk similar --text @draft.md --workspace me --json"])
@click.argument("ref", required=False, type=NAME)
@click.option("--text", type=TEXT, help="A text instead of an entry, or @FILE: search before you write.")
@_threshold
@click.option("--all-workspaces", is_flag=True, help="Look in every workspace.")
@click.option("--limit", type=click.IntRange(min=0), default=20, show_default=True, help="How many; 0 for all.")
@workspace_flag
@click.pass_context
def similar_command(
    ctx: click.Context, ref: str | None, text: str | None, threshold: float, all_workspaces: bool, limit: int,
    workspace: str | None,
) -> None:  # fmt: skip
    """List the entries that say nearly the same as an entry, or as a text that is not written yet."""
    call = this_call(ctx)
    with call.desk() as desk:
        place = workspace if ref is not None else desk.workspace_for_reading(workspace)
        found = desk.similar(
            ref, text=text, workspace=place, all_workspaces=all_workspaces, threshold=threshold, limit=limit or None
        )
    call.answer([one.as_json() for one in found], lambda: _tell_similar(found))


def _tell_similar(found: list[Alike]) -> None:
    if not found:
        put_line("No entry says nearly the same.")
    for one in found:
        put_styled(f"{one.score:.2f}  {one.entry.ref}", "bold")
        if one.entry.description:
            put_line(f"      {one.entry.description}")
        for finding in one.findings[:3]:
            put_styled(f"      {'contradicts' if finding.lane == 'conflict' else 'differs'}: {finding.reason}", "dim")


# -- settling -------------------------------------------------------------------------------------------------------


@verb(
    "merge",
    examples=[
        "memdesk merge project_a project_b --dry-run",
        "memdesk merge project_a project_b --into project_b --field body=left --field description=both",
        "memdesk merge atom_a atom_b atom_c --text body=@merged.md",
    ],
)
@click.argument("refs", nargs=-1, required=True, type=NAME, metavar="A B [C...]")
@click.option("--into", type=NAME, help="Which of them stays; the first by default.")
@click.option("--field", "choices", multiple=True, metavar="FIELD=CHOICE",
              help="title, description, summary or body = left (the first named), right (the second), both, or a name; "
                   "may be given several times.")  # fmt: skip
@click.option("--text", "texts", multiple=True, metavar="FIELD=TEXT",
              help="A wording of your own for a field, or @FILE; may be given several times.")  # fmt: skip
@click.option("--dry-run", is_flag=True, help="Only say what would be done.")
@workspace_flag
@rationale_flag
@click.pass_context
def merge_command(
    ctx: click.Context, refs: tuple[str, ...], into: str | None, choices: tuple[str, ...], texts: tuple[str, ...],
    dry_run: bool, workspace: str | None, rationale: str,
) -> None:  # fmt: skip
    """Make one entry of several: one stays, takes in what the others say, and replaces them.

    Nothing is lost: the absorbed keep their texts and history, their tags and links come along, what pointed at them
    points at the one that stays. A link that cannot come along is named with the reason. A body that is not chosen is
    both texts, where each says something of its own. Merging twice changes nothing; undo takes it back whole.
    """
    call = this_call(ctx)
    fields = _wordings(choices, texts)
    with call.desk() as desk:
        plan = desk.merge_plan(refs, into=into, fields=fields, workspace=workspace)
        lines = plan.lines(desk.names_by_id())
        if dry_run:
            call.answer(_plan_json(plan, desk) | {"dry_run": True}, lambda: _tell_plan(lines))
            return
        data = _plan_json(plan, desk)
        receipt = desk.merge(refs, into=into, fields=fields, workspace=workspace, rationale=rationale)
    give(call, receipt, gaia=data, lines=lines[1:] if receipt.changed else ())


def _wordings(choices: tuple[str, ...], texts: tuple[str, ...]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for flag, given in (("--field", choices), ("--text", texts)):
        for one in given:
            name, equals, value = one.partition("=")
            if not equals or name not in TEXT_FIELDS:
                raise UsageError(
                    f"{flag} {one!r} names no field.", f"Write FIELD=…, the field one of: {', '.join(TEXT_FIELDS)}."
                )
            if name in found:
                raise UsageError(f"The {name} is chosen twice.", "Give one wording for each field.")
            found[name] = value if flag == "--field" else {"text": TEXT.convert(value, None, None)}
    return found


def _plan_json(plan: MergePlan, desk: Desk) -> dict[str, Any]:
    name = desk.names_by_id()

    def edge(e: Any) -> dict[str, str]:
        return {"from": name(e.source), "kind": e.kind, "to": name(e.target)}

    return {
        "sentence": plan.sentence, "survivor": entry_json(plan.survivor),
        "absorbed": [entry_json(entry) for entry in plan.absorbed], "patch": dict(plan.patch),
        "add_tags": list(plan.add_tags), "links_added": [edge(e) for e in (*plan.replacing, *plan.add)],
        "links_removed": [edge(e) for e in plan.remove],
        "links_dropped": [{**edge(lost.edge), "reason": lost.reason} for lost in plan.dropped],
        "notes": list(plan.notes), "replaces_text": plan.replaces_text,
    }  # fmt: skip


def _tell_plan(lines: list[str]) -> None:
    put_line(f"{lines[0]}.")
    for line in lines[1:]:
        put_styled(f"  {line}", "dim")
    put_styled("Nothing was changed (--dry-run).", "dim")


@verb(
    "judge",
    examples=[
        "memdesk judge atom_a atom_b different",
        "memdesk judge atom_a atom_b keep_both",
        "memdesk judge atom_a atom_b --withdraw",
    ],
)
@click.argument("a", type=NAME)
@click.argument("b", type=NAME)
@click.argument("verdict", required=False, type=click.Choice(_VERDICTS))
@click.option("--withdraw", is_flag=True, help="Take back the verdict on the two.")
@workspace_flag
@rationale_flag
@click.pass_context
def judge_command(
    ctx: click.Context, a: str, b: str, verdict: str | None, withdraw: bool, workspace: str | None, rationale: str
) -> None:
    """Say what two entries are to each other; it holds until one of their texts changes.

    \b
      different      two things; they leave the queue
      keep_both      alike on purpose; they leave the queue
      related        different, and linked as related
      duplicate      one thing written twice: the lane of near-duplicates
      contradiction  both cannot hold: the lane of contradictions
      later          not now: the end of the queue
      ask            ask the owner of a decision which one holds (a request)
    """
    call = this_call(ctx)
    if (verdict is None) != withdraw:
        raise UsageError("Give either a verdict or --withdraw.", f"A verdict is one of: {', '.join(_VERDICTS)}.")
    with call.desk() as desk:
        if withdraw:
            receipt = desk.unjudge(a, b, workspace=workspace)
        elif verdict == "related":
            receipt = desk.relate(a, b, workspace=workspace)
        elif verdict == "ask":
            receipt = desk.ask_owner(a, b, workspace=workspace, why=rationale)
        else:
            receipt = desk.judge(a, b, str(verdict), workspace=workspace)
    extra: Mapping[str, Any] = receipt.results[0] if receipt.results else {}
    lines = [f"request {extra['request_id']}"] if extra else []
    give(call, receipt, gaia={"verdict": verdict or "withdrawn", **extra}, lines=lines)


@verb("verdicts", examples=["memdesk verdicts", "memdesk verdicts --workspace me --json"])
@workspace_flag
@click.pass_context
def verdicts_command(ctx: click.Context, workspace: str | None) -> None:
    """List what was said of pairs of entries, newest first, and whether it still holds."""
    call = this_call(ctx)
    with call.desk() as desk:
        found = desk.verdicts(workspace=workspace)
    call.answer([one.as_json() for one in found], lambda: _tell_verdicts(found))


def _tell_verdicts(found: list[VerdictShown]) -> None:
    from ..words import ago

    moment = now()
    if not found:
        put_line("Nothing was judged yet.")
    for one in found:
        names = [e.ref if e else i for e, i in ((one.one, one.judged.one), (one.other, one.judged.other))]
        event = one.judged.event
        held = "" if one.holds else "  (no longer: a text has changed)"
        put_line(f"{one.judged.verdict.replace('_', ' ')}: {names[0]} and {names[1]}{held}")
        put_styled(f"  {event.agent_id}, {ago(event.timestamp, moment)}", "dim")

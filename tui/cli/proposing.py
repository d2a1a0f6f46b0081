"""propose: what an agent's contract proposes, put before a person (gaia/SPEC 9.2, DESIGN 4)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import click

from ...core.errors import UsageError
from .call import this_call
from .inputs import NAME, read_json
from .output import put_line, put_styled, warn
from .shell import verb

_ACTIONS: Final = ("asked", "waiting", "taken", "dropped")


@verb(
    "propose",
    examples=["memdesk propose --file contract.json --agent agent:scout --workspace me", "memdesk propose --from-host"],
)
@click.option("--file", "path", metavar="PATH|-", help="The proposals, as JSON.")
@click.option("--from-host", is_flag=True, help="Take those in the contracts of attached hosts, each once.")
@click.option("--agent", type=NAME, help="Who proposes, where you pass on another's contract (else the actor).")
@click.option("--workspace", type=NAME, help="The workspace of proposals that name none.")
@click.option("--project", type=NAME, help="The registered project of proposals that name none.")
@click.pass_context
def propose_command(
    ctx: click.Context, path: str | None, from_host: bool, agent: str | None, workspace: str | None, project: str | None
) -> None:
    """Put what an agent proposes before a person. Nothing is written to memory until each is approved.

    \b
    Takes either block, alone, in its key, or in a whole contract:
      memory_delta            {"version": 1, "proposals": [{"operation": OP, OP: {...},
                               "target": {"slug"}, "scope": {"workspace", "project"}}]}
        create                slug, type, class, description, body, rationale
        append                body               reclassify   class, status
        link                  to_slug, kind
      memorialize_suggestions [{"description", "body", "slug", "type", "class",
                               "rationale"}]

    What cannot be asked for is dropped, with the reason; the rest goes on. The same proposal twice is one request.
    Exit 0 when at least one waits, 1 when none does.
    """
    if (path is None) != from_host:
        raise UsageError("Say where the proposals are.", "Give either --file PATH or --from-host.")
    if from_host and (agent or workspace or project):
        raise UsageError("A host says itself who proposed what, and where.", "Leave out --agent and the scope.")
    call = this_call(ctx)
    data = read_json(path) if path is not None else None
    with call.desk() as desk:
        if from_host:
            receipt = desk.take_proposals()
        else:
            receipt = desk.propose(data, workspace=workspace, project=project, asked_by=agent)
    results = [dict(r) for r in receipt.results]
    number = {action: sum(r["action"] == action for r in results) for action in _ACTIONS}
    stored = len(results) - number["dropped"]

    def tell() -> None:
        for place, result in enumerate(results):
            _tell(place + 1, result)
        put_line(f"{receipt.summary}.")
        for warning in receipt.warnings:
            warn(warning)
        if stored:
            put_styled("See what waits with memdesk requests.", "dim")

    call.answer({
        "status": receipt.action, "summary": receipt.summary, "total": len(results), **number, "results": results,
        "warnings": list(receipt.warnings),
    }, tell)  # fmt: skip
    if not stored and (results or not from_host):
        ctx.exit(1)


def _tell(number: int, result: Mapping[str, Any]) -> None:
    whose = f", from {result['agent']}" if "agent" in result else ""
    what = f"{result['verb']} {result['about']}".strip() or "an entry that cannot be read"
    if result["action"] == "dropped":
        put_styled(f"{number}. Dropped: {what}{whose}.", "bold")
        put_line(f"   {result['why']}")
    else:
        again = {"waiting": " (waits already)", "taken": " (taken before)"}.get(result["action"], "")
        put_line(f"{number}. {result['request_id']}: {what}{again}{whose}")
    if result["ignored"]:
        put_styled(f"   No entry could keep: {', '.join(result['ignored'])}.", "dim")

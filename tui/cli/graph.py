"""`tree`, `mend`, `export graph`: how entries are linked, what is wrong with the links, all of it for other tools."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...core.errors import InputError, NotFound, UsageError
from ...core.model import EDGE_KINDS
from .call import now, this_call
from .flags import rationale_flag, workspace_flag
from .inputs import NAME
from .output import put_line, put_styled
from .receipts import give
from .shell import Verbs, verb

if TYPE_CHECKING:
    from ...core.desk.graphs import EdgeTree, Overview
    from ...core.faults import Fault, Fix
    from ...core.tree import Place

_KINDS = f"Only this kind of link ({', '.join(EDGE_KINDS)}, or any other); may be given several times."
_FORMATS = ("dot", "graphml", "mermaid", "json")


@verb(
    "tree",
    examples=[
        "memdesk tree decision_x",
        "memdesk tree decision_x --kind supersedes --direction in",
        "memdesk tree project_umbrella --depth 1 --json",
    ],
)
@click.argument("ref", type=NAME)
@click.option("--kind", "kinds", type=NAME, multiple=True, help=_KINDS)
@click.option(
    "--direction", type=click.Choice(["in", "out", "both"]), default="both", show_default=True,
    help="Follow links that arrive, links that leave, or all.",
)  # fmt: skip
@click.option("--depth", type=click.IntRange(min=0), default=3, show_default=True, help="How many links away.")
@click.option("--limit", type=click.IntRange(min=1), default=2000, show_default=True, help="The most rows.")
@workspace_flag
@click.pass_context
def tree_command(
    ctx: click.Context, ref: str, kinds: tuple[str, ...], direction: str, depth: int, limit: int, workspace: str | None
) -> None:
    """Show what an entry is linked to, as a tree: each link a sentence, each entry once.

    What is wrong with the links (a circle, a missing end, a second parent, a long chain, too many links) is marked,
    with the command that mends it.
    """
    call = this_call(ctx)
    with call.desk() as desk:
        found = desk.edge_tree(
            ref, kinds=kinds, direction=direction, depth=depth, limit=limit, workspace=workspace
        )
    if len(found.places) >= limit:
        call.notes.append(f"Only the first {limit:,} rows are shown; raise --limit, or lower --depth.")
    call.answer(_tree_json(found), lambda: _tell(found))


def _tree_json(found: EdgeTree) -> dict[str, Any]:
    """A flat list of rows: a tree may be deeper than JSON readers like to nest."""
    index = {place.key: number for number, place in enumerate(found.places)}
    rows = []
    for place in found.places:
        line, step = found.lines.get(place.node), place.step
        rows.append({
            "id": place.node, "name": _name(found, place.node), "workspace": line.workspace if line else None,
            "role": _role(line), "state": _state(line), "updated_at": line.updated_at if line else None,
            "depth": place.depth, "parent": index[place.parent.key] if place.parent else None,
            "kind": step.edge.kind if step else None, "sentence": step.words if step else None,
            "from_id": step.edge.source if step else None, "to_id": step.edge.target if step else None,
            "created_at": step.edge.created_at if step else None,
            "shown_at": index.get(place.first) if place.first is not None else None, "closes_circle": place.closes,
            "further": found.unopened.get(place.node, 0) if not place.opened and place.first is None else 0,
            "faults": [_fault_json(found.overview, f) for f in found.overview.survey.at.get(place.node, ())],
        })  # fmt: skip
    return {"root": found.root.shown_name, "id": found.root.id, "nodes": rows}


def _tell(found: EdgeTree) -> None:
    from ...core.tree import guides
    from ..words import age

    told: set[int] = set()
    mended: list[tuple[Fault, str]] = []
    for place in found.places:
        line = found.lines.get(place.node)
        words = f"{place.step.words} " if place.step else ""
        parts = [f"{_lead(guides(place))}{words}{_name(found, place.node)}", _role(line)]
        if line is None or line.state != "active":
            parts.append(_state(line))
        if line is not None:
            parts.append(age(line.updated_at, now()))
        put_line(" · ".join(part for part in parts if part) + _after(found, place))
        for fault in found.overview.survey.at.get(place.node, ()):
            if id(fault) not in told:
                told.add(id(fault))
                mended.append((fault, _name(found, place.node)))
    if mended:
        put_line()
        put_styled("What is wrong", "bold")
    for fault, name in mended:
        put_line(f"! {found.overview.words(fault)}.")
        put_line(f"  memdesk mend {shlex.quote(name)}")


def _lead(drawn: str) -> str:
    return f"{drawn} " if drawn else ""


def _after(found: EdgeTree, place: Place) -> str:
    if place.closes:
        return " (above: a circle)"
    if place.first is not None:
        return " (shown above)"
    further = found.unopened.get(place.node, 0)
    return f" (+{further})" if further else ""


def _name(found: EdgeTree, node: str) -> str:
    line = found.lines.get(node)
    return line.name if line else found.overview.name(node)


def _role(line: Any) -> str:
    from ...core.model import role_label

    return role_label(line.klass, line.status, line.type) if line else ""


def _state(line: Any) -> str:
    from ...core.model import STATE_LABELS, State

    return STATE_LABELS[State(line.state)] if line else "missing"


# -- mend ---------------------------------------------------------------------------------------------------------


@verb("mend", examples=["memdesk mend", "memdesk mend decision_x", "memdesk mend decision_x --fix 1"])
@click.argument("ref", type=NAME, required=False)
@click.option("--fix", "number", type=click.IntRange(min=1), help="Do this one of the fixes that are listed.")
@workspace_flag
@rationale_flag
@click.pass_context
def mend_command(
    ctx: click.Context, ref: str | None, number: int | None, workspace: str | None, rationale: str
) -> None:
    """List what is wrong with the links of an entry (of all, without REF), and what mends it; `--fix` does it.

    A merge can leave a circle, a second parent, a chain or an entry past its limit, and a link without its far end.
    REF may be the name of such a missing end, too.
    """
    call = this_call(ctx)
    if number is not None and ref is None:
        raise UsageError("A fix belongs to one entry.", "Name it: `memdesk mend REF --fix N`.")
    with call.desk() as desk:
        overview = desk.overview()
        node = None if ref is None else _node(desk, overview, ref, workspace)
        faults = overview.faults(workspace) if node is None else list(overview.survey.at.get(node, ()))
        ways = [(fault, fix) for fault in faults for fix in overview.fixes(fault)]
        if number is None:
            data = {"faults": [_fault_json(overview, f) for f in faults]}
            call.answer(data, lambda: _tell_faults(overview, faults, node))
            return
        if number > len(ways):
            raise UsageError(f"There is no fix {number} of {ref}.", f"See them with `memdesk mend {ref}`.")
        fix = ways[number - 1][1]
        receipt = desk.mend(remove=_keys(fix.remove), add=_keys(fix.add), rationale=rationale)
    give(call, receipt, gaia={"fix": fix.label})


def _keys(edges: Iterable[Any]) -> list[tuple[str, str, str]]:
    return [edge.key for edge in edges]


def _node(desk: Any, overview: Overview, ref: str, workspace: str | None) -> str:
    """The entry of a reference, or a missing end of that name."""
    try:
        found: str = desk.find(ref, workspace).id
    except NotFound:
        ends = [n for n in overview.survey.at if n not in overview.linked and ref in (n, overview.name(n))]
        if len(ends) != 1:
            raise
        return ends[0]
    return found


def _tell_faults(overview: Overview, faults: list[Fault], node: str | None) -> None:
    if not faults:
        put_line("Nothing is wrong with the links.")
        return
    number = 0
    for fault in faults:
        put_line(f"! {overview.words(fault)}.")
        fixes = overview.fixes(fault)
        if node is None:
            put_line(f"  memdesk mend {shlex.quote(overview.name(fault.node))}")
            continue
        for fix in fixes:
            number += 1
            put_line(f"  --fix {number}  {fix.label}")
        if not fixes:
            put_line("  Remove links that it does not need with `memdesk unlink`, or group them under another entry.")


def _fault_json(overview: Overview, fault: Fault) -> dict[str, Any]:
    return {
        "code": str(fault.kind), "id": fault.node, "name": overview.name(fault.node), "message": overview.words(fault),
        "broken": fault.is_breach, "length": fault.length or None, "limit": fault.limit or None,
        "fixes": [_fix_json(fix) for fix in overview.fixes(fault)],
    }  # fmt: skip


def _fix_json(fix: Fix) -> dict[str, Any]:
    remove, add = _keys(fix.remove), _keys(fix.add)
    return {"label": fix.label, "remove": [list(key) for key in remove], "add": [list(key) for key in add]}


# -- export -------------------------------------------------------------------------------------------------------


@click.group("export", cls=Verbs, examples=["memdesk export graph --format dot | dot -Tsvg > memory.svg"])
@click.pass_context
def export_command(ctx: click.Context) -> None:
    """Write the memory in formats of other tools."""
    if ctx.invoked_subcommand is None:
        raise UsageError("Say what to export.", "`memdesk export graph` writes the links.")


@export_command.command(
    "graph",
    examples=[
        "memdesk export graph --format dot | dot -Tsvg > memory.svg",
        "memdesk export graph --format mermaid --kind supersedes",
        "memdesk export graph --format graphml --output memory.graphml",
    ],
)
@click.option("--format", "format_", type=click.Choice(_FORMATS), default="dot", show_default=True, help="As what.")
@click.option("--kind", "kinds", type=NAME, multiple=True, help=_KINDS)
@click.option("--output", metavar="PATH", help="A new file instead of standard output.")
@click.option("--workspace", type=NAME, help="Only links of this workspace; else MEMDESK_WORKSPACE, else all.")
@click.pass_context
def graph_command(
    ctx: click.Context, format_: str, kinds: tuple[str, ...], output: str | None, workspace: str | None
) -> None:
    """Write the linked entries and their links: Graphviz dot, GraphML, Mermaid, or JSON."""
    from ...core import export

    call = this_call(ctx)
    with call.desk() as desk:
        nodes, edges = desk.graph_of(kinds=kinds, workspace=workspace)
    text = export.FORMATS[format_](nodes, edges)
    counted = {"format": format_, "nodes": len(nodes), "edges": len(edges)}
    if output is not None:
        _write_new(Path(output), text)
        call.answer({**counted, "path": output}, lambda: put_line(f"Written to {output}: {len(edges):,} links."))
    elif call.json or format_ == "json":
        call.json = True
        whole = export.as_data(nodes, edges) if format_ == "json" else {"text": text}
        call.answer({**counted, **whole}, lambda: None)
    else:
        put_line(text.rstrip("\n"))


def _write_new(path: Path, text: str) -> None:
    """Write a file that is not there yet, readable by its owner alone.

    Raises:
        InputError: it exists, or cannot be written.
    """
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise InputError(f"The file {path} is there already.", "Name another file, or remove it.") from None
    except OSError as error:
        raise InputError(f"The file {path} cannot be written: {error.strerror}.", "Name another file.") from None
    with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
        file.write(text)

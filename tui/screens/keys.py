"""The overlay of all keys: the action table as it stands now, with the reason where a key does not work."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ..actions import SECTIONS, TABLE, Action, Situation, why_not
from ..keymap import keys_of
from ..widgets.entry_text import Block, Facts, Gap, Heading, Plain
from ..widgets.key_footer import key_name

#: Cells of the column of keys, so that it stands in line through all sections.
_KEYS_WIDTH = 13


def shown_keys(action: Action, keymap: Mapping[str, str]) -> str:
    """The keys of an action as a person reads them: "U or ctrl+r"."""
    return " or ".join(key_name(key) for key in keys_of(action, keymap))


def listed(pane_ids: Iterable[str]) -> list[Action]:
    """The actions that a pane's overlay lists: all but those of other panes."""
    ids = set(pane_ids)
    return [action for action in TABLE if action.scope != "pane" or action.id in ids]


def keys_blocks(
    pane_ids: Iterable[str], now: Situation, keymap: Mapping[str, str], problems: Sequence[str] = ()
) -> list[Block]:
    """The blocks of the overlay.

    Args:
        pane_ids: the pane actions of the pane in front.
        now: the situation, for the reasons.
        keymap: keys that the person changed.
        problems: what is wrong with the person's keymap.
    """
    actions = listed(pane_ids)
    blocks: list[Block] = [Plain("Any key can be changed in config.toml, under [keys].", "muted")]
    blocks += [Plain(f"! {problem}", "warn") for problem in problems]
    for section in SECTIONS:
        pairs = [(shown_keys(a, keymap).ljust(_KEYS_WIDTH), _said(a, now)) for a in actions if a.section == section]
        if pairs:
            blocks += [Gap(), Heading(section), Facts(pairs)]
    return blocks


def _said(action: Action, now: Situation) -> str:
    reason = why_not(action, now)
    return f"{action.help} (Not now: {reason})" if reason else action.help


def keys_page(panes: Sequence[tuple[str, str, Sequence[str]]]) -> str:
    """The text of docs/keys.md.

    Args:
        panes: (name, title, pane actions) of each pane.
    """
    lines = [
        "# Keys", "",
        "Written from the action table (`tui/actions.py`) by `python -m memdesk.tui.keys_doc`; a test keeps it so.", "",
        "Any key can be changed in `config.toml` in the store's folder, by the id of its action:", "",
        "```toml", "[keys]", '"entry.close" = "C"', '"desk.quit" = "ctrl+q,q"', "```", "",
        "An unknown id, a key that is none, and a key that another action has are left out, and the desk says so.", "",
    ]  # fmt: skip
    for section in SECTIONS:
        lines += [f"## {section}", "", "| key | action | what it does | where |", "| --- | --- | --- | --- |"]
        for action in TABLE:
            if action.section == section:
                keys = " or ".join(f"`{key_name(key)}`" for key in action.keys)
                lines.append(f"| {keys} | `{action.id}` | {action.help} | {_where(action, panes)} |")
        lines.append("")
    return "\n".join(lines)


def _where(action: Action, panes: Sequence[tuple[str, str, Sequence[str]]]) -> str:
    if action.scope == "pane":
        return ", ".join(title for _, title, ids in panes if action.id in ids) or "nowhere yet"
    if action.scope == "widget":
        return "lists" if action.id.startswith("list.") else "texts"
    return "everywhere"

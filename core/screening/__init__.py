"""What a reviewer must not miss in a text: hidden characters, orders to an agent, secrets, links. Pure.

A flag says "look here", never "refuse": the reviewer decides (DESIGN 4; CASES "Review"). Instructions, secrets and
links are looked for after hidden characters are taken out and look-alike letters are folded, so that hiding them hides
nothing; positions are those of the text as given. Every search is bounded, so the cost grows with the text.

Where the border lies for instructions, and what is not found, is said in `instructions`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from ..text import Mark, marks, one_line
from .flags import Flag, Found
from .folded import Folded
from .instructions import orders_in
from .links import links_in
from .mixed import mixed_words
from .secrets import secrets_in

__all__ = ["KINDS", "Flag", "flags_summary", "screen"]

#: The kinds of flags, in the order of `flags_summary`.
KINDS: Final = ("hidden", "instruction", "secret", "link")

_NOUNS: Final = {
    "hidden": ("hidden character", "hidden characters"),
    "instruction": ("instruction", "instructions"),
    "secret": ("secret", "secrets"),
    "link": ("link", "links"),
}
#: Names of hidden characters that a summary tells.
_TOLD: Final = 3
#: The most characters of a passage that a flag repeats.
_SHOWN: Final = 100
#: Tag characters mirror ASCII at this distance: a text in them is read by a model and seen by nobody.
_TAGS: Final = 0xE0000


def screen(text: str) -> tuple[Flag, ...]:
    """Everything in a text that a reviewer must be shown, in the order of the text.

    Args:
        text: any string, lone surrogates included.

    Returns:
        A flag for each hidden character, each word with a letter that passes for another one, and each passage that
        reads like an order to an agent, a secret or a link.
    """
    hidden = marks(text)
    folded = Folded(text)
    found = [Flag("hidden", m.start, m.end, m.shown, f"{m.kind}: {m.name}") for m in hidden]
    found += [_flag("hidden", text, one) for one in mixed_words(text)]
    found += [_flag("instruction", text, one) for one in _smuggled(hidden)]
    found += [_flag("instruction", text, one) for one in folded.apart(orders_in(folded))]
    # A secret is never repeated, in no list and no log: who reviews sees it in the text itself.
    found += [Flag("secret", s.start, s.end, s.shown, s.words) for s in folded.apart(secrets_in(folded))]
    found += [_flag("link", text, one) for one in folded.apart(links_in(folded, text))]
    return tuple(sorted(found, key=lambda f: (f.start, KINDS.index(f.kind), f.end)))


def flags_summary(flags: Iterable[Flag]) -> str:
    """Nothing, or one clause: "3 hidden characters (zero width space, right-to-left override), 1 instruction"."""
    flags = list(flags)
    parts = []
    for kind in KINDS:
        some = [f for f in flags if f.kind == kind]
        if not some:
            continue
        part = f"{len(some):,} {_NOUNS[kind][len(some) > 1]}"
        if kind == "hidden":
            names = list(dict.fromkeys(f.words.partition(": ")[2] for f in some))
            more = f" and {len(names) - _TOLD} more kinds" if len(names) > _TOLD else ""
            part += f" ({', '.join(names[:_TOLD])}{more})"
        parts.append(part)
    return ", ".join(parts)


def _flag(kind: str, text: str, found: Found) -> Flag:
    shown = found.shown or one_line(text[found.start : found.end], _SHOWN)
    return Flag(kind, found.start, found.end, shown, found.words)


def _smuggled(hidden: list[Mark]) -> list[Found]:
    """Runs of tag characters that spell out a text, each with that text."""
    found: list[Found] = []
    run: list[Mark] = []
    for mark in [*hidden, None]:
        if mark is not None and mark.kind == "tag" and (not run or run[-1].end == mark.start):
            run.append(mark)
            continue
        said = "".join(chr(ord(m.char) - _TAGS) for m in run if 0x20 <= ord(m.char) - _TAGS < 0x7F)
        if len(said.strip()) >= 4:
            words = "text in characters that nobody sees"
            found.append(Found(run[0].start, run[-1].end, words, one_line(said, _SHOWN)))
        run = [mark] if mark is not None and mark.kind == "tag" else []
    return found

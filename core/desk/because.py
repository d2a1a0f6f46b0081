"""Why a request waits, in plain words (DESIGN 4). Pure.

A request keeps the ids of the decisions that it contradicts, never their names: an entry may be renamed, and an erase
must leave no name behind.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from ..errors import listed
from ..policy import AGAINST
from ..text import one_line

#: The most decisions that are named.
_NAMED: Final = 3


def against_of(payload: Mapping[str, Any]) -> list[str]:
    """The ids of the decisions that a request was found to contradict; none in those that were asked before it was
    noted."""
    found = payload.get("against")
    return [i for i in found if isinstance(i, str)] if isinstance(found, list) else []


def because(payload: Mapping[str, Any], names: Mapping[str, str]) -> str:
    """Why a request waits, as the rest of "it waits because".

    Args:
        payload: of the request.
        names: id -> name of the decisions that it contradicts, as far as they are there.
    """
    reason = payload.get("reason")
    reason = one_line(reason) if isinstance(reason, str) else ""
    verb = payload.get("verb")
    if isinstance(verb, str) and reason.startswith(f"{verb} here "):
        reason = f"it {reason.removeprefix(f'{verb} here ')}"
    return named(reason, [names[i] for i in against_of(payload) if i in names])


def named(reason: str, decisions: Sequence[str]) -> str:
    """A reason, with the decisions that stand against it by name.

    Args:
        decisions: what they are called; none leaves the reason as it is.
    """
    if not decisions:
        return reason
    words = f"it contradicts {listed(decisions, _NAMED)}."
    if reason in ("", AGAINST):
        return words
    return f"{reason.removesuffix('.')}, and {words}"

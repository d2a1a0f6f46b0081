"""The values of screening. Pure."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Flag:
    """A passage that a reviewer must be shown.

    Attributes:
        kind: hidden, instruction, secret or link.
        start: index of the passage in the text as given.
        end: index after it.
        text: the passage as it can be shown on one line, shortened; of a secret only how it begins.
        words: what it is, as a clause: "zero-width: zero width space", "an AWS access key (AKIA…, 20 characters)".
    """

    kind: str
    start: int
    end: int
    text: str
    words: str


@dataclass(frozen=True, slots=True)
class Found:
    """A passage that one of the searches found; `shown` stands for it where it must not, or cannot, be shown."""

    start: int
    end: int
    words: str
    shown: str = ""

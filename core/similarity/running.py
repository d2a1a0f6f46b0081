"""Long work that may be watched, stopped, and that lets others run. Pure Python."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

#: Told the part done, 0 to 1.
Progress = Callable[[float], None]
#: Asked between steps; True ends the work.
Stop = Callable[[], bool]

#: Seconds after which a thread that computes must let another one run. The interpreter's own 5 ms is felt on a screen.
_TURN: Final = 0.0001
_lock = threading.Lock()
_running = 0
_before = 0.005


class Stopped(Exception):
    """The caller asked to stop; nothing half-done was kept."""


def ignore(part: float) -> None:
    """A progress nobody watches."""


def never() -> bool:
    """A stop that is not asked for."""
    return False


@contextmanager
def sharing() -> Iterator[None]:
    """Take short turns while a thread computes beside a screen; the interpreter's setting is put back afterwards."""
    global _running, _before
    with _lock:
        if _running == 0:
            _before = sys.getswitchinterval()
            sys.setswitchinterval(min(_TURN, _before))
        _running += 1
    try:
        yield
    finally:
        with _lock:
            _running -= 1
            if _running == 0:
                sys.setswitchinterval(_before)

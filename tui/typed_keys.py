"""Keys one after another: what a key opens, or closes, is there before the next key is looked at.

A terminal on a slow line hands over several keys in one read. Textual would give them all to what has the keyboard
now; a letter meant for a chooser would then decide something in the list, and a letter meant for a chooser that is
already answered would do the same. So each key goes round before the next one starts. Keys wait a moment for the dialog
that the key before them opens; keys read before an answer never reach the list behind it.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING, Any

from textual import events
from textual._time import get_time
from textual.message import Message
from textual.message_pump import MessagePump
from textual.screen import Screen

if TYPE_CHECKING:
    from textual.app import App

    from ..core.errors import MemdeskError

    _Base = App[MemdeskError | None]
else:
    _Base = object

#: Seconds after which a key that did not come back (its widget went away) no longer holds up the next.
LOST = 0.25
#: Seconds that keys wait for the dialog which the key before them asked for; then they are dropped.
HOLD = 0.5
#: Seconds between two repeats of a key that is held down: the repeats after its answer are not meant for the list.
REPEAT = 0.3
#: Seconds between two looks at whether a dialog has come.
_LOOK = 0.005
_NEVER_HELD = frozenset({"escape", "ctrl+c", "ctrl+q"})


class KeyDone(Message):
    """Follows a key on its way up, and then what the widget posted because of the key ("submitted", "selected").

    Attributes:
        laps: how often it goes round after this time.
    """

    verbose = True

    def __init__(self, target: MessagePump, laps: int) -> None:
        super().__init__()
        self.target = target
        self.laps = laps
        self.set_sender(target)  # sent by its parent it would stop there


class TypedKeys(_Base):
    """The order of the keys, for the app."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._keys_typed: deque[events.Key | events.Paste] = deque()
        self._key_going: KeyDone | None = None
        self._key_screen: Screen[Any] | None = None
        self._key_given_up: asyncio.TimerHandle | None = None
        self._keys_ready_on: Screen[Any] | None = None
        self._key_at = 0.0
        self._key_last = ""
        self._keys_answered_at = 0.0
        self._key_repeated = ("", 0.0)

    async def on_event(self, event: events.Event) -> None:
        """Every event of the app; keys and pastes take their turn."""
        if isinstance(event, (events.Key, events.Paste)) and not event.is_forwarded:
            self._keys_typed.append(event)
            await self._next_key()
        else:
            await super().on_event(event)

    async def _next_key(self) -> None:
        while self._keys_typed and self._key_going is None and not self._keys_must_wait():
            event = self._keys_typed.popleft()
            if not self._key_is_stray(event):
                await self._start_key(event)

    async def _start_key(self, event: events.Key | events.Paste) -> None:
        self._key_screen = self.screen
        self._key_at, self._key_last = get_time(), event.key if isinstance(event, events.Key) else ""
        target = self.focused or self.screen
        self._key_going = done = KeyDone(target, 1)
        await super().on_event(event)
        if event.is_forwarded and target.post_message(done):
            self._give_up_on(done)
        else:
            self._key_ended()

    def _give_up_on(self, done: KeyDone) -> None:
        if self._key_given_up is not None:
            self._key_given_up.cancel()
        loop = asyncio.get_running_loop()
        self._key_given_up = loop.call_later(LOST, lambda: self.call_later(self._key_over, done))

    async def on_key_done(self, message: KeyDone) -> None:
        """A key has gone round."""
        message.stop()
        if message is not self._key_going:
            return
        again = KeyDone(message.target, message.laps - 1)
        if message.laps and message.target.post_message(again):
            self._key_going = again
            self._give_up_on(again)
        else:
            await self._key_over(message)

    async def _key_over(self, done: KeyDone) -> None:
        if done is self._key_going:
            self._key_ended()
            await self._next_key()

    def _key_ended(self) -> None:
        self._key_going = None
        if self._key_given_up is not None:
            self._key_given_up.cancel()
            self._key_given_up = None
        if self._key_screen is not None and self._key_screen not in self.screen_stack:
            self._keys_answered_at = get_time()
            self._key_repeated = (self._key_last, self._keys_answered_at)
        self._key_screen = None

    # -- what comes of a key ------------------------------------------------------------------------------------------

    def _keys_must_wait(self) -> bool:
        first = self._keys_typed[0]
        if self._keys_reach_desk:
            if not self._flow_asks or (isinstance(first, events.Key) and first.key in _NEVER_HELD):
                return False
            if get_time() - self._key_at < HOLD:
                self._look_again()
                return True
            if first.time - self._key_at < HOLD:
                self._keys_typed.clear()  # typed for a dialog that did not come
                return True
            return False
        screen = self.screen
        if screen is self._keys_ready_on:
            return False
        if screen.is_mounted:
            # What it gives the keyboard to is queued at the app before this.
            self.call_later(self._now_ready, screen)
        else:
            self._look_again()
        return True

    async def _now_ready(self, screen: Screen[Any]) -> None:
        self._keys_ready_on = screen
        await self._next_key()

    def _look_again(self) -> None:
        asyncio.get_running_loop().call_later(_LOOK, lambda: self.call_later(self._next_key))

    @property
    def _keys_reach_desk(self) -> bool:
        return len(self.screen_stack) == 1

    @property
    def _flow_asks(self) -> bool:
        """Whether something that asks is under way, between its dialogs."""
        return any(worker.group.endswith(".ask") and not worker.is_finished for worker in self.workers)

    def _key_is_stray(self, event: events.Key | events.Paste) -> bool:
        """Whether a key was meant for a dialog that has gone, not for what would get it now."""
        key = event.key if isinstance(event, events.Key) else ""
        repeated, at = self._key_repeated
        if key and key == repeated and key != "escape":
            if event.time <= self._keys_answered_at or (self._keys_reach_desk and event.time - at < REPEAT):
                self._key_repeated = (key, max(event.time, at))
                return True
        elif event.time > self._keys_answered_at:
            self._key_repeated = ("", 0.0)
        return self._keys_reach_desk and event.time <= self._keys_answered_at

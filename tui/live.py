"""The desk behind the screen: which thread may ask it what.

A screen that waits for a lock is dead, so nothing here runs on the screen's own thread. One thread writes, in the
order of the keys typed; one reads for the views; one watches for what other processes write; one carries changes to
and from the hosts, where a lock may be held for long; one compares texts, which is long work. SQLite connections belong
to their thread: five are enough.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar, cast

from textual.dom import DOMNode

from ..core.desk import Desk
from ..core.errors import MemdeskError
from ..core.moments import Moment

T = TypeVar("T")
_THREADS = ("write", "read", "watch", "hosts", "score")


def background(node: DOMNode, work: Callable[[], Awaitable[None]], group: str, *, exclusive: bool = False) -> None:
    """Start `work` as a worker of a named group. Given as a callable, what is replaced before it began never began."""
    node.run_worker(cast(Any, work), group=group, exclusive=exclusive)



class Live:
    """Runs calls on the desk in the threads they belong to."""

    def __init__(self, opener: Callable[[], Desk]) -> None:
        self._opener = opener
        self.desk: Desk | None = None
        #: The desk on the memory as it was, while one looks back; and the one before it, which rows may still show.
        self.past: Desk | None = None
        self._left: Desk | None = None
        self._threads = {name: ThreadPoolExecutor(1, f"desk-{name}") for name in _THREADS}
        self._under_way: set[Future[object]] = set()
        self._version: int | None = None
        #: What went wrong inside memdesk; the screen lives on and says so. Tests look here.
        self.faults: list[Exception] = []

    async def open(self) -> Desk:
        """Open the store. Raises what opening raises."""
        self.desk = await self._run("write", self._opener)
        return self.desk

    async def write(self, call: Callable[[Desk], T]) -> T:
        """Run a verb in the writing thread; calls run one after another, in the order they came."""
        return await self._run("write", self._with_desk, call)

    async def read(self, call: Callable[..., T], *args: object) -> T:
        """Run `call(desk, *args)` in the reading thread, on the memory that is shown: as it is, or as it was."""
        return await self._run("read", self._with_front, lambda desk: call(desk, *args))

    @property
    def front(self) -> Desk | None:
        """The desk that is shown: the one on the past while one looks back."""
        return self.past or self.desk

    async def look_back(self, moment: Moment | None) -> None:
        """From now on read from the memory as it was at a moment; None: as it is.

        Raises:
            StoreUnusable, StoreLocked: the store could not be read.
        """
        past = None
        if moment is not None:
            past = await self._run("read", self._with_desk, lambda desk: desk.as_of(moment))
        # Rows on screen may still be read from the desk that is left; it is closed with the next change.
        if self._left is not None:
            self._left.close()
        self._left, self.past = self.past, past

    async def look(self, call: Callable[[Desk], T]) -> T:
        """Run a reading for the frame in the watching thread, where it holds up no view."""
        return await self._run("watch", self._with_desk, call)

    async def score(self, call: Callable[..., T], *args: object) -> T:
        """Run `call(desk, *args)` in the thread that compares texts, where long work holds up nothing else."""
        return await self._run("score", self._with_front, lambda desk: call(desk, *args))

    async def moved(self) -> bool:
        """Whether any process wrote since this was last asked."""
        version = await self._run("watch", self._with_desk, lambda desk: desk.store.data_version())
        before, self._version = self._version, version
        return before is not None and before != version

    async def in_host(self, call: Callable[[Desk], T]) -> T:
        """Run a call on a host that may take its time, in the thread for those."""
        return await self._run("hosts", self._with_desk, call)

    async def refresh_hosts(self) -> bool:
        """Bring changes from the hosts and push what waits; whether anything changed."""
        return await self._run("hosts", self._with_desk, lambda desk: desk.hosts.refresh())

    @property
    def is_quiet(self) -> bool:
        """Whether no call is under way."""
        return not any(not future.done() for future in self._under_way)

    async def quiet(self) -> None:
        """Wait until the calls that are under way now have ended."""
        waiting = [asyncio.wrap_future(future) for future in self._under_way if not future.done()]
        if waiting:
            await asyncio.wait(waiting)

    def close(self) -> None:
        """End the threads. A call that runs is left to end by itself."""
        for past in (self.past, self._left):
            if past is not None:
                past.close()
        self.past = self._left = None
        for threads in self._threads.values():
            threads.shutdown(wait=False, cancel_futures=True)

    def _with_desk(self, call: Callable[[Desk], T]) -> T:
        assert self.desk is not None, "the screen asks only after the store was opened"
        return call(self.desk)

    def _with_front(self, call: Callable[[Desk], T]) -> T:
        assert self.front is not None, "the screen asks only after the store was opened"
        return call(self.front)

    async def _run(self, thread: str, call: Callable[..., T], *args: object) -> T:
        future = self._threads[thread].submit(call, *args)
        self._under_way.add(future)  # type: ignore[arg-type]
        future.add_done_callback(self._under_way.discard)  # type: ignore[arg-type]
        try:
            return await asyncio.wrap_future(future)
        except MemdeskError:
            raise
        except Exception as fault:
            self.faults.append(fault)
            raise MemdeskError(
                f"This did not work, by a fault inside memdesk: {type(fault).__name__}: {fault}.",
                "What was stored before is safe. Please report it.", code="fault",
            ) from fault  # fmt: skip

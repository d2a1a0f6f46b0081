"""A person at the desk and agents in Gaia, at random, with crashes between log and host: both end with the same."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
from beside_gaia import assert_same, log_size
from gaia_fixture import Gaia

from memdesk.core.desk import Desk
from memdesk.core.errors import MemdeskError
from memdesk.core.hosts import Hosts
from memdesk.core.model import State

KINDS = ("relates_to", "supersedes", "derived_from", "graduated_to")


class Silent(Hosts):
    """A process that dies between the commit to the log and the push."""

    def after_commit(self, op_id: str) -> Any:
        return type("Nothing", (), {"sentences": []})()


class Work:
    """One run of random work.

    Args:
        seed: of everything random.
    """

    def __init__(self, desk: Desk, gaia: Gaia, seed: int) -> None:
        self.desk = desk
        self.gaia = gaia
        self.dice = random.Random(seed)
        self.count = 0
        self.day = 0

    def step(self) -> None:
        self.count += 1
        act = self.dice.choices([self.person, self.agent, self.house], [5, 5, 2])[0]
        try:
            act()
        except MemdeskError as error:
            assert error.stable_code not in ("host_away", "host_not_gaia", "store_unusable"), error

    # -- the person -------------------------------------------------------------------------------------------------

    def person(self) -> None:
        acts: list[Callable[[str], object]] = [
            lambda ref: self.desk.append(ref, f"Person {self.count}."),
            lambda ref: self.desk.edit(ref, fields={"description": f"By the person {self.count}"}),
            lambda ref: self.desk.edit(ref, fields={"body": f"Person's text {self.count}."}),
            lambda ref: self.desk.reclassify(ref, klass="thread", status=self.dice.choice(["open", "closed"])),
            lambda ref: self.desk.reclassify(ref, klass=self.dice.choice(["log", "anchor"])),
            lambda ref: self.desk.edit(ref, audience=self.dice.choice(["any", "executor"])),
            lambda ref: self.desk.delete(ref),
            lambda ref: self.desk.restore(ref),
            lambda ref: self.desk.rename(ref, self.name_like(ref)),
            lambda ref: self.desk.move_workspace([ref], self.dice.choice(["me", "lab"])),
            lambda ref: self.desk.link(ref, self.dice.choice(KINDS), self.ref(), force=True),
            lambda ref: self.desk.unlink(*self.edge(ref)),
            lambda ref: self.desk.add(name=f"atom_p{self.count}", body="New.", description="n", workspace="me"),
            lambda ref: self.desk.undo(),
            lambda ref: self.desk.redo(),
        ]
        act = self.dice.choice(acts)
        hosts = self.desk.hosts
        if self.dice.random() < 0.2:
            self.desk.hosts = Silent(self.desk.store)
        try:
            act(self.ref())
        finally:
            self.desk.hosts = hosts

    def ref(self) -> str:
        found = [e for e in map(self.desk.store.entry, self.ids()) if e is not None]
        return self.dice.choice(found).id

    def ids(self) -> list[str]:
        return sorted({str(e.memory_id) for e in self.desk.store.events() if e.type == "memory.create"})

    def name_like(self, ref: str) -> str:
        found = self.desk.store.entry(ref)
        assert found is not None
        return f"{found.type}_r{self.count}"

    def edge(self, ref: str) -> tuple[str, str, str]:
        edges = [e for e in self.desk.store.edges_of(ref) if not {e.source[:8], e.target[:8]} & {"missing:"}]
        if not edges:
            return ref, "related_to", self.ref()
        chosen = self.dice.choice(edges)
        return chosen.source, chosen.kind, chosen.target

    # -- agents in Gaia ---------------------------------------------------------------------------------------------

    def agent(self) -> None:
        self.day += 1
        at = f"2027-{1 + self.day // 28:02d}-{1 + self.day % 28:02d}T10:00:00Z"
        row = self.dice.choice(self.gaia.rows())
        workspace, name = row["workspace"], row["name"]
        acts: list[Callable[[], object]] = [
            lambda: self.gaia.set(workspace, name, at, body=f"{row['body']}\n\nAgent {self.count}."),
            lambda: self.gaia.set(workspace, name, at, description=f"By an agent {self.count}"),
            lambda: self.gaia.set(workspace, name, at, **{"class": "thread", "status": "carry_forward"}),
            lambda: self.gaia.set(workspace, name, at, **{"class": "log", "status": None}),
            lambda: self.gaia.set(workspace, name, at, audience="orchestrator"),
            lambda: self.gaia.set(workspace, name, at, deleted_at=at if row["deleted_at"] is None else None),
            lambda: self.gaia.set(workspace, name, at, name=f"{row['type']}_a{self.count}"),
            lambda: self.gaia.add("me", f"atom_a{self.count}", "Agent's.", created_at=at, updated_at=at),
            lambda: self.gaia.link(workspace, name, self.dice.choice(KINDS), self.neighbour(workspace)),
            self.drop_link,
            lambda: self.gaia.delete(workspace, name) if self.dice.random() < 0.3 else None,
        ]
        try:
            self.dice.choice(acts)()
        except Exception as error:  # a name or a link that is there already
            assert "UNIQUE" in str(error), error

    def neighbour(self, workspace: str) -> str:
        return str(self.dice.choice([r["name"] for r in self.gaia.rows() if r["workspace"] == workspace]))

    def drop_link(self) -> None:
        links = sorted(self.gaia.links())
        if links:
            workspace, source, kind, target = self.dice.choice(links)
            self.gaia.unlink(workspace, source, kind, target)

    # -- the desk's timer -------------------------------------------------------------------------------------------

    def house(self) -> None:
        self.dice.choice([self.desk.pull, self.desk.push, self.desk.hosts.refresh])()

    def settle(self) -> None:
        """Nobody writes any more: a few rounds bring both sides together."""
        for _ in range(4):
            self.desk.pull(force=True)
            self.desk.push()


def run(desk: Desk, gaia: Gaia, seed: int, steps: int) -> None:
    work = Work(desk, gaia, seed)
    for _ in range(steps):
        work.step()
    work.settle()
    gaia.check_full_text()
    assert_same(desk, gaia)
    names = {(r["workspace"], r["name"]) for r in gaia.rows()}
    for found in filter(None, map(desk.store.entry, work.ids())):
        if (found.workspace, found.name) not in names:
            assert found.state is State.PURGED, found.ref
    size, history, rows, links = log_size(desk), gaia.history(), gaia.rows(), gaia.links()
    assert not desk.pull()[0].news
    desk.push()
    assert desk.list_hosts()[0].words == "in step"
    assert (log_size(desk), gaia.history(), gaia.rows(), gaia.links()) == (size, history, rows, links)
    for workspace, source, kind, target in links:
        assert _shown(desk, f"{workspace}/{source}", kind, f"{workspace}/{target}"), (source, kind, target)


def _shown(desk: Desk, source: str, kind: str, target: str) -> bool:
    def ids(ref: str) -> set[str]:
        return {f"missing:{ref}"} | {e.id for e in desk.store.lookup(ref)}

    kind = "related_to" if kind == "relates_to" else kind
    ends = {(e.source, e.target) for e in desk.store.edges(kind=kind)}
    pairs = {(a, b) for a in ids(source) for b in ids(target)}
    return bool(ends & (pairs | ({(b, a) for a, b in pairs} if kind == "related_to" else set())))


@pytest.mark.parametrize("seed", range(4))
def test_both_sides_end_with_the_same(attached: Desk, gaia: Gaia, seed: int) -> None:
    run(attached, gaia, seed, 60)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(100, 160))
def test_both_sides_end_with_the_same_for_long(attached: Desk, gaia: Gaia, seed: int) -> None:
    run(attached, gaia, seed, 150)



"""The verbs on hosts, who may use them, and what is read on the host without being copied."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import gaia_fixture
import pytest
from beside_gaia import entry
from gaia_fixture import Gaia

from memdesk.core.config import Config
from memdesk.core.desk import Actor, Desk, Role
from memdesk.core.errors import HostError, MemdeskError, NotAllowed, NotFound, UsageError
from memdesk.core.hosts import Change, Hosts
from memdesk.core.store import Store


def as_role(desk: Desk, role: Role) -> Desk:
    return Desk(desk.store, Actor(f"{role}:x", role), desk.hosts, Config())


@pytest.mark.parametrize("role", [Role.ORCHESTRATOR, Role.OPERATOR, Role.SPECIALIST])
def test_only_a_person_attaches_and_detaches(attached: Desk, gaia: Gaia, role: Role) -> None:
    agent = as_role(attached, role)
    with pytest.raises(NotAllowed):
        agent.attach("gaia", gaia.path)
    with pytest.raises(NotAllowed):
        agent.detach("gaia")
    agent.pull()
    agent.push()
    assert [h.words for h in agent.list_hosts()] == ["in step"]


@pytest.mark.parametrize(
    ("kind", "name", "error"),
    [("oracle", "g.db", UsageError), ("gaia", "nothing.db", HostError), ("gaia", "text.db", HostError)],
)
def test_what_cannot_be_attached_leaves_nothing(
    desk: Desk, tmp_path: Path, kind: str, name: str, error: type[MemdeskError]
) -> None:
    (tmp_path / "text.db").write_text("text")
    with pytest.raises(error):
        desk.attach(kind, tmp_path / name)
    assert desk.list_hosts() == ()
    assert list(desk.store.events()) == []


def test_the_usual_place(store: Store, gaia: Gaia) -> None:
    hosts = Hosts(store, environ={"GAIA_DB": str(gaia.path), "GAIA_DATA_DIR": "/elsewhere"})
    pulled, warnings = hosts.attach("gaia")
    assert (pulled.path, pulled.entries) == (str(gaia.path), 9)
    assert ["GAIA_DB wins" in w for w in warnings] == [True]


def test_one_database_is_one_host_under_every_spelling_of_its_path(attached: Desk, gaia: Gaia, tmp_path: Path) -> None:
    (tmp_path / "link.db").symlink_to(gaia.path)
    for path in (tmp_path / "link.db", gaia.path.parent / ".." / "gaia" / "g.db"):
        assert not attached.attach("gaia", path).pulled.news
    assert len(attached.list_hosts()) == 1


def test_hosts_are_named_by_id_path_and_kind(attached: Desk, gaia: Gaia) -> None:
    host = attached.list_hosts()[0].host_id
    for ref in (host, host[:9], str(gaia.path), "gaia"):
        assert [p.host_id for p in attached.pull(ref)] == [host]
    with pytest.raises(NotFound):
        attached.pull("thrum")


def test_two_databases_with_the_same_workspace(attached: Desk, tmp_path: Path) -> None:
    second = gaia_fixture.build(tmp_path / "second" / "g.db")
    attached.attach("gaia", second.path)
    assert len(attached.store.lookup("me/user_tone")) == 1
    assert len(attached.store.lookup("me/user_tone~2")) == 1
    second.set("me", "user_tone", "2027-02-01T10:00:00Z", body="In the second.")
    attached.pull()
    bodies = {e.body for e in map(attached.store.entry, _users(attached)) if e}
    assert bodies == {"Plain words first.", "In the second."}
    attached.append("me/user_tone~2", "More.")
    assert [h.words for h in attached.list_hosts()] == ["in step", "in step"]
    with pytest.raises(UsageError):
        attached.pull(force=True)


def _users(desk: Desk) -> list[str]:
    created = [e for e in desk.store.events() if e.type == "memory.create" and e.payload["name"] == "user_tone"]
    return [str(e.memory_id) for e in created]


def test_the_list_tells_what_is_known(attached: Desk, gaia: Gaia) -> None:
    (info,) = attached.list_hosts()
    assert (info.path, info.schema, info.state, info.words) == (str(gaia.path), 51, "attached", "in step")
    assert info.attached_at and info.last_pull_at and info.attached_at < info.last_pull_at
    assert info.as_dict()["in_step"] is True


def test_what_gaia_cannot_hold_is_asked_per_entry(attached: Desk) -> None:
    attached.store.add_workspace("home")
    attached.add(name="atom_mine", body="Mine.", description="m", workspace="home")
    mine, theirs = entry(attached, "atom_mine"), entry(attached, "atom_cache")
    change = Change({"title": "T"}, ("x",), edges=(("child_of", theirs),))
    assert len(attached.hosts.warnings_for(theirs, change)) == 3
    assert [s for s in attached.hosts.warnings_for(mine, change) if "does not live" not in s] == []
    assert attached.hosts.stamp(mine, "2026-01-01T00:00:00.123Z") == {}
    assert attached.hosts.stamp(theirs, "2026-01-01T00:00:00.123Z") == {"updated_at": "2026-01-01T00:00:00Z"}


def test_where_a_new_entry_lives(attached: Desk) -> None:
    host = attached.list_hosts()[0].host_id
    assert attached.hosts.home_of("me", "atom") == host
    assert attached.hosts.home_of("me", "comment") is None
    assert attached.hosts.home_of("elsewhere", "atom") is None


def test_a_look_pulls_only_what_changed(attached: Desk, gaia: Gaia) -> None:
    gaia.set("me", "user_tone", "2027-02-01T10:00:00Z", body="Seen.")
    assert attached.hosts.look()
    assert entry(attached, "user_tone").body == "Seen."
    assert not attached.hosts.look()


def test_an_unchanged_file_is_not_even_read(attached: Desk, gaia: Gaia, monkeypatch: pytest.MonkeyPatch) -> None:
    gaia.settle()
    monkeypatch.setattr("memdesk.core.hosts.gaia.link.time.time_ns", lambda: 2**63)
    attached.pull()
    monkeypatch.setattr("memdesk.core.hosts.gaia.link.read_all", None)
    assert not attached.hosts.look()
    monkeypatch.undo()
    gaia.set("me", "user_tone", "2027-02-01T10:00:00Z", body="Seen.")
    assert attached.hosts.look()


# -- episodes ---------------------------------------------------------------------------------------------------------


def test_episodes_are_read_where_they_live(attached: Desk) -> None:
    assert [e.id for e in attached.hosts.episodes()] == ["ep_2", "ep_1"]
    (one,) = attached.hosts.episodes("me")
    assert (one.title, one.tags) == ("Deploy the site", ("deploy", "site"))
    assert one.content == "Deploy the site to production"
    assert attached.store.db.execute("SELECT count(*) FROM events WHERE line LIKE '%production%'").fetchone()[0] == 0


@pytest.mark.parametrize(
    ("ref", "found"), [("ep_1", "ep_1"), ("ep_", None), ("ep_9", None), ("", None), ("%", None), ("ep_2", "ep_2")]
)
def test_one_episode(attached: Desk, ref: str, found: str | None) -> None:
    episode = attached.hosts.episode(ref)
    assert (episode.id if episode else None) == found


@pytest.mark.parametrize("index", [True, False], ids=["with its index", "without an index"])
@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("deploy", ["ep_1"]), ("site PRODUCTION", ["ep_1"]), ("drift", ["ep_2"]), ("deploy drift", []), ("", []),
        ("*", []), ("AND", []), ('"', []), ("don't", []), ("sensor-drift", ["ep_2"]), ("NEAR(", []), ("#12", []),
    ],
)  # fmt: skip
def test_searching_episodes_takes_any_text(
    attached: Desk, gaia: Gaia, index: bool, text: str, found: list[str]
) -> None:
    if not index:
        gaia.run("DROP TRIGGER episodes_ai")
        gaia.run("DROP TABLE episodes_fts")
    hits = attached.hosts.search_episodes(text)
    assert [e.id for e in hits] == found
    assert all("[" in e.snippet for e in hits)
    assert [e.id for e in attached.hosts.search_episodes(text, "lab")] == [i for i in found if i == "ep_2"]


def test_a_database_without_episodes(attached: Desk, gaia: Gaia) -> None:
    gaia.run("DROP TRIGGER episodes_ai")
    gaia.run("DROP TABLE episodes_fts")
    gaia.run("DROP TABLE episodes")
    assert attached.hosts.episodes() == []
    assert attached.hosts.search_episodes("deploy") == []
    assert attached.hosts.episode("ep_1") is None


def test_looking_at_episodes_reads_only(attached: Desk, gaia: Gaia) -> None:
    before = gaia.digest()
    attached.hosts.search_episodes("deploy")
    assert gaia.digest() == before
    with sqlite3.connect(gaia.path) as db:
        assert db.execute("SELECT count(*) FROM episodes").fetchone() == (2,)
    db.close()

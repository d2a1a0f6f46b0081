"""What similarity keeps: valid exactly while the texts stand, nothing of it in the log (issue 3, item 2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from memdesk.core import schema
from memdesk.core.desk.scoring import Rescored, Scorer
from memdesk.core.events import CREATE, DELETE, EDIT, VERDICT
from memdesk.core.similarity import prepared as making
from memdesk.core.similarity.pairs import from_lists
from memdesk.core.similarity.running import Stopped
from memdesk.core.similarity.signatures import jaccard
from memdesk.core.store import Store

TOPICS = (
    "the cache of the build host", "tokens expire after an hour", "deploys take nine minutes on staging",
    "backups run every night at two", "the linter wants short lines", "ports above nine thousand are free",
    "reviews need two people and a plan",
)  # fmt: skip


class Writer:
    """Writes entries as events, one operation each."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def add(self, *bodies: str, workspace: str = "lab", type_: str = "atom") -> list[str]:
        ids = []
        with self.store.transaction() as tx:
            tx.begin("add", "Added", actor="user:a")
            for number, body in enumerate(bodies):
                ids.append(tx.new_id())
                tx.write(CREATE, {
                    "memory_id": ids[-1], "workspace": workspace, "name": f"{type_}_n{number}_{ids[-1].lower()}",
                    "type": type_, "class": "anchor", "body": body,
                })  # fmt: skip
        return ids

    def edit(self, entry_id: str, **patch: str) -> None:
        self.write(EDIT, {"memory_id": entry_id, "patch": patch, "base": {}})

    def write(self, kind: str, payload: dict[str, object]) -> str:
        with self.store.transaction() as tx:
            op_id = tx.begin("x", "Did x", actor="user:a")
            tx.write(kind, payload)
        return op_id


@pytest.fixture
def writer(store: Store) -> Writer:
    return Writer(store)


def kept_pairs(store: Store) -> dict[tuple[str, str], float]:
    """Every kept pair of current texts as entry ids, equal sets expanded."""
    texts = store.texts()
    stands: dict[int, list[str]] = {}
    sizes: dict[int, int] = {}
    for text in texts:
        stands.setdefault(text.same_as or text.key, []).append(text.entry_id)
        sizes[text.same_as or text.key] = text.size
    found = {}
    for a, b, score in from_lists(store.pair_lists(), sizes):
        found |= {tuple(sorted((x, y))): score for x in stands[a] for y in stands[b]}
    for key, ids in stands.items():
        if sizes[key]:
            found |= {tuple(sorted((x, y))): 1.0 for n, x in enumerate(ids) for y in ids[:n]}
    return found  # type: ignore[return-value]


def by_double_loop(store: Store, threshold: float = 0.3) -> dict[tuple[str, str], float]:
    """The same from the entries themselves, by the plain algorithm."""
    entries = [e for e in store.entries() if e.type != "comment"]
    sets = {e.id: making.prepare(e.name, e.type, e.title, e.description, e.body).words for e in entries}
    found = {}
    for n, one in enumerate(entries):
        for other in entries[:n]:
            score = jaccard(sets[one.id], sets[other.id])
            if score > threshold:
                found[tuple(sorted((one.id, other.id)))] = score
    return found  # type: ignore[return-value]


def varied(count: int) -> list[str]:
    """Bodies that overlap: a topic, a few words of another, a number."""
    return [
        f"{TOPICS[n % 7]} since the move {n % 11} of {TOPICS[(n // 7) % 7].split()[1]} x{n} number {n % 5}"
        for n in range(count)
    ]


def test_a_first_run_finds_what_the_double_loop_finds(store: Store, writer: Writer) -> None:
    writer.add(*varied(60))
    done = Scorer(store).refresh()
    assert (done.read, done.scored, done.whole) == (60, 60, True)
    assert done.pairs > 0
    assert kept_pairs(store) == by_double_loop(store) != {}


def test_a_session_start_with_nothing_changed_scores_nothing(
    store: Store, writer: Writer, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer.add(*varied(40))
    Scorer(store).refresh()
    monkeypatch.setattr("memdesk.core.desk.scoring.prepare", lambda *_: pytest.fail("a text was read again"))
    monkeypatch.setattr("memdesk.core.desk.scoring.ranked", lambda *_: pytest.fail("a text was scored again"))
    assert Scorer(store).refresh() == Rescored(read=0, scored=0, pairs=0, whole=False)


def test_a_changed_entry_is_rescored_alone(store: Store, writer: Writer) -> None:
    ids = writer.add(*varied(60))
    scorer = Scorer(store)
    scorer.refresh()
    writer.edit(ids[7], body="deploys take nine minutes on staging since the cache of the build host moved")
    done = scorer.refresh()
    assert (done.read, done.scored, done.whole) == (1, 1, False)
    assert kept_pairs(store) == by_double_loop(store)


@pytest.mark.parametrize("step", ["edit", "delete", "restore", "rename", "add", "comment", "equal", "tags"])
def test_whatever_happens_the_kept_pairs_are_those_of_the_texts(store: Store, writer: Writer, step: str) -> None:
    ids = writer.add(*varied(40))
    scorer = Scorer(store)
    scorer.refresh()
    scored = 1
    if step == "edit":
        writer.edit(ids[0], body="tokens expire after two hours")
    elif step == "delete":
        writer.write(DELETE, {"memory_id": ids[0]})
        scored = 0
    elif step == "restore":
        writer.write(DELETE, {"memory_id": ids[0]})
        scorer.refresh()
        writer.write(EDIT, {"memory_id": ids[0], "patch": {"state": "active"}, "base": {}})
    elif step == "rename":
        writer.edit(ids[0], name="atom_tokens_expire_hour")
    elif step == "add":
        writer.add(TOPICS[0])
    elif step == "comment":
        writer.add(TOPICS[0], type_="comment")
        scored = 0
    elif step == "equal":
        entry = store.entry(ids[1])
        assert entry is not None
        writer.edit(ids[0], body=entry.body, name=entry.name)
    elif step == "tags":
        writer.write(EDIT, {"memory_id": ids[0], "add_tags": ["x"], "base": {}})
        scored = 0
    done = scorer.refresh()
    assert (done.scored, done.whole) == (scored, False)
    assert kept_pairs(store) == by_double_loop(store)


def test_when_the_one_that_stands_for_equals_changes_the_others_are_scored(store: Store, writer: Writer) -> None:
    ids = writer.add(*varied(30), workspace="one")
    twins = []
    for workspace in ("two", "three"):
        with store.transaction() as tx:
            tx.begin("add", "Added", actor="user:a")
            twins.append(tx.new_id())
            entry = store.entry(ids[3])
            assert entry is not None
            tx.write(CREATE, {"memory_id": twins[-1], "workspace": workspace, "name": entry.name, "type": "atom",
                              "class": "anchor", "body": entry.body})  # fmt: skip
    scorer = Scorer(store)
    scorer.refresh()
    equal = {t.entry_id: t for t in store.texts() if t.entry_id in (ids[3], *twins)}
    (stands,) = [t for t in equal.values() if t.same_as is None]
    assert {t.same_as for t in equal.values()} == {None, stands.key}
    writer.edit(stands.entry_id, body="something else entirely")
    done = scorer.refresh()
    assert (done.scored, done.whole) == (3, False)
    assert kept_pairs(store) == by_double_loop(store)


def test_texts_without_words_are_like_nothing(store: Store, writer: Writer) -> None:
    with store.transaction() as tx:
        tx.begin("add", "Added", actor="user:a")
        for number, body in enumerate(("!!!", "???", "...")):
            tx.write(CREATE, {"memory_id": tx.new_id(), "workspace": f"w{number}", "name": "atom_a", "type": "atom",
                              "class": "anchor", "body": body})  # fmt: skip
    Scorer(store).refresh()
    assert [t.size for t in store.texts()] == [0, 0, 0]
    assert [t.same_as for t in store.texts()] == [None, None, None]
    assert kept_pairs(store) == {}


def test_forgetting_loses_nothing(store: Store, writer: Writer) -> None:
    writer.add(*varied(40))
    Scorer(store).refresh()
    before = kept_pairs(store)
    store.forget_texts()
    assert store.count_texts() == 0
    assert kept_pairs(store) == {}
    done = Scorer(store).refresh()
    assert (done.read, done.scored) == (40, 40)
    assert kept_pairs(store) == before


@pytest.mark.parametrize("table", ["texts", "stale"])
def test_a_table_emptied_behind_our_back_is_filled_again(store: Store, writer: Writer, table: str) -> None:
    writer.add(*varied(10))
    if table == "texts":
        Scorer(store).refresh()
    with store.transaction() as tx:
        tx.db.execute(f"DELETE FROM similar_{table}")
    Scorer(store).refresh()
    assert kept_pairs(store) == by_double_loop(store)


def test_another_version_of_the_words_reads_all_again(
    store: Store, writer: Writer, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer.add(*varied(10))
    Scorer(store).refresh()
    monkeypatch.setattr("memdesk.core.desk.scoring.VERSION", making.VERSION + 1)
    assert Scorer(store).refresh().read == 10
    assert Scorer(store).refresh().read == 0


def test_none_of_it_is_in_the_log_nor_in_what_is_checked(store: Store, writer: Writer) -> None:
    writer.add(*varied(10))
    events = [e.event_id for e in store.events()]
    Scorer(store).refresh()
    assert [e.event_id for e in store.events()] == events
    assert store.check() == []
    store.rebuild()
    Scorer(store).refresh()
    assert kept_pairs(store) == by_double_loop(store)


def test_stopping_keeps_what_stood(store: Store, writer: Writer) -> None:
    writer.add(*varied(40))
    scorer = Scorer(store)
    scorer.refresh()
    before = kept_pairs(store)
    writer.add(*varied(40))
    parts: list[float] = []
    with pytest.raises(Stopped):
        scorer.refresh(parts.append, lambda: bool(parts) and parts[-1] >= 0.3)
    assert kept_pairs(store) == before
    assert scorer.refresh().scored == 40
    assert kept_pairs(store) == by_double_loop(store)


def test_two_at_once_come_to_the_same(store: Store, writer: Writer, make_store: Callable[..., Store]) -> None:
    """A second process scores what the first one is still at; a text changes under it."""
    ids = writer.add(*varied(30))
    first, second = Scorer(store), Scorer(store)
    first.refresh()
    new = writer.add(*varied(3))
    asked = 0

    def meanwhile() -> bool:
        nonlocal asked
        asked += 1
        if asked == 2:  # texts read, scores not yet written
            second.refresh()
            writer.edit(new[0], body="tokens expire after an hour, said once more")
        return False

    first.refresh(None, meanwhile)
    assert asked > 2
    second.refresh()
    assert kept_pairs(store) == by_double_loop(store)
    assert ids[0] in {t.entry_id for t in store.texts()}


def test_the_pair_table_is_bounded(store: Store, writer: Writer) -> None:
    """Each text shares a third with every other: 19,900 pairs below 0.5, of which the best few of each are kept."""
    common = " ".join(f"common{n}" for n in range(12))
    writer.add(*(f"{common} {' '.join(f'own{n}x{k}' for k in range(7))}" for n in range(200)))
    done = Scorer(store).refresh()
    assert 200 * 10 <= done.pairs <= 200 * 20


def test_an_erased_text_leaves_nothing_here(store: Store, writer: Writer) -> None:
    (entry_id,) = writer.add("the secret is swordfish and nobody else may know")
    Scorer(store).refresh()
    writer.write("memory.purge_executed", {"memory_id": entry_id})
    with store.transaction() as tx:
        for table in ("texts", "signatures", "words", "pairs", "stale"):
            assert tx.db.execute(f"SELECT count(*) FROM similar_{table}").fetchone() == (0,), table


def test_an_older_file_is_brought_up_to_date(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The migration marks every entry that was there before as unread."""
    names = [name for name, _ in schema.MIGRATIONS]
    before = names.index("003_similar_texts")
    with monkeypatch.context() as older:
        older.setattr(schema, "MIGRATIONS", schema.MIGRATIONS[:before])
        older.setattr("memdesk.core.store.projection.refresh_user_work", lambda conn, ids: None)  # made later
        for module in ("schema", "store.opening", "store.store"):
            older.setattr(f"memdesk.core.{module}.VERSION", before)
        with Store.open(tmp_path / "old") as store:
            Writer(store).add(*varied(20))
            assert not [n for (n,) in store.db.execute("SELECT name FROM sqlite_master") if n.startswith("similar")]
    with Store.open(tmp_path / "old") as store:
        assert store.stale_texts() == 20
        Scorer(store).refresh()
        assert kept_pairs(store) == by_double_loop(store) != {}


# -- verdicts -------------------------------------------------------------------------------------------------------


def _verdict(one: str, other: str, said: str, contents: Sequence[str] = ("h1", "h2")) -> dict[str, object]:
    return {"memory_id": one, "to_id": other, "verdict": said, "contents": {one: contents[0], other: contents[1]}}


def test_the_newest_verdict_on_a_pair_stands_whichever_way_round(store: Store, writer: Writer) -> None:
    one, other, third = writer.add("a text", "b text", "c text")
    writer.write(VERDICT, _verdict(one, other, "different"))
    writer.write(VERDICT, _verdict(other, one, "duplicate", ("h3", "h4")))
    writer.write(VERDICT, _verdict(one, third, "keep_both"))
    found = store.verdicts()
    assert [(v.one, v.other, v.verdict) for v in found] == [(one, other, "duplicate"), (one, third, "keep_both")]
    assert (found[0].content_one, found[0].content_other) == ("h4", "h3")


@pytest.mark.parametrize(
    "payload",
    [{}, {"memory_id": "X"}, {"memory_id": "X", "to_id": "Y"}, {"memory_id": "X", "to_id": "X", "verdict": "different",
     "contents": {}}, {"memory_id": "X", "to_id": "Y", "verdict": 3, "contents": {}}],
)  # fmt: skip
def test_a_verdict_that_says_nothing_is_passed_over(store: Store, writer: Writer, payload: dict[str, object]) -> None:
    writer.add("a text")
    writer.write(VERDICT, payload)
    assert store.verdicts() == []


def test_verdicts_travel(store: Store, writer: Writer, make_store: Callable[..., Store]) -> None:
    one, other = writer.add("a text", "b text")
    writer.write(VERDICT, _verdict(one, other, "different"))
    there = make_store(seed=5)
    there.receive(list(store.events())[::-1])
    assert [v[:5] for v in there.verdicts()] == [v[:5] for v in store.verdicts()] != []

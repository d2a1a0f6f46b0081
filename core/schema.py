"""The tables of memdesk.db, their triggers, and the numbered migrations that make them (DESIGN 3, 3.4 "Erase").

The log (`events`) is the truth; everything under "projection" is rebuilt from it. Only this module imports
sqlite_utils, and only inside `migrate`: opening a store that is up to date never loads it (STYLE 3, start-up).
"""

from __future__ import annotations

import json
import sqlite3
from typing import TYPE_CHECKING, Final

from .events import wish_of

if TYPE_CHECKING:
    from sqlite_utils import Database, Migrations

#: Marks the file as a memdesk store ("mdsk"); PRAGMA user_version holds the number of applied migrations.
APPLICATION_ID: Final = 0x6D64736B
MIGRATION_SET: Final = "memdesk"

_LOG: Final = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

-- The log. `seq` is the order of arrival; `event_id` repeats only where one id arrived with two contents.
CREATE TABLE events (
  seq INTEGER PRIMARY KEY,
  event_id TEXT NOT NULL,
  type TEXT NOT NULL,
  op_id TEXT,
  entry_id TEXT,
  other_id TEXT,
  edge_kind TEXT,
  host_ref TEXT,
  agent_id TEXT NOT NULL,
  timestamp TEXT NOT NULL,
  line TEXT NOT NULL
);
CREATE INDEX events_id ON events (event_id);
CREATE INDEX events_entry ON events (entry_id) WHERE entry_id IS NOT NULL;
CREATE INDEX events_other ON events (other_id) WHERE other_id IS NOT NULL;
CREATE INDEX events_op ON events (op_id) WHERE op_id IS NOT NULL;
CREATE INDEX events_host_ref ON events (host_ref) WHERE host_ref IS NOT NULL;
CREATE INDEX events_rare ON events (type) WHERE type IN
  ('desk.request', 'desk.decision', 'desk.quarantine', 'desk.verdict', 'memory.purge_executed');

-- Of one id with two contents, the copies that do not count.
CREATE TABLE outvoted (seq INTEGER PRIMARY KEY);
CREATE VIEW log AS SELECT * FROM events WHERE seq NOT IN (SELECT seq FROM outvoted);
-- Tombstones whose purge has not arrived: without it nobody may take a text away.
CREATE TABLE held (event_id TEXT, entry_id TEXT, line TEXT, PRIMARY KEY (event_id, line)) WITHOUT ROWID;
CREATE INDEX held_entry ON held (entry_id);

CREATE TRIGGER events_are_kept BEFORE DELETE ON events BEGIN
  SELECT RAISE(ABORT, 'the log is append-only: an event is never deleted');
END;
CREATE TRIGGER events_are_not_replaced BEFORE INSERT ON events
  WHEN EXISTS (SELECT 1 FROM events WHERE seq = NEW.seq) BEGIN
  SELECT RAISE(ABORT, 'the log is append-only: an event is never replaced');
END;
CREATE TRIGGER events_are_not_changed BEFORE UPDATE ON events WHEN NOT (
  NEW.seq = OLD.seq AND NEW.event_id = OLD.event_id AND NEW.type = OLD.type AND NEW.op_id IS OLD.op_id
  AND NEW.entry_id IS OLD.entry_id AND NEW.other_id IS OLD.other_id AND NEW.edge_kind IS OLD.edge_kind
  AND NEW.host_ref IS OLD.host_ref AND NEW.agent_id = OLD.agent_id AND NEW.timestamp = OLD.timestamp
  AND json_valid(NEW.line) AND json_extract(NEW.line, '$.erased') = 1
  AND json_extract(NEW.line, '$.event_id') = OLD.event_id
  AND NOT EXISTS (SELECT 1 FROM json_each(NEW.line) WHERE key NOT IN (
    'event_id', 'type', 'timestamp', 'agent_id', 'on_behalf_of', 'session_id', 'origin', 'op_id', 'host_ref', 'v',
    'memory_id', 'from_id', 'edge_kind', 'to_id', 'request_id', 'erased'))
  AND EXISTS (SELECT 1 FROM events p WHERE p.type = 'memory.purge_executed' AND p.entry_id IN (
    SELECT OLD.entry_id UNION SELECT real FROM aliases WHERE alias = OLD.entry_id
    UNION SELECT alias FROM aliases WHERE real IN (
      OLD.entry_id, (SELECT real FROM aliases WHERE alias = OLD.entry_id))))
) BEGIN
  SELECT RAISE(ABORT, 'the log is append-only: an event changes only into the tombstone of an erased entry');
END;
"""

_STANDING: Final = """
-- Which events count (core/standing.py), kept so that one write need not look at the whole log.
CREATE TABLE quarantined (event_id TEXT, by_event TEXT, PRIMARY KEY (event_id, by_event)) WITHOUT ROWID;
CREATE INDEX quarantined_by ON quarantined (by_event);
CREATE TABLE shadowed (event_id TEXT PRIMARY KEY, kept TEXT NOT NULL) WITHOUT ROWID;
CREATE INDEX shadowed_kept ON shadowed (kept);
CREATE TABLE aliases (alias TEXT PRIMARY KEY, target TEXT NOT NULL, real TEXT NOT NULL) WITHOUT ROWID;
CREATE INDEX aliases_real ON aliases (real);
CREATE TABLE erased (entry_id TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE losing_decisions (event_id TEXT PRIMARY KEY, request_id TEXT, op_id TEXT) WITHOUT ROWID;
CREATE INDEX losing_by_request ON losing_decisions (request_id);
CREATE INDEX losing_by_op ON losing_decisions (op_id);
CREATE TABLE op_standing (
  op_id TEXT PRIMARY KEY, undone_by TEXT, undoing INTEGER NOT NULL DEFAULT 0, ignored INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE TABLE operations (
  op_id TEXT PRIMARY KEY, event_id TEXT NOT NULL, verb TEXT NOT NULL, summary TEXT NOT NULL, actor TEXT NOT NULL,
  on_behalf_of TEXT, role TEXT, session_id TEXT, timestamp TEXT NOT NULL, undoes TEXT, origin TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX operations_undoes ON operations (undoes) WHERE undoes IS NOT NULL;
CREATE INDEX operations_actor ON operations (actor, op_id);
"""

_PROJECTION: Final = """
-- One row an entry, as folded. `updated_key` and `created_key` sort like the times they stand for.
CREATE TABLE entries (
  row INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  workspace TEXT NOT NULL,
  name TEXT NOT NULL,
  shown_name TEXT NOT NULL,
  type TEXT NOT NULL,
  class TEXT NOT NULL,
  status TEXT,
  state TEXT NOT NULL,
  title TEXT,
  description TEXT,
  project_ref TEXT,
  initiative TEXT,
  audience TEXT NOT NULL,
  created_at TEXT,
  created_key TEXT NOT NULL,
  created_by TEXT NOT NULL,
  updated_at TEXT,
  updated_key TEXT NOT NULL,
  last_edited_by TEXT NOT NULL,
  edit_count INTEGER NOT NULL,
  origin_session_id TEXT,
  host TEXT,
  creation_undone INTEGER NOT NULL,
  body_chars INTEGER NOT NULL,
  summary TEXT,
  body TEXT NOT NULL
);
-- The two list orders; the trailing columns let every ordinary filter be answered from the index alone.
CREATE INDEX entries_by_time ON entries (state, updated_key, id, class, status, workspace, type);
CREATE INDEX entries_by_shown_name ON entries (state, shown_name, id, class, status, workspace, type);
CREATE INDEX entries_by_name ON entries (workspace, name);
CREATE INDEX entries_by_role ON entries (class, status, state, type, workspace);
CREATE INDEX entries_by_initiative ON entries (initiative, state) WHERE initiative IS NOT NULL;
CREATE INDEX entries_by_project ON entries (project_ref, state) WHERE project_ref IS NOT NULL;
CREATE INDEX entries_undone ON entries (row) WHERE creation_undone = 1;
CREATE INDEX entries_by_host ON entries (host) WHERE host IS NOT NULL;

CREATE TABLE tags (entry_id TEXT, tag TEXT, PRIMARY KEY (entry_id, tag)) WITHOUT ROWID;
CREATE INDEX tags_by_tag ON tags (tag, entry_id);
CREATE TABLE edges (
  from_id TEXT, kind TEXT, to_id TEXT, created_at TEXT, event_id TEXT NOT NULL, author TEXT NOT NULL,
  PRIMARY KEY (from_id, kind, to_id)
) WITHOUT ROWID;
CREATE INDEX edges_by_target ON edges (to_id, kind);
CREATE INDEX edges_by_kind ON edges (kind);
CREATE TABLE waiting (event_id TEXT PRIMARY KEY, entry_id TEXT NOT NULL) WITHOUT ROWID;
CREATE INDEX waiting_by_entry ON waiting (entry_id);
CREATE TABLE lost_edits (
  entry_id TEXT, field TEXT, event_id TEXT, author TEXT NOT NULL, timestamp TEXT NOT NULL, value TEXT NOT NULL,
  winner_id TEXT NOT NULL, PRIMARY KEY (entry_id, field, event_id)
) WITHOUT ROWID;
CREATE TABLE requests (
  request_id TEXT PRIMARY KEY, event_id TEXT NOT NULL, verb TEXT NOT NULL, asked_by TEXT NOT NULL,
  asked_at TEXT NOT NULL, status TEXT NOT NULL, decided_by TEXT, decided_at TEXT, reason TEXT, decision_id TEXT,
  op_id TEXT, payload TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX requests_by_status ON requests (status, request_id);
CREATE TABLE request_refs (request_id TEXT, entry_id TEXT, PRIMARY KEY (request_id, entry_id)) WITHOUT ROWID;
CREATE INDEX request_refs_by_entry ON request_refs (entry_id);
"""

_SEARCH: Final = """
-- search_text() is registered on every connection of the store: it folds case, accents and CJK (core/search_text.py).
CREATE VIRTUAL TABLE entries_fts USING fts5 (
  name, title, description, summary, body, tokenize = 'unicode61 remove_diacritics 0', prefix = '2 3'
);
CREATE TRIGGER fts_of_new AFTER INSERT ON entries BEGIN
  INSERT INTO entries_fts (rowid, name, title, description, summary, body) VALUES (NEW.row, search_text(NEW.name),
    search_text(NEW.title), search_text(NEW.description), search_text(NEW.summary), search_text(NEW.body));
END;
CREATE TRIGGER fts_of_gone AFTER DELETE ON entries BEGIN
  DELETE FROM entries_fts WHERE rowid = OLD.row;
END;
CREATE TRIGGER fts_of_changed AFTER UPDATE OF name, title, description, summary, body ON entries
  WHEN OLD.name IS NOT NEW.name OR OLD.title IS NOT NEW.title OR OLD.description IS NOT NEW.description
    OR OLD.summary IS NOT NEW.summary OR OLD.body IS NOT NEW.body BEGIN
  UPDATE entries_fts SET name = search_text(NEW.name), title = search_text(NEW.title),
    description = search_text(NEW.description), summary = search_text(NEW.summary), body = search_text(NEW.body)
    WHERE rowid = OLD.row;
END;
"""

_LOCAL: Final = """
-- What this machine alone knows; never events.
CREATE TABLE counters (
  entry_id TEXT PRIMARY KEY, injection INTEGER NOT NULL DEFAULT 0, deliberate INTEGER NOT NULL DEFAULT 0,
  last_injected_at TEXT, last_deliberate_at TEXT
) WITHOUT ROWID;
CREATE TABLE workspaces (
  name TEXT PRIMARY KEY, identity TEXT, host TEXT, created_at TEXT NOT NULL, status TEXT NOT NULL DEFAULT 'active'
) WITHOUT ROWID;
CREATE TABLE projects (
  workspace TEXT, name TEXT, identity TEXT, path TEXT, remote_url TEXT, host TEXT, PRIMARY KEY (workspace, name)
) WITHOUT ROWID;
CREATE TABLE notes (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE seen (actor TEXT PRIMARY KEY, at_op TEXT NOT NULL, at TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE reports (
  id INTEGER PRIMARY KEY, kind TEXT NOT NULL, subject TEXT NOT NULL, detail TEXT NOT NULL, at TEXT NOT NULL,
  UNIQUE (kind, subject)
);
CREATE TABLE hosts (
  host_id TEXT PRIMARY KEY, kind TEXT NOT NULL, path TEXT NOT NULL, attached_at TEXT, last_pull_at TEXT,
  state TEXT NOT NULL DEFAULT 'attached', detail TEXT
);
CREATE TABLE host_shadow (
  host_id TEXT, tbl TEXT, key TEXT, entry_id TEXT, fields TEXT NOT NULL, PRIMARY KEY (host_id, tbl, key)
);
CREATE INDEX host_shadow_by_entry ON host_shadow (entry_id);
CREATE TABLE host_pending (
  host_id TEXT, entry_id TEXT, op_id TEXT, since TEXT, wanted TEXT, attempts INTEGER NOT NULL DEFAULT 0,
  last_error TEXT, PRIMARY KEY (host_id, entry_id)
);
CREATE TABLE host_own_history (host_id TEXT, history_id INTEGER, PRIMARY KEY (host_id, history_id)) WITHOUT ROWID;
"""

_EPISODES: Final = """
-- Evidence, not curated memory: what agents did, in memdesk's own keeping (those of a host stay there). Never events.
CREATE TABLE episodes (
  row INTEGER PRIMARY KEY, episode_id TEXT NOT NULL UNIQUE, workspace TEXT, timestamp TEXT NOT NULL,
  title TEXT NOT NULL, content TEXT NOT NULL, tags TEXT NOT NULL, agent TEXT NOT NULL, session_id TEXT, outcome TEXT
);
CREATE INDEX episodes_by_time ON episodes (timestamp);
CREATE VIRTUAL TABLE episodes_fts USING fts5 (title, content, tags, tokenize = 'unicode61 remove_diacritics 0');
CREATE TRIGGER episodes_fts_of_new AFTER INSERT ON episodes BEGIN
  INSERT INTO episodes_fts (rowid, title, content, tags)
    VALUES (NEW.row, search_text(NEW.title), search_text(NEW.content), search_text(NEW.tags));
END;
CREATE TRIGGER episodes_fts_of_gone AFTER DELETE ON episodes BEGIN
  DELETE FROM episodes_fts WHERE rowid = OLD.row;
END;
"""

_SIMILAR: Final = """
-- Derived from the entries and made anew at will (core/similarity); never events. A changed text gets a new key, so
-- what names an old key names nothing: no list of pairs has to be searched for it.
CREATE TABLE similar_texts (
  key INTEGER PRIMARY KEY AUTOINCREMENT,
  row INTEGER NOT NULL UNIQUE,
  version INTEGER NOT NULL,
  content TEXT NOT NULL,
  word_set BLOB NOT NULL,
  size INTEGER NOT NULL,
  same_as INTEGER,
  scored INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX similar_texts_unscored ON similar_texts (key) WHERE scored = 0;
CREATE INDEX similar_texts_by_words ON similar_texts (word_set);
CREATE INDEX similar_texts_by_content ON similar_texts (content);
CREATE INDEX similar_texts_alike ON similar_texts (same_as) WHERE same_as IS NOT NULL;
CREATE TABLE similar_signatures (key INTEGER PRIMARY KEY, size INTEGER NOT NULL, signature BLOB NOT NULL);
CREATE TABLE similar_words (key INTEGER PRIMARY KEY, words TEXT NOT NULL);
CREATE TABLE similar_pairs (key INTEGER PRIMARY KEY, partners BLOB NOT NULL);
CREATE TABLE similar_findings (
  one INTEGER, other INTEGER, version TEXT NOT NULL, findings TEXT NOT NULL, PRIMARY KEY (one, other)
) WITHOUT ROWID;
CREATE INDEX similar_findings_by_other ON similar_findings (other);
-- Rows of `entries` whose text was not read since it changed.
CREATE TABLE similar_stale (row INTEGER PRIMARY KEY);
INSERT INTO similar_stale SELECT row FROM entries;

-- Not OR IGNORE: the upsert that fires a trigger overrules it.
CREATE TRIGGER similar_of_new AFTER INSERT ON entries BEGIN
  INSERT INTO similar_stale SELECT NEW.row WHERE NEW.row NOT IN (SELECT row FROM similar_stale);
END;
CREATE TRIGGER similar_of_changed AFTER UPDATE OF name, type, state, title, description, body ON entries
  WHEN OLD.name IS NOT NEW.name OR OLD.type IS NOT NEW.type OR OLD.state IS NOT NEW.state
    OR OLD.title IS NOT NEW.title OR OLD.description IS NOT NEW.description OR OLD.body IS NOT NEW.body BEGIN
  INSERT INTO similar_stale SELECT NEW.row WHERE NEW.row NOT IN (SELECT row FROM similar_stale);
  DELETE FROM similar_texts WHERE row = NEW.row;
END;
CREATE TRIGGER similar_of_gone AFTER DELETE ON entries BEGIN
  DELETE FROM similar_stale WHERE row = OLD.row;
  DELETE FROM similar_texts WHERE row = OLD.row;
END;
CREATE TRIGGER similar_text_gone AFTER DELETE ON similar_texts BEGIN
  DELETE FROM similar_signatures WHERE key = OLD.key;
  DELETE FROM similar_words WHERE key = OLD.key;
  DELETE FROM similar_pairs WHERE key = OLD.key;
  DELETE FROM similar_findings WHERE one = OLD.key;
  DELETE FROM similar_findings WHERE other = OLD.key;
END;
"""

_REVISIONS: Final = """
-- A request can be worded anew: `event_id` is the asking, `revision_id` the wording that holds, in `payload`.
ALTER TABLE requests ADD COLUMN revision_id TEXT NOT NULL DEFAULT '';
ALTER TABLE requests ADD COLUMN revised_by TEXT;
ALTER TABLE requests ADD COLUMN revised_at TEXT;
ALTER TABLE requests ADD COLUMN session_id TEXT;
ALTER TABLE requests ADD COLUMN origin TEXT NOT NULL DEFAULT '';
CREATE INDEX requests_by_asker ON requests (asked_by, status, verb);
UPDATE requests SET revision_id = event_id, session_id = e.session, origin = e.origin FROM (
  SELECT event_id AS id, json_extract(line, '$.session_id') AS session,
    coalesce(json_extract(line, '$.origin'), '') AS origin FROM log WHERE type = 'desk.request'
) e WHERE e.id = requests.event_id;
"""

_USER_WORK: Final = """
-- Which operations touched an entry about the user, edges and verdicts at both ends: those of agents wait for a person.
CREATE TABLE user_work (op_id TEXT, entry_id TEXT, PRIMARY KEY (op_id, entry_id)) WITHOUT ROWID;
CREATE INDEX user_work_by_entry ON user_work (entry_id);
WITH about (id, raw) AS (
  SELECT id, id FROM entries WHERE type = 'user' OR substr(name, 1, 5) = 'user_'
  UNION SELECT e.id, a.alias FROM aliases a JOIN entries e ON e.id = a.real
    WHERE e.type = 'user' OR substr(e.name, 1, 5) = 'user_'
)
INSERT INTO user_work (op_id, entry_id)
  SELECT l.op_id, about.id FROM about JOIN log l ON l.entry_id = about.raw
    WHERE l.op_id IS NOT NULL AND l.type IN ('memory.create', 'memory.edit', 'memory.append', 'memory.delete',
      'memory.edge.add', 'memory.edge.remove', 'desk.verdict')
  UNION SELECT l.op_id, about.id FROM about JOIN log l ON l.other_id = about.raw
    WHERE l.op_id IS NOT NULL AND l.type IN ('memory.edge.add', 'memory.edge.remove')
  UNION SELECT l.op_id, about.id FROM log l JOIN about ON about.raw = json_extract(l.line, '$.to_id')
    WHERE l.op_id IS NOT NULL AND l.type = 'desk.verdict';
"""

_WISHES: Final = """
-- What each request asks for, as `events.wish_of`: of its first wording and of the one that holds.
CREATE TABLE request_wishes (wish TEXT, request_id TEXT, PRIMARY KEY (wish, request_id)) WITHOUT ROWID;
CREATE INDEX request_wishes_by_request ON request_wishes (request_id);
DROP INDEX requests_by_asker;
"""


def statements(script: str) -> list[str]:
    """The statements of a script one by one: `executescript` would commit the transaction that a migration runs in."""
    found: list[str] = []
    pending = ""
    for line in script.splitlines():
        if not line.strip() or line.lstrip().startswith("--"):
            continue
        pending += line + "\n"
        if sqlite3.complete_statement(pending):
            found.append(pending.strip())
            pending = ""
    if pending.strip():
        raise ValueError(f"unfinished statement: {pending}")
    return found


def _first(db: Database) -> None:
    """The first shape of the store."""
    for script in (_LOG, _STANDING, _PROJECTION, _SEARCH, _LOCAL):
        for statement in statements(script):
            db.execute(statement)


def _own_episodes(db: Database) -> None:
    """Episodes of memdesk's own (`episode-add`)."""
    for statement in statements(_EPISODES):
        db.execute(statement)


def _similar_texts(db: Database) -> None:
    """What similarity keeps of each text, and the pairs that it found."""
    for statement in statements(_SIMILAR):
        db.execute(statement)


def _revisions(db: Database) -> None:
    """Which wording of a request holds, who wrote it, and where the request was asked."""
    for statement in statements(_REVISIONS):
        db.execute(statement)


def _user_work(db: Database) -> None:
    """Who wrote about the user, so that it can wait for a person's look."""
    for statement in statements(_USER_WORK):
        db.execute(statement)


def _wishes(db: Database) -> None:
    """What each request asks for, so that asking the same again finds it however many wait."""
    for statement in statements(_WISHES):
        db.execute(statement)
    sql = "SELECT r.request_id, r.asked_by, r.payload, l.line FROM requests r JOIN log l ON l.event_id = r.event_id"
    found = {
        (wish, request_id)
        for request_id, asker, *wordings in db.execute(sql).fetchall()
        for wording in wordings
        if (wish := wish_of(asker, json.loads(wording)))
    }
    for row in sorted(found):
        db.execute("INSERT INTO request_wishes VALUES (?, ?)", row)


#: Every migration by name, in order. A shipped one is never edited: the next change is a new function below it.
MIGRATIONS: Final = (
    ("001_first", _first), ("002_episodes", _own_episodes), ("003_similar_texts", _similar_texts),
    ("004_revisions", _revisions), ("005_user_work", _user_work),
    ("006_wishes", _wishes),
)  # fmt: skip
VERSION: Final = len(MIGRATIONS)


def version_of(conn: sqlite3.Connection) -> int:
    """Number of migrations that the file holds; 0 for a blank one."""
    return int(conn.execute("PRAGMA user_version").fetchone()[0])


def migration_set() -> Migrations:
    """The migrations as sqlite-utils knows them; each also counts up `user_version` in its own transaction."""
    from sqlite_utils import Migrations

    found = Migrations(MIGRATION_SET)
    for number, (name, make) in enumerate(MIGRATIONS, 1):

        def step(db: Database, number: int = number, make: object = make) -> None:
            assert callable(make)
            make(db)
            db.execute(f"PRAGMA user_version = {number}")
            db.execute(f"PRAGMA application_id = {APPLICATION_ID}")

        found(name=name)(step)
    return found


def migrate(conn: sqlite3.Connection) -> list[str]:
    """Bring the file to this program's version, one transaction a migration; safe when two processes do it at once.

    Args:
        conn: a connection in autocommit mode (`isolation_level=None`).

    Returns:
        The names of the migrations that were applied here.
    """
    from sqlite_utils import Database

    steps = migration_set()
    # recursive_triggers stays as the connection has it; plugins of the user's sqlite-utils are none of our business.
    db = Database(conn, recursive_triggers=False, execute_plugins=False)
    done: list[str] = []
    while version_of(conn) < VERSION:
        conn.execute("BEGIN IMMEDIATE")
        try:
            # Another process may have been first: what is pending is read again under the lock.
            pending = [m.name for m in steps.pending(db)]
            if pending:
                steps.apply(db, stop_before=pending[1] if len(pending) > 1 else None)
                done.append(pending[0])
            conn.execute("COMMIT")
        except BaseException:
            if conn.in_transaction:
                conn.execute("ROLLBACK")
            raise
    return done

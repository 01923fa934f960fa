"""The schema, as steps that were taken. Append-only: a step that has been released is never edited.

What the tables mean is in docs/design.md, The store. Messages are immutable rows that transcripts refer to; a change of a
message is a new row, so a snapshot that shares the old one keeps it. Pixels lie in `blobs`, once each, whoever refers to them.
"""

from collections.abc import Callable

import apsw

from sidekeep import logs
from sidekeep.errors import StoreFailed

Step = Callable[[apsw.Connection], object]


def _script(sql: str) -> Step:
    """A step that only runs SQL."""
    return lambda connection: connection.execute(sql)


def _create(connection: apsw.Connection) -> None:
    import uuid

    from sidekeep.store.first_schema import TABLES

    connection.execute(TABLES)
    connection.execute("INSERT INTO meta VALUES ('store_id', ?)", (str(uuid.uuid4()),))


# What a panel set, as JSON; and the limits that somebody confirmed: a lower one in settings.toml waits.
_SETTINGS = """
CREATE TABLE panel_settings (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE limits_in_force (key TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
"""

# `chat_id`: the chat that what was archived belonged to, "" for none. `part`: what of it that is (store/archives.py, Part).
_KEEPING = """
CREATE TABLE folders (
  folder_id TEXT PRIMARY KEY,
  namespace TEXT NOT NULL,
  name TEXT NOT NULL,
  excluded INTEGER NOT NULL,
  created_at_ms INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX folders_by_namespace ON folders (namespace, created_at_ms);

-- What limits have removed, counted apart from the chats: deleting or purging those changes no count.
CREATE TABLE evictions (
  namespace TEXT PRIMARY KEY,
  chats INTEGER NOT NULL,
  messages INTEGER NOT NULL,
  since_ms INTEGER NOT NULL
) WITHOUT ROWID;

-- The transcripts that an entry's family names (domain/family.py), so that no question about one reads every entry.
CREATE TABLE entry_families (
  session_id TEXT NOT NULL,
  namespace TEXT NOT NULL,
  session_key TEXT NOT NULL,
  PRIMARY KEY (session_id, namespace, session_key),
  FOREIGN KEY (namespace, session_key) REFERENCES session_entries ON DELETE CASCADE
) WITHOUT ROWID;
CREATE INDEX entry_families_by_entry ON entry_families (namespace, session_key);
INSERT INTO entry_families SELECT session_id, namespace, session_key FROM session_entries WHERE session_id <> '';

ALTER TABLE archives ADD COLUMN chat_id TEXT NOT NULL DEFAULT '';
ALTER TABLE archives ADD COLUMN part TEXT NOT NULL DEFAULT 'chat';
CREATE INDEX archives_by_chat ON archives (namespace, chat_id);
"""

# `message_pk` outlives the row in messages while an archive keeps the text (store/search_index.py).
_SEARCH = """
CREATE TABLE search_texts (message_pk INTEGER PRIMARY KEY, text BLOB NOT NULL);
CREATE VIRTUAL TABLE search_grams USING fts5 (
  grams, content = '', detail = none, columnsize = 0, tokenize = 'trigram case_sensitive 1'
);

-- The texts that archives keep; a number for each archive, because its id is long.
CREATE TABLE search_archives (
  archive_pk INTEGER PRIMARY KEY,
  archive_id TEXT NOT NULL UNIQUE REFERENCES archives ON DELETE CASCADE
);
CREATE TABLE search_archived (
  archive_pk INTEGER NOT NULL REFERENCES search_archives ON DELETE CASCADE,
  message_pk INTEGER NOT NULL REFERENCES search_texts,
  PRIMARY KEY (archive_pk, message_pk)
) WITHOUT ROWID;
CREATE INDEX search_archived_by_message ON search_archived (message_pk);
"""


def _add_search(connection: apsw.Connection) -> None:
    from sidekeep.store import search_index

    connection.execute(_SEARCH)
    search_index.build(connection)


# What was imported: a conversation's fingerprint, a hash of its first `messages` messages, the chat that it became and that
# chat's revision then. `kept` are its records that are no messages, as compressed JSON.
_IMPORTS = """
CREATE TABLE imports (
  namespace TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  content BLOB NOT NULL,
  messages INTEGER NOT NULL,
  chat_id TEXT NOT NULL,
  revision INTEGER NOT NULL,
  at_ms INTEGER NOT NULL,
  kept BLOB,
  PRIMARY KEY (namespace, fingerprint)
);
CREATE INDEX imports_by_chat ON imports (namespace, chat_id);
"""

# What lists, errors and answers taught of a model on a server (request/calibration.py). Counts go with their message.
_MODELS = """
CREATE TABLE models (
  model_pk INTEGER PRIMARY KEY,
  namespace TEXT NOT NULL,
  kind TEXT NOT NULL,
  base_url TEXT NOT NULL,
  model TEXT NOT NULL,
  learned_window INTEGER,
  server_window INTEGER,
  factor REAL,
  fixed_estimate INTEGER,
  fixed_tokens REAL,
  UNIQUE (namespace, kind, base_url, model)
);
CREATE TABLE counted_messages (
  model_pk INTEGER NOT NULL REFERENCES models ON DELETE CASCADE,
  message_pk INTEGER NOT NULL REFERENCES messages ON DELETE CASCADE,
  estimate INTEGER NOT NULL,
  tokens REAL NOT NULL,
  PRIMARY KEY (model_pk, message_pk)
) WITHOUT ROWID;
CREATE INDEX counted_messages_by_message ON counted_messages (message_pk);
"""

# What a chat's messages take in the store, with the other figures of it (domain/chat.py, Measure).
_SIZES = """
UPDATE session_entries SET entry_json = json_insert(entry_json, '$.measure[#]', (
  SELECT coalesce(sum(bytes), 0) FROM transcript_events JOIN messages USING (message_pk)
  WHERE transcript_events.session_id = session_entries.session_id
)) WHERE kind = 'chat' AND json_array_length(entry_json, '$.measure') = 4
"""

# Beside the rows, for requests: a message's estimate (store/message_tokens.py), and where a conversation's last request was cut
# (store/request_cuts.py).
_REQUESTS = """
CREATE TABLE message_tokens (
  message_pk INTEGER PRIMARY KEY REFERENCES messages ON DELETE CASCADE,
  tokens INTEGER NOT NULL
);
CREATE TABLE request_cuts (
  session_id TEXT PRIMARY KEY REFERENCES sessions ON DELETE CASCADE,
  cut_json TEXT NOT NULL
) WITHOUT ROWID;
"""

# What a server refused for its size without saying what would do (service/refusals.py).
_REFUSED_SIZES = """
ALTER TABLE models ADD COLUMN refused_tokens INTEGER;
ALTER TABLE models ADD COLUMN refused_bytes INTEGER;
ALTER TABLE models ADD COLUMN refused_images INTEGER;
"""

# What has come of answers under way (store/partial_answers.py).
_PARTIAL_ANSWERS = """
CREATE TABLE partial_answers (
  answer_id TEXT PRIMARY KEY,
  question_pk INTEGER NOT NULL REFERENCES messages ON DELETE CASCADE,
  namespace TEXT NOT NULL,
  profile TEXT NOT NULL,
  session_id TEXT NOT NULL,
  chat_id TEXT NOT NULL,
  message_json TEXT NOT NULL
);
CREATE TABLE partial_texts (
  piece INTEGER PRIMARY KEY,
  answer_id TEXT NOT NULL REFERENCES partial_answers ON DELETE CASCADE,
  text TEXT NOT NULL
);
CREATE INDEX partial_texts_by_answer ON partial_texts (answer_id);
"""

# On how many days an archive was found to have expired, and the last of them (store/expiry.py).
_EXPIRY = """
ALTER TABLE archives ADD COLUMN due_days INTEGER NOT NULL DEFAULT 0;
ALTER TABLE archives ADD COLUMN due_day INTEGER NOT NULL DEFAULT 0;
"""

# The list of chats in its order, so that neither it nor their number needs an entry's JSON: there can be 25,000 of them.
_LIST = """
CREATE INDEX listed_chats ON session_entries (
  namespace, kind, updated_at_ms DESC, session_key, entry_json ->> 'name', entry_json ->> 'folder'
) WHERE entry_json ->> 'listed'
"""

# Grams come later than texts from now on (store/search_index.py); all that are there have theirs.
_GRAMS_LATER = """
INSERT OR IGNORE INTO meta SELECT 'grams_until', coalesce(max(message_pk), 0) FROM search_texts
"""


STEPS: tuple[tuple[str, Step], ...] = (
    ("rows and references", _create),
    ("settings", _script(_SETTINGS)),
    ("folders, evictions, families", _script(_KEEPING)),
    ("search", _add_search),
    ("imports", _script(_IMPORTS)),
    ("models", _script(_MODELS)),
    ("sizes of chats", _script(_SIZES)),
    ("requests", _script(_REQUESTS)),
    ("refused sizes", _script(_REFUSED_SIZES)),
    ("partial answers", _script(_PARTIAL_ANSWERS)),
    ("expiry", _script(_EXPIRY)),
    ("list of chats", _script(_LIST)),
    ("grams later", _script(_GRAMS_LATER)),
)


def version_of(connection: apsw.Connection) -> int:
    """How many of the steps the store has taken; 0 for a new one, and for a file that is no store of ours."""
    return int(connection.pragma("user_version"))


def is_current(connection: apsw.Connection) -> bool:
    """Whether the store has taken every step."""
    return version_of(connection) == len(STEPS)


def bring_up_to_date(tx: apsw.Connection) -> None:
    """Take the steps that the store lacks, in a write transaction. Raises StoreFailed for a store of a newer version."""
    version = version_of(tx)  # under the lock: another host may have been quicker
    if version > len(STEPS):
        raise StoreFailed(
            f"The store was written by a newer Sidekeep (its version is {version}, this host knows {len(STEPS)}). "
            "Update Sidekeep; nothing was changed."
        )
    for name, step in STEPS[version:]:
        step(tx)
        logs.info("store migrated: %s", name)
    tx.execute(f"PRAGMA user_version = {len(STEPS)}")

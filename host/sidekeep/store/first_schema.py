"""The tables as the first step makes them; store/migrations.py has what came later. Released, so never edited."""

TABLES = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

-- What other processes, and this one, have still to announce: one row an event, one value row a key of it.
CREATE TABLE changes (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  namespace TEXT NOT NULL,
  profile TEXT NOT NULL,
  at_ms INTEGER NOT NULL
);
CREATE TABLE change_values (
  seq INTEGER NOT NULL REFERENCES changes ON DELETE CASCADE,
  key TEXT NOT NULL,
  old_kind INTEGER NOT NULL,
  new_kind INTEGER NOT NULL,
  old BLOB,
  new BLOB
);
CREATE INDEX change_values_by_seq ON change_values (seq);

-- Values are immutable rows of their own: a key names one, and so does a change that is still to be announced. Neither copies it,
-- and no question about a key reads it.
CREATE TABLE area_values (value_pk INTEGER PRIMARY KEY, value BLOB NOT NULL);
CREATE TABLE area (
  namespace TEXT NOT NULL,
  profile TEXT NOT NULL,
  key TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  value_pk INTEGER NOT NULL REFERENCES area_values,
  PRIMARY KEY (namespace, profile, key)
) WITHOUT ROWID;

CREATE TABLE blobs (
  blob_pk INTEGER PRIMARY KEY,
  sha256 BLOB NOT NULL UNIQUE,
  width INTEGER NOT NULL,
  height INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  thumbnail BLOB,
  data BLOB NOT NULL
);

CREATE TABLE messages (
  message_pk INTEGER PRIMARY KEY,
  message_id TEXT NOT NULL,
  role TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  attach_id TEXT,
  bytes INTEGER NOT NULL,
  area_bytes INTEGER NOT NULL,
  body BLOB NOT NULL
);
CREATE INDEX messages_by_attachment ON messages (attach_id) WHERE attach_id IS NOT NULL;

-- Where a picture's data URL was cut out of a body: `position` in bytes, `head` the URL up to the base64 text.
CREATE TABLE message_pixels (
  message_pk INTEGER NOT NULL REFERENCES messages ON DELETE CASCADE,
  position INTEGER NOT NULL,
  sha256 BLOB NOT NULL REFERENCES blobs (sha256),
  head TEXT NOT NULL,
  PRIMARY KEY (message_pk, position)
) WITHOUT ROWID;
CREATE INDEX message_pixels_by_blob ON message_pixels (sha256);

-- Rows that no transcript refers to any more. They stay a while, because changes that are still to be announced name them.
CREATE TABLE unreferenced_messages (
  message_pk INTEGER PRIMARY KEY REFERENCES messages ON DELETE CASCADE,
  at_ms INTEGER NOT NULL
);

CREATE TABLE sessions (session_id TEXT PRIMARY KEY, created_at_ms INTEGER NOT NULL) WITHOUT ROWID;

CREATE TABLE transcript_events (
  session_id TEXT NOT NULL REFERENCES sessions ON DELETE CASCADE,
  seq INTEGER NOT NULL,
  message_pk INTEGER NOT NULL REFERENCES messages,
  PRIMARY KEY (session_id, seq)
) WITHOUT ROWID;
CREATE INDEX transcript_events_by_message ON transcript_events (message_pk);

CREATE TABLE transcript_event_identities (
  session_id TEXT NOT NULL,
  event_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY (session_id, event_id),
  FOREIGN KEY (session_id, seq) REFERENCES transcript_events ON DELETE CASCADE
) WITHOUT ROWID;
CREATE INDEX transcript_event_identities_by_seq ON transcript_event_identities (session_id, seq);

CREATE TABLE session_entries (
  namespace TEXT NOT NULL,
  session_key TEXT NOT NULL,
  entry_json TEXT NOT NULL,
  kind TEXT NOT NULL AS (substr(session_key, 1, instr(session_key, ':') - 1)) VIRTUAL,
  session_id TEXT AS (entry_json ->> 'sessionId') VIRTUAL,
  updated_at_ms INTEGER AS (entry_json ->> 'updatedAt') VIRTUAL,
  PRIMARY KEY (namespace, session_key)
);
CREATE INDEX session_entries_by_update ON session_entries (namespace, kind, updated_at_ms);
CREATE INDEX session_entries_by_session ON session_entries (session_id);

-- That a provider's key is kept, and for which origin; never the key (store/secrets.py).
CREATE TABLE provider_keys (
  namespace TEXT NOT NULL,
  provider TEXT NOT NULL,
  origin TEXT NOT NULL,
  PRIMARY KEY (namespace, provider, origin)
) WITHOUT ROWID;

-- Browser profiles whose own data this store has taken over, and what became of each of their bodies.
CREATE TABLE adoptions (
  namespace TEXT NOT NULL,
  profile TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  PRIMARY KEY (namespace, profile)
) WITHOUT ROWID;
CREATE TABLE adopted_bodies (
  namespace TEXT NOT NULL,
  profile TEXT NOT NULL,
  source TEXT NOT NULL,
  chat_id TEXT NOT NULL,
  fingerprint BLOB NOT NULL,
  PRIMARY KEY (namespace, profile, source)
) WITHOUT ROWID;

CREATE TABLE archives (
  archive_id TEXT PRIMARY KEY,
  namespace TEXT NOT NULL,
  session_id TEXT NOT NULL,
  name TEXT NOT NULL,
  folder TEXT,
  reason TEXT NOT NULL CHECK (reason IN ('reset', 'deleted')),
  evicted INTEGER NOT NULL,
  archived_at_ms INTEGER NOT NULL,
  messages INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  record BLOB NOT NULL
);
CREATE INDEX archives_by_time ON archives (namespace, archived_at_ms);

CREATE TABLE archive_blobs (
  archive_id TEXT NOT NULL REFERENCES archives ON DELETE CASCADE,
  sha256 BLOB NOT NULL REFERENCES blobs (sha256),
  PRIMARY KEY (archive_id, sha256)
) WITHOUT ROWID;
CREATE INDEX archive_blobs_by_blob ON archive_blobs (sha256);
"""

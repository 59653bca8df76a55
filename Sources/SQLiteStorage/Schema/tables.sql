-- A sign-up writes one page in every B-tree. `subscribers_by_key` is the only one whose keys arrive in
-- random order: ids of consents begin with the time, so rows are appended.

-- `requested_at` changes with each sign-up, so that a repeated sign-up also writes the row.
CREATE TABLE subscribers(
  id INTEGER PRIMARY KEY,
  address TEXT NOT NULL,
  address_key TEXT NOT NULL COLLATE BINARY,
  requires_smtputf8 INTEGER NOT NULL DEFAULT 0,
  state INTEGER NOT NULL,
  locale TEXT,
  created_at INTEGER NOT NULL,
  confirmed_at INTEGER,
  unsubscribed_at INTEGER,
  updated_at INTEGER NOT NULL,
  requested_at INTEGER NOT NULL DEFAULT 0,
  suppression INTEGER,
  suppressed_at INTEGER,
  rejections INTEGER NOT NULL DEFAULT 0,
  fields TEXT
) STRICT;
CREATE UNIQUE INDEX subscribers_by_key ON subscribers(address_key);

-- SQLite reuses the id of the last row after its deletion, so the highest deleted id is stored.
-- AUTOINCREMENT would do the same, but each sign-up would write one more page.
CREATE TABLE subscriber_ids(
  id INTEGER PRIMARY KEY CHECK (id = 1),
  highest_deleted INTEGER NOT NULL
) STRICT;
INSERT INTO subscriber_ids(id, highest_deleted) VALUES (1, 0);

CREATE TABLE consents(
  id BLOB PRIMARY KEY,
  subscriber_id INTEGER NOT NULL REFERENCES subscribers(id),
  kind TEXT NOT NULL,
  at INTEGER NOT NULL,
  text TEXT,
  source_url TEXT,
  origin TEXT,
  ip TEXT,
  user_agent TEXT,
  locale TEXT,
  next TEXT,
  request_id BLOB,
  means TEXT,
  message_id TEXT,
  wording BLOB,
  fields TEXT
) STRICT, WITHOUT ROWID;
-- Without it, deleting a subscriber would read all consents.
CREATE INDEX consents_by_subscriber ON consents(subscriber_id);

-- The outbox is appended to, because a mail is due at the time of its sign-up. A sign-up without a mail
-- writes the same row into queue 0, so that both cost the same.
CREATE TABLE outbox(
  queue INTEGER NOT NULL,
  due_at INTEGER NOT NULL,
  id BLOB NOT NULL,
  subscriber_id INTEGER NOT NULL,
  consent_id BLOB NOT NULL,
  mailbox BLOB NOT NULL,
  kind INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  granted_at INTEGER,
  attempts INTEGER NOT NULL DEFAULT 0,
  is_claimed INTEGER NOT NULL DEFAULT 0,
  last_error TEXT,
  is_released INTEGER NOT NULL DEFAULT 0,
  domain BLOB,
  PRIMARY KEY (queue, due_at, id)
) STRICT, WITHOUT ROWID;

-- Tokens and codes are stored as hashes, mailboxes and suppressions as keyed hashes.
CREATE TABLE tokens(
  hash BLOB PRIMARY KEY,
  purpose INTEGER NOT NULL,
  subscriber_id INTEGER NOT NULL,
  consent_id BLOB NOT NULL,
  made_at INTEGER NOT NULL,
  expires_at INTEGER,
  used_at INTEGER,
  message_id TEXT NOT NULL,
  wording BLOB NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX tokens_by_subscriber ON tokens(subscriber_id);
CREATE TABLE codes(
  subscriber_id INTEGER PRIMARY KEY,
  hash BLOB,
  made_at INTEGER,
  expires_at INTEGER,
  tries INTEGER NOT NULL DEFAULT 0,
  consent_id BLOB,
  message_id TEXT,
  wording BLOB
) STRICT;
-- The times of the latest mails, the last charge first: 8 bytes each, milliseconds since 1970.
CREATE TABLE mailboxes(
  mac BLOB PRIMARY KEY,
  times BLOB NOT NULL CHECK (times <> x'')
) STRICT, WITHOUT ROWID;
-- The mails of an hour that a form has caused: to a domain that is not known, by its keyed hash, and in
-- all, under an empty one.
CREATE TABLE mail_hours(
  domain BLOB NOT NULL,
  hour INTEGER NOT NULL,
  sent INTEGER NOT NULL DEFAULT 0,
  confirmed INTEGER NOT NULL DEFAULT 0,
  rejected INTEGER NOT NULL DEFAULT 0,
  complaints INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (domain, hour)
) STRICT, WITHOUT ROWID;
CREATE TABLE wordings(
  hash BLOB PRIMARY KEY,
  kind INTEGER NOT NULL,
  language TEXT NOT NULL,
  subject TEXT NOT NULL,
  text TEXT NOT NULL,
  html TEXT NOT NULL,
  first_used_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE suppressions(
  key_hash BLOB PRIMARY KEY,
  reason INTEGER NOT NULL,
  at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE secret(id INTEGER PRIMARY KEY CHECK (id = 1), bytes BLOB NOT NULL) STRICT;

-- Triggers, because foreign keys may be off, as in the SQLite shell.
CREATE TRIGGER subscribers_keep_id AFTER DELETE ON subscribers BEGIN
  UPDATE subscriber_ids SET highest_deleted = OLD.id WHERE highest_deleted < OLD.id;
END;
CREATE TRIGGER subscribers_delete_consents AFTER DELETE ON subscribers BEGIN
  DELETE FROM consents WHERE subscriber_id = OLD.id;
END;
CREATE TRIGGER subscribers_delete_links AFTER DELETE ON subscribers BEGIN
  DELETE FROM tokens WHERE subscriber_id = OLD.id;
  DELETE FROM codes WHERE subscriber_id = OLD.id;
END;

-- Keys of the operator's interface, of which only a hash is stored. `scopes` are names separated by
-- commas, and `last_used_at` is a whole minute.
CREATE TABLE keys(
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  scopes TEXT NOT NULL,
  hash BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER,
  last_used_at INTEGER,
  last_used_from TEXT,
  last_origin TEXT
) STRICT, WITHOUT ROWID;

-- The event log, which is appended to; positions continue from the newest row, which is never deleted.
-- `actor` is NULL for the form.
CREATE TABLE events(
  position INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  type INTEGER NOT NULL,
  subscriber_id INTEGER NOT NULL,
  state INTEGER NOT NULL,
  previous INTEGER,
  actor TEXT,
  detail TEXT
) STRICT;
-- The newest epoch holds.
CREATE TABLE log_epoch(epoch TEXT PRIMARY KEY, since INTEGER NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO log_epoch(epoch, since) VALUES (lower(hex(randomblob(4))), unixepoch() * 1000);

-- URLs to which events are sent. A process sends the events of a webhook while it owns the lease; every
-- event up to `position` has been sent, has been given up, or is pending.
CREATE TABLE webhooks(
  id TEXT PRIMARY KEY,
  url TEXT NOT NULL,
  types TEXT NOT NULL,
  generation INTEGER NOT NULL DEFAULT 1,
  previous_until INTEGER,
  created_at INTEGER NOT NULL,
  status INTEGER NOT NULL DEFAULT 0,
  failures INTEGER NOT NULL DEFAULT 0,
  failing_since INTEGER,
  position INTEGER NOT NULL DEFAULT 0,
  lease_owner TEXT,
  lease_until INTEGER
) STRICT, WITHOUT ROWID;
CREATE TABLE webhook_pending(
  webhook_id TEXT NOT NULL,
  position INTEGER NOT NULL,
  subscriber_id INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  failing_since INTEGER,
  next_at INTEGER NOT NULL,
  PRIMARY KEY (webhook_id, position)
) STRICT, WITHOUT ROWID;
-- `duration` is in milliseconds.
CREATE TABLE webhook_attempts(
  webhook_id TEXT NOT NULL,
  n INTEGER NOT NULL,
  position INTEGER NOT NULL,
  subscriber_id INTEGER NOT NULL,
  at INTEGER NOT NULL,
  duration INTEGER NOT NULL,
  result TEXT NOT NULL,
  status INTEGER,
  response TEXT,
  next_at INTEGER,
  PRIMARY KEY (webhook_id, n)
) STRICT, WITHOUT ROWID;

-- The position of each consumer of the event log, stored in the transaction of the consumer's results.
CREATE TABLE consumers(name TEXT PRIMARY KEY, position INTEGER NOT NULL) STRICT, WITHOUT ROWID;
-- Numbers of events. `resolution` is 1 for an hour and 24 for a day; `start` is in hours since 1970.
CREATE TABLE tallies(
  name TEXT NOT NULL,
  resolution INTEGER NOT NULL,
  start INTEGER NOT NULL,
  n INTEGER NOT NULL,
  PRIMARY KEY (resolution, start, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE store_probe(id INTEGER PRIMARY KEY CHECK (id = 1), at INTEGER NOT NULL) STRICT;
INSERT INTO store_probe(id, at) VALUES (1, 0);

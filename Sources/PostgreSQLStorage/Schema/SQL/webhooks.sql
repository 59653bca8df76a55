-- The URLs to which events are sent. A process sends the events of a webhook while it owns the
-- lease. Every event up to position has been sent, has been given up, or is pending.

CREATE TABLE webhooks(
  id text COLLATE "C" PRIMARY KEY,
  url text NOT NULL,
  types text NOT NULL,
  generation bigint NOT NULL DEFAULT 1,
  previous_until timestamptz,
  created_at timestamptz NOT NULL,
  status smallint NOT NULL DEFAULT 0,
  failures int NOT NULL DEFAULT 0,
  failing_since timestamptz,
  position bigint NOT NULL DEFAULT 0,
  lease_owner text,
  lease_until timestamptz
);
CREATE TABLE webhook_pending(
  webhook_id text COLLATE "C" NOT NULL,
  position bigint NOT NULL,
  subscriber_id bigint NOT NULL,
  attempts int NOT NULL,
  failing_since timestamptz,
  next_at timestamptz NOT NULL,
  PRIMARY KEY (webhook_id, position)
);
-- duration is in milliseconds.
CREATE TABLE webhook_attempts(
  webhook_id text COLLATE "C" NOT NULL,
  n bigint NOT NULL,
  position bigint NOT NULL,
  subscriber_id bigint NOT NULL,
  at timestamptz NOT NULL,
  duration bigint NOT NULL,
  result text NOT NULL,
  status int,
  response text,
  next_at timestamptz,
  PRIMARY KEY (webhook_id, n)
);

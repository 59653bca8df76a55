-- The keys of the operator's interface; only their hashes are stored. scopes contains names
-- separated by commas, and last_used_at is a whole minute.

CREATE TABLE keys(
  id text COLLATE "C" PRIMARY KEY,
  name text NOT NULL,
  scopes text NOT NULL,
  hash bytea NOT NULL,
  created_at timestamptz NOT NULL,
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  last_used_from text,
  last_origin text
);

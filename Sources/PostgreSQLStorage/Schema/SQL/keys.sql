-- Keys of the operator's interface, of which only a hash is stored. scopes are names separated by
-- commas, and last_used_at is a whole minute.

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

-- Stores a key: 0 stored, 1 there are too many that are neither revoked nor expired, 2 there is one
-- with the same id.
CREATE FUNCTION create_key(
  key_id text, name text, scopes text, hash bytea, created_at timestamptz, expires_at timestamptz,
  maximum int
) RETURNS smallint LANGUAGE plpgsql SET search_path = enlist, pg_temp AS $$
BEGIN
  -- One at a time. The next statement has a snapshot of its own, which contains the key before.
  LOCK TABLE keys IN SHARE ROW EXCLUSIVE MODE;
  IF maximum <= (
    SELECT count(*) FROM keys k WHERE k.revoked_at IS NULL
      AND (k.expires_at IS NULL OR k.expires_at > create_key.created_at)
  ) THEN
    RETURN 1;
  END IF;
  INSERT INTO keys AS k (id, name, scopes, hash, created_at, expires_at)
    VALUES (
      key_id, create_key.name, create_key.scopes, create_key.hash, create_key.created_at,
      create_key.expires_at
    )
    ON CONFLICT ON CONSTRAINT keys_pkey DO NOTHING;
  RETURN CASE WHEN FOUND THEN 0 ELSE 2 END;
END $$;

-- Returns the number of the lock that a sign-up holds for its address until the commit. Every role
-- of the server can see locks, so the number is a part of the keyed hash: without the secret,
-- nobody can derive an address from a number, or a number from an address.
CREATE FUNCTION address_lock(key_hash bytea) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT ('x' || encode(substr($1, 1, 8), 'hex'))::bit(64)::bigint
$$;

-- Fails if a statement has changed no row, so that its transaction changes nothing.
CREATE FUNCTION require_change(changed bigint) RETURNS bigint
LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN
  IF changed = 0 THEN
    RAISE EXCEPTION 'another session has changed the row' USING ERRCODE = 'EN001';
  END IF;
  RETURN changed;
END $$;

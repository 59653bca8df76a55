-- The number of the lock that a sign-up of an address holds until its commit. Every role of the server
-- sees locks, so it is a part of the keyed hash: without the secret, no number leads to an address, and
-- no address to a number.
CREATE FUNCTION address_lock(key_hash bytea) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT ('x' || encode(substr($1, 1, 8), 'hex'))::bit(64)::bigint
$$;

-- Fails unless a statement has changed a row, so that its transaction changes nothing.
CREATE FUNCTION require_change(changed bigint) RETURNS bigint
LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN
  IF changed = 0 THEN
    RAISE EXCEPTION 'another session has changed the row' USING ERRCODE = 'EN001';
  END IF;
  RETURN changed;
END $$;

-- What deletes subscribers. Every table that names one is emptied of it; mails go first, because a
-- grant that is under way locks its mail before it stores links.

-- Deletes subscribers that are locked, with all that belongs to them; returns how many consents.
CREATE FUNCTION delete_subscribers(ids bigint[]) RETURNS bigint
LANGUAGE plpgsql SET search_path = enlist, pg_temp AS $$
DECLARE
  count bigint;
BEGIN
  DELETE FROM outbox o WHERE o.subscriber_id = ANY(ids);
  DELETE FROM tokens t WHERE t.subscriber_id = ANY(ids);
  DELETE FROM codes k WHERE k.subscriber_id = ANY(ids);
  DELETE FROM consents c WHERE c.subscriber_id = ANY(ids);
  GET DIAGNOSTICS count = ROW_COUNT;
  DELETE FROM subscribers s WHERE s.id = ANY(ids);
  RETURN count;
END $$;

-- Erases subscribers by their keys; waits for sign-ups of them that are being stored.
--
-- Their suppressions stay under the hashes of the keys, unless they are forgotten; previous_hashes are
-- those of the secret before. The result has the number of addresses that stay suppressed.
CREATE FUNCTION erase_subscribers(
  keys text[], key_hashes bytea[], previous_hashes bytea[], forgets boolean, now timestamptz
) RETURNS TABLE(subscribers bigint, consents bigint, suppressions bigint)
LANGUAGE plpgsql SET search_path = enlist, pg_temp AS $$
DECLARE
  found bigint[];
BEGIN
  PERFORM pg_advisory_xact_lock(h)
    FROM (
      SELECT address_lock(k) AS h FROM unnest(key_hashes || previous_hashes) AS k
        WHERE k IS NOT NULL ORDER BY 1
    ) AS o;
  found := ARRAY(
    SELECT s.id FROM enlist.subscribers s WHERE s.address_key = ANY(keys)
      ORDER BY s.address_key FOR UPDATE
  );
  IF forgets THEN
    DELETE FROM enlist.suppressions x WHERE x.key_hash = ANY(key_hashes || previous_hashes);
  ELSE
    PERFORM keep_suppression(
        array_remove(ARRAY[k.hash, k.previous], NULL), coalesce(s.suppression, 3::smallint),
        coalesce(s.suppressed_at, now)
      )
      FROM unnest(keys, key_hashes, previous_hashes) AS k(key, hash, previous)
        JOIN enlist.subscribers s ON s.address_key = k.key
      WHERE s.state = 3 ORDER BY k.hash;
  END IF;
  suppressions := (
    SELECT count(*) FROM unnest(key_hashes, previous_hashes) AS k(hash, previous)
      WHERE EXISTS (
        SELECT FROM enlist.suppressions x WHERE x.key_hash IN (k.hash, k.previous) AND x.reason < 5
      )
  );
  subscribers := cardinality(found);
  consents := delete_subscribers(found);
  RETURN NEXT;
END $$;

-- Finds subscribers that never confirmed, and that no link that still works reminds of any more.
CREATE FUNCTION find_forgotten(
  after bigint, through bigint, before timestamptz, now timestamptz
) RETURNS TABLE(id bigint, address_key text)
LANGUAGE sql STABLE SET search_path = enlist, pg_temp AS $$
  SELECT s.id, s.address_key
  FROM subscribers s
  WHERE s.id > $1 AND s.id <= $2 AND s.confirmed_at IS NULL AND s.state <> 1
    AND greatest(s.created_at, s.unsubscribed_at, s.suppressed_at) <= $3
    AND NOT EXISTS (
      SELECT FROM tokens t WHERE t.subscriber_id = s.id AND t.purpose = 0 AND t.expires_at > $4
    )
  ORDER BY s.id;
$$;

-- Deletes those of some subscribers that are forgotten, and for whom no mail waits; skips what is in
-- use. Returns how many.
--
-- A suppression that must not end leaves a row with the hash of the key; previous_hashes are those of
-- the secret before.
CREATE FUNCTION purge_subscribers(
  ids bigint[], key_hashes bytea[], previous_hashes bytea[], before timestamptz, now timestamptz
) RETURNS int
LANGUAGE plpgsql SET search_path = enlist, pg_temp AS $$
DECLARE
  locked bigint[];
  forgotten bigint[];
BEGIN
  locked := ARRAY(
    SELECT k.id FROM unnest(ids, key_hashes) AS k(id, hash)
      WHERE pg_try_advisory_xact_lock(address_lock(k.hash))
  );
  locked := ARRAY(
    SELECT s.id FROM subscribers s WHERE s.id = ANY(locked)
      ORDER BY s.address_key FOR UPDATE SKIP LOCKED
  );
  -- Statements of their own: they see what was stored before the locks. The mails that wait are read
  -- once for all, because no index leads to those of a subscriber.
  locked := ARRAY(
    SELECT l.id FROM unnest(locked) AS l(id) WHERE l.id <> ALL(ARRAY(
      SELECT o.subscriber_id FROM outbox o WHERE o.queue > 0 AND o.subscriber_id = ANY(locked)
    ))
  );
  forgotten := ARRAY(
    SELECT f.id FROM unnest(locked) AS l(id)
      CROSS JOIN LATERAL find_forgotten(l.id - 1, l.id, before, now) AS f
  );
  PERFORM keep_suppression(
      array_remove(ARRAY[k.hash, k.previous], NULL), coalesce(s.suppression, 3::smallint),
      coalesce(s.suppressed_at, now)
    )
    FROM unnest(ids, key_hashes, previous_hashes) AS k(id, hash, previous)
      JOIN subscribers s USING (id)
    WHERE s.id = ANY(forgotten) AND s.state = 3 AND s.suppression IS DISTINCT FROM 1
    ORDER BY k.hash;
  PERFORM delete_subscribers(forgotten);
  RETURN cardinality(forgotten);
END $$;

-- Deletes some links that expired before a time, codes that expired before another one, and mailboxes
-- without a mail since the first time; returns how many rows.
CREATE FUNCTION purge_rows(before timestamptz, codes_before timestamptz, most int) RETURNS int
LANGUAGE plpgsql SET search_path = enlist, pg_temp AS $$
DECLARE
  count int;
  total int := 0;
BEGIN
  DELETE FROM tokens t WHERE t.hash = ANY(ARRAY(
    SELECT u.hash FROM tokens u WHERE u.expires_at <= before
      ORDER BY u.hash LIMIT most FOR UPDATE SKIP LOCKED
  ));
  GET DIAGNOSTICS count = ROW_COUNT;
  total := total + count;
  DELETE FROM codes k WHERE k.subscriber_id = ANY(ARRAY(
    SELECT l.subscriber_id FROM codes l WHERE l.expires_at IS NULL OR l.expires_at <= codes_before
      ORDER BY l.subscriber_id LIMIT most FOR UPDATE SKIP LOCKED
  ));
  GET DIAGNOSTICS count = ROW_COUNT;
  total := total + count;
  DELETE FROM mailboxes b WHERE b.mac = ANY(ARRAY(
    SELECT c.mac FROM mailboxes c WHERE c.mail_1 <= before
      ORDER BY c.mac LIMIT most FOR UPDATE SKIP LOCKED
  ));
  GET DIAGNOSTICS count = ROW_COUNT;
  RETURN total + count;
END $$;

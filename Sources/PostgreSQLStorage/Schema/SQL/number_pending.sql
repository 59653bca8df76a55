-- Assigns positions to committed status messages and events.
--
-- The parameter messages contains the messages of executions that failed in the calling service;
-- since is a number that every pending row exceeds. The results are the number of numbered rows,
-- which is NULL if another replica is numbering, and the number of malformed rows, which were
-- deleted. The function processes at most 1,000 rows, so that it ends before the timeout of a
-- statement.
--
-- The lock is a row, because a role without rights could hold an advisory lock. Rounds without work
-- must not write, so they do not lock the row.
CREATE FUNCTION number_pending(
  messages bigint[], since bigint, OUT numbered int, OUT malformed int
)
LANGUAGE plpgsql SET search_path = enlist, pg_temp SET enable_seqscan = off AS $$
BEGIN
  IF cardinality(messages) > 0 THEN
    INSERT INTO status_pending(payloads) VALUES (messages);
  END IF;
  malformed := 0;
  IF NOT EXISTS (SELECT FROM status_pending WHERE n > since) THEN
    numbered := 0;
    RETURN;
  END IF;
  -- The condition allows an access by the key. Without it, the server would have to scan the table,
  -- which is disabled; the estimated cost would be so high that the server would compile the plan.
  PERFORM FROM status_numbering WHERE id = 1 FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  -- This statement follows the lock, so its snapshot contains everything that was numbered before.
  -- A valid array has one dimension and at least one element, none of which is NULL or negative;
  -- with events, it may be empty.
  WITH taken AS (
    DELETE FROM status_pending WHERE n > since AND n <= coalesce(
      (SELECT p.n FROM status_pending p WHERE p.n > since ORDER BY p.n OFFSET 999 LIMIT 1),
      9223372036854775807
    ) RETURNING n, payloads, events,
      (array_ndims(payloads) IS NOT DISTINCT FROM 1 OR payloads = '{}' AND events IS NOT NULL)
        AND 0 <= ALL(payloads) IS TRUE AS is_valid
  ), recorded AS (
    INSERT INTO events
      SELECT coalesce((SELECT l.position FROM events l ORDER BY l.position DESC LIMIT 1), 0)
        + row_number() OVER (ORDER BY n, i), at, type, subscriber_id, state, previous, actor, detail
      FROM taken, unnest(taken.events) WITH ORDINALITY
        AS e(at, type, subscriber_id, state, previous, actor, detail, i)
      WHERE is_valid AND num_nulls(at, type, subscriber_id, state) = 0
  ), stored AS (
    INSERT INTO status_log(last, payloads)
      SELECT coalesce((SELECT l.last FROM status_log l ORDER BY l.last DESC LIMIT 1), 0)
        + sum(cardinality(payloads)) OVER (ORDER BY n), payloads
      FROM taken WHERE is_valid AND payloads <> '{}'
  )
  SELECT count(*) FILTER (WHERE is_valid), count(*) FILTER (WHERE NOT is_valid)
    INTO numbered, malformed FROM taken;
  IF numbered > 0 THEN
    PERFORM pg_notify('enlist', '');
  END IF;
END $$;

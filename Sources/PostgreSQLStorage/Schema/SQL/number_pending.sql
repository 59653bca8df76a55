-- Gives positions to status messages and events that are committed.
--
-- The parameter messages are those of executions that failed here; since is a number that every
-- pending row exceeds. The result is how many rows were numbered, NULL if another replica is
-- numbering, and how many were deleted because they are malformed: at most 1,000 together, so that
-- the time of a statement suffices, however many there are.
--
-- The lock is that of a row: a role without rights could hold an advisory lock, and rounds without
-- work must not write.
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
  -- By its key: a scan of the table is off, and would be so costly in the plan that the server compiles it.
  PERFORM FROM status_numbering WHERE id = 1 FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  -- A statement of its own: its snapshot is taken after the lock, so it sees everything that was
  -- numbered before. An array of one dimension with at least one element, none of them null or
  -- negative, is well-formed; beside events, also an empty one.
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

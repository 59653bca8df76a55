-- Gives positions to status messages that are committed.
--
-- The parameter messages are those of executions that failed here; since is a number that every
-- pending row exceeds. The result is NULL if another replica is numbering, otherwise how many rows
-- were numbered: at most 10,000, so that the time of a statement suffices, however many there are.
CREATE FUNCTION number_pending(messages bigint[], since bigint) RETURNS int
LANGUAGE plpgsql SET search_path = enlist, pg_temp SET enable_seqscan = off AS $$
DECLARE
  moved int;
BEGIN
  IF cardinality(messages) > 0 THEN
    INSERT INTO status_pending(payloads) VALUES (messages);
  END IF;
  IF NOT pg_try_advisory_xact_lock(hashtextextended('status_log', 2)) THEN
    RETURN NULL;
  END IF;
  -- A statement of its own: its snapshot is taken after the lock, so it sees everything that was
  -- numbered before.
  WITH taken AS (
    DELETE FROM status_pending WHERE n > since AND n <= coalesce(
      (SELECT p.n FROM status_pending p WHERE p.n > since ORDER BY p.n OFFSET 9999 LIMIT 1),
      9223372036854775807
    ) RETURNING n, payloads
  )
  INSERT INTO status_log(last, payloads)
    SELECT coalesce((SELECT l.last FROM status_log l ORDER BY l.last DESC LIMIT 1), 0)
      + sum(cardinality(payloads)) OVER (ORDER BY n), payloads
    FROM taken;
  GET DIAGNOSTICS moved = ROW_COUNT;
  IF moved > 0 THEN
    PERFORM pg_notify('enlist', '');
  END IF;
  RETURN moved;
END $$;

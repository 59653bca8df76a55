-- Stores a batch of sign-ups: gates, subscribers, consents, mails and status messages.
--
-- The result contains for each member whether it won the gate of its key. All keys differ. The work
-- is the same in every state of a subscriber. The arrays mails and mailboxes are used only with
-- double opt-in. The previous_hashes belong to the previous secret, which another replica may still
-- use while the secret is being replaced.
CREATE FUNCTION add_sign_ups(
  again boolean, is_double boolean, ids bytea[], times timestamptz[], addresses text[],
  keys text[], key_hashes bytea[], previous_hashes bytea[], smtputf8 boolean[], locales text[],
  texts text[], sources text[], origins text[], ips text[], agents text[], nexts text[],
  fields text[], mails bytea[], mailboxes bytea[]
) RETURNS boolean[]
LANGUAGE plpgsql SET search_path = enlist, pg_temp AS $$
#variable_conflict use_column
DECLARE
  wins boolean[];
  messages bigint[];
  news event[];
BEGIN
  IF again THEN
    -- The batch may be stored, or another connection may still be storing it. Wait for that one;
    -- the fixed order of the locks prevents a deadlock.
    PERFORM pg_advisory_xact_lock(h)
      FROM (SELECT address_lock(k) AS h FROM unnest(key_hashes || previous_hashes) AS k ORDER BY 1) AS o;
    wins := array_fill(true, ARRAY[cardinality(keys)]);
  ELSE
    wins := ARRAY(
      SELECT pg_try_advisory_xact_lock(address_lock(hash))
        AND coalesce(pg_try_advisory_xact_lock(address_lock(previous)), true)
      FROM unnest(key_hashes, previous_hashes) AS k(hash, previous)
    );
  END IF;
  WITH member AS MATERIALIZED (
    SELECT m.*, greatest(x.reason, y.reason) AS reason,
      CASE WHEN y.reason IS NULL OR x.reason >= y.reason THEN x.at ELSE y.at END AS suppressed_at
    FROM unnest(
      ids, times, addresses, keys, key_hashes, previous_hashes, smtputf8, locales, texts, sources,
      origins, ips, agents, nexts, fields, mails, mailboxes, wins
    ) AS m(
      id, at, address, key, hash, previous, utf8, locale, text, source, origin, ip, agent, next,
      form_fields, mail, mailbox, won
    )
    LEFT JOIN suppressions x ON x.key_hash = m.hash AND x.reason < 5
    LEFT JOIN suppressions y ON y.key_hash = m.previous AND y.reason < 5
    WHERE won ORDER BY key COLLATE "C"
  ), added AS (
    INSERT INTO subscribers AS s (
      address, address_key, requires_smtputf8, state, locale, created_at, confirmed_at, updated_at,
      requested_at, suppression, suppressed_at, fields
    )
    SELECT address, key, utf8,
      CASE WHEN reason IS NOT NULL THEN 3 WHEN is_double THEN 0 ELSE 1 END, locale, at,
      CASE WHEN reason IS NULL AND NOT is_double THEN at END, at, at, reason, suppressed_at,
      CASE WHEN NOT is_double THEN form_fields END
    FROM member
    ON CONFLICT (address_key) DO UPDATE SET
      state = CASE WHEN s.state IN (0, 2) AND NOT is_double THEN 1 ELSE s.state END,
      confirmed_at = CASE WHEN s.state IN (0, 2) AND NOT is_double
        THEN excluded.created_at ELSE s.confirmed_at END,
      unsubscribed_at = CASE WHEN s.state IN (0, 2) AND NOT is_double
        THEN NULL ELSE s.unsubscribed_at END,
      rejections = CASE WHEN s.state IN (0, 2) AND NOT is_double THEN 0 ELSE s.rejections END,
      updated_at = CASE WHEN s.state IN (0, 2) AND NOT is_double
        THEN excluded.updated_at ELSE s.updated_at END,
      requested_at = excluded.requested_at
    RETURNING s.*
  ), stored AS (
    INSERT INTO consents(
      id, subscriber_id, kind, at, text, source_url, origin, ip, user_agent, locale, next, fields
    )
    SELECT m.id, a.id, 'requested', m.at, m.text, m.source, m.origin, m.ip, m.agent, m.locale,
      m.next, m.form_fields
    FROM member m JOIN added a ON a.address_key = m.key
    ON CONFLICT (id) DO NOTHING RETURNING id, at, subscriber_id
  ), mailed AS (
    -- Kind 1 is a request for a confirmation, and kind 2 the message that the address is already on
    -- the list. Kind 0 is no mail, but a row in queue 0.
    INSERT INTO outbox(
      queue, due_at, id, subscriber_id, consent_id, mailbox, kind, created_at
    )
    SELECT (i.kind > 0)::int, m.at, m.mail, a.id, m.id, m.mailbox, i.kind, m.at
    FROM stored JOIN member m USING (id) JOIN added a ON a.address_key = m.key, LATERAL (
      SELECT CASE
        WHEN a.state = 0 THEN 1
        WHEN a.state = 1 THEN 2
        WHEN a.state = 2 AND (
          a.confirmed_at IS NOT NULL OR a.unsubscribed_at IS NULL
          OR a.unsubscribed_at <= m.at - interval '30 days'
        ) THEN 1
        WHEN a.state = 3 AND a.suppression = 1 AND (
          a.suppressed_at IS NULL OR a.suppressed_at <= m.at - interval '30 days'
        ) THEN 1
        ELSE 0 END
    ) AS i(kind)
    WHERE is_double
  )
  -- A payload is the time in milliseconds, rounded down as in the program and shifted left by two,
  -- plus 0 for started or 1 for completed.
  SELECT array_agg(
    floor(
      extract(epoch FROM CASE k WHEN 0 THEN at ELSE greatest(at, clock_timestamp()) END) * 1000
    )::bigint << 2 | k ORDER BY k
  ),
  (
    SELECT array_agg((c.at, 1, c.subscriber_id, a.state, NULL, NULL, NULL)::event)
    FROM stored c JOIN added a ON a.id = c.subscriber_id
  )
  INTO messages, news FROM stored, (VALUES (0), (1)) AS kinds(k);
  IF messages IS NOT NULL THEN
    INSERT INTO status_pending(payloads, events) VALUES (messages, news);
  END IF;
  RETURN wins;
END $$;

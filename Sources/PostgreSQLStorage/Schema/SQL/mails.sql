-- The outbox as relays use it: a claim and a grant, so that no lock waits for a client, and what
-- becomes of a mail.

-- Leases mails that are due until a time, and returns what the decision about each needs: also the
-- mails to the mailbox, and those to its addresses that have a subaddress where this one has none, or
-- have none where this one has. Mails that were tried before follow the others, and have a limit of
-- their own.
--
-- A mail that another relay is claiming at the same time is skipped. Rows that damage gave the same
-- id are claimed one at a time, because the id and the end of the lease are the key.
CREATE FUNCTION claim_mails(now timestamptz, until timestamptz, most int, most_tried int)
RETURNS TABLE(
  id bytea, subscriber_id bigint, consent_id bytea, mailbox bytea, kind smallint,
  created_at timestamptz, granted_at timestamptz, attempts int, locale text, address text,
  state smallint, suppression smallint, confirmed_at timestamptz, unsubscribed_at timestamptz,
  suppressed_at timestamptz, rejections int, mails timestamptz[], other_mails timestamptz[]
)
LANGUAGE plpgsql SET search_path = enlist, pg_temp AS $$
#variable_conflict use_column
BEGIN
  DELETE FROM outbox o USING (
    SELECT n.due_at, n.id FROM outbox n WHERE n.queue = 0
      ORDER BY n.due_at, n.id LIMIT 1000 FOR UPDATE SKIP LOCKED
  ) AS d WHERE o.queue = 0 AND o.due_at = d.due_at AND o.id = d.id;
  RETURN QUERY
    WITH due AS MATERIALIZED (
      SELECT o.queue, o.due_at, o.id FROM outbox o WHERE o.queue = 1 AND o.due_at <= now
        ORDER BY o.due_at, o.id LIMIT most FOR UPDATE SKIP LOCKED
    ), tried AS MATERIALIZED (
      SELECT o.queue, o.due_at, o.id FROM outbox o WHERE o.queue = 2 AND o.due_at <= now
        ORDER BY o.due_at, o.id LIMIT least(most_tried, most - (SELECT count(*) FROM due))
        FOR UPDATE SKIP LOCKED
    ), claimed AS (
      UPDATE outbox o SET queue = 1, due_at = until, is_claimed = true
        FROM (
          SELECT DISTINCT ON (n.id) n.* FROM (TABLE due UNION ALL TABLE tried) AS n
            ORDER BY n.id, n.queue, n.due_at
        ) AS d
        WHERE o.queue = d.queue AND o.due_at = d.due_at AND o.id = d.id AND NOT EXISTS (
          SELECT FROM outbox l WHERE l.queue = 1 AND l.due_at = until AND l.id = d.id
        )
        RETURNING d.queue AS was_in, d.due_at AS was_due_at, o.*
    )
    SELECT m.id, m.subscriber_id, m.consent_id, m.mailbox, m.kind, m.created_at, m.granted_at,
      m.attempts, c.locale, s.address, s.state, s.suppression, s.confirmed_at, s.unsubscribed_at,
      s.suppressed_at, s.rejections,
      array_remove(ARRAY[b.mail_1, b.mail_2, b.mail_3, b.mail_4, b.mail_5], NULL),
      -- Both rows of a mailbox follow each other.
      (SELECT array_remove(ARRAY[a.mail_1, a.mail_2, a.mail_3, a.mail_4, a.mail_5], NULL)
        FROM mailboxes a WHERE a.mac <> m.mailbox
          AND a.mac BETWEEN substr(m.mailbox, 1, 32) AND substr(m.mailbox, 1, 32) || '\xff'::bytea
        LIMIT 1)
    FROM claimed m
      LEFT JOIN subscribers s ON s.id = m.subscriber_id
      LEFT JOIN consents c ON c.id = m.consent_id
      LEFT JOIN mailboxes b ON b.mac = m.mailbox
    ORDER BY m.was_in, m.was_due_at, m.id;
END $$;

-- Stores what mails said, each once.
CREATE FUNCTION store_wordings(
  hashes bytea[], kinds smallint[], languages text[], subjects text[], texts text[], htmls text[],
  now timestamptz
) RETURNS void
LANGUAGE sql SET search_path = enlist, pg_temp AS $$
  INSERT INTO wordings(hash, kind, language, subject, text, html, first_used_at)
    SELECT w.*, $7 FROM unnest($1, $2, $3, $4, $5, $6) AS w ORDER BY 1
    ON CONFLICT (hash) DO NOTHING;
$$;

-- Stores the decisions about claimed mails: some are deleted, the others are granted.
--
-- The parameter latest is the latest mail to the mailbox that the decision knew, if any; the
-- mailbox is charged only if that is still so. Otherwise the mail is due again immediately. The
-- result says for each granted mail whether it is to be sent. Tries of the code before do not
-- count, those of another attempt do.
CREATE FUNCTION grant_mails(
  until timestamptz, now timestamptz, deleted bytea[], ids bytea[], charges boolean[],
  latest timestamptz[], messages text[], wordings bytea[], unsubscribes bytea[], confirms bytea[],
  confirms_until timestamptz, codes bytea[], codes_until timestamptz
) RETURNS boolean[]
LANGUAGE plpgsql SET search_path = enlist, pg_temp AS $$
#variable_conflict use_variable
DECLARE
  granted boolean[] := array_fill(false, ARRAY[cardinality(ids)]);
  mail outbox;
  i int;
BEGIN
  DELETE FROM outbox o WHERE o.queue = 1 AND o.due_at = until AND o.id = ANY(deleted);
  -- In the order of mailboxes, so that two grants never wait for each other.
  FOR i IN
    SELECT m.n FROM unnest(ids) WITH ORDINALITY AS m(id, n)
      JOIN outbox o ON o.queue = 1 AND o.due_at = until AND o.id = m.id
      ORDER BY o.mailbox, m.n
  LOOP
    UPDATE outbox o SET granted_at = coalesce(o.granted_at, now)
      WHERE o.queue = 1 AND o.due_at = until AND o.id = ids[i] RETURNING o.* INTO mail;
    CONTINUE WHEN NOT FOUND;
    IF charges[i] THEN
      INSERT INTO mailboxes AS b (mac, mail_1) VALUES (mail.mailbox, now)
        ON CONFLICT (mac) DO UPDATE SET mail_5 = b.mail_4, mail_4 = b.mail_3, mail_3 = b.mail_2,
          mail_2 = b.mail_1, mail_1 = excluded.mail_1 WHERE b.mail_1 = latest[i];
      IF NOT FOUND THEN
        UPDATE outbox o SET due_at = now, is_claimed = false, granted_at = NULL
          WHERE o.queue = 1 AND o.due_at = until AND o.id = ids[i];
        CONTINUE;
      END IF;
    END IF;
    INSERT INTO tokens AS t (
      hash, purpose, subscriber_id, consent_id, made_at, expires_at, message_id, wording
    )
    SELECT v.hash, v.purpose, mail.subscriber_id, mail.consent_id, now, v.expires_at, messages[i],
      wordings[i]
    FROM (VALUES (confirms[i], 0, confirms_until), (unsubscribes[i], 1, NULL))
      AS v(hash, purpose, expires_at)
    WHERE v.hash IS NOT NULL
    ON CONFLICT (hash) DO UPDATE SET made_at = excluded.made_at, expires_at = excluded.expires_at,
      message_id = excluded.message_id, wording = excluded.wording;
    IF codes[i] IS NOT NULL THEN
      INSERT INTO codes AS k (
        subscriber_id, hash, made_at, expires_at, consent_id, message_id, wording
      ) VALUES (
        mail.subscriber_id, codes[i], now, codes_until, mail.consent_id, messages[i], wordings[i]
      )
      ON CONFLICT (subscriber_id) DO UPDATE SET
        tries = CASE WHEN k.hash = excluded.hash THEN k.tries ELSE 0 END, hash = excluded.hash,
        made_at = excluded.made_at, expires_at = excluded.expires_at,
        consent_id = excluded.consent_id, message_id = excluded.message_id,
        wording = excluded.wording;
    END IF;
    granted[i] := true;
  END LOOP;
  RETURN granted;
END $$;

-- Gives a mailbox back what a mail charged; later mails stay. The result says whether it was charged.
CREATE FUNCTION refund_mailbox(mailbox bytea, charged timestamptz) RETURNS boolean
LANGUAGE plpgsql SET search_path = enlist, pg_temp AS $$
BEGIN
  DELETE FROM mailboxes b WHERE b.mac = mailbox AND b.mail_1 = charged AND b.mail_2 IS NULL;
  IF FOUND THEN
    RETURN true;
  END IF;
  UPDATE mailboxes b SET
    mail_1 = CASE WHEN charged = b.mail_1 THEN b.mail_2 ELSE b.mail_1 END,
    mail_2 = CASE WHEN charged IN (b.mail_1, b.mail_2) THEN b.mail_3 ELSE b.mail_2 END,
    mail_3 = CASE WHEN charged IN (b.mail_1, b.mail_2, b.mail_3) THEN b.mail_4 ELSE b.mail_3 END,
    mail_4 = CASE WHEN charged IN (b.mail_1, b.mail_2, b.mail_3, b.mail_4)
      THEN b.mail_5 ELSE b.mail_4 END,
    mail_5 = NULL
    WHERE b.mac = mailbox AND b.mail_2 IS NOT NULL
      AND charged IN (b.mail_1, b.mail_2, b.mail_3, b.mail_4, b.mail_5);
  RETURN FOUND;
END $$;

-- Settles mails that are still leased by their claim; the others are left alone.
--
-- The outcomes are 1 sent, 2 rejected, 3 given up, 4 later, 5 released, 6 not sent at its first
-- grant. The mailbox gets back what 6 charged, and what 2 charged unless the address is suppressed. The
-- second rejection in a row suppresses.
CREATE FUNCTION settle_mails(
  ids bytea[], leases timestamptz[], outcomes smallint[], times timestamptz[],
  dues timestamptz[], errors text[]
) RETURNS void
LANGUAGE plpgsql SET search_path = enlist, pg_temp AS $$
#variable_conflict use_variable
DECLARE
  mail outbox;
  refunded boolean;
  i int;
BEGIN
  -- Subscribers before mails, and in the order of keys, as everywhere.
  PERFORM FROM subscribers s WHERE s.id = ANY(ARRAY(
    SELECT o.subscriber_id FROM unnest(ids, leases, outcomes) AS m(id, lease, outcome)
      JOIN outbox o ON o.queue = 1 AND o.due_at = m.lease AND o.id = m.id
      WHERE m.outcome IN (1, 2)
  )) ORDER BY s.address_key FOR UPDATE;
  -- In the order of mailboxes, as grants.
  FOR i IN
    SELECT m.n FROM unnest(ids, leases) WITH ORDINALITY AS m(id, lease, n)
      JOIN outbox o ON o.queue = 1 AND o.due_at = m.lease AND o.id = m.id
      ORDER BY o.mailbox, m.n
  LOOP
    IF outcomes[i] > 3 THEN
      SELECT o.* INTO mail FROM outbox o
        WHERE o.queue = 1 AND o.due_at = leases[i] AND o.id = ids[i] FOR UPDATE;
      CONTINUE WHEN NOT FOUND;
      refunded := outcomes[i] = 6 AND refund_mailbox(mail.mailbox, mail.granted_at);
      UPDATE outbox o SET queue = CASE WHEN outcomes[i] = 4 OR o.attempts > 0 THEN 2 ELSE 1 END,
        due_at = dues[i], is_claimed = false,
        granted_at = CASE WHEN refunded THEN NULL ELSE o.granted_at END,
        attempts = o.attempts + CASE outcomes[i] WHEN 4 THEN 1 ELSE 0 END,
        last_error = coalesce(errors[i], o.last_error)
        WHERE o.queue = 1 AND o.due_at = leases[i] AND o.id = ids[i];
      CONTINUE;
    END IF;
    DELETE FROM outbox o WHERE o.queue = 1 AND o.due_at = leases[i] AND o.id = ids[i]
      RETURNING o.* INTO mail;
    CONTINUE WHEN NOT FOUND;
    IF outcomes[i] = 1 THEN
      UPDATE subscribers s SET rejections = 0, updated_at = times[i]
        WHERE s.id = mail.subscriber_id AND s.rejections > 0 AND s.state <> 3;
    ELSIF outcomes[i] = 2 THEN
      UPDATE subscribers s SET rejections = s.rejections + 1, updated_at = times[i],
        state = CASE WHEN s.rejections > 0 THEN 3 ELSE s.state END,
        suppression = CASE WHEN s.rejections > 0 THEN 1 ELSE s.suppression END,
        suppressed_at = CASE WHEN s.rejections > 0 THEN times[i] ELSE s.suppressed_at END
        WHERE s.id = mail.subscriber_id AND s.state <> 3;
      IF FOUND THEN
        PERFORM refund_mailbox(mail.mailbox, mail.granted_at);
      END IF;
    END IF;
  END LOOP;
END $$;

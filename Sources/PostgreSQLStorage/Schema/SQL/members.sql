-- What the owner of an address does with a link or a code. Each function locks the row of the
-- subscriber first, so that it decides about the state that it changes.

-- Records a consent that is not that of a sign-up, with what its mail said.
CREATE FUNCTION record_consent(
  subscriber bigint, evidence text, means text, id bytea, at timestamptz, texts text[],
  next text, request bytea, message text, wording bytea
) RETURNS void
LANGUAGE sql SET search_path = enlist, pg_temp AS $$
  INSERT INTO consents(
    id, subscriber_id, kind, at, text, source_url, origin, ip, user_agent, locale, next, request_id,
    means, message_id, wording
  ) VALUES (
    $4, $1, $2, $5, $6[1], $6[2], $6[3], $6[4], $6[5], $6[6], $7, $8, $3, $9, $10
  );
$$;

-- Confirms, unless the proof is older than leaving or a suppression.
--
-- The caller has locked the subscriber. The result is 1 gone, 2 already, 3 confirmed.
CREATE FUNCTION confirm_member(
  member subscribers, proof_made_at timestamptz, means text, id bytea, now timestamptz,
  texts text[], key_hashes bytea[], request bytea, message text, wording bytea
) RETURNS smallint
LANGUAGE plpgsql SET search_path = enlist, pg_temp AS $$
BEGIN
  IF member.state = 1 THEN
    RETURN 2;
  END IF;
  -- A suppression without a reason was set by hand, so it is the operator's.
  IF member.state <> 0 AND (
    member.state = 3 AND member.suppression IS DISTINCT FROM 1
    OR proof_made_at <= greatest(member.unsubscribed_at, member.suppressed_at)
  ) THEN
    RETURN 1;
  END IF;
  UPDATE subscribers s SET state = 1, confirmed_at = now, unsubscribed_at = NULL,
    suppression = NULL, suppressed_at = NULL, rejections = 0, updated_at = now
    WHERE s.id = member.id;
  PERFORM record_consent(
    member.id, 'confirmed', means, confirm_member.id, now, texts, NULL, request, message, wording
  );
  DELETE FROM suppressions x WHERE x.key_hash = ANY(key_hashes);
  RETURN 3;
END $$;

-- Reads what a link belongs to: the address, and its key, from which the caller derives hashes.
CREATE FUNCTION find_link(token bytea, purpose smallint)
RETURNS TABLE(address text, address_key text)
LANGUAGE sql STABLE SET search_path = enlist, pg_temp AS $$
  SELECT s.address, s.address_key FROM tokens t JOIN subscribers s ON s.id = t.subscriber_id
    WHERE t.hash = $1 AND t.purpose = $2;
$$;

-- Confirms by a link. The result is 0 unknown, 1 gone, 2 already, 3 confirmed.
--
-- The parameter texts are those of the consent: text, source, origin, address, agent, language.
CREATE FUNCTION confirm_link(
  token bytea, id bytea, now timestamptz, texts text[], key_hashes bytea[]
) RETURNS TABLE(result smallint, subscriber bigint, next text)
LANGUAGE plpgsql SET search_path = enlist, pg_temp AS $$
#variable_conflict use_variable
DECLARE
  link tokens;
  member subscribers;
BEGIN
  SELECT t.* INTO link FROM tokens t WHERE t.hash = token AND t.purpose = 0;
  SELECT s.* INTO member FROM subscribers s WHERE s.id = link.subscriber_id FOR UPDATE;
  IF member.id IS NULL THEN
    result := 0;
  ELSIF member.state <> 1 AND link.expires_at <= now THEN
    result := 1;
  ELSE
    result := confirm_member(
      member, link.made_at, 'link', id, now, texts, key_hashes, link.consent_id, link.message_id,
      link.wording
    );
  END IF;
  IF result > 1 THEN
    subscriber := member.id;
    next := (SELECT c.next FROM consents c WHERE c.id = link.consent_id);
  END IF;
  RETURN NEXT;
END $$;

-- Counts a try of a code, also where there is none, and reads it; no row for an unknown execution.
CREATE FUNCTION try_code(execution bytea)
RETURNS TABLE(subscriber bigint, address_key text, hash bytea, tries int)
LANGUAGE plpgsql SET search_path = enlist, pg_temp AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
    WITH member AS (
      SELECT s.id, s.address_key FROM consents c JOIN subscribers s ON s.id = c.subscriber_id
        WHERE c.id = execution AND c.kind = 'requested'
    ), tried AS (
      INSERT INTO codes AS k (subscriber_id, tries) SELECT m.id, 1 FROM member m
        ON CONFLICT (subscriber_id) DO UPDATE SET tries = k.tries + 1
        RETURNING k.subscriber_id, k.hash, k.tries
    )
    SELECT m.id, m.address_key, t.hash, t.tries
      FROM member m JOIN tried t ON t.subscriber_id = m.id;
END $$;

-- Confirms by a code that was compared, if it is still that of the last mail, and valid.
--
-- The result is 1 wrong, 2 already, 3 confirmed.
CREATE FUNCTION confirm_code(
  subscriber bigint, code bytea, execution bytea, id bytea, now timestamptz, texts text[],
  key_hashes bytea[]
) RETURNS TABLE(result smallint, next text)
LANGUAGE plpgsql SET search_path = enlist, pg_temp AS $$
#variable_conflict use_variable
DECLARE
  proof codes;
  member subscribers;
BEGIN
  SELECT s.* INTO member FROM subscribers s WHERE s.id = subscriber FOR UPDATE;
  SELECT k.* INTO proof FROM codes k WHERE k.subscriber_id = subscriber AND k.hash = code
    AND k.expires_at > now;
  IF member.id IS NULL OR proof.subscriber_id IS NULL THEN
    result := 1;
  ELSE
    result := confirm_member(
      member, proof.made_at, 'code', id, now, texts, key_hashes,
      coalesce(proof.consent_id, execution), proof.message_id, proof.wording
    );
  END IF;
  IF result > 1 THEN
    next := (SELECT c.next FROM consents c WHERE c.id = coalesce(proof.consent_id, execution));
  END IF;
  RETURN NEXT;
END $$;

-- Leaves the list by a link. The result is 0 unknown, 1 already, 2 left.
CREATE FUNCTION leave_list(token bytea, means text, id bytea, now timestamptz, texts text[])
RETURNS smallint
LANGUAGE plpgsql SET search_path = enlist, pg_temp AS $$
#variable_conflict use_variable
DECLARE
  link tokens;
  member subscribers;
BEGIN
  SELECT t.* INTO link FROM tokens t WHERE t.hash = token AND t.purpose = 1;
  SELECT s.* INTO member FROM subscribers s WHERE s.id = link.subscriber_id FOR UPDATE;
  IF member.id IS NULL THEN
    RETURN 0;
  END IF;
  IF member.state NOT IN (0, 1) THEN
    RETURN 1;
  END IF;
  UPDATE subscribers s SET state = 2, unsubscribed_at = now, updated_at = now
    WHERE s.id = member.id;
  PERFORM record_consent(
    member.id, 'withdrawn', means, id, now, texts, NULL, link.consent_id, link.message_id,
    link.wording
  );
  RETURN 2;
END $$;

-- Requests a new link by means of an old one. The result is 0 unknown, 1 accepted without a mail,
-- 2 accepted with a mail.
--
-- The mailbox is that of the address; can_mail is false if the address is not valid any more. Unless
-- the link was last used for it by a time, nothing is stored, and no mail is sent.
CREATE FUNCTION renew_link(
  token bytea, is_double boolean, id bytea, now timestamptz, texts text[], mail bytea,
  mailbox bytea, can_mail boolean, used_by timestamptz
) RETURNS smallint
LANGUAGE plpgsql SET search_path = enlist, pg_temp AS $$
#variable_conflict use_variable
DECLARE
  link tokens;
  member subscribers;
  kind smallint;
BEGIN
  SELECT t.* INTO link FROM tokens t WHERE t.hash = token AND t.purpose = 0;
  SELECT s.* INTO member FROM subscribers s WHERE s.id = link.subscriber_id FOR UPDATE;
  IF member.id IS NULL THEN
    RETURN 0;
  END IF;
  UPDATE tokens t SET used_at = now
    WHERE t.hash = token AND (t.used_at IS NULL OR t.used_at <= used_by);
  IF NOT FOUND THEN
    RETURN 1;
  END IF;
  UPDATE subscribers s SET requested_at = now WHERE s.id = member.id;
  PERFORM record_consent(
    member.id, 'requested', 'renewal', id, now, texts,
    (SELECT c.next FROM consents c WHERE c.id = link.consent_id), link.consent_id,
    link.message_id, link.wording
  );
  IF NOT is_double THEN
    RETURN 1;
  END IF;
  kind := CASE
    WHEN NOT can_mail THEN 0
    WHEN member.state IN (0, 2) THEN 1
    WHEN member.state = 1 THEN 2
    WHEN member.suppression = 1 THEN 1
    ELSE 0 END;
  INSERT INTO outbox(queue, due_at, id, subscriber_id, consent_id, mailbox, kind, created_at)
    VALUES ((kind > 0)::int, now, mail, member.id, id, mailbox, kind, now);
  RETURN CASE WHEN kind > 0 THEN 2 ELSE 1 END;
END $$;

-- Keeps a suppression of an address that is not on the list, or not for long; it replaces weaker ones.
--
-- The hashes of the key begin with that of the secret in use, which the strongest gets: the only row of
-- the address, so that it stays when the secret before is forgotten. The result says whether no stored
-- suppression was as strong.
CREATE FUNCTION keep_suppression(key_hashes bytea[], why smallint, since timestamptz)
RETURNS boolean
LANGUAGE plpgsql SET search_path = enlist, pg_temp AS $$
DECLARE
  stored suppressions;
BEGIN
  SELECT x.* INTO stored FROM suppressions x
    WHERE x.key_hash = ANY(key_hashes) AND x.reason >= why AND x.reason < 5
    ORDER BY x.reason DESC, x.key_hash = key_hashes[1] DESC LIMIT 1;
  DELETE FROM suppressions x WHERE x.key_hash = ANY(key_hashes);
  INSERT INTO suppressions(key_hash, reason, at)
    VALUES (key_hashes[1], coalesce(stored.reason, why), coalesce(stored.at, since))
    ON CONFLICT (key_hash) DO UPDATE SET reason = excluded.reason, at = excluded.at;
  RETURN stored.key_hash IS NULL;
END $$;

-- Suppresses an address; a weaker reason does not replace a stronger one.
--
-- The hashes of the key begin with that of the secret in use. The result is 0 not on the list,
-- 1 suppressed, 2 already.
CREATE FUNCTION suppress_address(key text, key_hashes bytea[], why smallint, now timestamptz)
RETURNS smallint
LANGUAGE plpgsql SET search_path = enlist, pg_temp AS $$
DECLARE
  member subscribers;
BEGIN
  -- Of a sign-up and a suppression of an unknown address one sees what the other has stored.
  PERFORM pg_advisory_xact_lock(h)
    FROM (SELECT address_lock(k) AS h FROM unnest(key_hashes) AS k ORDER BY 1) AS o;
  SELECT s.* INTO member FROM subscribers s WHERE s.address_key = key FOR UPDATE;
  IF member.id IS NOT NULL THEN
    IF member.state = 3 AND coalesce(member.suppression, 3) >= why THEN
      RETURN 2;
    END IF;
    UPDATE subscribers s SET state = 3, suppression = why, suppressed_at = now, updated_at = now
      WHERE s.id = member.id;
    RETURN 1;
  END IF;
  RETURN CASE WHEN keep_suppression(key_hashes, why, now) THEN 0 ELSE 2 END;
END $$;

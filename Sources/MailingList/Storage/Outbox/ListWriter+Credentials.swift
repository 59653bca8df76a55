extension ListWriter {
  /// Returns the changes that store the wording of a mail and the hashes of its links and its code;
  /// another attempt renews them.
  static func storing(
    _ credentials: MailCredentials, of mail: ClaimedMail, at now: Timestamp
  ) -> [BoundStatement] {
    func link(_ hash: [UInt8], _ purpose: LinkPurpose, _ expiresAt: Timestamp?) -> BoundStatement {
      storeLink(
        .bytes(hash), .number(purpose.rawValue), .number(mail.subscriberID),
        .bytes(mail.consentID.bytes), .time(now), .time(expiresAt), .text(credentials.messageID),
        .bytes(credentials.wording.hash))
    }
    var changes = [
      storing(credentials.wording, at: now), link(credentials.unsubscribeHash, .unsubscribe, nil),
    ]
    if let hash = credentials.confirmHash {
      changes.append(link(hash, .confirm, now.adding(ConfirmationLimits.linkLifetime)))
    }
    if let hash = credentials.codeHash {
      changes.append(
        storeCode(
          .number(mail.subscriberID), .bytes(hash), .time(now),
          .time(now.adding(ConfirmationLimits.codeLifetime)), .bytes(mail.consentID.bytes),
          .text(credentials.messageID), .bytes(credentials.wording.hash)))
    }
    return changes
  }

  /// Returns the change that stores a wording unless it is already stored.
  private static func storing(_ wording: MailWording, at now: Timestamp) -> BoundStatement {
    storeWording(
      .bytes(wording.hash), .number(wording.kind.rawValue), .text(wording.language),
      .text(wording.subject), .text(wording.text), .text(wording.html), .time(now))
  }

  private static let storeLink = Statement(
    """
    INSERT INTO enlist.tokens(
      hash, purpose, subscriber_id, consent_id, made_at, expires_at, message_id, wording
    ) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
      ON CONFLICT (hash) DO UPDATE SET made_at = excluded.made_at,
        expires_at = excluded.expires_at, message_id = excluded.message_id,
        wording = excluded.wording
    """
  )
  /// The counter of tries restarts, unless an earlier attempt of the mail had the same code.
  private static let storeCode = Statement(
    """
    INSERT INTO enlist.codes AS k (
      subscriber_id, hash, made_at, expires_at, consent_id, message_id, wording
    ) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
      ON CONFLICT (subscriber_id) DO UPDATE SET
        tries = CASE WHEN k.hash = excluded.hash THEN k.tries ELSE 0 END,
        hash = excluded.hash, made_at = excluded.made_at, expires_at = excluded.expires_at,
        consent_id = excluded.consent_id, message_id = excluded.message_id,
        wording = excluded.wording
    """
  )
  static let storeWording = Statement(
    """
    INSERT INTO enlist.wordings(hash, kind, language, subject, text, html, first_used_at)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT (hash) DO NOTHING
    """
  )
}

internal import MailingList

extension ChangeWriter {
  /// Stores the hashes of the links and the code of a mail, and its wording; another attempt renews
  /// them.
  func store(
    _ credentials: MailCredentials,
    of mail: ClaimedMail,
    at now: Timestamp
  ) throws(StoreError) {
    try store(credentials.wording, at: now)
    try storeToken(credentials.unsubscribeHash, for: .unsubscribe, credentials, mail, at: now)
    if let hash = credentials.confirmHash {
      try storeToken(hash, for: .confirm, credentials, mail, at: now)
    }
    if let hash = credentials.codeHash { try storeCode(hash, credentials, mail, at: now) }
  }

  private func storeToken(
    _ hash: [UInt8],
    for purpose: LinkPurpose,
    _ credentials: MailCredentials,
    _ mail: ClaimedMail,
    at now: Timestamp
  ) throws(StoreError) {
    let expiresAt: Timestamp? =
      switch purpose {
      case .confirm: now.adding(MailCredentials.confirmLifetime)
      case .unsubscribe: nil
      }
    let statement = try statements[
      """
      INSERT INTO tokens(
        hash, purpose, subscriber_id, consent_id, made_at, expires_at, message_id, wording
      ) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
        ON CONFLICT(hash) DO UPDATE SET made_at = excluded.made_at,
          expires_at = excluded.expires_at, message_id = excluded.message_id,
          wording = excluded.wording
      """
    ]
    statement.bind(hash, at: 1)
    statement.bind(purpose.rawValue, at: 2)
    statement.bind(mail.subscriberID, at: 3)
    statement.bind(mail.consentID.bytes, at: 4)
    statement.bind(now.millisecondsSince1970, at: 5)
    statement.bind(expiresAt?.millisecondsSince1970, at: 6)
    statement.bind(credentials.messageID, at: 7)
    statement.bind(credentials.wording.hash, at: 8)
    try statement.run()
  }

  /// Stores a code; the counter of tries restarts, unless an earlier attempt of the mail had the
  /// same code.
  private func storeCode(
    _ hash: [UInt8],
    _ credentials: MailCredentials,
    _ mail: ClaimedMail,
    at now: Timestamp
  ) throws(StoreError) {
    let statement = try statements[
      """
      INSERT INTO codes(subscriber_id, hash, made_at, expires_at, consent_id, message_id, wording)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
        ON CONFLICT(subscriber_id) DO UPDATE SET tries = iif(hash IS excluded.hash, tries, 0),
          hash = excluded.hash, made_at = excluded.made_at, expires_at = excluded.expires_at,
          consent_id = excluded.consent_id, message_id = excluded.message_id,
          wording = excluded.wording
      """
    ]
    statement.bind(mail.subscriberID, at: 1)
    statement.bind(hash, at: 2)
    statement.bind(now.millisecondsSince1970, at: 3)
    statement.bind(now.adding(MailCredentials.codeLifetime).millisecondsSince1970, at: 4)
    statement.bind(mail.consentID.bytes, at: 5)
    statement.bind(credentials.messageID, at: 6)
    statement.bind(credentials.wording.hash, at: 7)
    try statement.run()
  }

  /// Stores a wording unless it is already stored.
  private func store(_ wording: MailWording, at now: Timestamp) throws(StoreError) {
    let statement = try statements[
      """
      INSERT INTO wordings(hash, kind, language, subject, text, html, first_used_at)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT(hash) DO NOTHING
      """
    ]
    statement.bind(wording.hash, at: 1)
    statement.bind(wording.kind.rawValue, at: 2)
    statement.bind(wording.language, at: 3)
    statement.bind(wording.subject, at: 4)
    statement.bind(wording.text, at: 5)
    statement.bind(wording.html, at: 6)
    statement.bind(now.millisecondsSince1970, at: 7)
    try statement.run()
  }
}

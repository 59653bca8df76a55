import MailingList
import SQLiteStorage
import TestSupport

/// A list in a file with people in every state, links, codes, mails and keys.
enum FullList {
  /// Makes a list.
  ///
  /// - Parameters:
  ///   - folder: The folder for the file.
  ///   - count: How many people are added who only have a consent.
  /// - Returns: The path of the file.
  static func make(in folder: Folder, adding count: Int = 0) throws -> String {
    let path = folder("full.sqlite")
    _ = try SQLiteCopyEnd(path: path, as: .target)
    try write(path, sql)
    guard count > 0 else { return path }
    try write(
      path,
      """
      WITH RECURSIVE n(i) AS (SELECT 2000 UNION ALL SELECT i + 1 FROM n WHERE i < \(1999 + count))
        INSERT INTO subscribers(id, address, address_key, state, created_at, updated_at)
        SELECT i, 'p' || i || '@example.org', 'p' || i || '@example.org', 1, i, i FROM n;
      INSERT INTO consents(id, subscriber_id, kind, at)
        SELECT CAST(printf('%022d', id) AS BLOB), id, 'requested', id FROM subscribers
        WHERE id >= 2000;
      """
    )
    return path
  }

  /// Executes statements.
  static func write(_ path: String, _ sql: String) throws {
    try SQLiteFile(path).execute("BEGIN; \(sql); COMMIT")
  }

  /// Reads a number.
  static func number(_ path: String, _ sql: String) throws -> Int64? {
    try SQLiteFile(path).numbers(sql).first
  }

  /// Reads all rows that are copied, without the code that copies them.
  static func rows(_ path: String) throws -> [[SQLiteValue]] {
    let file = try SQLiteFile(path)
    return try ListTable.all.flatMap { table in
      let condition = table.condition.map { "WHERE \($0)" } ?? ""
      return try file.rows("SELECT * FROM \(table.name) \(condition) ORDER BY 1, 2")
    }
  }

  private static let sql = """
    INSERT INTO secret VALUES (1, randomblob(32));
    INSERT INTO subscribers(
      id, address, address_key, requires_smtputf8, state, locale, created_at, confirmed_at,
      unsubscribed_at, updated_at, requested_at, suppression, suppressed_at, rejections
    ) VALUES
      (1, 'Ana@example.org', 'ana@example.org', 0, 0, 'de', 1700000000001, NULL, NULL,
        1700000000001, 1700000000002, NULL, NULL, 0),
      (2, 'bob@example.org', 'bob@example.org', 0, 1, NULL, 1700000000003, 1700000000999, NULL,
        1700000000999, 1700000000003, NULL, NULL, 2),
      (3, 'eve@example.org', 'eve@example.org', 0, 2, '', 1700000000004, 1700000001000,
        1700000002000, 1700000002000, 1700000000004, NULL, NULL, 0),
      (5, 'zoë@example.org', 'zoë@example.org', 1, 3, 'fr', -1, NULL, NULL, 0, 0, 1,
        1700000003000, 7),
      (900, 'max@example.org', 'max@example.org', 0, 3, 'fr', 0, NULL, NULL, 0, 0, 3, 1, 0);
    UPDATE subscribers SET fields = '{"name":"Ana"}' WHERE id = 1;
    UPDATE subscriber_ids SET highest_deleted = 1000;
    INSERT INTO consents(
      id, subscriber_id, kind, at, text, source_url, origin, ip, user_agent, locale, next,
      request_id, means, message_id, wording
    ) VALUES
      (randomblob(22), 1, 'requested', 1700000000001, 'Ja, ich möchte', 'https://example.org/',
        'https://example.org', '192.0.2.0', 'Agent', 'de', 'https://example.org/next', NULL, NULL,
        NULL, NULL),
      (randomblob(22), 2, 'requested', 1700000000003, '', NULL, NULL, NULL, NULL, NULL, NULL, NULL,
        NULL, NULL, NULL),
      (randomblob(22), 2, 'confirmed', 1700000000999, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
        randomblob(22), 'link', '<m@example.org>', randomblob(32));
    INSERT INTO mail_hours VALUES (x'', 472222, 1, 2, 3, 4), (randomblob(32), 472223, 5, 0, 0, 0);
    INSERT INTO consumers VALUES ('tallies', 2);
    INSERT INTO tallies VALUES
      ('requested', 1, 472222, 3), ('left', 1, 472222, 1), ('requested', 24, 472200, 3000000000);
    INSERT INTO outbox(
      queue, due_at, id, subscriber_id, consent_id, mailbox, kind, created_at, granted_at, attempts,
      is_claimed, last_error
    ) VALUES
      (0, 1700000000003, randomblob(22), 2, randomblob(22), randomblob(32), 0, 1700000000003, NULL,
        0, 0, NULL),
      (1, 1700000000001, randomblob(22), 1, randomblob(22), randomblob(32), 1, 1700000000001, NULL,
        0, 0, NULL),
      (1, 1700000009999, randomblob(22), 3, randomblob(22), randomblob(32), 2, 1700000000004,
        1700000000005, 3, 1, '451 4.7.1 later');
    INSERT INTO tokens(
      hash, purpose, subscriber_id, consent_id, made_at, expires_at, used_at, message_id, wording
    ) VALUES
      (randomblob(32), 0, 1, randomblob(22), 1, 1700000000001, NULL, '<a@example.org>',
        randomblob(32)),
      (randomblob(32), 1, 2, randomblob(22), 1, NULL, 1700000000002, '<b@example.org>',
        randomblob(32));
    INSERT INTO codes(
      subscriber_id, hash, made_at, expires_at, tries, consent_id, message_id, wording
    ) VALUES
      (1, randomblob(32), 1, 2, 5, randomblob(22), '<a@example.org>', randomblob(32)),
      (2, NULL, NULL, NULL, 0, NULL, NULL, NULL);
    INSERT INTO mailboxes VALUES
      (randomblob(32), x'0000000000000001'), (randomblob(32), x'00000000000000050000000000000004');
    INSERT INTO wordings VALUES (randomblob(32), 1, 'de', 'Bitte', 'Text', '<p>HTML</p>', 1);
    INSERT INTO suppressions VALUES
      (randomblob(32), 1, 1), (randomblob(32), 4, 2), (randomblob(32), 5, 3);
    INSERT INTO events(position, at, type, subscriber_id, state, previous, actor, detail) VALUES
      (7, 1700000000001, 1, 1, 0, NULL, NULL, NULL), (8, 2, 4, 900, 3, 0, 'cli', 'operator');
    INSERT INTO webhooks(
      id, url, types, generation, previous_until, created_at, status, failures, failing_since, position
    ) VALUES
      ('a1b2c3d4', 'https://example.org/hook', 'subscriber.*,mail.*', 3, 1700000050000, 7, 2, 5, 9, 8),
      ('B', 'https://example.org/', 'mail.accepted', 1, NULL, 8, 0, 0, NULL, 0);
    INSERT INTO webhook_pending(
      webhook_id, position, subscriber_id, attempts, failing_since, next_at
    ) VALUES ('a1b2c3d4', 7, 1, 2, 9, 1700000000001), ('a1b2c3d4', 8, 900, 0, NULL, 0);
    INSERT INTO keys(
      id, name, scopes, hash, created_at, expires_at, revoked_at, last_used_at, last_used_from,
      last_origin
    ) VALUES
      ('b', 'Prometheus', 'metrics', randomblob(32), 1, NULL, NULL, 1700000040000, '192.0.2.0/24',
        'https://example.org'),
      ('C', '', 'metrics', randomblob(32), 2, 3, 4, NULL, NULL, NULL);
    """
}

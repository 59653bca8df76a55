internal import Security

/// The secret in the database, which all replicas and every backup share.
enum StoredSecret {
  /// Returns the secret; creates it if there is none.
  static func keyring(
    in session: PostgreSQLSession, by deadline: ContinuousClock.Instant
  ) throws(PostgreSQLError) -> Keyring {
    if let keyring = try existing(in: session, by: deadline) { return keyring }
    // Another replica may create it at the same time.
    let query = Query("INSERT INTO enlist.secret(id, bytes) VALUES (1, $1) ON CONFLICT DO NOTHING")
    try session.execute(query.binding(Secret().bytes), by: deadline)
    guard let keyring = try existing(in: session, by: deadline) else { throw .malformed }
    return keyring
  }

  /// Returns the secret; `nil` if there is none.
  static func existing(
    in session: PostgreSQLSession, by deadline: ContinuousClock.Instant
  ) throws(PostgreSQLError) -> Keyring? {
    let query = Query("SELECT bytes FROM enlist.secret WHERE id = 1")
    let rows = try session.execute(query, by: deadline)
    guard rows.count > 0 else { return nil }
    guard let secret = Secret(bytes: try rows.required(0, 0)) else { throw .malformed }
    return Keyring(secret)
  }
}

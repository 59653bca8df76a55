/// The tests of a server; none of them depends on another.
extension PostgreSQLSession {
  /// The number of rounds in which the session must retain a setting.
  static let markerReads = 6

  /// Sets the session's settings, and reads them and the server's in the same round trip.
  ///
  /// The startup parameter `options` is not used, because poolers reject it.
  ///
  /// - Parameter statementTimeout: The server's timeout of a statement in milliseconds.
  func prepare(
    statementTimeout: Int, by deadline: ContinuousClock.Instant
  ) throws(PostgreSQLError) -> ServerFacts {
    let set = Query(
      """
      SELECT set_config(name, value, false) FROM (VALUES
        ('statement_timeout', $1), ('idle_in_transaction_session_timeout', '10000'),
        ('idle_session_timeout', '0'), ('lock_timeout', '0'), ('transaction_timeout', '0'),
        ('default_transaction_isolation', 'read committed'), ('tcp_keepalives_idle', '10'),
        ('tcp_user_timeout', '15000'),
        ('synchronous_commit', CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on' END)
      ) AS wanted(name, value)
      WHERE value IS NOT NULL AND name IN (SELECT s.name FROM pg_catalog.pg_settings s)
      """
    ).binding("\(statementTimeout)")
    let read = Query(
      """
      SELECT current_setting('server_encoding'), current_setting('fsync') = 'on',
        current_setting('synchronous_commit'), current_setting('full_page_writes') = 'on',
        current_setting('synchronous_standby_names'),
        current_setting('transaction_read_only') = 'on' OR pg_is_in_recovery(),
        (SELECT setting FROM pg_catalog.pg_settings WHERE name = 'statement_timeout'),
        current_setting('default_transaction_isolation'), pg_backend_pid(),
        has_database_privilege('public', current_database(), 'CONNECT')
      """
    )
    var results = try execute(each: [set, read], by: deadline)[...]
    _ = try results.removeFirst().get()
    let row = try results.removeFirst().get()
    return ServerFacts(
      version: serverVersion, encoding: try row.required(0, 0), syncsFiles: try row.required(0, 1),
      synchronousCommit: try row.required(0, 2), writesFullPages: try row.required(0, 3),
      synchronousStandbyNames: try row.required(0, 4), isPublic: try row.required(0, 9),
      isReadOnly: try row.required(0, 5),
      statementTimeout: Int(try row.required(0, 6, as: String.self)) ?? -1,
      isolation: try row.required(0, 7), backendID: try row.required(0, 8))
  }

  /// Returns whether the session can be in a transaction, which a pooler in statement mode rejects.
  func opensTransactions(by deadline: ContinuousClock.Instant) throws(PostgreSQLError) -> Bool {
    do throws(PostgreSQLError) {
      try execute(Query("BEGIN"), by: deadline)
      try execute(Query("COMMIT"), by: deadline)
      return true
    } catch {
      // The code is that of all errors of PgBouncer.
      guard lastMessage.contains("statement pooling mode") else { throw error }
      return false
    }
  }

  /// Returns whether the session retains a setting while other sessions use the server.
  ///
  /// A pooler in transaction mode assigns each transaction to any of its sessions.
  func keepsSettings(
    besides others: [PostgreSQLSession], marker: String, by deadline: ContinuousClock.Instant
  ) throws(PostgreSQLError) -> Bool {
    let set = Query("SELECT set_config('enlist.marker', $1, false)")
    let read = Query("SELECT coalesce(current_setting('enlist.marker', true), '')")
    try execute(set.binding(marker), by: deadline)
    for (index, other) in others.enumerated() {
      try other.execute(set.binding("\(marker)-\(index)"), by: deadline)
    }
    for index in 0..<Self.markerReads {
      if !others.isEmpty {
        // An open transaction removes a session from those that the pooler can assign.
        let other = others[index % others.count]
        try other.execute(Query("BEGIN"), by: deadline)
        let found = try execute(read, by: deadline).required(0, 0, as: String.self)
        try other.execute(Query("COMMIT"), by: deadline)
        guard found == marker else { return false }
      }
      let found = try execute(read, by: deadline).required(0, 0, as: String.self)
      guard found == marker else { return false }
    }
    return true
  }

  /// Returns whether the session receives notifications of another one; otherwise the log must be
  /// polled.
  func hears(
    _ sender: PostgreSQLSession, marker: String, by deadline: ContinuousClock.Instant
  ) throws(PostgreSQLError) -> Bool {
    try execute(Query("LISTEN enlist"), by: deadline)
    try sender.execute(Query("SELECT pg_notify('enlist', $1)").binding(marker), by: deadline)
    while let notification = try notification(by: deadline) {
      if notification.payload == marker { return true }
    }
    return false
  }

  /// Returns whether a commit of another session is waiting for a synchronous standby.
  func sees(
    waitingForStandby backend: Int32, by deadline: ContinuousClock.Instant
  ) throws(PostgreSQLError) -> Bool {
    let query = Query(
      """
      SELECT EXISTS (
        SELECT FROM pg_catalog.pg_stat_activity WHERE pid = $1 AND wait_event = 'SyncRep'
      )
      """
    ).binding(backend)
    return try execute(query, by: deadline).required(0, 0, as: Bool.self)
  }

  /// Returns whether there is a proxy between the program and the server.
  func isProxied(by deadline: ContinuousClock.Instant) throws(PostgreSQLError) -> Bool {
    try execute(Query("SELECT pg_backend_pid()"), by: deadline)
      .required(0, 0, as: Int32.self) != backendID
  }
}

internal import Security

/// The three connections of a service, each of which belongs to one thread.
struct OpenConnections {
  /// The purpose of a connection; its raw value is a label of the metrics.
  enum Role: String, Sendable, CaseIterable {
    case writer
    case follower
    case reader
  }

  /// The connection that stores sign-ups and changes.
  let writer: PostgreSQLConnection
  /// The connection that follows the status log.
  let follower: PostgreSQLConnection
  /// The connection that executes queries.
  let reader: PostgreSQLConnection
  /// Whether the follower receives notifications; otherwise it must poll.
  let hearsNotifications: Bool
  /// The secret of the settings, or otherwise that of the database.
  let keyring: Keyring

  /// The timeout of the wait for the server at startup.
  static let startupTimeout: Duration = .seconds(30)

  /// The options of all connections.
  struct Request {
    /// The location of the database.
    let parameters: ConnectionParameters
    /// The timeout of a statement.
    let timeout: Duration
    /// The secret of the settings; `nil` uses that of the database.
    let keyring: Keyring?
    /// Creates the observer of a connection's changes.
    let report: @Sendable (Role) -> @Sendable (ConnectionReport) -> Void
    /// Called with risks of the connection to the server, for the operator.
    let notify: @Sendable (StoreReport) -> Void
  }

  /// Opens the connections, migrates the schema, and tests the sessions together.
  static func open(
    _ request: Request, startupTimeout: Duration = startupTimeout
  ) throws(PostgreSQLOpeningError) -> OpenConnections {
    let location = "\(request.parameters)"
    let deadline = ContinuousClock.now + startupTimeout
    while true {
      let connections = Role.allCases.map { request.connection($0) }
      do throws(PostgreSQLError) {
        return try connect(connections, request, by: deadline)
      } catch {
        let final = connections.first { $0.rejection != nil || $0.isDenied }
        let failed = final ?? connections.first { $0.problem != nil } ?? connections[0]
        let openingError = failed.openingError(error, at: location)
        guard final == nil, openingError.isUnavailable, ContinuousClock.now < deadline else {
          throw openingError
        }
        for connection in connections { connection.close() }
      }
    }
  }

  /// Tries to open the connections once.
  ///
  /// - Throws: `PostgreSQLError`; a connection may then have a rejection.
  private static func connect(
    _ connections: [PostgreSQLConnection], _ request: Request, by deadline: ContinuousClock.Instant
  ) throws(PostgreSQLError) -> OpenConnections {
    let (writer, follower, reader) = (connections[0], connections[1], connections[2])
    let session = try writer.ready(by: deadline, untilRejected: true)
    guard try session.opensTransactions(by: .now + request.timeout) else {
      writer.reject(.pooler)
      throw .unreachable
    }
    try writer.migrate(session)
    let sessions = [
      try follower.ready(by: deadline, untilRejected: true),
      try reader.ready(by: deadline, untilRejected: true),
    ]
    let end = ContinuousClock.now + request.timeout
    guard try session.keepsSettings(besides: sessions, marker: marker(), by: end) else {
      writer.reject(.pooler)
      throw .unreachable
    }
    if try session.isProxied(by: end) { request.notify(.proxied) }
    let hears = try sessions[0].hears(session, marker: marker(), by: .now + .seconds(1))
    if !hears { request.notify(.unheard) }
    let keyring: Keyring
    if let given = request.keyring {
      keyring = given
    } else {
      keyring = try StoredSecret.keyring(in: session, by: end)
    }
    return OpenConnections(
      writer: writer, follower: follower, reader: reader, hearsNotifications: hears,
      keyring: keyring)
  }

  /// Returns a text that no other replica uses.
  private static func marker() -> String {
    "m\(UInt64.random(in: 0...UInt64.max))"
  }
}

extension OpenConnections.Request {
  /// Creates a connection that is not open yet.
  fileprivate func connection(_ role: OpenConnections.Role) -> PostgreSQLConnection {
    PostgreSQLConnection(
      .init(
        parameters: parameters, statementTimeout: Self.statementTimeout(timeout),
        report: report(role)))
  }

  /// Returns the server's timeout of a statement in milliseconds, less than the program's.
  static func statementTimeout(_ timeout: Duration) -> Int {
    let parts = timeout.components
    let milliseconds = parts.seconds * 1000 + parts.attoseconds / 1_000_000_000_000_000
    // The server would interpret 0 as no limit.
    return max(Int(milliseconds * 4 / 5), 1)
  }
}

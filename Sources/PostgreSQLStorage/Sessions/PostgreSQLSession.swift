internal import CLibpq
internal import Glibc

/// An open connection to a server, used by one thread, which waits with a deadline.
///
/// Every function sends, then waits for the socket until its deadline. An error other than
/// ``PostgreSQLError/server(_:)`` means that the session is of no use any more.
// Not Sendable: one thread uses it.
final class PostgreSQLSession {
  private let connection: OpaquePointer
  /// The SQLSTATE of the last notice, a C string.
  private let noticeState: UnsafeMutablePointer<CChar>

  /// Connects to one host.
  ///
  /// Looking up the name of the host may block for longer than the deadline. The corresponding C
  /// functions are `PQconnectStartParams` and `PQconnectPoll`.
  ///
  /// - Parameters:
  ///   - deadline: The time by which the session must be open.
  ///   - explain: Called with the reason if it could not be opened; `nil` at the deadline.
  init(
    _ options: [ConnectionOption],
    by deadline: ContinuousClock.Instant,
    explain: (SessionProblem?) -> Void = { _ in }
  ) throws(PostgreSQLError) {
    let started = CStrings.with(options.map(\.keyword)) { keywords in
      CStrings.with(options.map(\.value)) { values in PQconnectStartParams(keywords, values, 0) }
    }
    guard let started else { throw .unreachable }
    connection = started
    noticeState = .allocate(capacity: 6)
    noticeState.initialize(repeating: 0, count: 6)
    clibpq_keep_states(started, noticeState)
    // The messages of a connection that is not open yet then begin with the SQLSTATE.
    PQsetErrorVerbosity(started, PQERRORS_VERBOSE)
    // Begin as after PGRES_POLLING_WRITING, as libpq's documentation says.
    var wanted = Int16(POLLOUT)
    while true {
      guard PQstatus(started) != CONNECTION_BAD,
        SocketWait.wait(PQsocket(started), for: wanted, by: deadline) == .ready
      else {
        explain(SessionProblem(started))
        throw .unreachable
      }
      switch PQconnectPoll(started) {
      case PGRES_POLLING_READING: wanted = Int16(POLLIN)
      case PGRES_POLLING_WRITING: wanted = Int16(POLLOUT)
      case PGRES_POLLING_OK:
        guard PQsetnonblocking(started, 1) == 0 else { throw .unreachable }
        return
      default:
        explain(SessionProblem(started))
        throw .unreachable
      }
    }
  }

  deinit {
    PQfinish(connection)
    noticeState.deallocate()
  }

  /// The code with which the server has ended the session, if it has said so.
  var endState: SQLState? {
    SQLState(String(cString: noticeState)).flatMap { $0.endsConnection ? $0 : nil }
  }

  /// The host and the port; the corresponding C functions are `PQhost` and `PQport`.
  var server: String {
    let host = PQhost(connection).map { String(cString: $0) } ?? ""
    return "\(host):\(PQport(connection).map { String(cString: $0) } ?? "")"
  }

  /// The version of the server, such as 150018 for 15.18; the corresponding C function is
  /// `PQserverVersion`.
  var serverVersion: Int { Int(PQserverVersion(connection)) }

  /// The process id of the server's session as the connection's peer reports it; the corresponding
  /// C function is `PQbackendPID`.
  var backendID: Int32 { PQbackendPID(connection) }

  /// The socket, for waiting; the corresponding C function is `PQsocket`.
  var socket: Int32 { PQsocket(connection) }

  /// Executes one statement in a transaction of its own.
  ///
  /// - Parameter deadline: The time by which the result must arrive.
  @discardableResult
  func execute(
    _ query: Query,
    by deadline: ContinuousClock.Instant
  ) throws(PostgreSQLError) -> QueryResult {
    guard send(query) else { throw .unreachable }
    try flush(by: deadline)
    let result = try nextResult(by: deadline)
    let rows = Result { () throws(PostgreSQLError) in try Self.rows(result) }
    if let end = try next(by: deadline) { throw try commitError(end, by: deadline) }
    return try rows.get()
  }

  /// Returns why a statement that was executed is not committed, or not known to be.
  ///
  /// - Parameter deadline: The time by which the end must arrive.
  /// - Returns: The error of the commit. A session that ends may end after its commit.
  /// - Throws: `PostgreSQLError` if nothing more arrives.
  private func commitError(
    _ result: OpaquePointer,
    by deadline: ContinuousClock.Instant
  ) throws(PostgreSQLError) -> PostgreSQLError {
    do throws(PostgreSQLError) {
      _ = try Self.rows(result)
    } catch {
      guard case .server(let state) = error, !state.endsConnection else { return .undetermined }
      while let rest = try next(by: deadline) { PQclear(rest) }
      return error
    }
    return .undetermined
  }

  /// Executes statements in one round trip, each in a transaction of its own.
  ///
  /// - Returns: The result of each; a failed one does not affect the others.
  func execute(
    each queries: [Query],
    by deadline: ContinuousClock.Instant
  ) throws(PostgreSQLError) -> [Result<QueryResult, PostgreSQLError>] {
    try execute(groups: queries.map { [$0] }, by: deadline).map { result in
      result.flatMap { results in results.first.map { .success($0) } ?? .failure(.malformed) }
    }
  }

  /// Executes groups of statements in one round trip, each group in a transaction of its own.
  ///
  /// The corresponding C functions are `PQenterPipelineMode` and `PQpipelineSync`.
  ///
  /// - Parameter deadline: The time by which all results must arrive.
  /// - Returns: The results of each group, or the first error in it; a failed group does not affect
  ///   the others.
  /// - Throws: `PostgreSQLError` if the session is of no use any more.
  func execute(
    groups: [[Query]],
    by deadline: ContinuousClock.Instant
  ) throws(PostgreSQLError) -> [Result<[QueryResult], PostgreSQLError>] {
    guard PQenterPipelineMode(connection) == 1 else { throw .unreachable }
    for group in groups {
      for query in group {
        guard send(query) else { throw .undetermined }
      }
      guard PQpipelineSync(connection) == 1 else { throw .undetermined }
    }
    try flush(by: deadline)
    var results: [Result<[QueryResult], PostgreSQLError>] = []
    for group in groups {
      results.append(try groupResult(group.count, by: deadline))
      guard let sync = try next(by: deadline) else { throw .undetermined }
      let status = PQresultStatus(sync)
      PQclear(sync)
      guard status == PGRES_PIPELINE_SYNC else { throw .undetermined }
    }
    guard PQexitPipelineMode(connection) == 1 else { throw .undetermined }
    return results
  }

  /// Receives the results of a group; after an error, the server skips the rest of it.
  private func groupResult(
    _ count: Int,
    by deadline: ContinuousClock.Instant
  ) throws(PostgreSQLError) -> Result<[QueryResult], PostgreSQLError> {
    var results: [QueryResult] = []
    var failure: PostgreSQLError?
    for _ in 0..<count {
      let result = try nextResult(by: deadline)
      if failure == nil {
        do throws(PostgreSQLError) {
          results.append(try Self.rows(result))
        } catch {
          failure = error
        }
      } else {
        PQclear(result)
      }
      // The end of the statement.
      guard try next(by: deadline) == nil else { throw .undetermined }
    }
    if let failure { return .failure(failure) }
    return .success(results)
  }

  /// Executes any number of statements without parameters in one transaction; the corresponding C
  /// function is `PQsendQuery`.
  ///
  /// - Parameter deadline: The time by which all must be executed.
  func execute(
    script sql: String,
    by deadline: ContinuousClock.Instant
  ) throws(PostgreSQLError) {
    guard PQsendQuery(connection, sql) == 1 else { throw .unreachable }
    try flush(by: deadline)
    var failure: PostgreSQLError?
    while let result = try next(by: deadline) {
      do throws(PostgreSQLError) {
        _ = try Self.rows(result)
      } catch {
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
  }

  /// Stores rows with `COPY … FROM STDIN`.
  ///
  /// The corresponding C functions are `PQputCopyData` and `PQputCopyEnd`.
  ///
  /// - Parameter deadline: The time by which all must be stored.
  func copy(
    _ data: [UInt8],
    _ sql: String,
    by deadline: ContinuousClock.Instant
  ) throws(PostgreSQLError) {
    guard PQsendQuery(connection, sql) == 1 else { throw .unreachable }
    try flush(by: deadline)
    let begun = try nextResult(by: deadline)
    guard PQresultStatus(begun) == PGRES_COPY_IN else {
      _ = try Self.rows(begun)
      throw .malformed
    }
    PQclear(begun)
    try put(data, by: deadline)
    let result = try nextResult(by: deadline)
    let rows = Result { () throws(PostgreSQLError) in try Self.rows(result) }
    while let rest = try next(by: deadline) { PQclear(rest) }
    _ = try rows.get()
  }

  private func put(
    _ data: [UInt8],
    by deadline: ContinuousClock.Instant
  ) throws(PostgreSQLError) {
    var start = 0
    // Small pieces, so that the client library need not keep all of it once more.
    while start < data.count {
      let count = min(data.count - start, 65_536)
      let code = data.withUnsafeBytes { bytes in
        let piece = bytes.baseAddress?.advanced(by: start).assumingMemoryBound(to: CChar.self)
        return PQputCopyData(connection, piece, Int32(count))
      }
      guard code >= 0 else { throw .undetermined }
      if code == 1 { start += count }
      try flush(by: deadline)
    }
    guard PQputCopyEnd(connection, nil) == 1 else { throw .undetermined }
    try flush(by: deadline)
  }

  /// Waits for a notification.
  ///
  /// The corresponding C function is `PQnotifies`.
  ///
  /// - Parameters:
  ///   - deadline: The time by which it must arrive.
  ///   - wakeUp: A descriptor that ends the wait when it can be read, if any.
  /// - Returns: The notification; `nil` if none has arrived.
  /// - Throws: ``PostgreSQLError/unreachable`` if the connection is broken.
  func notification(
    by deadline: ContinuousClock.Instant,
    or wakeUp: Int32? = nil
  ) throws(PostgreSQLError) -> Notification? {
    while true {
      if let found = PQnotifies(connection) {
        defer { PQfreemem(found) }
        return Notification(
          sender: found.pointee.be_pid,
          payload: found.pointee.extra.map { String(cString: $0) } ?? ""
        )
      }
      switch SocketWait.wait(socket, for: Int16(POLLIN), by: deadline, or: wakeUp) {
      case .ready:
        guard PQconsumeInput(connection) == 1 else { throw .unreachable }
      case .passed, .wokenUp:
        return nil
      }
    }
  }

  /// A notification of another session, or of the session itself.
  struct Notification: Hashable, Sendable {
    /// The process id of the session that sent it.
    let sender: Int32
    /// Its text.
    let payload: String
  }
}

// MARK: - Sending and receiving

extension PostgreSQLSession {
  /// Queues a statement; the corresponding C function is `PQsendQueryParams`.
  private func send(_ query: Query) -> Bool {
    query.bytes.withUnsafeBytes { bytes in
      // An empty buffer may have no address, which would mean null.
      withUnsafeBytes(of: 0) { empty in
        let start = bytes.baseAddress ?? empty.baseAddress
        let values = query.ranges.map { range in
          range.flatMap { start?.advanced(by: $0.lowerBound).assumingMemoryBound(to: CChar.self) }
        }
        let lengths = query.ranges.map { Int32(truncatingIfNeeded: $0?.count ?? 0) }
        let formats = [Int32](repeating: 1, count: values.count)
        let count = Int32(truncatingIfNeeded: values.count)
        let types = query.types.map(\.rawValue)
        return PQsendQueryParams(connection, query.sql, count, types, values, lengths, formats, 1)
          == 1
      }
    }
  }

  /// Sends what is queued; the corresponding C function is `PQflush`.
  ///
  /// Results are read meanwhile, or both sides might wait for each other.
  private func flush(by deadline: ContinuousClock.Instant) throws(PostgreSQLError) {
    while true {
      switch PQflush(connection) {
      case 0: return
      case 1:
        guard
          SocketWait.wait(socket, for: Int16(POLLIN | POLLOUT), by: deadline) == .ready,
          PQconsumeInput(connection) == 1
        else { throw .undetermined }
      default: throw .undetermined
      }
    }
  }

  /// Waits for the next result; the corresponding C function is `PQgetResult`.
  ///
  /// - Returns: The result, which the caller owns; `nil` at the end of a statement.
  private func next(
    by deadline: ContinuousClock.Instant
  ) throws(PostgreSQLError) -> OpaquePointer? {
    while PQisBusy(connection) == 1 {
      guard SocketWait.wait(socket, for: Int16(POLLIN), by: deadline) == .ready,
        PQconsumeInput(connection) == 1
      else { throw .undetermined }
    }
    return PQgetResult(connection)
  }

  private func nextResult(
    by deadline: ContinuousClock.Instant
  ) throws(PostgreSQLError) -> OpaquePointer {
    guard let result = try next(by: deadline) else { throw .undetermined }
    return result
  }

  /// Takes ownership of a result.
  ///
  /// - Throws: `PostgreSQLError`; ``PostgreSQLError/undetermined`` for an error that the server did
  ///   not send, which includes those of class 08.
  private static func rows(_ result: OpaquePointer) throws(PostgreSQLError) -> QueryResult {
    switch PQresultStatus(result) {
    case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY:
      return QueryResult(result)
    case PGRES_FATAL_ERROR:
      defer { PQclear(result) }
      // libpq makes such a result when the connection breaks; it has no code.
      guard let text = PQresultErrorField(result, clibpq_sqlstate),
        let state = SQLState(String(cString: text))
      else { throw .undetermined }
      // A proxy that has lost the server says so; the server may have executed the statement.
      if state.errorClass == "08" { throw .undetermined }
      throw .server(state)
    default:
      PQclear(result)
      throw .malformed
    }
  }
}

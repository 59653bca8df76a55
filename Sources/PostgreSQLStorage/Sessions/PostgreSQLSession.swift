internal import CLibpq
internal import Glibc

/// An open connection to a server, which its thread uses with deadlines.
///
/// Every function sends, then waits for the socket until its deadline. After any error except
/// ``PostgreSQLError/server(_:)``, the session is unusable.
// Not Sendable: one thread uses it.
final class PostgreSQLSession {
  private let connection: OpaquePointer
  /// The SQLSTATE of the last notice, as a C string.
  private let noticeState: UnsafeMutablePointer<CChar>
  /// The SQLSTATE of a statement's error after which the session is unusable.
  private var errorState: SQLState?

  /// Connects to one host.
  ///
  /// The lookup of the host's name may exceed the deadline. The corresponding C functions are
  /// `PQconnectStartParams` and `PQconnectPoll`.
  ///
  /// - Parameter explain: Called with the reason of a failure; `nil` if the deadline has passed.
  init(
    _ options: [ConnectionOption], by deadline: ContinuousClock.Instant,
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
    // With this verbosity, messages about a failed connection begin with the SQLSTATE.
    PQsetErrorVerbosity(started, PQERRORS_VERBOSE)
    // libpq's documentation requires the first wait to be that of PGRES_POLLING_WRITING.
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

  /// The code with which the server has ended the session; `nil` if it has sent none.
  var endState: SQLState? {
    errorState ?? SQLState(String(cString: noticeState)).flatMap { $0.endsConnection ? $0 : nil }
  }

  /// The last message of the server or the client library, which may quote values; the
  /// corresponding C function is `PQerrorMessage`.
  var lastMessage: String { PQerrorMessage(connection).map { String(cString: $0) } ?? "" }

  /// The host and the port of the server; the corresponding C functions are `PQhost` and `PQport`.
  var server: String {
    let host = PQhost(connection).map { String(cString: $0) } ?? ""
    return "\(host):\(PQport(connection).map { String(cString: $0) } ?? "")"
  }

  /// The version of the server, such as 150018 for 15.18; the corresponding C function is
  /// `PQserverVersion`.
  var serverVersion: Int { Int(PQserverVersion(connection)) }

  /// The process id that the connection's peer, which may be a proxy, has reported for the session;
  /// the corresponding C function is `PQbackendPID`.
  var backendID: Int32 { PQbackendPID(connection) }

  /// The socket to wait for; the corresponding C function is `PQsocket`.
  var socket: Int32 { PQsocket(connection) }

  /// Executes a statement in its own transaction.
  @discardableResult
  func execute(
    _ query: Query, by deadline: ContinuousClock.Instant
  ) throws(PostgreSQLError) -> QueryResult {
    guard send(query) else { throw .unreachable }
    try flush(by: deadline)
    let result = try nextResult(by: deadline)
    let rows = Result { () throws(PostgreSQLError) in try self.rows(result) }
    if let end = try next(by: deadline) { throw try commitError(end, by: deadline) }
    return try rows.get()
  }

  /// Returns the reason why an executed statement is not committed, or not known to be committed.
  ///
  /// A server that ends the session may do so after the commit, so that outcome is undetermined.
  ///
  /// - Throws: `PostgreSQLError` if nothing more arrives.
  private func commitError(
    _ result: OpaquePointer, by deadline: ContinuousClock.Instant
  ) throws(PostgreSQLError) -> PostgreSQLError {
    do throws(PostgreSQLError) {
      _ = try rows(result)
    } catch {
      guard case .server(let state) = error, !state.endsConnection else { return .undetermined }
      while let rest = try next(by: deadline) { PQclear(rest) }
      return error
    }
    return .undetermined
  }

  /// Executes statements in one round trip, each in its own transaction.
  ///
  /// Returns a result for each; a failed statement does not affect the others.
  func execute(
    each queries: [Query], by deadline: ContinuousClock.Instant
  ) throws(PostgreSQLError) -> [Result<QueryResult, PostgreSQLError>] {
    try execute(groups: queries.map { [$0] }, by: deadline).map { result in
      result.flatMap { results in results.first.map { .success($0) } ?? .failure(.malformed) }
    }
  }

  /// Executes groups of statements in one round trip, each group in its own transaction.
  ///
  /// Returns the results or the first error of each group; a failed group does not affect the
  /// others. The corresponding C functions are `PQenterPipelineMode` and `PQpipelineSync`.
  ///
  /// - Throws: `PostgreSQLError` if the session is unusable.
  func execute(
    groups: [[Query]], by deadline: ContinuousClock.Instant
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

  /// Receives the results of a group; after an error, the server skips the remaining statements.
  private func groupResult(
    _ count: Int, by deadline: ContinuousClock.Instant
  ) throws(PostgreSQLError) -> Result<[QueryResult], PostgreSQLError> {
    var results: [QueryResult] = []
    var failure: PostgreSQLError?
    for _ in 0..<count {
      let result = try nextResult(by: deadline)
      if failure == nil {
        do throws(PostgreSQLError) {
          results.append(try rows(result))
        } catch {
          failure = error
        }
      } else {
        PQclear(result)
      }
      // The end of a statement's results.
      guard try next(by: deadline) == nil else { throw .undetermined }
    }
    if let failure { return .failure(failure) }
    return .success(results)
  }

  /// Executes statements without parameters in one transaction; the corresponding C function is
  /// `PQsendQuery`.
  func execute(script sql: String, by deadline: ContinuousClock.Instant) throws(PostgreSQLError) {
    guard PQsendQuery(connection, sql) == 1 else { throw .unreachable }
    try flush(by: deadline)
    var failure: PostgreSQLError?
    while let result = try next(by: deadline) {
      do throws(PostgreSQLError) {
        _ = try rows(result)
      } catch {
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
  }

  /// Stores rows with `COPY … FROM STDIN`.
  ///
  /// The corresponding C functions are `PQputCopyData` and `PQputCopyEnd`.
  func copy(
    _ data: [UInt8], _ sql: String, by deadline: ContinuousClock.Instant
  ) throws(PostgreSQLError) {
    guard PQsendQuery(connection, sql) == 1 else { throw .unreachable }
    try flush(by: deadline)
    let begun = try nextResult(by: deadline)
    guard PQresultStatus(begun) == PGRES_COPY_IN else {
      _ = try rows(begun)
      throw .malformed
    }
    PQclear(begun)
    try put(data, by: deadline)
    let result = try nextResult(by: deadline)
    let rows = Result { () throws(PostgreSQLError) in try self.rows(result) }
    while let rest = try next(by: deadline) { PQclear(rest) }
    _ = try rows.get()
  }

  private func put(_ data: [UInt8], by deadline: ContinuousClock.Instant) throws(PostgreSQLError) {
    var start = 0
    // Small pieces prevent the client library from copying all data at once.
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

  /// Waits for a notification; returns `nil` if the wait has ended without one.
  ///
  /// The corresponding C function is `PQnotifies`.
  ///
  /// - Parameter wakeUp: A descriptor that ends the wait as soon as it can be read.
  /// - Throws: ``PostgreSQLError/unreachable`` if the connection is broken.
  func notification(
    by deadline: ContinuousClock.Instant, or wakeUp: Int32? = nil
  ) throws(PostgreSQLError) -> Notification? {
    while true {
      if let found = PQnotifies(connection) {
        defer { PQfreemem(found) }
        return Notification(
          sender: found.pointee.be_pid,
          payload: found.pointee.extra.map { String(cString: $0) } ?? "")
      }
      switch SocketWait.wait(socket, for: Int16(POLLIN), by: deadline, or: wakeUp) {
      case .ready:
        guard PQconsumeInput(connection) == 1 else { throw .unreachable }
      case .passed, .wokenUp:
        return nil
      }
    }
  }

  /// A notification of a session, possibly of the receiving one.
  struct Notification: Hashable, Sendable {
    /// The process id of the sending session.
    let sender: Int32
    let payload: String
  }
}

// MARK: - Sending and receiving

extension PostgreSQLSession {
  /// Queues a statement; the corresponding C function is `PQsendQueryParams`.
  private func send(_ query: Query) -> Bool {
    query.bytes.withUnsafeBytes { bytes in
      // An empty buffer may have no address, and the server would receive null.
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

  /// Sends the queued statements; the corresponding C function is `PQflush`.
  ///
  /// The function also reads results, because otherwise both sides could wait for each other.
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

  /// Waits for the next result, which the caller owns; returns `nil` at the end of a statement.
  ///
  /// The corresponding C function is `PQgetResult`.
  private func next(by deadline: ContinuousClock.Instant) throws(PostgreSQLError) -> OpaquePointer?
  {
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

  /// Takes ownership of a result, and returns its rows.
  ///
  /// - Throws: `PostgreSQLError`, which is ``PostgreSQLError/undetermined`` for an error that the
  ///   server did not send, or that has class 08.
  private func rows(_ result: OpaquePointer) throws(PostgreSQLError) -> QueryResult {
    switch PQresultStatus(result) {
    case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY:
      return QueryResult(result)
    case PGRES_FATAL_ERROR:
      defer { PQclear(result) }
      // libpq creates a result without a code when the connection breaks.
      guard let text = PQresultErrorField(result, clibpq_sqlstate),
        let state = SQLState(String(cString: text))
      else { throw .undetermined }
      if state.endsConnection { errorState = state }
      // A proxy that has lost the server sends this class; the server may have executed the
      // statement.
      if state.errorClass == "08" { throw .undetermined }
      throw .server(state)
    default:
      PQclear(result)
      throw .malformed
    }
  }
}

internal import CSQLite
internal import Signals
internal import MailingList

/// A request to end a long read, which any thread can make.
///
/// A progress handler is not enough: before version 3.42, SQLite does not call it while checking
/// pages.
package final class StatementInterrupt: Sendable {
  /// The interrupt of the command that this process executes.
  package static let ofCommand = StatementInterrupt()

  private struct State: @unchecked Sendable {
    // @unchecked Sendable because the pointer is used under the lock, and only while its connection
    // is used by `perform`.
    var connection: OpaquePointer?
    var isRequested = false
  }

  private let state = Lock(State())

  init() {}

  /// Ends the current read and all later ones with `SQLITE_INTERRUPT`; call it from any thread.
  ///
  /// The corresponding C function is `sqlite3_interrupt`.
  package func request() {
    state.withLock { state in
      state.isRequested = true
      if let connection = state.connection { sqlite3_interrupt(connection) }
    }
  }

  /// Runs a closure that reads, until the interrupt is requested.
  func perform<Value>(on db: SQLiteConnection, _ body: () throws -> Value) throws -> Value {
    // SQLite forgets an interrupt that arrives while no statement is active, such as between two
    // statements. This statement remains active until its only row has been left.
    let active = try db.statements["SELECT 1"]
    defer { active.reset() }
    _ = try active.next()
    let isRequested = state.withLock { state in
      state.connection = db.handle
      return state.isRequested
    }
    defer { state.withLock { $0.connection = nil } }
    if isRequested { throw StoreError.interrupted }
    return try body()
  }
}

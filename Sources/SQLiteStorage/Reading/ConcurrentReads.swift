internal import GRDB
internal import Locks
internal import MailingList
internal import Signals

/// Concurrent reads of a database, counted so that the database is closed only after the last one.
final class ConcurrentReads: Sendable {
  private struct State {
    var isClosed = false
    var reading = 0
    var whenIdle: (@Sendable () -> Void)?
  }

  private let database: any DatabaseReader
  private let scheduler: any Scheduler
  private let isReadable: @Sendable () -> Bool
  private let state = Lock(State())
  private let interrupt = StatementInterrupt()

  /// Creates the reads of an open database.
  ///
  /// - Parameter isReadable: Whether the files of the database can be read, checked before each
  ///   read.
  init(
    _ database: any DatabaseReader,
    scheduler: any Scheduler,
    isReadable: @escaping @Sendable () -> Bool = { true }
  ) {
    self.database = database
    self.scheduler = scheduler
    self.isReadable = isReadable
  }

  /// Runs a closure on a reader thread of the database, in one transaction, so that it sees one
  /// state.
  func read<Value: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Value
  ) -> Signal<Value, StoreError> {
    Signal { observer in
      guard self.begin() else {
        observer.fail(.closed)
        return nil
      }
      guard self.isReadable() else {
        self.end()
        observer.fail(.replaced)
        return nil
      }
      self.database.asyncRead { database in
        let result = Result { try body(database.get()) }
        self.end()
        self.scheduler.schedule {
          switch result {
          case .success(let value):
            observer.send(value)
            observer.complete()
          case .failure(let error):
            observer.fail(StoreError(error))
          }
        }
      }
      return nil
    }
  }

  /// Runs a long read on the calling thread, in one transaction; it is interrupted as soon as reads
  /// stop.
  func readAtLength(_ body: (Database) throws -> Void) throws {
    guard begin() else { return }
    defer { end() }
    guard isReadable() else { return }
    try database.read { db in try interrupt.perform(on: db) { try body(db) } }
  }

  /// Rejects new reads, and interrupts the long read.
  func stop() {
    state.withLock { $0.isClosed = true }
    interrupt.request()
  }

  /// Rejects new reads, interrupts the long read, and calls a closure after the last read has
  /// ended.
  ///
  /// - Parameter whenIdle: Called once, on the calling thread or on a reader thread of the
  ///   database, where it must not close the database.
  func close(_ whenIdle: @escaping @Sendable () -> Void) {
    interrupt.request()
    let isIdle = state.withLock { state in
      state.isClosed = true
      if state.reading == 0 { return true }
      state.whenIdle = whenIdle
      return false
    }
    if isIdle { whenIdle() }
  }

  private func begin() -> Bool {
    state.withLock { state in
      if state.isClosed { return false }
      state.reading += 1
      return true
    }
  }

  private func end() {
    let whenIdle: (@Sendable () -> Void)? = state.withLock { state in
      state.reading -= 1
      guard state.reading == 0 else { return nil }
      defer { state.whenIdle = nil }
      return state.whenIdle
    }
    whenIdle?()
  }
}

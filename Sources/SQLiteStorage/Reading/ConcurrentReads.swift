internal import GRDB
internal import Locks
internal import MailingList
internal import Signals

/// Reads a database without blocking who asks, and knows when nobody reads any more.
final class ConcurrentReads: Sendable {
  private struct State {
    var isClosed = false
    var reading = 0
    var whenIdle: (@Sendable () -> Void)?
  }

  private let database: any DatabaseReader
  private let scheduler: any Scheduler
  private let state = Lock(State())

  /// Makes readers of an open database.
  ///
  /// - Parameters:
  ///   - database: What is read.
  ///   - scheduler: Where what was read is sent.
  init(_ database: any DatabaseReader, scheduler: any Scheduler) {
    self.database = database
    self.scheduler = scheduler
  }

  /// Reads something, on a thread of the database's.
  ///
  /// - Parameter body: Reads; one transaction, so that it sees one state of the database.
  /// - Returns: Cold; what `body` returned, or why it could not.
  func read<Value: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Value
  ) -> Signal<Value, StoreError> {
    Signal { observer in
      guard self.begin() else {
        observer.fail(.closed)
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

  /// Rejects new readings.
  func stop() {
    state.withLock { $0.isClosed = true }
  }

  /// Rejects new readings, and tells when the last one has ended.
  ///
  /// - Parameter whenIdle: Called once, here or on a thread of the database's, where it must not
  ///   close the database.
  func close(_ whenIdle: @escaping @Sendable () -> Void) {
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

internal import Dispatch
internal import Signals
internal import MailingList

/// Concurrent reads of a database, each on one of a few connections.
///
/// Reads never wait for the writer. They are counted, so that the database is closed only after the
/// last one.
final class ConcurrentReads: Sendable {
  /// A read that is waiting for a connection.
  private typealias Read = @Sendable (SQLiteConnection?) -> Void

  private struct State {
    var isClosed = false
    var reading = 0
    var whenIdle: (@Sendable () -> Void)?
    /// The connections that no read is using.
    var idle: [SQLiteConnection]
    /// The number of connections that can still be opened.
    var unopened: Int
    var waiting: [Read] = []
  }

  private let scheduler: any Scheduler
  private let isReadable: @Sendable () -> Bool
  private let open: @Sendable () throws -> SQLiteConnection
  private let state: Lock<State>
  private let threads = DispatchQueue(label: "store-readers", attributes: .concurrent)
  private let interrupt = StatementInterrupt()

  /// Creates the reads of an open database.
  ///
  /// - Parameters:
  ///   - idle: The connections that are open already.
  ///   - maximum: The maximum number of connections, without that of the long read.
  ///   - isReadable: Whether the files of the database can be read, checked before each read.
  ///   - open: Opens another connection, on any thread.
  init(
    idle: [SQLiteConnection] = [], maximum: Int = 2, scheduler: any Scheduler,
    isReadable: @escaping @Sendable () -> Bool = { true },
    open: @escaping @Sendable () throws -> SQLiteConnection
  ) {
    state = Lock(State(idle: idle, unopened: maximum - idle.count))
    self.scheduler = scheduler
    self.isReadable = isReadable
    self.open = open
  }

  /// Runs a closure on another thread, in one transaction, so that it sees one state.
  func read<Value: Sendable>(
    _ body: @escaping @Sendable (SQLiteConnection) throws -> Value
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
      self.enqueue { idle in
        var connection = idle
        let result = Result {
          let opened = try idle ?? self.open()
          connection = opened
          return try opened.transaction("BEGIN", body)
        }
        self.handOver(connection)
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

  /// Runs a long read on the calling thread, through a connection of its own and in one transaction;
  /// it is interrupted as soon as reads stop.
  func readAtLength(_ body: (SQLiteConnection) throws -> Void) throws {
    guard begin() else { return }
    defer { end() }
    guard isReadable() else { return }
    let connection = try open()
    defer { try? connection.close() }
    try connection.transaction("BEGIN") { db in
      try interrupt.perform(on: db) { try body(db) }
    }
  }

  /// Rejects new reads, and interrupts the long read.
  func stop() {
    state.withLock { $0.isClosed = true }
    interrupt.request()
  }

  /// Rejects new reads, interrupts the long read, and calls a closure after the last read has ended
  /// and all connections are closed.
  ///
  /// - Parameter whenIdle: Called once, on the calling thread or on that of a read.
  func close(_ whenIdle: @escaping @Sendable () -> Void) {
    interrupt.request()
    state.withLock { state in
      state.isClosed = true
      state.whenIdle = whenIdle
      // Counts as a read, so that the end of the last one is found in one place.
      state.reading += 1
    }
    end()
  }

  private func begin() -> Bool {
    state.withLock { state in
      if state.isClosed { return false }
      state.reading += 1
      return true
    }
  }

  private func end() {
    let (idle, whenIdle): ([SQLiteConnection], (@Sendable () -> Void)?) = state.withLock { state in
      state.reading -= 1
      guard state.reading == 0, let whenIdle = state.whenIdle else { return ([], nil) }
      defer {
        state.whenIdle = nil
        state.idle = []
      }
      return (state.idle, whenIdle)
    }
    for connection in idle { try? connection.close() }
    whenIdle?()
  }

  /// Starts a read as soon as a connection is idle or can be opened.
  private func enqueue(_ read: @escaping Read) {
    let start: (@Sendable () -> Void)? = state.withLock { state in
      if let connection = state.idle.popLast() { return { read(connection) } }
      guard state.unopened > 0 else {
        state.waiting.append(read)
        return nil
      }
      state.unopened -= 1
      return { read(nil) }
    }
    if let start { threads.async(execute: start) }
  }

  /// Passes a connection from a read that has ended to the next one; `nil` if it cannot be opened.
  private func handOver(_ connection: SQLiteConnection?) {
    let next: Read? = state.withLock { state in
      if !state.waiting.isEmpty { return state.waiting.removeFirst() }
      if let connection {
        state.idle.append(connection)
      } else {
        state.unopened += 1
      }
      return nil
    }
    if let next { threads.async { next(connection) } }
  }
}

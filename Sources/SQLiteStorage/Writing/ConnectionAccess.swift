internal import Dispatch
internal import GRDB

/// What another thread does with the writer's connection, on the writer's thread, while it waits.
// @unchecked Sendable because the thread that made it waits until the writer's thread is done with it.
final class ConnectionAccess: @unchecked Sendable {
  private var body: ((Database) -> Void)?
  private let isDone = DispatchSemaphore(value: 0)

  private init(_ body: @escaping (Database) -> Void) {
    self.body = body
  }

  /// Does something with the connection, between two transactions.
  ///
  /// - Parameters:
  ///   - queue: The queue of the writer; open, or the access never ends.
  ///   - body: What is done.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws.
  static func make<Value, Failure: Error>(
    on queue: WriterQueue,
    _ body: (Database) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    // Written by the writer's thread, read by this one when it is done.
    let result = UnsafeMutablePointer<Result<Value, Failure>>.allocate(capacity: 1)
    defer { result.deallocate() }
    withoutActuallyEscaping(body) { body in
      let access = ConnectionAccess { db in
        result.initialize(to: Result { () throws(Failure) in try body(db) })
      }
      queue.add(access)
      access.isDone.wait()
    }
    return try result.move().get()
  }

  /// Called by the writer.
  func run(_ db: Database) {
    do {
      // Released before the caller goes on: the closure must not outlive the access.
      let body = body.take()
      body?(db)
    }
    isDone.signal()
  }
}

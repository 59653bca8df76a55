internal import Dispatch

/// A closure that uses the writer's connection on the writer's thread while its caller waits.
// @unchecked Sendable because the thread that created it waits until the writer's thread has
// finished.
final class ConnectionAccess: @unchecked Sendable {
  private var body: ((SQLiteConnection) -> Void)?
  private let isDone = DispatchSemaphore(value: 0)

  private init(_ body: @escaping (SQLiteConnection) -> Void) {
    self.body = body
  }

  /// Calls a closure with the connection between two transactions, and waits for it.
  ///
  /// The queue must be open, otherwise this function never returns.
  static func make<Value, Failure: Error>(
    on queue: WriterQueue, _ body: (SQLiteConnection) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    // The writer's thread writes the result; this thread reads it afterwards.
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

  /// Calls the closure; only the writer calls this function.
  func run(_ db: SQLiteConnection) {
    do {
      // Release the closure before the caller continues: it must not outlive the call.
      let body = body.take()
      body?(db)
    }
    isDone.signal()
  }
}

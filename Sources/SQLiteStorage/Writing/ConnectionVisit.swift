internal import Dispatch
internal import GRDB

/// What another thread does with the writer's connection, on the writer's thread, while it waits.
// @unchecked Sendable because the thread that made it waits until the writer's thread is done with it.
final class ConnectionVisit: @unchecked Sendable {
  private var body: ((Database) -> Void)?
  private let isDone = DispatchSemaphore(value: 0)

  private init(_ body: @escaping (Database) -> Void) {
    self.body = body
  }

  /// Does something with the connection, between two transactions.
  ///
  /// - Parameters:
  ///   - queue: The queue of the writer; open, or the visit never ends.
  ///   - body: What is done.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws.
  static func make<Value, Failure: Error>(
    on queue: SignUpQueue,
    _ body: (Database) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    let result: Result<Value, Failure>? = withoutActuallyEscaping(body) { body in
      var result: Result<Value, Failure>?
      let visit = ConnectionVisit { db in
        result = Result { () throws(Failure) in try body(db) }
      }
      queue.add(visit)
      visit.isDone.wait()
      return result
    }
    guard let result else { preconditionFailure("a visit ends with a result") }
    return try result.get()
  }

  /// Called by the writer.
  func run(_ db: Database) {
    do {
      // Let go of before the visitor goes on: the closure must not outlive the visit.
      let body = body.take()
      body?(db)
    }
    isDone.signal()
  }
}

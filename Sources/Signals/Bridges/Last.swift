internal import Locks

extension Signal {
  /// Waits for the end.
  ///
  /// Unlike ``first()`` it goes on waiting when the awaiting task is cancelled.
  ///
  /// - Returns: The last value; `nil` when the signal completes without one.
  /// - Throws: The signal's error.
  @discardableResult
  public func last() async throws(Failure) -> Value? {
    let outcome: Result<Value?, Failure> = await withCheckedContinuation { continuation in
      let last = LastValue<Value>()
      subscribe(
        next: { last.value = $0 },
        failed: { continuation.resume(returning: .failure($0)) },
        completed: { continuation.resume(returning: .success(last.value)) }
      )
    }
    return try outcome.get()
  }
}

/// The last value so far.
private final class LastValue<Value: Sendable>: Sendable {
  private let lock = Lock<Value?>(nil)

  var value: Value? {
    get { lock.withLock { $0 } }
    set { lock.withLock { $0 = newValue } }
  }
}

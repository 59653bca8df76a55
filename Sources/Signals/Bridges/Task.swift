internal import Locks

extension Signal {
  /// Makes a cold signal of an asynchronous closure: its result is the one value.
  ///
  /// Each subscription runs the closure in a task of its own; disposing the subscription cancels
  /// that task.
  ///
  /// - Parameters:
  ///   - priority: The priority of the task; `nil` takes the subscriber's.
  ///   - operation: Makes the value.
  /// - Returns: A signal of one value, or of the error that was thrown.
  public static func task(
    priority: TaskPriority? = nil,
    _ operation: @escaping @Sendable () async throws(Failure) -> Value
  ) -> Signal {
    Signal { observer in
      let task = Task(priority: priority) {
        do throws(Failure) {
          observer.send(try await operation())
          observer.complete()
        } catch {
          observer.fail(error)
        }
      }
      return AnyDisposable { task.cancel() }
    }
  }

  /// Waits for the end and gives the last value.
  func last() async throws(Failure) -> Value? {
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

internal import Locks
internal import Signals

extension Signal {
  /// Subscribes, and waits for the end.
  ///
  /// - Returns: All values that were sent; for signals that send few.
  /// - Throws: The signal's error.
  func values() async throws(Failure) -> [Value] {
    let outcome: Result<[Value], Failure> = await withCheckedContinuation { continuation in
      let collected = Collected<Value>()
      subscribe(
        next: { value in collected.values.withLock { $0.append(value) } },
        failed: { continuation.resume(returning: .failure($0)) },
        completed: { continuation.resume(returning: .success(collected.values.withLock { $0 })) }
      )
    }
    return try outcome.get()
  }
}

extension Signal where Value == Never, Failure == Never {
  /// Subscribes, and waits until it has completed.
  func end() async {
    _ = await values()
  }
}

/// The values of one subscription; a class, since closures share it.
private final class Collected<Value: Sendable>: Sendable {
  let values = Lock<[Value]>([])
}

package import Signals

extension Signal {
  /// Subscribes and waits for the end.
  ///
  /// - Returns: The values in their order, or the signal's failure.
  package func collected() async -> Result<[Value], Failure> {
    await withCheckedContinuation { continuation in
      let collection = Collection<Value, Failure>(continuation)
      subscribe(
        next: { collection.add($0) }, failed: { collection.end(.failed($0)) },
        completed: { collection.end(.completed) })
    }
  }

  /// Subscribes and waits for the end.
  ///
  /// - Returns: The values in their order.
  package func values() async throws(Failure) -> [Value] {
    try await collected().get()
  }
}

extension Signal where Value == Never, Failure == Never {
  /// Subscribes and waits for the end.
  package func ended() async {
    _ = await collected()
  }
}

/// The collected values, and the continuation that waits for the end.
private final class Collection<Value: Sendable, Failure: Error>: Sendable {
  private struct State {
    var values: [Value] = []
    var continuation: CheckedContinuation<Result<[Value], Failure>, Never>?
  }

  private let state: Lock<State>

  init(_ continuation: CheckedContinuation<Result<[Value], Failure>, Never>) {
    state = Lock(State(continuation: continuation))
  }

  func add(_ value: Value) {
    state.withLock { $0.values.append(value) }
  }

  func end(_ end: End<Failure>) {
    let (values, continuation) = state.withLock { state in
      defer { state.continuation = nil }
      return (state.values, state.continuation)
    }
    switch end {
    case .completed: continuation?.resume(returning: .success(values))
    case .failed(let error): continuation?.resume(returning: .failure(error))
    }
  }
}

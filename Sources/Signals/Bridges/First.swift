internal import Locks

extension Signal {
  /// Waits for the first value.
  ///
  /// The signal is subscribed, and disposed as soon as the first event has come or the awaiting
  /// task is cancelled.
  ///
  /// - Returns: The first value; `nil` when the signal completes without one, and when the awaiting
  ///   task is cancelled before.
  /// - Throws: The signal's error, when it fails without a value.
  public func first() async throws(Failure) -> Value? {
    let awaited = AwaitedResult<Value, Failure>()
    let subscription = CompositeDisposable()
    let result = await withTaskCancellationHandler {
      attach(
        Observer(
          next: { value in
            awaited.arrive(.success(value))
            subscription.dispose()
          },
          end: { end in
            switch end {
            case .completed: awaited.arrive(.success(nil))
            case .failed(let error): awaited.arrive(.failure(error))
            }
            subscription.dispose()
          }
        ),
        subscription
      )
      return await awaited.result()
    } onCancel: {
      awaited.arrive(.success(nil))
      subscription.dispose()
    }
    return try result.get()
  }
}

/// A result that one task waits for; the first that arrives is the one.
///
/// It crosses from thread to thread inside the lock; the continuation only wakes the task.
private final class AwaitedResult<Value: Sendable, Failure: Error>: Sendable {
  private struct State {
    var result: Result<Value?, Failure>?
    var waiting: CheckedContinuation<Void, Never>?
  }

  private let state = Lock(State())

  func arrive(_ result: Result<Value?, Failure>) {
    let waiting: CheckedContinuation<Void, Never>? = state.withLock { state in
      guard state.result == nil else { return nil }
      state.result = result
      defer { state.waiting = nil }
      return state.waiting
    }
    waiting?.resume()
  }

  func result() async -> Result<Value?, Failure> {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if state.result != nil { return true }
        state.waiting = continuation
        return false
      }
      if isThere { continuation.resume() }
    }
    return state.withLock { $0.result } ?? .success(nil)
  }
}

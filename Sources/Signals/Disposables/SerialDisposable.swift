internal import Locks

/// A place for one disposable that can be replaced; the one that was there is disposed.
///
/// ReactiveObjC's does not dispose the previous one; here it does, as in Rx.
public final class SerialDisposable: Disposable {
  private struct State {
    var isDisposed = false
    var inner: (any Disposable)?
  }

  private let state = Lock(State())

  /// Makes an empty one.
  public init() {}

  /// Whether ``dispose()`` was called.
  public var isDisposed: Bool {
    state.withLock { $0.isDisposed }
  }

  /// Puts a disposable in the place, and disposes the one that was there.
  ///
  /// - Parameter next: The new one, disposed at once when this one is disposed already; `nil`
  ///   empties the place.
  public func replace(with next: (any Disposable)?) {
    let discarded: (any Disposable)? = state.withLock { state in
      if state.isDisposed { return next }
      defer { state.inner = next }
      return state.inner
    }
    discarded?.dispose()
  }

  /// Disposes what is in the place, and what is put there later.
  public func dispose() {
    let inner: (any Disposable)? = state.withLock { state in
      defer { state = State(isDisposed: true, inner: nil) }
      return state.inner
    }
    inner?.dispose()
  }
}

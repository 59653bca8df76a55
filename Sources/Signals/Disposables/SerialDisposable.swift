/// A container for one disposable that can be replaced; the replaced one is disposed.
///
/// As in Rx; in ReactiveObjC, the replaced disposable is not disposed.
public final class SerialDisposable: Disposable {
  private struct State {
    var isDisposed = false
    var inner: (any Disposable)?
  }

  private let state = Lock(State())

  /// Makes an empty disposable.
  public init() {}

  /// Whether ``dispose()`` was called.
  public var isDisposed: Bool {
    state.withLock { $0.isDisposed }
  }

  /// Replaces the disposable, and disposes the previous one.
  ///
  /// - Parameter next: The new disposable, which is disposed immediately if this one is already
  ///   disposed; `nil` for none.
  public func replace(with next: (any Disposable)?) {
    let discarded: (any Disposable)? = state.withLock { state in
      if state.isDisposed { return next }
      defer { state.inner = next }
      return state.inner
    }
    discarded?.dispose()
  }

  /// Disposes the current disposable, and those that replace it later.
  public func dispose() {
    let inner: (any Disposable)? = state.withLock { state in
      defer { state = State(isDisposed: true, inner: nil) }
      return state.inner
    }
    inner?.dispose()
  }
}

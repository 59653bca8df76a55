/// A disposable that is disposed when the last reference to it is released.
public final class ScopedDisposable: Disposable {
  private let inner: any Disposable

  /// Binds a disposable to the lifetime of this object.
  ///
  /// - Parameter inner: The disposable to dispose at the end of the lifetime.
  public init(_ inner: any Disposable) {
    self.inner = inner
  }

  deinit {
    inner.dispose()
  }

  /// Whether the inner disposable is disposed.
  public var isDisposed: Bool { inner.isDisposed }

  /// Disposes the inner one before its scope ends.
  public func dispose() {
    inner.dispose()
  }
}

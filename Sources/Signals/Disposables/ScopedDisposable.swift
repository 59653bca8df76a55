/// A disposable that is disposed when the last reference to it goes.
public final class ScopedDisposable: Disposable {
  private let inner: any Disposable

  /// Binds a disposable to the life of this object.
  ///
  /// - Parameter inner: What is disposed at the end.
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

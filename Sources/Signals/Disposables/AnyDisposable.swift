/// A disposable that runs a closure.
public final class AnyDisposable: Disposable {
  @usableFromInline let cleanUp: Lock<(@Sendable () -> Void)?>

  /// Makes a disposable of a closure.
  ///
  /// - Parameter cleanUp: Runs once, on the thread that disposes, and is released afterwards.
  @inlinable
  public init(_ cleanUp: @escaping @Sendable () -> Void) {
    self.cleanUp = Lock(cleanUp)
  }

  /// Whether the closure has run, or is running.
  public var isDisposed: Bool {
    cleanUp.withLock { $0 == nil }
  }

  /// Runs the closure, the first time that it is called.
  public func dispose() {
    let cleanUp = cleanUp.withLock { cleanUp in
      defer { cleanUp = nil }
      return cleanUp
    }
    cleanUp?()
  }
}

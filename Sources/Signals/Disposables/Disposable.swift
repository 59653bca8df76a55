/// A handle for something that can be stopped once: a subscription, a binding, scheduled work.
///
/// Releasing a disposable does not dispose it; only ``ScopedDisposable`` ends with its scope.
public protocol Disposable: AnyObject, Sendable {
  /// Whether it was disposed, or has ended.
  var isDisposed: Bool { get }

  /// Stops it: runs its cleanup exactly once, whichever threads call, however often.
  func dispose()
}

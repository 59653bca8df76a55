/// A hold on something that can be stopped once: a subscription, a binding, scheduled work.
///
/// Letting go of a disposable stops nothing; only ``ScopedDisposable`` ends with its scope.
public protocol Disposable: AnyObject, Sendable {
  /// Whether it was stopped, or came to its end by itself.
  var isDisposed: Bool { get }

  /// Stops it: runs its clean-up exactly once, whichever thread calls, however often.
  func dispose()
}

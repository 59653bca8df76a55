/// What stands behind an observer and wants to know where it is used.
///
/// A subject, which can end by itself, takes note of its subscriptions, so that its end disposes
/// them. A ``MergeSink`` is found by signals that flow into it.
@usableFromInline
class ObserverTarget: @unchecked Sendable {
  // @unchecked Sendable because it has subclasses; there is nothing in it.

  @inlinable
  init() {}

  /// Takes note of a subscription.
  func follow(_ following: Following) {}

  /// Forgets a subscription that is over.
  func unfollow(_ following: Following) {}
}

/// A subscription of a subject to what it passes on.
///
/// A member of the subscription, and remembered by the subject, but holds neither: a source that
/// lets go of its observer lets go of both.
@usableFromInline
final class Following: Disposable {
  // The next two: nonisolated(unsafe) because they are set once, before anybody else has this.
  private nonisolated(unsafe) weak var subscription: CompositeDisposable?
  private nonisolated(unsafe) weak var target: ObserverTarget?

  /// Tells a subject of a subscription; disposes the subscription if the subject has ended.
  ///
  /// - Parameters:
  ///   - subscription: What the end of the subject disposes.
  ///   - target: The subject.
  @usableFromInline
  @discardableResult
  init(_ subscription: CompositeDisposable, by target: ObserverTarget) {
    self.subscription = subscription
    self.target = target
    target.follow(self)
    subscription.add(self)
  }

  @usableFromInline var isDisposed: Bool { subscription?.isDisposed ?? true }

  /// The subscription is over.
  @usableFromInline
  func dispose() {
    target?.unfollow(self)
  }

  /// The subject has ended.
  func stop() {
    subscription?.dispose()
  }
}

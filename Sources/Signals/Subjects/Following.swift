/// An object behind an observer that needs to know what it is subscribed to.
///
/// A subject records its subscriptions, so that its end disposes them. A `flatMap` that flows into
/// a ``MergeSink`` finds it here.
@usableFromInline
class ObserverTarget: @unchecked Sendable {
  // @unchecked Sendable because it has subclasses; it has no state.

  @inlinable
  init() {}

  /// Records a subscription.
  func follow(_ following: Following) {}

  /// Removes a subscription that is over.
  func unfollow(_ following: Following) {}
}

/// A subscription of a subject to a source.
///
/// It is a member of the subscription, and recorded by the subject, but holds neither: a source
/// that releases its observer releases both.
@usableFromInline
final class Following: Disposable {
  /// Its place in the subject's list; `nil` if it is in none.
  // nonisolated(unsafe) because only the owner of the subject's gate uses it.
  fileprivate nonisolated(unsafe) var index: Int?
  // The next two: nonisolated(unsafe) because they are set once, before the object is shared.
  private nonisolated(unsafe) weak var subscription: CompositeDisposable?
  private nonisolated(unsafe) weak var target: ObserverTarget?

  /// Records a subscription in a subject; disposes the subscription if the subject has ended.
  ///
  /// - Parameters:
  ///   - subscription: The subscription that the end of the subject disposes.
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

/// The subscriptions of a subject to its sources in their order; `nil` where one is over.
@usableFromInline
struct FollowedSources {
  private var places: [Following?] = []
  private var gapCount = 0

  @usableFromInline
  init() {}

  @usableFromInline var isEmpty: Bool { places.count == gapCount }

  mutating func append(_ following: Following) {
    following.index = places.count
    places.append(following)
  }

  @usableFromInline
  mutating func remove(_ following: Following) {
    guard let index = following.index.take() else { return }
    places[index] = nil
    gapCount += 1
    guard gapCount > 16, gapCount > places.count / 2 else { return }
    places.removeAll { $0 == nil }
    gapCount = 0
    for (index, following) in places.enumerated() { following?.index = index }
  }

  /// Disposes all subscriptions.
  func stop() {
    for case let following? in places {
      following.index = nil
      following.stop()
    }
  }
}

internal import Synchronization

extension Signal {
  /// Subscribes an observer, and reports when the source has released it without an end, as a
  /// subject does that is released.
  ///
  /// A source that releases its observer while it is being subscribed, as `never` does, is not
  /// reported.
  ///
  /// - Parameters:
  ///   - observer: Receives the events.
  ///   - subscription: The subscription that disposes it.
  ///   - released: Called once no event can follow, also after the end or disposal, on the thread
  ///     that released the observer.
  func attach(
    _ observer: Observer<Value, Failure>, until subscription: CompositeDisposable,
    released: @escaping @Sendable () -> Void
  ) {
    var release = Release(released)
    attach(release.guarding(observer), until: subscription)
    let isDropped = isKnownUniquelyReferenced(&release)
    if isDropped, !subscription.hasLostSource.load(ordering: .acquiring) { release.cancel() }
  }
}

/// An object that the closures of an observer hold, so that it is released with them.
private final class Release: Sendable {
  private let action: @Sendable () -> Void
  private let isCanceled = Atomic(false)

  init(_ action: @escaping @Sendable () -> Void) {
    self.action = action
  }

  deinit {
    if !isCanceled.load(ordering: .relaxed) { action() }
  }

  /// The same observer, which also holds this object.
  func guarding<Value, Failure>(_ observer: Observer<Value, Failure>) -> Observer<Value, Failure> {
    Observer(
      next: { value in withExtendedLifetime(self) { observer.onNext(value) } },
      end: { end in withExtendedLifetime(self) { observer.onEnd(end) } })
  }

  func cancel() {
    isCanceled.store(true, ordering: .relaxed)
  }
}

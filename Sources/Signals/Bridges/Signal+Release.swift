internal import Synchronization

extension Signal {
  /// Subscribes an observer, and tells when the source has let go of it without an end: a subject
  /// that was released, for instance.
  ///
  /// A source that lets go of its observer while it is subscribed, as `never` does, tells nothing.
  ///
  /// - Parameters:
  ///   - observer: Receives the events.
  ///   - subscription: What disposes it.
  ///   - released: Called once nothing can come any more, also after the end or disposal, on the
  ///     thread that let go of it.
  func attach(
    _ observer: Observer<Value, Failure>,
    until subscription: CompositeDisposable,
    released: @escaping @Sendable () -> Void
  ) {
    var release = Release(released)
    attach(release.guarding(observer), until: subscription)
    let isDropped = isKnownUniquelyReferenced(&release)
    if isDropped, !subscription.hasLostSource.load(ordering: .acquiring) { release.cancel() }
  }
}

/// What the closures of an observer hold, so that it goes with them.
private final class Release: Sendable {
  private let action: @Sendable () -> Void
  private let isCanceled = Atomic(false)

  init(_ action: @escaping @Sendable () -> Void) {
    self.action = action
  }

  deinit {
    if !isCanceled.load(ordering: .relaxed) { action() }
  }

  /// The same observer, which holds this as well.
  func guarding<Value, Failure>(_ observer: Observer<Value, Failure>) -> Observer<Value, Failure> {
    Observer(
      next: { value in withExtendedLifetime(self) { observer.onNext(value) } },
      end: { end in withExtendedLifetime(self) { observer.onEnd(end) } }
    )
  }

  func cancel() {
    isCanceled.store(true, ordering: .relaxed)
  }
}

extension Signal {
  /// Subscribes with a subscription of its own, which is a member of another until it ends.
  ///
  /// Joins subscribe each of their signals so. Nothing is subscribed when the other subscription is
  /// disposed already.
  ///
  /// - Parameters:
  ///   - observer: Receives the events.
  ///   - subscription: What disposes this one with it.
  @inlinable
  func attach(_ observer: Observer<Value, Failure>, within subscription: CompositeDisposable) {
    attach(observer, within: subscription, as: CompositeDisposable())
  }

  /// Does the same with a subscription that exists already.
  @inlinable
  func attach(
    _ observer: Observer<Value, Failure>,
    within subscription: CompositeDisposable,
    as inner: CompositeDisposable
  ) {
    subscription.add(inner)
    guard !inner.isDisposed else { return }
    attach(
      Observer(
        next: observer.onNext,
        end: { end in
          observer.onEnd(end)
          subscription.remove(inner)
          inner.dispose()
        }
      ),
      inner
    )
  }
}

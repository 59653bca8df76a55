extension Signal {
  /// Subscribes with a new subscription, which is a member of another one until it ends.
  ///
  /// For signals that need one without being joined; see ``attach(_:into:as:)`` for those. Nothing is
  /// subscribed if the other subscription is already disposed.
  ///
  /// - Parameters:
  ///   - observer: Receives the events.
  ///   - subscription: The subscription that disposes the new one.
  @inlinable
  func attach(_ observer: Observer<Value, Failure>, within subscription: CompositeDisposable) {
    let inner = CompositeDisposable()
    subscription.add(inner)
    guard !inner.isDisposed else { return }
    let onEnd = observer.onEnd
    attach(
      Observer(
        next: observer.onNext,
        end: { end in
          onEnd(end)
          subscription.remove(inner)
          inner.dispose()
        }
      ),
      inner
    )
  }

  /// Subscribes one of the signals of a join, with a subscription of its own.
  ///
  /// The new subscription is a member of the join's until it ends, and is disposed after the join
  /// has processed the end. Nothing is subscribed if the join has already ended.
  ///
  /// - Parameters:
  ///   - observer: Receives the events, and submits its input to the join.
  ///   - join: The join.
  ///   - inner: The new subscription.
  @inlinable
  func attach<Logic>(
    _ observer: Observer<Value, Failure>, into join: SerialJoin<Logic>,
    as inner: CompositeDisposable = CompositeDisposable()
  ) {
    join.subscription.add(inner)
    guard !inner.isDisposed else { return }
    let onEnd = observer.onEnd
    attach(
      Observer(
        next: observer.onNext,
        end: { end in
          onEnd(end)
          join.cleanUp(inner)
        },
        target: observer.target
      ),
      inner
    )
  }
}

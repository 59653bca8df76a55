extension Signal {
  /// Subscribes with a subscription of its own, which is a member of another until it ends.
  ///
  /// For signals that need one without being joined; see ``attach(_:into:as:)`` for those. Nothing is
  /// subscribed if the other subscription is already disposed.
  ///
  /// - Parameters:
  ///   - observer: Receives the events.
  ///   - subscription: What disposes this one with it.
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

  /// Subscribes one of the signals that a join joins, with a subscription of its own.
  ///
  /// That is a member of the join's subscription until it ends, and is disposed after the join has
  /// taken in the end. Nothing is subscribed when the join is over already.
  ///
  /// - Parameters:
  ///   - observer: Receives the events, and submits what follows from them to the join.
  ///   - join: What joins.
  ///   - inner: The subscription.
  @inlinable
  func attach<Logic>(
    _ observer: Observer<Value, Failure>,
    into join: SerialJoin<Logic>,
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

extension Signal {
  /// Sends the values of this signal, and when it completes those of another one.
  ///
  /// A signal may continue itself so, without end, and does not grow the stack.
  ///
  /// ```text
  /// source:  a-b|
  /// other:   x-y|
  /// result:  a-bx-y|
  /// source.concat(other)
  /// ```
  ///
  /// - Parameter next: Subscribed when this signal has completed; not at all when it fails.
  /// - Returns: Completes with the second signal; fails with the first failure.
  @inlinable
  public func concat(_ next: Signal) -> Signal {
    Signal(attaching: { observer, subscription in
      let first = CompositeDisposable()
      subscription.add(first)
      let attachNext: @Sendable () -> Void = {
        if !subscription.isDisposed { next.attach(observer, subscription) }
      }
      subscription.makeStep {
        if subscription.isDisposed { return }
        self.attach(
          Observer(
            next: observer.onNext,
            end: { end in
              guard end.isCompleted else { return observer.onEnd(end) }
              subscription.remove(first)
              first.dispose()
              subscription.makeStep(attachNext)
            }
          ),
          first
        )
      }
    })
  }

  /// Sends the values of signals, one signal after the other.
  ///
  /// ```text
  /// source:  a-b|
  /// other:   x-y|
  /// result:  a-bx-y|
  /// Signal.concat(source, other)
  /// ```
  ///
  /// - Parameter signals: Each one is subscribed when the one before has completed.
  /// - Returns: Completes with the last, at once when there is none; fails with the first failure.
  @inlinable
  public static func concat(_ signals: Signal...) -> Signal {
    Signal<Signal, Failure>(signals).concat()
  }

  /// Sends the values of the signals that arrive, one signal after the other.
  ///
  /// ```text
  /// source:  a-b|
  /// other:   x-y|
  /// result:  x-yx-y|
  /// source.map { _ in other }.concat()
  /// ```
  ///
  /// - Returns: What `flatten(maxConcurrent:)` with 1 returns.
  @inlinable
  public func concat<Inner: Sendable>() -> Signal<Inner, Failure>
  where Value == Signal<Inner, Failure> {
    flatten(maxConcurrent: 1)
  }

  /// Makes a signal of each value, and sends their values, one signal after the other.
  ///
  /// ```text
  /// source:  a-b|
  /// other:   x-y|
  /// result:  x-yx-y|
  /// source.concatMap { _ in other }
  /// ```
  ///
  /// - Parameter transform: Makes the signal, when the value arrives; it may have to wait.
  /// - Returns: What `flatten(maxConcurrent:)` with 1 returns for these signals.
  @inlinable
  public func concatMap<NewValue: Sendable>(
    _ transform: @escaping @Sendable (Value) -> Signal<NewValue, Failure>
  ) -> Signal<NewValue, Failure> {
    map(transform).flatten(maxConcurrent: 1)
  }
}

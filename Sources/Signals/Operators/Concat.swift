extension Signal {
  /// Sends the values of this signal and, when it completes, those of another one.
  ///
  /// A signal may continue itself this way endlessly without growing the stack.
  ///
  /// ```text
  /// source:  a-b|
  /// other:   x-y|
  /// result:  a-bx-y|
  /// source.concat(other)
  /// ```
  ///
  /// - Parameter next: The signal to continue with, subscribed when this one has completed; not
  ///   subscribed when this one fails.
  /// - Returns: A signal that completes with the second one, and fails with the first failure.
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
  /// - Parameter signals: The signals; each is subscribed when the previous one has completed.
  /// - Returns: A signal that completes with the last one, immediately if there is none, and fails
  ///   with the first failure.
  @inlinable
  public static func concat(_ signals: Signal...) -> Signal {
    Signal<Signal, Failure>(signals).concat()
  }

  /// Sends the values of the inner signals, one signal after the other.
  ///
  /// ```text
  /// source:  a-b|
  /// other:   x-y|
  /// result:  x-yx-y|
  /// source.map { _ in other }.concat()
  /// ```
  ///
  /// - Returns: The same as `flatten(maxConcurrent: 1)`.
  @inlinable
  public func concat<Inner: Sendable>() -> Signal<Inner, Failure>
  where Value == Signal<Inner, Failure> {
    flatten(maxConcurrent: 1)
  }

  /// Maps each value to a signal, and sends the values of these signals, one signal after the
  /// other.
  ///
  /// ```text
  /// source:  a-b|
  /// other:   x-y|
  /// result:  x-yx-y|
  /// source.concatMap { _ in other }
  /// ```
  ///
  /// - Parameter transform: Returns the signal for a value, called when the value arrives; the
  ///   signal may have to wait.
  /// - Returns: The same as `flatten(maxConcurrent: 1)` of these signals.
  @inlinable
  public func concatMap<NewValue: Sendable>(
    _ transform: @escaping @Sendable (Value) -> Signal<NewValue, Failure>
  ) -> Signal<NewValue, Failure> {
    map(transform).flatten(maxConcurrent: 1)
  }
}

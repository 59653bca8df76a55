extension Signal {
  /// Sends every event as a value, including the end, and then completes.
  ///
  /// ```text
  /// source:  a-b-#
  /// result:  a-b-#
  /// source.materialize().dematerialize()
  /// ```
  ///
  /// - Returns: A signal that never fails.
  @inlinable
  public func materialize() -> Signal<Event<Value, Failure>, Never> {
    Signal<Event<Value, Failure>, Never>(attaching: { observer, subscription in
      self.attach(
        Observer(
          next: { observer.onNext(.next($0)) },
          end: { end in
            observer.onNext(end.event())
            if !subscription.isDisposed { observer.onEnd(.completed) }
          }
        ),
        subscription
      )
    })
  }
}

extension Signal where Failure == Never {
  /// Turns values that are events back into these events; the opposite of ``materialize()``.
  ///
  /// ```text
  /// source:  a-b|
  /// result:  a-b|
  /// source.materialize().dematerialize()
  /// ```
  ///
  /// - Returns: A signal that ends with the first event that is an end, or with this signal.
  @inlinable
  public func dematerialize<Inner: Sendable, InnerFailure: Error>() -> Signal<Inner, InnerFailure>
  where Value == Event<Inner, InnerFailure> {
    Signal<Inner, InnerFailure>(attaching: { observer, subscription in
      self.attach(
        Observer(next: { observer.observe($0) }, end: { _ in observer.onEnd(.completed) }),
        subscription)
    })
  }
}

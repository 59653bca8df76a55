extension Signal {
  /// Sends one value when the signal completes: what a function makes of all values.
  ///
  /// ```text
  /// source:  a-c-b|
  /// result:  -----(c|)
  /// source.reduce("") { max($0, $1) }
  /// ```
  ///
  /// - Parameters:
  ///   - initial: The result before the first value, and of a signal without values.
  ///   - combine: Makes the next result of the one so far and a value.
  /// - Returns: A signal of one value; of none when this one fails.
  @inlinable
  public func reduce<Result: Sendable>(
    _ initial: Result,
    _ combine: @escaping @Sendable (Result, Value) -> Result
  ) -> Signal<Result, Failure> {
    reduce(into: initial) { $0 = combine($0, $1) }
  }

  /// Sends one value when the signal completes, which each value has changed in place.
  ///
  /// ```text
  /// source:  a-c-b|
  /// result:  -----(c|)
  /// source.reduce(into: "") { $0 = max($0, $1) }
  /// ```
  ///
  /// - Parameters:
  ///   - initial: The result before the first value, and of a signal without values.
  ///   - update: Changes the result; a copy of it belongs to each subscription.
  /// - Returns: A signal of one value; of none when this one fails.
  @inlinable
  public func reduce<Result: Sendable>(
    into initial: Result,
    _ update: @escaping @Sendable (inout Result, Value) -> Void
  ) -> Signal<Result, Failure> {
    Signal<Result, Failure>(attaching: { observer, subscription in
      let result = Box(initial)
      self.attach(
        Observer(
          next: { update(&result.value, $0) },
          end: { end in
            if end.isCompleted { observer.onNext(result.value) }
            if !subscription.isDisposed { observer.onEnd(end) }
          }
        ),
        subscription
      )
    })
  }

  /// Sends all values as one array when the signal completes.
  ///
  /// ```text
  /// source:  a-c-b|
  /// result:  -----(3|)
  /// source.collect().map(\.count)
  /// ```
  ///
  /// - Returns: A signal of one value, an empty array when there was none; of none when this
  ///   signal fails.
  @inlinable
  public func collect() -> Signal<[Value], Failure> {
    reduce(into: []) { $0.append($1) }
  }
}

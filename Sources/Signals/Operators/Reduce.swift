extension Signal {
  /// Combines all values with a function, and sends the result when the signal completes.
  ///
  /// ```text
  /// source:  a-c-b|
  /// result:  -----(c|)
  /// source.reduce("") { max($0, $1) }
  /// ```
  ///
  /// - Parameters:
  ///   - initial: The initial result, which a signal without values sends.
  ///   - combine: Returns the next result from the previous one and a value.
  /// - Returns: A signal of one value, or of none when this one fails.
  @inlinable
  public func reduce<Result: Sendable>(
    _ initial: Result, _ combine: @escaping @Sendable (Result, Value) -> Result
  ) -> Signal<Result, Failure> {
    reduce(into: initial) { $0 = combine($0, $1) }
  }

  /// Updates a result in place with each value, and sends it when the signal completes.
  ///
  /// ```text
  /// source:  a-c-b|
  /// result:  -----(c|)
  /// source.reduce(into: "") { $0 = max($0, $1) }
  /// ```
  ///
  /// - Parameters:
  ///   - initial: The initial result, which a signal without values sends.
  ///   - update: Updates the result; each subscription has its own copy.
  /// - Returns: A signal of one value, or of none when this one fails.
  @inlinable
  public func reduce<Result: Sendable>(
    into initial: Result, _ update: @escaping @Sendable (inout Result, Value) -> Void
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
  /// - Returns: A signal of one array, which may be empty, or of no value when this signal fails.
  @inlinable
  public func collect() -> Signal<[Value], Failure> {
    reduce(into: []) { $0.append($1) }
  }
}

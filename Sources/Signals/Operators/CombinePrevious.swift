extension Signal {
  /// Combines each value with the previous one.
  ///
  /// ```text
  /// source:  a-a-b|
  /// result:  =-=-~|
  /// source.combinePrevious("a") { $0 == $1 ? "=" : "~" }
  /// ```
  ///
  /// - Parameters:
  ///   - start: The previous value of the first one.
  ///   - combine: Receives the previous value and the new one.
  /// - Returns: A signal of as many values as this one sends.
  @inlinable
  public func combinePrevious<Result: Sendable>(
    _ start: Value, _ combine: @escaping @Sendable (Value, Value) -> Result
  ) -> Signal<Result, Failure> {
    Signal<Result, Failure>(attaching: { observer, subscription in
      let previous = Box(start)
      self.attach(
        Observer(
          next: { value in
            let before = previous.value
            previous.value = value
            observer.onNext(combine(before, value))
          },
          end: observer.onEnd
        ),
        subscription
      )
    })
  }

  /// Sends each value together with the previous one.
  ///
  /// ```text
  /// source:  a-b-b|
  /// result:  =-~-=|
  /// source.combinePrevious("a").map { $0 == $1 ? "=" : "~" }
  /// ```
  ///
  /// - Parameter start: The previous value of the first one.
  /// - Returns: A signal of as many pairs as this one sends values.
  @inlinable
  public func combinePrevious(_ start: Value) -> Signal<(Value, Value), Failure> {
    combinePrevious(start) { ($0, $1) }
  }
}

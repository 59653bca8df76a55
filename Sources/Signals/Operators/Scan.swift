extension Signal {
  /// Combines each value with the result so far, and sends each new result.
  ///
  /// ```text
  /// source:  a-c-b|
  /// result:  a-c-c|
  /// source.scan("") { max($0, $1) }
  /// ```
  ///
  /// - Parameters:
  ///   - initial: The initial result, which is not sent.
  ///   - combine: Returns the next result.
  /// - Returns: A signal of as many values as this one sends.
  @inlinable
  public func scan<Result: Sendable>(
    _ initial: Result, _ combine: @escaping @Sendable (Result, Value) -> Result
  ) -> Signal<Result, Failure> {
    Signal<Result, Failure>(attaching: { observer, subscription in
      let result = Box(initial)
      self.attach(
        Observer(
          next: { value in
            let next = combine(result.value, value)
            result.value = next
            observer.onNext(next)
          },
          end: observer.onEnd
        ),
        subscription
      )
    })
  }

  /// Updates a result in place with each value, and sends it each time.
  ///
  /// ```text
  /// source:  a-c-b|
  /// result:  a-c-c|
  /// source.scan(into: "") { $0 = max($0, $1) }
  /// ```
  ///
  /// - Parameters:
  ///   - initial: The initial result, which is not sent.
  ///   - update: Updates the result; each subscription has its own copy.
  /// - Returns: A signal of as many values as this one sends.
  @inlinable
  public func scan<Result: Sendable>(
    into initial: Result, _ update: @escaping @Sendable (inout Result, Value) -> Void
  ) -> Signal<Result, Failure> {
    Signal<Result, Failure>(attaching: { observer, subscription in
      let result = Box(initial)
      self.attach(
        Observer(
          next: { value in
            update(&result.value, value)
            observer.onNext(result.value)
          },
          end: observer.onEnd
        ),
        subscription
      )
    })
  }
}

extension Signal {
  /// Sends only the first values, and completes right after the last of them.
  ///
  /// ```text
  /// source:  a-b-c|
  /// result:  a-(b|)
  /// source.take(2)
  /// ```
  ///
  /// - Parameter count: The number of values to send; with less than 1 the signal is not
  ///   subscribed.
  /// - Returns: A signal that ends earlier if this one does.
  @inlinable
  public func take(_ count: Int) -> Signal {
    if count < 1 { return .empty }
    return Signal(attaching: { observer, subscription in
      let left = Box(count)
      self.attach(
        Observer(
          next: { value in
            left.value -= 1
            let isLast = left.value == 0
            observer.onNext(value)
            if isLast, !subscription.isDisposed { observer.onEnd(.completed) }
          },
          end: observer.onEnd
        ),
        subscription
      )
    })
  }

  /// Sends values while they pass a test, and completes at the first value that does not.
  ///
  /// ```text
  /// source:  a-b-c|
  /// result:  a-b-|
  /// source.take(while: { $0 < "c" })
  /// ```
  ///
  /// - Parameter isIncluded: Returns whether to send a value; the first value that fails the test
  ///   is left out.
  /// - Returns: A signal that ends earlier if this one does.
  @inlinable
  public func take(while isIncluded: @escaping @Sendable (Value) -> Bool) -> Signal {
    Signal(attaching: { observer, subscription in
      self.attach(
        Observer(
          next: { value in
            if isIncluded(value) { observer.onNext(value) } else { observer.onEnd(.completed) }
          },
          end: observer.onEnd
        ),
        subscription
      )
    })
  }

  /// Sends the first value that passes a test, and completes.
  ///
  /// ```text
  /// source:  a-b-c|
  /// result:  --(b|)
  /// source.first(where: { $0 > "a" })
  /// ```
  ///
  /// - Parameter isWanted: The test; not called again once a value has passed.
  /// - Returns: A signal of at most one value; it ends with this one if none passes.
  @inlinable
  public func first(where isWanted: @escaping @Sendable (Value) -> Bool) -> Signal {
    filter(isWanted).take(1)
  }
}

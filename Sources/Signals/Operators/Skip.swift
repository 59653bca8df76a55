extension Signal {
  /// Leaves out the first values.
  ///
  /// ```text
  /// source:  a-b-c|
  /// result:  --b-c|
  /// source.skip(1)
  /// ```
  ///
  /// - Parameter count: The number of values to leave out; less than 1 leaves out none.
  /// - Returns: A signal with the same end.
  @inlinable
  public func skip(_ count: Int) -> Signal {
    if count < 1 { return self }
    return Signal(attaching: { observer, subscription in
      let left = Box(count)
      self.attach(
        Observer(
          next: { value in
            if left.value > 0 { left.value -= 1 } else { observer.onNext(value) }
          },
          end: observer.onEnd
        ),
        subscription
      )
    })
  }

  /// Leaves out values until one does not pass a test; that one and all later ones are sent.
  ///
  /// ```text
  /// source:  a-b-a|
  /// result:  --b-a|
  /// source.skip(while: { $0 < "b" })
  /// ```
  ///
  /// - Parameter isSkipped: Returns whether to leave out a value; not called again once it has
  ///   returned `false`.
  /// - Returns: A signal with the same end.
  @inlinable
  public func skip(while isSkipped: @escaping @Sendable (Value) -> Bool) -> Signal {
    Signal(attaching: { observer, subscription in
      let isSkipping = Box(true)
      self.attach(
        Observer(
          next: { value in
            if isSkipping.value, isSkipped(value) { return }
            isSkipping.value = false
            observer.onNext(value)
          },
          end: observer.onEnd
        ),
        subscription
      )
    })
  }
}

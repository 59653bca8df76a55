extension Signal where Value: Equatable {
  /// Leaves out values that equal the previous one; the first value is always sent.
  ///
  /// ```text
  /// source:  a-a-b-a|
  /// result:  a---b-a|
  /// source.distinctUntilChanged()
  /// ```
  ///
  /// - Returns: A signal with the same end.
  @inlinable
  public func distinctUntilChanged() -> Signal {
    distinctUntilChanged(by: ==)
  }
}

extension Signal {
  /// Leaves out values that are the same as the one sent last; the first value is always sent.
  ///
  /// ```text
  /// source:  a-A-b|
  /// result:  a---b|
  /// source.distinctUntilChanged(by: { $0.lowercased() == $1.lowercased() })
  /// ```
  ///
  /// - Parameter areSame: Compares the value sent last with a new one.
  /// - Returns: A signal with the same end.
  @inlinable
  public func distinctUntilChanged(by areSame: @escaping @Sendable (Value, Value) -> Bool) -> Signal
  {
    Signal(attaching: { observer, subscription in
      let last = Box<Value?>(nil)
      self.attach(
        Observer(
          next: { value in
            if let previous = last.value, areSame(previous, value) { return }
            last.value = value
            observer.onNext(value)
          },
          end: observer.onEnd
        ),
        subscription
      )
    })
  }

  /// Leaves out values whose key equals that of the previous one; the first value is always sent.
  ///
  /// ```text
  /// source:  a-A-b|
  /// result:  a---b|
  /// source.distinctUntilChanged(by: { $0.lowercased() })
  /// ```
  ///
  /// - Parameter key: Returns the key of a value, such as `\.id`; called once for each value.
  /// - Returns: A signal with the same end.
  @inlinable
  public func distinctUntilChanged<Key: Equatable & Sendable>(
    by key: @escaping @Sendable (Value) -> Key
  ) -> Signal {
    Signal(attaching: { observer, subscription in
      let last = Box<Key?>(nil)
      self.attach(
        Observer(
          next: { value in
            let key = key(value)
            if key == last.value { return }
            last.value = key
            observer.onNext(value)
          },
          end: observer.onEnd
        ),
        subscription
      )
    })
  }
}

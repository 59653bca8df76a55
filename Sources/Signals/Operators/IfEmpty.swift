extension Signal {
  /// Sends a value when the signal completes without one.
  ///
  /// ```text
  /// source:  ---|
  /// result:  ---(x|)
  /// source.ifEmpty(send: "x")
  /// ```
  ///
  /// - Parameter value: The value to send.
  /// - Returns: A signal with the same end.
  @inlinable
  public func ifEmpty(send value: Value) -> Signal {
    ifEmpty(continueWith: .just(value))
  }

  /// Continues with another signal when this one completes without a value.
  ///
  /// ```text
  /// source:  ---|
  /// other:   x-y|
  /// result:  ---x-y|
  /// source.ifEmpty(continueWith: other)
  /// ```
  ///
  /// - Parameter other: The other signal; subscribed only then.
  /// - Returns: The events of this signal if it sends a value or fails, otherwise those of the other.
  @inlinable
  public func ifEmpty(continueWith other: Signal) -> Signal {
    Signal(attaching: { observer, subscription in
      let isEmpty = Box(true)
      self.attach(
        Observer(
          next: { value in
            isEmpty.value = false
            observer.onNext(value)
          },
          end: { end in
            guard end.isCompleted, isEmpty.value else { return observer.onEnd(end) }
            subscription.makeStep {
              if !subscription.isDisposed { other.attach(observer, subscription) }
            }
          }
        ),
        subscription
      )
    })
  }
}

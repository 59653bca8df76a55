extension Signal {
  /// Sends given values first; the signal is subscribed after them.
  ///
  /// ```text
  /// source:  -a-b|
  /// result:  xa-b|
  /// source.startWith("x")
  /// ```
  ///
  /// - Parameter values: The values to send first, in their order.
  /// - Returns: A signal with the same end.
  @inlinable
  public func startWith(_ values: Value...) -> Signal {
    Signal(attaching: { observer, subscription in
      for value in values {
        observer.onNext(value)
        if subscription.isDisposed { return }
      }
      self.attach(observer, subscription)
    })
  }
}

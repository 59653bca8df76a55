extension Signal {
  /// Sends a value in the place of a failure, and completes.
  ///
  /// ```text
  /// source:  a-b-#
  /// result:  a-b-(x|)
  /// source.replaceError(with: "x")
  /// ```
  ///
  /// - Parameter value: What is sent when the signal fails.
  /// - Returns: A signal that cannot fail.
  @inlinable
  public func replaceError(with value: Value) -> Signal<Value, Never> {
    Signal<Value, Never>(attaching: { observer, subscription in
      self.attach(
        Observer(
          next: observer.onNext,
          end: { end in
            if !end.isCompleted { observer.onNext(value) }
            if !subscription.isDisposed { observer.onEnd(.completed) }
          }
        ),
        subscription
      )
    })
  }
}

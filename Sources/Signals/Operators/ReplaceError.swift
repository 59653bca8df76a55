extension Signal {
  /// Replaces a failure with a value, and completes.
  ///
  /// ```text
  /// source:  a-b-#
  /// result:  a-b-(x|)
  /// source.replaceError(with: "x")
  /// ```
  ///
  /// - Parameter value: The value to send when the signal fails.
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

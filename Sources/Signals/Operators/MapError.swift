extension Signal {
  /// Fails with what a function makes of the error.
  ///
  /// ```text
  /// source:  a-#
  /// result:  a-#
  /// source.mapError { $0 }
  /// ```
  ///
  /// - Parameter transform: Makes the new error.
  /// - Returns: A signal with the same values.
  @inlinable
  public func mapError<NewFailure: Error>(
    _ transform: @escaping @Sendable (Failure) -> NewFailure
  ) -> Signal<Value, NewFailure> {
    Signal<Value, NewFailure>(attaching: { observer, subscription in
      self.attach(
        Observer(
          next: observer.onNext,
          end: { end in
            switch end {
            case .completed: observer.onEnd(.completed)
            case .failed(let error): observer.onEnd(.failed(transform(error)))
            }
          }
        ),
        subscription
      )
    })
  }
}

extension Signal where Failure == Never {
  /// Gives a signal that cannot fail a type of error, so that it can be joined with some that can.
  ///
  /// ```text
  /// result:  (a|)
  /// Signal<String, Never>.just("a").promoteError(to: MarbleError.self)
  /// ```
  ///
  /// - Parameter type: The type of error; mostly known from where the signal is used.
  /// - Returns: The same signal.
  @inlinable
  public func promoteError<NewFailure: Error>(
    to type: NewFailure.Type = NewFailure.self
  ) -> Signal<Value, NewFailure> {
    Signal<Value, NewFailure>(attaching: { observer, subscription in
      self.attach(
        Observer(next: observer.onNext, end: { _ in observer.onEnd(.completed) }),
        subscription
      )
    })
  }
}

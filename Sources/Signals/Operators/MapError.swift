extension Signal {
  /// Maps the error with a function.
  ///
  /// ```text
  /// source:  a-#
  /// result:  a-#
  /// source.mapError { $0 }
  /// ```
  ///
  /// - Parameter transform: Returns the new error.
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
  /// Gives a signal that cannot fail an error type, so that it can be combined with signals that
  /// can fail.
  ///
  /// ```text
  /// result:  (a|)
  /// Signal<String, Never>.just("a").promoteError(to: MarbleError.self)
  /// ```
  ///
  /// - Parameter type: The error type; usually inferred from the context.
  /// - Returns: The same signal.
  @inlinable
  public func promoteError<NewFailure: Error>(
    to type: NewFailure.Type = NewFailure.self
  ) -> Signal<Value, NewFailure> {
    Signal<Value, NewFailure>(attaching: { observer, subscription in
      self.attach(
        Observer(next: observer.onNext, end: { _ in observer.onEnd(.completed) }), subscription)
    })
  }
}

extension Signal {
  /// Goes on with another signal when this one fails.
  ///
  /// ```text
  /// source:  a-b-#
  /// other:   x-y|
  /// result:  a-b-x-y|
  /// source.catch { _ in other }
  /// ```
  ///
  /// - Parameter handler: Makes the other signal of the error; it may fail in its turn, which ends
  ///   the result, or cannot fail, and then neither can the result.
  /// - Returns: The values of this signal, then those of the other.
  @_disfavoredOverload
  @inlinable
  public func `catch`<NewFailure: Error>(
    _ handler: @escaping @Sendable (Failure) -> Signal<Value, NewFailure>
  ) -> Signal<Value, NewFailure> {
    // Disfavored, so that the compiler does not try it where the other one fits: it would find out
    // late that nothing says what the new failure is.
    recovering(handler)
  }

  /// Goes on with a signal that cannot fail when this one fails.
  ///
  /// The overload lets `catch { _ in .just(0) }` stand in the middle of a chain, where nothing else
  /// says that the result cannot fail.
  ///
  /// - Parameter handler: Makes the other signal of the error.
  /// - Returns: The values of this signal, then those of the other; it cannot fail.
  @inlinable
  public func `catch`(
    _ handler: @escaping @Sendable (Failure) -> Signal<Value, Never>
  ) -> Signal<Value, Never> {
    recovering(handler)
  }

  @inlinable
  func recovering<NewFailure: Error>(
    _ handler: @escaping @Sendable (Failure) -> Signal<Value, NewFailure>
  ) -> Signal<Value, NewFailure> {
    Signal<Value, NewFailure>(attaching: { observer, subscription in
      let failing = CompositeDisposable()
      subscription.add(failing)
      self.attach(
        Observer(
          next: observer.onNext,
          end: { end in
            switch end {
            case .completed:
              observer.onEnd(.completed)
            case .failed(let error):
              subscription.remove(failing)
              failing.dispose()
              if !subscription.isDisposed { handler(error).attach(observer, subscription) }
            }
          }
        ),
        failing
      )
    })
  }
}

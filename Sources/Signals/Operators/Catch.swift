extension Signal {
  /// Continues with another signal when this one fails.
  ///
  /// A signal may continue itself this way endlessly without growing the stack: a retry that is
  /// written by hand.
  ///
  /// ```text
  /// source:  a-b-#
  /// other:   x-y|
  /// result:  a-b-x-y|
  /// source.catch { _ in other }
  /// ```
  ///
  /// - Parameter handler: Returns the other signal for an error. If that one can fail, its failure
  ///   ends the result; if it cannot, neither can the result.
  /// - Returns: The values of this signal, then those of the other.
  @_disfavoredOverload
  @inlinable
  public func `catch`<NewFailure: Error>(
    _ handler: @escaping @Sendable (Failure) -> Signal<Value, NewFailure>
  ) -> Signal<Value, NewFailure> {
    // Disfavored, so that the compiler does not try it where the other overload fits: it would
    // notice late that nothing determines the new failure.
    recovering(handler)
  }

  /// Continues with a signal that cannot fail when this one fails.
  ///
  /// This overload allows `catch { _ in .just(0) }` in the middle of a chain, where nothing else
  /// determines that the result cannot fail.
  ///
  /// - Parameter handler: Returns the other signal for an error.
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
              subscription.makeStep {
                if !subscription.isDisposed { handler(error).attach(observer, subscription) }
              }
            }
          }
        ),
        failing
      )
    })
  }
}

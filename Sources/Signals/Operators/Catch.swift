extension Signal {
  /// Goes on with another signal when this one fails.
  ///
  /// - Parameter handler: Makes the other signal of the error; it may fail in its turn, which ends
  ///   the result, or cannot fail, and then neither can the result.
  /// - Returns: The values of this signal, then those of the other.
  @inlinable
  public func `catch`<NewFailure: Error>(
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

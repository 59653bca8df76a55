extension Signal {
  /// Calls closures with each event, before the event is passed on.
  ///
  /// ```text
  /// source:  a-b|
  /// result:  a-b|
  /// source.do(next: { _ in })
  /// ```
  ///
  /// - Parameters:
  ///   - next: Receives each value.
  ///   - failed: Receives the error.
  ///   - completed: Called when the signal completes.
  ///   - disposed: Called once for each subscription, after its end was delivered or when it is
  ///     disposed.
  /// - Returns: The same signal.
  @inlinable
  public func `do`(
    next: (@Sendable (Value) -> Void)? = nil, failed: (@Sendable (Failure) -> Void)? = nil,
    completed: (@Sendable () -> Void)? = nil, disposed: (@Sendable () -> Void)? = nil
  ) -> Signal {
    Signal(attaching: { observer, subscription in
      if let disposed { subscription.add(AnyDisposable(disposed)) }
      self.attach(
        Observer(
          next: { value in
            next?(value)
            observer.onNext(value)
          },
          end: { end in
            switch end {
            case .completed: completed?()
            case .failed(let error): failed?(error)
            }
            observer.onEnd(end)
          }
        ),
        subscription
      )
    })
  }

  /// Calls a closure before each subscription.
  ///
  /// ```text
  /// source:  a-b|
  /// result:  a-b|
  /// source.initially {}
  /// ```
  ///
  /// - Parameter work: Called on the thread that subscribes.
  /// - Returns: The same signal.
  @inlinable
  public func initially(_ work: @escaping @Sendable () -> Void) -> Signal {
    Signal(attaching: { observer, subscription in
      work()
      if !subscription.isDisposed { self.attach(observer, subscription) }
    })
  }

  /// Calls a closure after the end was delivered, but not when the subscription is disposed.
  ///
  /// ```text
  /// source:  a-b|
  /// result:  a-b|
  /// source.finally {}
  /// ```
  ///
  /// - Parameter work: Called on the thread that ends the signal.
  /// - Returns: The same signal.
  @inlinable
  public func finally(_ work: @escaping @Sendable () -> Void) -> Signal {
    Signal(attaching: { observer, subscription in
      self.attach(
        Observer(
          next: observer.onNext,
          end: { end in
            observer.onEnd(end)
            work()
          }
        ),
        subscription
      )
    })
  }
}

extension Signal {
  /// Sends one value and completes, immediately on subscription.
  ///
  /// ```text
  /// result:  (a|)
  /// Signal<String, Never>.just("a")
  /// ```
  ///
  /// - Parameter value: The event that every subscription gets.
  /// - Returns: A cold, synchronous signal.
  @inlinable
  public static func just(_ value: Value) -> Signal {
    Signal(attaching: { observer, subscription in
      observer.onNext(value)
      if !subscription.isDisposed { observer.onEnd(.completed) }
    })
  }

  /// Completes immediately, without a value.
  ///
  /// ```text
  /// result:  |
  /// Signal<String, Never>.empty
  /// ```
  @inlinable public static var empty: Signal {
    Signal(attaching: { observer, _ in observer.onEnd(.completed) })
  }

  /// Fails immediately.
  ///
  /// ```text
  /// result:  #
  /// Signal<String, MarbleError>.fail(MarbleError())
  /// ```
  ///
  /// - Parameter error: The event that every subscription gets.
  /// - Returns: A cold, synchronous signal.
  @inlinable
  public static func fail(_ error: Failure) -> Signal {
    Signal(attaching: { observer, _ in observer.onEnd(.failed(error)) })
  }

  /// Sends nothing and never ends.
  ///
  /// ```text
  /// result:  ---
  /// Signal<String, Never>.never
  /// ```
  @inlinable public static var never: Signal {
    Signal(attaching: { _, _ in })
  }

  /// Makes a new signal for each subscription.
  ///
  /// ```text
  /// source:  a-b|
  /// result:  a-b|
  /// Signal.deferred { source }
  /// ```
  ///
  /// - Parameter make: Called for each subscription; its result is subscribed instead.
  /// - Returns: A cold signal.
  @inlinable
  public static func deferred(_ make: @escaping @Sendable () -> Signal) -> Signal {
    Signal(attaching: { observer, subscription in make().attach(observer, subscription) })
  }

  /// Sends the elements of a sequence and completes.
  ///
  /// The sequence is iterated once for each subscription, on the thread that subscribes; a
  /// single-pass sequence gives its elements to one subscription. It may be endless: iteration
  /// stops when the subscription is disposed.
  ///
  /// ```text
  /// result:  (ab|)
  /// Signal<String, Never>(["a", "b"])
  /// ```
  ///
  /// - Parameter sequence: The values to send.
  @inlinable
  public init(_ sequence: some Sequence<Value> & Sendable) {
    self.init(attaching: { observer, subscription in
      for value in sequence {
        observer.onNext(value)
        if subscription.isDisposed { return }
      }
      observer.onEnd(.completed)
    })
  }
}

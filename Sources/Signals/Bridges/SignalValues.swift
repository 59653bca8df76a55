extension Signal {
  /// The values, as an asynchronous sequence.
  ///
  /// Each iteration subscribes again. `for await` needs no `try` when the signal cannot fail.
  ///
  /// ```swift
  /// for await tick in Signal.interval(.seconds(1), on: scheduler).values { print(tick) }
  /// ```
  public var values: SignalValues<Value, Failure> {
    SignalValues(signal: self, policy: .unbounded)
  }

  /// Returns the values as an asynchronous sequence with a bounded buffer.
  ///
  /// ```swift
  /// for await price in prices.values(bufferingPolicy: .bufferingNewest(1)) { show(price) }
  /// ```
  ///
  /// - Parameter policy: The values to keep when they arrive faster than they are read: the oldest,
  ///   the newest, or all. The end is always kept.
  /// - Returns: The same as ``values``, with a bound.
  public func values(
    bufferingPolicy policy: AsyncStream<Value>.Continuation.BufferingPolicy
  ) -> SignalValues<Value, Failure> {
    SignalValues(signal: self, policy: policy)
  }
}

/// The values of a signal as an asynchronous sequence.
///
/// The signal is subscribed when an iterator is made, and the subscription is disposed when the
/// iterator is released or the iterating task is canceled, which ends the iteration. The iteration
/// also ends when the source is released without an end. Values that have not been read are
/// buffered without limit, unless ``Signal/values(bufferingPolicy:)`` sets a bound.
public struct SignalValues<Value: Sendable, Failure: Error>: AsyncSequence, Sendable {
  /// The type of the values.
  public typealias Element = Value

  let signal: Signal<Value, Failure>
  let policy: AsyncStream<Value>.Continuation.BufferingPolicy

  /// Subscribes the signal.
  ///
  /// - Returns: An iterator over its values.
  public func makeAsyncIterator() -> Iterator {
    Iterator(signal, Mailbox(policy: policy))
  }

  /// One iteration, and its subscription.
  public struct Iterator: AsyncIteratorProtocol {
    private let mailbox: Mailbox<Value, Failure>
    private let subscription: ScopedDisposable

    fileprivate init(_ signal: Signal<Value, Failure>, _ mailbox: Mailbox<Value, Failure>) {
      self.mailbox = mailbox
      let subscription = CompositeDisposable()
      self.subscription = ScopedDisposable(subscription)
      mailbox.receive(signal, until: subscription)
    }

    /// Waits for the next value.
    ///
    /// - Returns: The value; `nil` after completion, and when the task is canceled.
    /// - Throws: The signal's error.
    public mutating func next() async throws(Failure) -> Value? {
      try await next(isolation: nil)
    }

    /// Waits for the next value without leaving an actor.
    ///
    /// - Parameter actor: The actor of the caller.
    /// - Returns: The value; `nil` after completion, and when the task is canceled.
    /// - Throws: The signal's error.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(Failure) -> Value? {
      let event = await withTaskCancellationHandler {
        await mailbox.next()
      } onCancel: { [mailbox, subscription] in
        mailbox.cancel()
        subscription.dispose()
      }
      return try event.valueOrThrow()
    }
  }
}

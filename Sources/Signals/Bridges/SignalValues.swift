extension Signal {
  /// The values as an asynchronous sequence.
  ///
  /// Each iteration subscribes anew. `for await` needs no `try` when the signal cannot fail.
  ///
  /// ```swift
  /// for await tick in Signal.interval(.seconds(1), on: scheduler).values { print(tick) }
  /// ```
  public var values: SignalValues<Value, Failure> {
    SignalValues(signal: self, policy: .unbounded)
  }

  /// The values as an asynchronous sequence, of which only so many wait for their reader.
  ///
  /// ```swift
  /// for await price in prices.values(bufferingPolicy: .bufferingNewest(1)) { show(price) }
  /// ```
  ///
  /// - Parameter policy: Which values stay when they come faster than they are read: the oldest
  ///   ones, the newest ones, or all. The end always stays.
  /// - Returns: What ``values`` returns, with a bound.
  public func values(
    bufferingPolicy policy: AsyncStream<Value>.Continuation.BufferingPolicy
  ) -> SignalValues<Value, Failure> {
    SignalValues(signal: self, policy: policy)
  }
}

/// The values of a signal as an asynchronous sequence.
///
/// The signal is subscribed when an iterator is made, and disposed when the iterator goes or the
/// iterating task is canceled, which ends the iteration. It also ends when the source is released
/// without an end, for then nothing can come. Values that are not yet asked for wait,
/// as many as there are, unless ``Signal/values(bufferingPolicy:)`` sets a bound.
public struct SignalValues<Value: Sendable, Failure: Error>: AsyncSequence, Sendable {
  /// What a value is.
  public typealias Element = Value

  let signal: Signal<Value, Failure>
  let policy: AsyncStream<Value>.Continuation.BufferingPolicy

  /// Subscribes the signal.
  ///
  /// - Returns: What hands out its values.
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
    /// - Parameter actor: Where the caller is.
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

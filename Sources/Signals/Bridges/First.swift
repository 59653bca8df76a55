internal import Dispatch

extension Signal {
  /// Waits for the first value.
  ///
  /// The subscription is disposed as soon as the first event has arrived or the awaiting task is
  /// canceled.
  ///
  /// - Returns: The first value; `nil` when the signal completes without one, when its source is
  ///   released without an end, and when the awaiting task is canceled before.
  /// - Throws: The signal's error, when it fails without a value.
  public func first() async throws(Failure) -> Value? {
    let mailbox = Mailbox<Value, Failure>()
    let subscription = CompositeDisposable()
    let event = await withTaskCancellationHandler {
      mailbox.receive(take(1), until: subscription)
      return await mailbox.next()
    } onCancel: {
      mailbox.cancel()
      subscription.dispose()
    }
    return try event.valueOrThrow()
  }

  /// Blocks the thread until the first value has arrived; for command-line programs.
  ///
  /// The source must not need the same thread in order to send.
  ///
  /// - Returns: The first value; `nil` when the signal completes without one, or its source is
  ///   released without an end.
  /// - Throws: The signal's error, when it fails without a value.
  @available(*, noasync, message: "blocks the thread; await first() instead")
  public func waitForFirst() throws(Failure) -> Value? {
    let mailbox = Mailbox<Value, Failure>()
    let hasCome = DispatchSemaphore(value: 0)
    take(1).attach(
      Observer(
        next: { value in
          mailbox.put(value)
          hasCome.signal()
        },
        end: { end in
          mailbox.finish(end)
          hasCome.signal()
        }
      ),
      until: CompositeDisposable()
    ) {
      mailbox.finish(.completed)
      hasCome.signal()
    }
    hasCome.wait()
    return try mailbox.take()?.valueOrThrow()
  }
}

extension Event {
  /// The value, or `nil` for completion.
  func valueOrThrow() throws(Failure) -> Value? {
    switch self {
    case .next(let value): return value
    case .completed: return nil
    case .failed(let error): throw error
    }
  }
}

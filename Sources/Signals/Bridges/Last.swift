extension Signal {
  /// Waits for the end.
  ///
  /// Unlike ``first()``, it continues to wait when the awaiting task is canceled.
  ///
  /// - Returns: The last value; `nil` when the signal completes without one, or its source is released
  ///   without an end.
  /// - Throws: The signal's error.
  @discardableResult
  public func last() async throws(Failure) -> Value? {
    let mailbox = Mailbox<Value, Failure>()
    mailbox.receive(takeLast(1), until: CompositeDisposable())
    return try await mailbox.next().valueOrThrow()
  }
}

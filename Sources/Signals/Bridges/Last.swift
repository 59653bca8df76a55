extension Signal {
  /// Waits for the end.
  ///
  /// Unlike ``first()`` it goes on waiting when the awaiting task is cancelled.
  ///
  /// - Returns: The last value; `nil` when the signal completes without one.
  /// - Throws: The signal's error.
  @discardableResult
  public func last() async throws(Failure) -> Value? {
    let mailbox = Mailbox<Value, Failure>()
    takeLast(1).subscribe(mailbox.observer)
    return try await mailbox.next().valueOrThrow()
  }
}

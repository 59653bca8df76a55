extension CurrentValue {
  /// Changes the value and sends it, in one step for all threads.
  ///
  /// The closure runs outside the lock, on a copy. If another thread has changed the value
  /// meanwhile, the copy is discarded, and the closure runs again on the new value.
  ///
  /// - Parameter change: Changes the value; may run several times.
  /// - Returns: The result of the last run of the closure.
  /// - Throws: The error of the closure; the value then does not change.
  @inlinable
  func modify<Result, ChangeFailure: Error>(
    _ change: (inout Value) throws(ChangeFailure) -> Result
  ) throws(ChangeFailure) -> Result {
    while true {
      // Before the lock, as in `set`.
      core.gate.waitForRoom(in: core)
      let (before, version) = state.withLock { ($0.value, $0.version) }
      var value = before
      let result = try change(&value)
      let changed = value
      // The replaced value is released after the lock: its deinit may run other code.
      let (turn, replaced): (Turn?, Value?) = state.withLock { state in
        if state.hasEnded { return (.leave, nil) }
        guard state.version == version else { return (nil, nil) }
        let replaced = state.value
        state.replace(with: changed)
        return (takeTurn(for: .next(changed)), replaced)
      }
      _ = replaced
      guard let turn else { continue }
      carryOut(turn) { core.send(changed) }
      return result
    }
  }
}

extension Property {
  /// Changes the value atomically.
  ///
  /// `property.value += 1` reads and writes in two steps, between which another thread may write;
  /// `property.modify { $0 += 1 }` loses no change. The new value is sent even if it equals the
  /// previous one.
  ///
  /// - Parameter change: Changes the value. It runs again, on the new value, if another thread has
  ///   changed the value meanwhile, so it should have no other effect. No lock is held while it
  ///   runs.
  /// - Returns: The result of the closure.
  /// - Throws: The error of the closure; the value then does not change.
  @inlinable
  @discardableResult
  public func modify<Result, ChangeFailure: Error>(
    _ change: (inout Value) throws(ChangeFailure) -> Result
  ) throws(ChangeFailure) -> Result {
    try current.modify(change)
  }
}

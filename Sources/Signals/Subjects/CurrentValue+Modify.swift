public import Locks

extension CurrentValue {
  /// Changes the value and sends it, in one step for all threads.
  ///
  /// The closure runs outside the lock, on a copy. When another thread has changed the value
  /// meanwhile, the copy is thrown away and the closure runs again on the newer one.
  ///
  /// - Parameter change: Changes the value; may run several times.
  /// - Returns: What the last run of the closure returned.
  /// - Throws: What the closure throws; then the value stays.
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
      // The value that is replaced goes after the lock: its end may be anybody's code.
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
  /// Changes the value in one step, whichever threads change it at the same time.
  ///
  /// `property.value += 1` reads and writes in two steps, between which another thread may write;
  /// `property.modify { $0 += 1 }` loses nothing. The new value is sent, also when it equals the one
  /// before.
  ///
  /// - Parameter change: Changes the value. It runs again, on the newer value, when another thread
  ///   was faster, so it should do nothing else. No lock is held while it runs.
  /// - Returns: What the closure returns.
  /// - Throws: What the closure throws; then the value stays.
  @inlinable
  @discardableResult
  public func modify<Result, ChangeFailure: Error>(
    _ change: (inout Value) throws(ChangeFailure) -> Result
  ) throws(ChangeFailure) -> Result {
    try current.modify(change)
  }
}

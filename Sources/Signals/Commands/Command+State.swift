extension Command {
  /// Whether an execution is in flight at this moment.
  ///
  /// A plain read, for a log or a test: another thread may change the state before the caller uses
  /// the result. To be certain, execute, and check whether the execution was accepted.
  @inlinable public var isExecuting: Bool { core.state.withLock { $0.snapshot.isExecuting } }

  /// Whether the command would accept an execution at this moment; a plain read like
  /// ``isExecuting``.
  @inlinable public var isEnabled: Bool { core.state.withLock { $0.snapshot.isEnabled } }
}

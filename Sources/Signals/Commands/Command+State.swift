public import Locks

extension Command {
  /// Whether an execution is in flight at this moment.
  ///
  /// A plain read, for a log or a test; by the time that the caller looks at it, another thread may
  /// have changed it. What has to know for sure executes, and sees whether it is accepted.
  @inlinable public var isExecuting: Bool { core.state.withLock { $0.snapshot.isExecuting } }

  /// Whether the command would accept an execution at this moment; a plain read, as
  /// ``isExecuting``.
  @inlinable public var isEnabled: Bool { core.state.withLock { $0.snapshot.isEnabled } }
}

internal import Locks
package import Signals

/// The status messages of all commands, merged into one sequence.
package final class StatusFeed: Sendable {
  private let merged = Subject<StatusEvent, Never>()
  private let recorders = Lock<[@Sendable (StatusEvent) -> Void]>([])

  /// Creates a feed without commands.
  package init() {}

  /// The messages as they occur; a hot signal.
  ///
  /// Messages are sent one at a time. A message that arrives while another one is being sent
  /// follows on the thread of the other one, so it may be sent shortly after the outcome of its
  /// execution.
  package var events: Signal<StatusEvent, Never> { merged.signal }

  /// Adds a recorder, which gets every message before it is sent and before its execution ends.
  ///
  /// - Parameter body: Called with each message on the thread of its execution: in order for one
  ///   execution, concurrently for several.
  package func record(with body: @escaping @Sendable (StatusEvent) -> Void) {
    recorders.withLock { $0.append(body) }
  }

  /// Merges the messages of a command into the feed until the command is released.
  ///
  /// The feed has subscribed to the command when this function returns, even if other threads add
  /// commands concurrently. With a signal of signals, the thread that is sending would subscribe
  /// later.
  ///
  /// - Parameter command: The command, before its first execution.
  func add(_ command: SubscribeCommand) {
    command.statusEvents.subscribe(next: { event in
      for record in self.recorders.withLock({ $0 }) { record(event) }
      self.merged.send(event)
    })
  }
}

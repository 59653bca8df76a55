internal import Locks
package import Signals

/// The status messages of all executions: the merge of every command's, in one order.
package final class StatusFeed: Sendable {
  private let merged = Subject<StatusEvent, Never>()
  private let recorders = Lock<[@Sendable (StatusEvent) -> Void]>([])

  /// Makes a feed without commands.
  package init() {}

  /// The messages as they are said, hot.
  ///
  /// One at a time: a message that is said while another one is sent is sent after it, by the thread
  /// of that one, and so perhaps a moment after the outcome of its own execution is told.
  package var events: Signal<StatusEvent, Never> { merged.signal }

  /// Has every message recorded before it is sent, and before the outcome of its execution is told.
  ///
  /// - Parameter body: Called on the thread that says the message: in order for one execution, at
  ///   the same time for several.
  package func record(with body: @escaping @Sendable (StatusEvent) -> Void) {
    recorders.withLock { $0.append(body) }
  }

  /// Merges a command in, for as long as it lives.
  ///
  /// The command is subscribed when this returns, whatever other threads add: to send commands
  /// through a signal of signals would leave that to the thread that is sending.
  ///
  /// - Parameter command: The command, before its first execution.
  func add(_ command: SubscribeCommand) {
    command.statusEvents.subscribe(next: { event in
      for record in self.recorders.withLock({ $0 }) { record(event) }
      self.merged.send(event)
    })
  }
}

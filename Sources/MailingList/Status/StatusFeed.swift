package import Signals

/// The status messages of all commands, recorded and merged into one sequence.
package final class StatusFeed: Sendable {
  private let merged = Subject<StatusEvent, Never>()
  private let record: @Sendable (StatusEvent) -> Void
  let metrics: ExecutionMetrics

  /// Creates a feed without commands.
  ///
  /// - Parameter record: Called with each message before it is sent and before the outcome of its
  ///   execution is reported, on the thread of the execution: in order for one execution,
  ///   concurrently for several.
  package init(
    recordingWith record: @escaping @Sendable (StatusEvent) -> Void,
    metrics: ExecutionMetrics = ExecutionMetrics()
  ) {
    self.record = record
    self.metrics = metrics
  }

  /// The messages as a hot signal.
  ///
  /// Messages are sent one at a time. A message that arrives while another one is being sent is
  /// sent next, on the same thread, so it may follow the outcome of its execution.
  package var events: Signal<StatusEvent, Never> { merged.signal }

  /// Merges the messages of a command into the feed until the command is released; call it before
  /// the first execution.
  ///
  /// The feed has subscribed to the command when this function returns, even if other threads add
  /// commands concurrently. With a signal of signals, the thread that is sending would subscribe
  /// later.
  func add(_ command: SubscribeCommand) {
    command.statusEvents.subscribe(next: { event in
      self.record(event)
      self.metrics.count(event.message)
      self.merged.send(event)
    })
  }
}

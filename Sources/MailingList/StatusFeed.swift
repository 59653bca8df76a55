package import Signals

/// The status messages of all executions: the merge of every command's, in one order.
package final class StatusFeed: Sendable {
  /// The messages as they are said, hot.
  package let events: Signal<StatusEvent, Never>

  private let commands = Subject<SubscribeCommand, Never>()

  /// Makes a feed without commands.
  package init() {
    let connection = commands.signal.flatMap(\.statusEvents).publish()
    connection.connect()
    events = connection.signal
  }

  /// Merges a command in, for as long as it lives.
  ///
  /// - Parameter command: The command, before its first execution.
  func add(_ command: SubscribeCommand) {
    commands.send(command)
  }
}

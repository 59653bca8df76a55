internal import Signals
internal import HTTPTypes
internal import HTTPSignals
internal import MailingList

/// The handler of `GET /commands/subscribe`: the state of the command across all addresses.
struct CommandController: Sendable {
  let commands: SubscribeCommands
  let directory: ExecutionDirectory

  @Sendable
  func show(_ routed: RoutedExchange) {
    var json = JSONText()
    json.object { object in
      object.member("enabled", commands.isEnabled.value)
      object.member("executing", directory.executingCount)
      object.member("allowsConcurrentExecution", SubscribeCommand.allowsConcurrentExecution)
    }
    routed.exchange.respond(.json(.ok, json))
  }
}

internal import HTTPTypes
internal import HTTPSignals
internal import MailingList
internal import Signals

/// The handler of `GET /livez` and `GET /readyz`, for supervisors of the process.
struct HealthController: Sendable {
  let commands: SubscribeCommands
  let store: any SubscriberStore
  let storage: StorageHealth

  /// Responds as long as the process runs.
  @Sendable
  func live(_ routed: RoutedExchange) {
    routed.exchange.respond(.json(.ok, Self.status("alive")))
  }

  /// Responds that the service is ready: it is not draining, and the store accepts writes.
  @Sendable
  func ready(_ routed: RoutedExchange) {
    let exchange = routed.exchange
    guard commands.isEnabled.value else {
      exchange.respond(.commandDisabled)
      return
    }
    store.probe().subscribe(
      failed: { error in
        storage.failed(error)
        exchange.respond(error.problem)
      },
      completed: {
        storage.succeeded()
        exchange.respond(.json(.ok, Self.status("ready")))
      }
    )
  }

  private static func status(_ status: String) -> JSONText {
    var json = JSONText()
    json.object { $0.member("status", status) }
    return json
  }
}

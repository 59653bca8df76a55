internal import HTTPTypes
internal import HTTPSignals
internal import MailingList
internal import Signals

/// The handler of `GET /livez` and `GET /readyz`, for supervisors of the process.
struct HealthController: Sendable {
  let commands: SubscribeCommands
  let store: any SubscriberStore
  let storage: StorageHealth
  /// The mails that wait; `nil` in a service without mail.
  let backlog: RecentBacklog?
  let isRelayPaused: @Sendable () -> Bool

  /// Responds as long as the process runs.
  @Sendable
  func live(_ routed: RoutedExchange) {
    routed.exchange.respond(.json(.ok, Self.status("alive")))
  }

  /// Responds that the service is ready: it is not draining, and the store accepts writes.
  ///
  /// Mails that wait, for instance because the mail server is unavailable, do not change that.
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
        guard let backlog else {
          exchange.respond(.json(.ok, Self.status("ready")))
          return
        }
        respond(with: backlog, to: exchange)
      }
    )
  }

  private func respond(with backlog: RecentBacklog, to exchange: Exchange) {
    backlog.value.subscribe(
      next: { backlog in
        let relay =
          backlog.isServedElsewhere ? "elsewhere" : isRelayPaused() ? "paused" : "ready"
        var json = JSONText()
        json.object { object in
          object.member("status", "ready")
          object.object("outbox") { outbox in
            outbox.member("waiting", backlog.waiting)
            outbox.member("oldest", backlog.oldest?.description)
            outbox.member("relay", relay)
          }
        }
        exchange.respond(.json(.ok, json))
      },
      failed: { error in
        storage.readingFailed(error)
        exchange.respond(error.problem)
      }
    )
  }

  private static func status(_ status: String) -> JSONText {
    var json = JSONText()
    json.object { $0.member("status", status) }
    return json
  }
}

internal import HTTPTypes
internal import HTTPSignals
internal import MailingList
internal import Signals

/// The handler of `GET /livez` and `GET /readyz`, for supervisors of the process.
///
/// Any client may send these requests, before and after a sign-up. So a response contains neither a
/// number nor a time, which could reveal whether an address is on the list.
struct HealthController: Sendable {
  /// A part of the service that may not be ready, as it is named in the response.
  private enum Part: String {
    case storage, schema, draining
  }

  let commands: SubscribeCommands
  let store: any SubscriberStore
  let storage: StorageHealth

  /// Responds for as long as the process runs.
  @Sendable
  func live(_ routed: RoutedExchange) {
    routed.exchange.respond(.json(.ok, Self.status("alive")))
  }

  /// Responds that the service is ready: it is not draining, and the store accepts writes.
  ///
  /// Waiting mails, for instance because the mail server is unavailable, do not matter.
  @Sendable
  func ready(_ routed: RoutedExchange) {
    let exchange = routed.exchange
    guard commands.isEnabled.value else {
      exchange.respond(Self.problem(.commandDisabled, of: .draining))
      return
    }
    store.probe().subscribe(
      failed: { error in
        storage.failed(error)
        let part = error == .incompatible ? Part.schema : .storage
        exchange.respond(Self.problem(error.problem, of: part))
      },
      completed: {
        storage.succeeded()
        exchange.respond(.json(.ok, Self.status("ready")))
      }
    )
  }

  private static func problem(_ problem: ProblemDetails, of part: Part) -> ProblemDetails {
    var problem = problem
    problem.part = part.rawValue
    return problem
  }

  private static func status(_ status: String) -> JSONText {
    var json = JSONText()
    json.object { $0.member("status", status) }
    return json
  }
}

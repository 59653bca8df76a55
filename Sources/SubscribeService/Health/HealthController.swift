internal import HTTPTypes
internal import HTTPSignals
internal import Signals
internal import MailingList

/// The handler of `GET /livez` and `GET /readyz`, for supervisors of the process.
///
/// Any client may send these requests, before and after a sign-up. So a response contains no number,
/// and no time but that of the outage, which could reveal whether an address is on the list.
final class HealthController: Sendable {
  /// A part of the service that may not be ready, as it is named in the response.
  private enum Part: String {
    case storage, schema, draining
  }

  private let commands: SubscribeCommands
  private let store: any SubscriberStore
  private let storage: StorageHealth
  private let drainingSince = Lock<Timestamp?>(nil)

  init(
    commands: SubscribeCommands, store: any SubscriberStore, storage: StorageHealth,
    now: @escaping @Sendable () -> Timestamp
  ) {
    self.commands = commands
    self.store = store
    self.storage = storage
    commands.isEnabled.signal.subscribe(next: { [weak self] isEnabled in
      self?.drainingSince.withLock { $0 = isEnabled ? nil : now() }
    })
  }

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
    obstacle().subscribe(next: { problem in
      if let problem {
        routed.exchange.respond(problem)
      } else {
        routed.exchange.respond(.json(.ok, Self.status("ready")))
      }
    })
  }

  /// Sends the reason why the service is not ready, once; `nil` if it is.
  @Sendable
  func obstacle() -> Signal<ProblemDetails?, Never> {
    guard commands.isEnabled.value else {
      let since = drainingSince.withLock { $0 }
      return .just(Self.problem(.commandDisabled, of: .draining, since: since))
    }
    return store.probe()
      .do(completed: { [storage] in storage.succeeded() })
      .then { Signal<ProblemDetails?, StoreError>.just(nil) }
      .catch { [storage] error in
        storage.failed(error)
        let part = error == .incompatible ? Part.schema : .storage
        return Signal<ProblemDetails?, Never>.just(
          Self.problem(error.problem, of: part, since: storage.failingSince))
      }
  }

  private static func problem(
    _ problem: ProblemDetails, of part: Part, since: Timestamp?
  ) -> ProblemDetails {
    var problem = problem
    problem.part = part.rawValue
    problem.since = since.map { "\($0)" }
    return problem
  }

  private static func status(_ status: String) -> JSONText {
    var json = JSONText()
    json.object { $0.member("status", status) }
    return json
  }
}

package import MailingList
package import Security
package import Signals

/// The delivery of events to webhooks.
///
/// One process at a time sends the events of a webhook: the owner of its lease, which a worker
/// extends as long as it lives. A worker reads the event log after its cursor, and stores the
/// results together with the cursor, so a crash repeats requests, and loses no event.
package struct WebhookRelay: Sendable {
  /// The clock, the jitter and the interval of a relay.
  package struct Options: Sendable {
    /// The time between two looks at the webhooks and at the end of the log.
    package var interval = Duration.seconds(1)
    package var lease = Duration.seconds(30)
    package var now: @Sendable () -> Timestamp = { .now }
    /// Returns the jitter of delays, 0 to 1.
    package var jitter: @Sendable () -> Double = { .random(in: 0...1) }
    /// Identifies the process in leases.
    package var owner = String(UInt64.random(in: 0 ... .max), radix: 36)

    package init() {}
  }

  /// Returns the body of a request with an event, given the event and its epoch.
  package typealias Body = @Sendable (ListEvent, String) -> [UInt8]

  let store: any ListAccess
  let client: WebhookClient
  let secrets: WebhookSecrets
  let body: Body
  let options: Options
  let scheduler: any Scheduler

  /// Creates a relay that decides on `scheduler`, which must be serial, and must not be the
  /// scheduler of the store's thread.
  package init(
    store: any ListAccess, client: WebhookClient, secrets: WebhookSecrets,
    body: @escaping Body, options: Options = Options(), on scheduler: any Scheduler
  ) {
    self.store = store
    self.client = client
    self.secrets = secrets
    self.body = body
    self.options = options
    self.scheduler = scheduler
  }

  /// Sends events until `draining` sends the time limit for the remaining requests.
  ///
  /// The signal is cold. It completes when the results of all requests are stored, or when the time
  /// is over.
  package func run(until draining: Signal<Duration, Never>) -> Signal<WebhookRelayEvent, Never> {
    Signal { observer in
      let run = WebhookRelayRun(self, observer)
      run.start(until: draining)
      return run.subscriptions
    }
  }
}

/// An event of a webhook relay, for logs and counters; it contains neither an address nor a URL.
package enum WebhookRelayEvent: Hashable, Sendable {
  /// A request has ended.
  case attempted(webhook: String, WebhookAttempt.Result)
  /// An event was tried for three days, or has expired, and will not be sent.
  case gaveUp(webhook: String, position: Int64)
  /// Only the oldest events are tried now.
  case failing(webhook: String)
  /// Events are sent again.
  case recovered(webhook: String)
  case disabled(webhook: String, DisabledReason)
  /// The number of events that each webhook has not got yet.
  case lags([String: Int64])
  /// The store failed; sent once until it succeeds.
  case storeFailed(StoreError)

  package enum DisabledReason: String, Hashable, Sendable {
    /// The receiver has responded with 410.
    case gone
    /// No request has succeeded for three days.
    case failing
    /// Events that it has not got are no longer stored.
    case expired
  }
}

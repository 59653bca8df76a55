import Delivery
import Signals
import MailingList
import SignalsTesting
import TestSupport
import Testing

/// A relay on virtual time, with the outbox of a SQLite store and a scripted mailer.
final class RelayUnderTest: Sendable {
  /// The time at which virtual time begins, and the default time of a mail.
  static let start = Timestamp(millisecondsSince1970: 1_800_000_000_000)

  let scheduler = TestScheduler()
  let store = ControlledStore(optIn: .double)
  let mailer: ScriptedMailer
  private let connectionCount: Int
  private let draining = Subject<Duration, Never>()
  private let recorded = Lock<[OutboxRelayEvent]>([])
  private let isOver = Lock(false)
  private let subscription = SerialDisposable()

  init(connectionCount: Int = 2) {
    self.connectionCount = connectionCount
    mailer = ScriptedMailer(on: scheduler)
  }

  deinit {
    subscription.dispose()
  }

  var outbox: ControlledOutbox { store.mails }
  /// What the relay has reported.
  var events: [OutboxRelayEvent] { recorded.withLock { $0 } }
  /// Whether the relay has completed.
  var isComplete: Bool { isOver.withLock { $0 } }
  /// The number of mails in the outbox.
  var waiting: Int {
    get async throws { try await outbox.backlog().values().first?.waiting ?? -1 }
  }

  /// Signs up local parts at `example.org`, or whole addresses, each of which gets a mail.
  func add(_ locals: String..., at time: Timestamp = start) throws {
    for local in locals {
      let address = local.contains("@") ? local : "\(local)@example.org"
      let signUp = try SignUp.sample(address, at: time.millisecondsSince1970)
      store.add(signUp).subscribe(failed: { Issue.record($0) })
    }
  }

  /// Starts the relay, and lets it do what is due.
  func run() {
    var options = OutboxRelay.Options()
    options.connectionCount = connectionCount
    options.policy = RetryPolicy(firstDelay: .seconds(60))
    options.now = { [scheduler] in Self.start.adding(scheduler.now) }
    options.jitter = { 1 }
    let content = OutboxRelay.Content(
      message: { (mail, _) throws(HeaderFieldError) in
        try MailMessage(messageID: "test", fields: [], text: "", html: "")
      },
      credentials: { mail in
        MailCredentials(
          confirmHash: nil, unsubscribeHash: mail.id.bytes, codeHash: nil,
          messageID: "test@example.org",
          wording: MailWording(
            hash: [], kind: mail.kind, language: "en", subject: "", text: "", html: ""))
      }
    )
    let relay = OutboxRelay(
      outbox: outbox, mailer: mailer, content: content, options: options, on: scheduler)
    subscription.replace(
      with: relay.run(until: draining.signal).subscribe(
        next: { [weak self] event in self?.recorded.withLock { $0.append(event) } },
        completed: { [weak self] in self?.isOver.withLock { $0 = true } }))
    advance()
  }

  /// Lets time pass.
  func advance(_ seconds: Double = 0) {
    scheduler.advance(by: .milliseconds(Int(seconds * 1000)))
  }

  /// Tells the relay to drain.
  func drain(within time: Duration) {
    draining.send(time)
    advance()
  }

  /// Disposes the relay.
  func dispose() {
    subscription.dispose()
  }
}

extension DeliveryError {
  static let unavailable = DeliveryError.relayUnavailable(DeliveryFailure(step: .connect))
  static let busy = DeliveryError.deferred(DeliveryFailure(step: .rcpt, status: 451))
  static let noMailbox = DeliveryError.rejected(DeliveryFailure(step: .rcpt, status: 550))
  static let blocked = DeliveryError.notAccepted(DeliveryFailure(step: .rcpt, status: 554))
  /// What a relay says that does not relay for the service.
  static let unexplained = DeliveryError.unclear(DeliveryFailure(step: .rcpt, status: 550))
  static let denied = DeliveryError.deferred(DeliveryFailure(step: .rcpt, status: 454))
  static let lost = DeliveryError.unknown(DeliveryFailure(step: .text))
  /// A reply to the recipient after which it is unknown whether the relay works.
  static func reply(_ status: Int) -> DeliveryError {
    .unknown(DeliveryFailure(step: .rcpt, status: status))
  }
  static let noSMTPUTF8 = DeliveryError.undeliverableHere(DeliveryFailure(step: .ehlo))
}

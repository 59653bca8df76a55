import Delivery
import EmailAddresses
import HTTPSignals
import Signals
import MailingList
import SignalsTesting
import Services
import TestSupport
import Testing

@testable import SQLiteStorage

/// What the mailbox of a person gets whose address others sign up: from the request over the store
/// and the relay of its outbox to the mailer, on virtual time.
@Suite struct StrangersAddressTests {
  /// The texts of one mailbox: other case, a tag, and the domain in other forms, of which the third
  /// is not composed.
  private static let variants = [
    "ana@bücher.example.org", "ana+1@bücher.example.org", "Ana@BÜCHER.example.org",
    "ana@bu\u{308}cher.example.org", "ANA@xn--bcher-kva.example.org",
    "ana+news@xn--bcher-kva.example.org",
  ]

  @Test(arguments: [(.seconds(599), 1), (.seconds(86_399), 3)] as [(Duration, Int)])
  func `1,000 sign-ups from 1,000 networks lead to one mail in ten minutes, three in a day`(
    duration: Duration, expected: Int
  ) async throws {
    let folder = try Folder()
    let list = try ListOnVirtualTime(path: folder("list.sqlite"))
    for number in 0..<1000 {
      let response = list.signUp(Self.variants[number % Self.variants.count], from: number)
      #expect(response.status == 202)
      list.advance(by: duration / 1000)
    }

    let sent = list.mailer.mails
    #expect(sent.count == expected)
    #expect(sent.first?.time == list.start)
    for (mail, next) in zip(sent, sent.dropFirst()) {
      #expect(next.time >= mail.time.adding(.seconds(600)))
    }
    let mailbox = try EmailAddress.sample(Self.variants[0]).canonicalKey
    #expect(sent.allSatisfy { $0.mail.recipient.canonicalKey == mailbox })
    #expect(sent.allSatisfy { $0.mail.kind == .confirm })

    // Every sign-up is stored, and its mail was sent or withheld.
    let subscribers = try await list.service.store.base.subscribers(after: nil, limit: 10).values()
      .flatMap(\.self)
    #expect(subscribers.count == 3)
    #expect(subscribers.allSatisfy { $0.state == .pending })
    #expect(try list.count("consents") == 1000)
    #expect(try list.count("outbox") == 0)
    #expect(list.withheldCount == 1000 - expected)
    #expect(!list.events.contains { event in if case .storeFailed = event { true } else { false } })
    await list.close()
    withExtendedLifetime(folder) {}
  }

  @Test func `a relay that was away for a day sends one mail when it is back`()
    async throws
  {
    let folder = try Folder()
    let list = try ListOnVirtualTime(path: folder("list.sqlite"))
    list.mailer.failure = .relayUnavailable(DeliveryFailure(step: .connect))
    for number in 0..<100 {
      let address = Self.variants[number % Self.variants.count]
      #expect(list.signUp(address, from: number).status == 202)
      list.advance(by: .seconds(860))
    }
    #expect(list.mailer.mails.isEmpty)
    list.mailer.failure = nil
    list.advance(by: .seconds(120))
    #expect(list.mailer.mails.count == 1)
    #expect(list.withheldCount == 99)
    #expect(try list.count("outbox") == 0)
    await list.close()
    withExtendedLifetime(folder) {}
  }
}

/// The service, its SQLite store and the relay of its outbox, on virtual time.
private final class ListOnVirtualTime: Sendable {
  let start = Timestamp(millisecondsSince1970: 1_800_000_000_000)
  let service: SQLiteService
  let mailer: RecordingMailer
  private let scheduler: TestScheduler
  private let recorded = Lock<[OutboxRelayEvent]>([])
  private let relay = SerialDisposable()

  init(path: String) throws {
    let (start, scheduler) = (start, TestScheduler())
    let now: @Sendable () -> Timestamp = { start.adding(scheduler.now) }
    self.scheduler = scheduler
    mailer = RecordingMailer(now: now)
    service = try SQLiteService(path: path, now: now) { dependencies in
      dependencies.signUpRate = .limited(count: 1, per: .seconds(3600))
    }
    var options = OutboxRelay.Options()
    options.now = now
    options.jitter = { 1 }
    let outboxRelay = OutboxRelay(
      outbox: service.store.outbox, mailer: mailer,
      content: OutboxRelay.Content(try service.composer()), options: options, on: scheduler)
    relay.replace(
      with: outboxRelay.run(until: .never).subscribe(next: { event in
        self.recorded.withLock { $0.append(event) }
      })
    )
    advance(by: .zero)
  }

  /// What the relay has reported.
  var events: [OutboxRelayEvent] { recorded.withLock { $0 } }

  /// The number of mails that were withheld.
  var withheldCount: Int {
    events.reduce(0) { sum, event in
      if case .withheld(let count) = event { sum + count } else { sum }
    }
  }

  /// Signs an address up from a network of its own, and lets the relay do what is due.
  func signUp(_ address: String, from network: Int) -> TestResponse {
    let client: ClientAddress =
      network.isMultiple(of: 2)
      ? .v4(0x0B00_0007 + UInt32(network) << 8)
      : .v6(0x2A00_0000_0000_0000 + UInt64(network) << 16, 7)
    let response = service.service.send(
      .post(Array("{\"email\":\"\(address)\"}".utf8), as: "application/json", client: client))
    advance(by: .zero)
    return response
  }

  /// Lets time pass.
  func advance(by duration: Duration) {
    scheduler.advance(by: duration)
  }

  /// Returns the number of rows of a table.
  func count(_ table: String) throws -> Int {
    try service.store.base.withConnection { db in
      Int(try db.number("SELECT count(*) FROM \(table)") ?? 0)
    }
  }

  /// Ends the relay, and closes the store.
  func close() async {
    relay.dispose()
    await service.store.base.close().ended()
  }
}

/// A mailer that keeps the mails that it accepts.
private final class RecordingMailer: Mailer {
  private struct State {
    var mails: [(mail: ClaimedMail, time: Timestamp)] = []
    var failure: DeliveryError?
  }

  private let state = Lock(State())
  private let now: @Sendable () -> Timestamp

  init(now: @escaping @Sendable () -> Timestamp) {
    self.now = now
  }

  /// The mails, with the times at which they were accepted.
  var mails: [(mail: ClaimedMail, time: Timestamp)] { state.withLock { $0.mails } }

  /// The error that every mail fails with; `nil`, the initial value, accepts them.
  var failure: DeliveryError? {
    get { state.withLock { $0.failure } }
    set { state.withLock { $0.failure = newValue } }
  }

  func deliver(_ mail: ClaimedMail, _ message: MailMessage) -> Signal<Never, DeliveryError> {
    .deferred {
      let time = self.now()
      let failure: DeliveryError? = self.state.withLock { state in
        if state.failure == nil { state.mails.append((mail, time)) }
        return state.failure
      }
      return failure.map { .fail($0) } ?? .empty
    }
  }
}

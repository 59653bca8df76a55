import Delivery
import Logging
import MailingList
import Platform
import SQLiteStorage
import Security
import Signals
import TestSupport
import Testing

@testable import enlist

@Suite struct MailServiceTests {
  private let recorder = LogRecorder()
  private let store = ControlledStore(optIn: .double)

  private func start(_ mailer: any Mailer) throws -> MailService {
    let settings = try Settings.read([
      "smtp-url": "smtp://relay.example.com:587", "mail-from": "news@example.org",
      "public-url": "https://list.example.org",
    ])
    let delivery = try #require(try settings.mailDelivery(of: ListProfile(name: "News")))
    let service = MailService(
      delivery, mailer, store.mails, MailKeys(store.base.keyring), MetricRegistry(),
      "sqlite:list.sqlite", recorder.logger())
    service.start()
    return service
  }

  @Test func `a pause of the relay is an error with its cause, and its end a notice`() async throws
  {
    try await _ = store.add(try .sample()).values()
    let service = try start(RecoveringMailer())
    // The pause takes up to a second.
    try eventually { recorder.lines.count == 3 }
    #expect(recorder.lines.map(\.level).sorted() == [.debug, .notice, .error])
    let pause = try #require(recorder.lines.first)
    #expect(pause.level == .error)
    #expect(pause.message.hasSuffix("; test it with enlist send-test"))
    #expect(pause.metadata.contains("error=relay unavailable at TLS"))
    #expect(pause.metadata.contains("(curl 60)"))
    #expect(pause.metadata.hasSuffix(" relay=relay.example.com:587"))
    await service.close().ended()
  }

  @Test func `a store that fails is an error with the database`() async throws {
    store.mails.failure = .full
    let service = try start(RecoveringMailer())
    try eventually { !recorder.lines.isEmpty }
    await service.close().ended()
    #expect(
      recorder.lines == [
        LogRecorder.Line(
          level: .error, message: "no mail is sent until the store works",
          metadata: "database=sqlite:list.sqlite error=the disk is full; free space on it")
      ]
    )
  }
}

/// A mailer whose relay rejects the first connection.
private final class RecoveringMailer: Mailer {
  private let hasFailed = Lock(false)

  func deliver(_ mail: ClaimedMail, _ message: MailMessage) -> Signal<Never, DeliveryError> {
    .deferred {
      let isFirst = self.hasFailed.withLock { hasFailed in
        defer { hasFailed = true }
        return !hasFailed
      }
      let failure = DeliveryFailure(step: .tls, transferCode: 60)
      return isFirst ? .fail(.relayUnavailable(failure)) : .empty
    }
  }
}

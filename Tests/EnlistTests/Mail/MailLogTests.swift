import Delivery
import Logging
import MailingList
import SignalsTesting
import TestSupport
import Testing

@testable import enlist

@Suite final class MailLogTests {
  private let recorder = LogRecorder()
  private let scheduler = TestScheduler()

  deinit {
    // Ends the windows, whose work keeps the log, and with it the scheduler.
    scheduler.advance(by: .seconds(120))
  }

  private func makeLog() -> MailLog {
    MailLog(
      recorder.logger(), of: ["relay": "relay.example.com:587"], database: "sqlite:list.sqlite",
      on: scheduler)
  }

  private let rejection = DeliveryError.rejected(
    DeliveryFailure(step: .rcpt, status: 550, enhancedStatus: EnhancedStatus("5.1.1")))

  @Test func `the first mail is logged at once, further ones as one count per minute`() {
    let log = makeLog()
    for _ in 0..<5 { log.log(.failed(.confirm, rejection)) }
    scheduler.advance(by: .seconds(59))
    #expect(
      recorder.lines == [
        LogRecorder.Line(
          level: .info,
          message: "mails rejected for their mailbox: 1, further ones are reported once a minute",
          metadata: "error=rejected at RCPT: 550 5.1.1")
      ]
    )
    scheduler.advance(by: .seconds(1))
    #expect(
      recorder.lines.last?.message == "mails rejected for their mailbox: 4 in the last minute")
    scheduler.advance(by: .seconds(600))
    #expect(recorder.lines.count == 2)
    #expect(scheduler.pendingCount == 0)
    log.log(.failed(.confirm, rejection))
    #expect(recorder.lines.count == 3)
  }

  @Test func `numbers of mails that were not sent are added`() {
    let log = makeLog()
    log.log(.withheld(3))
    log.log(.withheld(2))
    log.log(.withheld(1))
    scheduler.advance(by: .seconds(60))
    let subject = "mails not sent because of too many to the same mailbox"
    #expect(
      recorder.lines.map(\.message) == [
        "\(subject): 3, further ones are reported once a minute",
        "\(subject): 3 in the last minute",
      ]
    )
  }

  @Test func `a pause of the relay is an error, and its end a notice`() {
    let log = makeLog()
    log.log(.paused(.relayUnavailable(DeliveryFailure(step: .connect))))
    log.log(.resumed)
    log.log(.storeFailed(.full))
    #expect(recorder.lines.map(\.level) == [.error, .notice, .error])
    #expect(recorder.lines.first?.message.hasSuffix("; test it with enlist send-test") == true)
    #expect(
      recorder.lines.map(\.metadata) == [
        "error=relay unavailable at connect relay=relay.example.com:587", "",
        "database=sqlite:list.sqlite error=the disk is full; free space on it",
      ]
    )
  }

  @Test func `without a reply of the relay the log has the cause`() {
    makeLog().log(.paused(.relayUnavailable(DeliveryFailure(step: .tls, transferCode: 60))))
    let metadata = recorder.lines.first?.metadata ?? ""
    #expect(metadata.contains("error=relay unavailable at TLS"))
    #expect(metadata.contains("(curl 60)"))
  }

  @Test(
    arguments: [
      (OutboxRelayEvent.sent(.confirm), Logger.Level.debug), (.dropped(1), .debug),
      (.withheld(1), .info), (.expired(.already), .warning), (.damaged(1), .error),
      (.failed(.confirm, .deferred(DeliveryFailure(step: .rcpt, status: 450))), .info),
      (.failed(.confirm, .notAccepted(DeliveryFailure(step: .rcpt, status: 554))), .error),
      (.failed(.confirm, .unknown(DeliveryFailure(step: .text))), .warning),
      (.failed(.confirm, .undeliverableHere(DeliveryFailure(step: .ehlo))), .warning),
    ]
  )
  func `each event has a level`(_ event: OutboxRelayEvent, _ level: Logger.Level) {
    makeLog().log(event)
    #expect(recorder.lines.map(\.level) == [level])
  }
}

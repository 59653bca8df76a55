import Delivery
import Logging
import MailingList
import Testing

@testable import enlist

@Suite struct MailEventTests {
  private struct Row {
    let event: OutboxRelayEvent
    let result: MailEvent.Result
    let level: Logger.Level
    let subject: String
    let count: Int
    let error: DeliveryError?
    let location: SourceLocation

    init(
      _ event: OutboxRelayEvent, _ result: MailEvent.Result, _ level: Logger.Level,
      _ subject: String, _ count: Int = 1, location: SourceLocation = #_sourceLocation
    ) {
      if case .failed(_, let error) = event { self.error = error } else { error = nil }
      (self.event, self.result, self.level) = (event, result, level)
      (self.subject, self.count, self.location) = (subject, count, location)
    }

    /// A failed delivery.
    init(
      _ error: DeliveryError, _ result: MailEvent.Result, _ level: Logger.Level, _ subject: String,
      location: SourceLocation = #_sourceLocation
    ) {
      self.init(.failed(.confirm, error), result, level, subject, location: location)
    }
  }

  private let failure = DeliveryFailure(step: .rcpt, status: 550)

  @Test func `each event of mails is counted, and has a subject and a level`() {
    let rows = [
      Row(.sent(.confirm), .sent, .debug, "mails sent"),
      Row(.rejected(failure), .rejected, .info, "mails rejected for their mailbox"),
      Row(
        .unclear(failure), .deferred, .error,
        "mails not accepted by the relay, they are tried again"),
      Row(
        .notAccepted(failure), .deferred, .error,
        "mails not accepted by the relay, they are tried again"),
      Row(
        .deferred(failure), .deferred, .info, "mails deferred by the relay, they are tried again"),
      Row(
        .unknown(failure), .deferred, .warning,
        "mails without a reply of the relay, they are tried again"),
      Row(
        .undeliverableHere(failure), .rejected, .warning,
        "mails to addresses that the relay does not take"),
      Row(.expired(.already), .expired, .warning, "mails not sent within three days"),
      Row(.dropped(2), .dropped, .debug, "mails not sent because they were not wanted any more", 2),
      Row(
        .withheld(3), .withheld, .info, "mails not sent because of too many to the same mailbox", 3),
      Row(
        .held(4), .held, .warning, "mails held because a budget is spent; enlist held shows them",
        4),
      Row(
        .heldTooLong(5), .expired, .warning, "mails deleted because they were held for a day", 5),
      Row(.damaged(6), .damaged, .error, "mails deleted because their rows are damaged", 6),
    ]
    for row in rows {
      let event = MailEvent(row.event)
      #expect(event?.result == row.result, sourceLocation: row.location)
      #expect(event?.level == row.level, sourceLocation: row.location)
      #expect(event?.subject == row.subject, sourceLocation: row.location)
      #expect(event?.count == row.count, sourceLocation: row.location)
      #expect(event?.error == row.error, sourceLocation: row.location)
    }
    #expect(Set(rows.map(\.result)) == Set(MailEvent.Result.allCases))
  }

  @Test func `other events concern no mail`() {
    let events: [OutboxRelayEvent] = [
      .paused(.relayUnavailable(failure)), .failed(.confirm, .relayUnavailable(failure)), .resumed,
      .load(1), .budgetSpent, .storeFailed(.full),
    ]
    for event in events { #expect(MailEvent(event) == nil, "\(event)") }
  }
}

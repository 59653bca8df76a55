internal import Delivery
internal import Platform

/// The counters of mails by outcome.
struct MailMetrics: Sendable {
  private enum Outcome: String, CaseIterable {
    case sent, rejected, deferred, withheld, held, dropped, expired, damaged
  }

  private let mails: CounterFamily<Outcome>

  /// Creates the counters; without a registry, nothing is counted.
  init(_ registry: MetricRegistry?) {
    mails = CounterFamily("enlist_mails_total", by: "result", registry)
  }

  func count(_ event: OutboxRelayEvent) {
    switch event {
    case .sent: mails.count(.sent)
    case .failed(_, let error): count(error)
    case .expired: mails.count(.expired)
    case .dropped(let number): mails.count(.dropped, times: Int64(number))
    case .withheld(let number): mails.count(.withheld, times: Int64(number))
    case .held(let number): mails.count(.held, times: Int64(number))
    case .heldTooLong(let number): mails.count(.expired, times: Int64(number))
    case .damaged(let number): mails.count(.damaged, times: Int64(number))
    case .paused, .resumed, .load, .budgetSpent, .storeFailed: break
    }
  }

  private func count(_ error: DeliveryError) {
    switch error {
    case .rejected, .undeliverableHere: mails.count(.rejected)
    // These mails are tried again.
    case .unclear, .notAccepted, .deferred, .unknown: mails.count(.deferred)
    // This event does not concern a mail.
    case .relayUnavailable: break
    }
  }
}

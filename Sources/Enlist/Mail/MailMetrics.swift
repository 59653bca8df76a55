internal import CoreMetrics
internal import Delivery

/// The counts of mails by what has become of them.
struct MailMetrics: Sendable {
  private let sent: Counter
  private let rejected: Counter
  private let deferred: Counter
  private let withheld: Counter
  private let dropped: Counter
  private let expired: Counter
  private let damaged: Counter

  /// Makes the counts.
  ///
  /// - Parameter factory: Makes the counters.
  init(_ factory: any MetricsFactory) {
    func counter(_ result: String) -> Counter {
      Counter(label: "enlist_mails_total", dimensions: [("result", result)], factory: factory)
    }
    sent = counter("sent")
    rejected = counter("rejected")
    deferred = counter("deferred")
    withheld = counter("withheld")
    dropped = counter("dropped")
    expired = counter("expired")
    damaged = counter("damaged")
  }

  /// Counts an event of the relay.
  func count(_ event: OutboxRelayEvent) {
    switch event {
    case .sent: sent.increment()
    case .failed(_, let error): count(error)
    case .expired: expired.increment()
    case .dropped(let number): dropped.increment(by: number)
    case .withheld(let number): withheld.increment(by: number)
    case .damaged(let number): damaged.increment(by: number)
    case .paused, .resumed, .storeFailed: break
    }
  }

  private func count(_ error: DeliveryError) {
    switch error {
    case .rejected, .undeliverableHere: rejected.increment()
    // These mails are tried again.
    case .notAccepted, .deferred, .unknown: deferred.increment()
    // Says nothing about a mail.
    case .relayUnavailable: break
    }
  }
}

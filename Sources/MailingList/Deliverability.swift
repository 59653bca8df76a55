package import Signals

/// Whether a domain accepts mail, according to the DNS (RFC 5321 §5.1).
///
/// The finding does not concern a mailbox. Only ``undeliverable(_:)`` is a reason to reject an
/// address; a failed lookup never is.
package enum Deliverability: Hashable, Sendable {
  /// The reason why a domain does not accept mail.
  package enum Reason: String, Hashable, Sendable, CaseIterable {
    /// The domain publishes a null MX record (RFC 7505).
    case nullMX
    /// The domain does not exist.
    case noDomain
    /// The domain has no MX record and no globally reachable address (RFC 5321 §5.1).
    case noAddress
    /// The domain has no MX record, and its SPF record declares that it sends no mail, `v=spf1
    /// -all` (RFC 7208).
    case noMail
  }

  /// The reason why a lookup is inconclusive; never a reason to reject an address.
  package enum Doubt: String, Hashable, Sendable, CaseIterable {
    /// No answer arrived within the time limit.
    case timeout
    /// The servers failed.
    case serverFailure
    /// Too many lookups are in progress.
    case busy
  }

  /// A server accepts mail for the domain, or may: the DNS has an MX record or an address for it.
  case deliverable
  /// The domain does not accept mail.
  case undeliverable(Reason)
  /// The lookup was inconclusive.
  case unknown(Doubt)
}

/// The result of a lookup, and the time for which it stays valid.
package struct DeliverabilityFinding: Hashable, Sendable {
  package let deliverability: Deliverability
  /// The time for which the records may be cached (RFC 1035 §3.2.1); `nil` if there were no
  /// records.
  package let timeToLive: Duration?

  package init(_ deliverability: Deliverability, timeToLive: Duration? = nil) {
    self.deliverability = deliverability
    self.timeToLive = timeToLive
  }
}

/// A cached check of whether domains accept mail.
///
/// Concurrent checks of one domain share a lookup, the number of concurrent lookups is limited, and
/// a valid finding is reused. The check is a second, asynchronous signal next to validity: it never
/// blocks typing, and only a definitive negative answer rejects a sign-up. Every failure yields
/// `unknown`, and the sign-up proceeds.
package final class DeliverabilityCheck: Sendable {
  package struct Limits: Sendable {
    /// The time limit for an answer.
    package var budget: Duration = .milliseconds(1500)
    /// The maximum number of concurrent lookups, 1 or more.
    package var maximumLookups = 16
    /// The maximum number of cached findings, 1 or more.
    package var maximumCached = 10_000

    package init() {}
  }

  /// Looks up a domain; callable from any thread, and does not block.
  ///
  /// The signal is cold: it looks up the domain for each subscription, sends one finding, from any
  /// thread, and completes. A failed lookup is a finding, not a failure of the signal.
  package typealias LookUp = @Sendable (_ domain: String) -> Signal<DeliverabilityFinding, Never>

  private struct State {
    /// Each finding with the time until which it is valid.
    var cache: [String: (deliverability: Deliverability, until: Duration)] = [:]
    var lookups: [String: Signal<Deliverability, Never>] = [:]
  }

  private let lookUp: LookUp
  private let limits: Limits
  private let scheduler: any Scheduler
  private let state = Lock(State())

  package init(
    _ lookUp: @escaping LookUp, limits: Limits = Limits(),
    on scheduler: any Scheduler = QueueScheduler.background
  ) {
    self.lookUp = lookUp
    self.limits = limits
    self.scheduler = scheduler
  }

  /// Checks a domain: the signal sends one result within the budget and completes.
  ///
  /// A domain that is not cached is looked up when the signal is created; disposing of a
  /// subscription does not cancel the lookup.
  package func deliverability(of domain: String) -> Signal<Deliverability, Never> {
    let now = scheduler.now
    let (result, started): (Signal<Deliverability, Never>, ReplaySubject<Deliverability, Never>?) =
      state.withLock { state in
        if let cached = state.cache[domain], cached.until > now {
          return (.just(cached.deliverability), nil)
        }
        if let running = state.lookups[domain] { return (running, nil) }
        guard state.lookups.count < limits.maximumLookups else {
          return (.just(.unknown(.busy)), nil)
        }
        let subject = ReplaySubject<Deliverability, Never>()
        state.lookups[domain] = subject.signal
        return (subject.signal, subject)
      }
    // Outside the lock, because a lookup runs code of another component.
    if let started { begin(domain, started) }
    return result
  }

  private func begin(_ domain: String, _ subject: ReplaySubject<Deliverability, Never>) {
    let timeUp = Signal<Duration, Never>.timer(after: limits.budget, on: scheduler).map { _ in
      DeliverabilityFinding(.unknown(.timeout))
    }
    lookUp(domain).merge(with: timeUp).take(1).subscribe(next: { [weak self] finding in
      // Observers get the result even if the check, and with it the cache, has been released.
      self?.cache(finding, of: domain)
      subject.send(finding.deliverability)
      subject.complete()
    })
  }

  private func cache(_ finding: DeliverabilityFinding, of domain: String) {
    let now = scheduler.now
    let time = cacheTime(finding)
    state.withLock { state in
      state.lookups[domain] = nil
      guard let time else { return }
      // Any other one makes room: all are forgotten within an hour anyway.
      if state.cache.count >= limits.maximumCached, state.cache[domain] == nil,
        let other = state.cache.keys.first
      {
        state.cache[other] = nil
      }
      state.cache[domain] = (finding.deliverability, now + time)
    }
  }

  /// The time for which to cache a finding: one minute to one hour for a deliverable domain, five
  /// minutes for an undeliverable one; `nil` for an inconclusive result.
  private func cacheTime(_ finding: DeliverabilityFinding) -> Duration? {
    switch finding.deliverability {
    case .unknown: nil
    case .undeliverable: .seconds(300)
    case .deliverable: min(max(finding.timeToLive ?? .seconds(60), .seconds(60)), .seconds(3600))
    }
  }
}

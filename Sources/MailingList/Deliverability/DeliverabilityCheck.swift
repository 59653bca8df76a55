package import Signals

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
    /// The maximum number of cached findings, 1 or more; the least recently used is evicted first.
    package var maximumCached = 10_000

    package init() {}
  }

  private struct CachedFinding {
    let deliverability: Deliverability
    let until: Duration
  }

  private struct State {
    var cache: RecentlyUsedCache<CachedFinding>
    var lookups: [String: Signal<Deliverability, Never>] = [:]
  }

  private let lookup: any DeliverabilityLookup
  private let limits: Limits
  private let scheduler: any Scheduler
  private let state: Lock<State>

  package init(
    _ lookup: any DeliverabilityLookup, limits: Limits = Limits(),
    on scheduler: any Scheduler = QueueScheduler.background
  ) {
    self.lookup = lookup
    self.limits = limits
    self.scheduler = scheduler
    state = Lock(State(cache: RecentlyUsedCache(capacity: limits.maximumCached)))
  }

  /// Checks a domain: the signal sends one result within the budget and completes.
  ///
  /// A domain that is not cached is looked up when the signal is created; disposing of a
  /// subscription does not cancel the lookup.
  package func deliverability(of domain: String) -> Signal<Deliverability, Never> {
    let now = scheduler.now
    let (result, started): (Signal<Deliverability, Never>, ReplaySubject<Deliverability, Never>?) =
      state.withLock { state in
        if let cached = state.cache.value(of: domain), cached.until > now {
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
    lookup.lookUp(domain).merge(with: timeUp).take(1).subscribe(next: { [weak self] finding in
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
      state.cache.insert(
        CachedFinding(deliverability: finding.deliverability, until: now + time), of: domain)
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

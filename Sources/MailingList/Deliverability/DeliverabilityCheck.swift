internal import Locks
package import Signals

/// Asks whether domains take mail: each once at a time, not too many at once, and not again while
/// the answer holds.
///
/// A second, asynchronous signal beside validity. It never gates typing, and only a definite no may
/// reject: whatever goes wrong is `unknown`, and a sign-up goes on.
package final class DeliverabilityCheck: Sendable {
  /// What a check may cost.
  package struct Limits: Sendable {
    /// How long an answer is waited for.
    package var budget: Duration = .milliseconds(1500)
    /// How many domains are looked up at one time, 1 or more.
    package var maximumLookups = 16
    /// How many answers are kept, 1 or more; the one that was longest not asked for goes first.
    package var maximumCached = 10_000

    /// The usual limits.
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

  /// Makes a check without answers.
  ///
  /// - Parameters:
  ///   - lookup: What knows the DNS.
  ///   - limits: What a check may cost.
  ///   - scheduler: The clock of the budget and of what is kept.
  package init(
    _ lookup: any DeliverabilityLookup,
    limits: Limits = Limits(),
    on scheduler: any Scheduler = QueueScheduler.background
  ) {
    self.lookup = lookup
    self.limits = limits
    self.scheduler = scheduler
    state = Lock(State(cache: RecentlyUsedCache(capacity: limits.maximumCached)))
  }

  /// Asks about a domain.
  ///
  /// - Parameter domain: In ASCII, as an address has it.
  /// - Returns: Sends one answer within the budget, and completes. What is not known yet is looked
  ///   up when the signal is made; disposing a subscription does not cancel that.
  package func deliverability(of domain: String) -> Signal<Deliverability, Never> {
    let now = scheduler.now
    let (known, begins): (Signal<Deliverability, Never>, ReplaySubject<Deliverability, Never>?) =
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
    // Outside the lock: a lookup runs somebody else's code.
    if let begins { begin(domain, begins) }
    return known
  }

  private func begin(_ domain: String, _ subject: ReplaySubject<Deliverability, Never>) {
    let timeUp = Signal<Duration, Never>.timer(after: limits.budget, on: scheduler).map { _ in
      DeliverabilityFinding(.unknown(.timeout))
    }
    lookup.lookUp(domain).merge(with: timeUp).take(1).subscribe(next: { [weak self] finding in
      // Whoever asked is told, also when nobody is left who could keep it.
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
        CachedFinding(deliverability: finding.deliverability, until: now + time),
        of: domain
      )
    }
  }

  /// From a minute to an hour for what is there, five minutes for what is not; doubt is not kept.
  private func cacheTime(_ finding: DeliverabilityFinding) -> Duration? {
    switch finding.deliverability {
    case .unknown: nil
    case .undeliverable: .seconds(300)
    case .deliverable: min(max(finding.timeToLive ?? .seconds(60), .seconds(60)), .seconds(3600))
    }
  }
}

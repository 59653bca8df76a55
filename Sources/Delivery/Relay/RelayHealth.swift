internal import MailingList
internal import Signals

/// The availability of a relay, derived from the results of deliveries.
struct RelayHealth {
  enum State: Hashable {
    /// Mails are delivered over all connections.
    case available
    /// No mail is delivered.
    case paused
    /// One mail is delivered at a time, to check whether the relay is available again.
    case probing
  }

  /// The start of a pause.
  struct Pause: Hashable {
    let duration: Duration
    /// Whether the relay was available before.
    let isFirst: Bool
  }

  /// The number of failed domains in a row at which the relay, not the recipients, is the cause.
  private static let maximumFailedDomains = 3

  /// The number of domains to which mail was accepted that shows that the relay relays.
  private static let acceptedDomains = 3
  /// The time for which an accepted mail shows that.
  private static let acceptedTime = Duration.seconds(3600)

  private(set) var state = State.available

  private var pauses = GrowingPause.relay
  /// The domains whose mails have failed since the last ``replied()``, at most
  /// ``maximumFailedDomains``.
  private var failedDomains: Set<String> = []

  /// The domains to which mail was accepted most recently, the latest at the end: at most one more
  /// than suffices.
  private var accepted: [(domain: String, time: Timestamp)] = []

  /// Records an accepted mail.
  mutating func accepted(mailTo domain: String, at now: Timestamp) {
    accepted.removeAll { $0.domain == domain }
    accepted.append((domain, now))
    if accepted.count > Self.acceptedDomains + 1 { accepted.removeFirst() }
  }

  /// Returns whether the relay recently accepted mail to a domain, or to enough others, so that a
  /// rejection without a reason concerns the mailbox.
  func relays(to domain: String, at now: Timestamp) -> Bool {
    let recent = accepted.filter { $0.time.adding(Self.acceptedTime) > now }
    return recent.count >= Self.acceptedDomains || recent.contains { $0.domain == domain }
  }

  /// Handles an accepted mail, or a rejection for a reason specific to the mail, and returns
  /// whether the relay was unavailable before.
  mutating func replied() -> Bool {
    let wasAvailable = state == .available
    state = .available
    pauses = .relay
    failedDomains = []
    return !wasAvailable
  }

  /// Handles a failure at the recipient or text of a mail that the relay may have caused.
  ///
  /// Anyone can sign up addresses that cause such failures, so a single domain never causes a
  /// pause, and the pause that several cause is always the shortest one.
  ///
  /// - Parameter jitter: 0 to 1.
  /// - Returns: Whether the relay is available again, and the pause that begins, if any.
  mutating func failed(for domain: String, jitter: Double) -> (isBack: Bool, pause: Pause?) {
    // A delivery from before the pause does not show that the relay is available again.
    guard state != .paused else { return (false, nil) }
    var domains = failedDomains
    if domains.count < Self.maximumFailedDomains { domains.insert(domain) }
    let isBack = domains.count < Self.maximumFailedDomains && replied()
    failedDomains = domains
    guard domains.count == Self.maximumFailedDomains else { return (isBack, nil) }
    pauses.reset()
    return (false, failed(jitter: jitter))
  }

  /// Handles a relay that did not reply, or to which no mail can be delivered.
  ///
  /// - Parameter jitter: 0 to 1.
  /// - Returns: The pause that begins; `nil` during a pause, because connections fail together.
  mutating func failed(jitter: Double) -> Pause? {
    guard state != .paused else { return nil }
    defer { state = .paused }
    return Pause(duration: pauses.next(jitter: (1 + jitter) / 2), isFirst: state == .available)
  }

  /// Handles the end of a pause.
  mutating func pauseEnded() {
    if state == .paused { state = .probing }
  }
}

extension GrowingPause {
  /// The pauses while a relay or a store is unavailable; jitter takes at most half of them away.
  static let relay = GrowingPause(from: .seconds(1), limit: .seconds(60))
}

/// Whether a relay is available, by the results of deliveries.
struct RelayHealth {
  /// The state of a relay.
  enum State: Hashable {
    /// Mails are delivered over all connections.
    case available
    /// Nothing is delivered.
    case paused
    /// One mail is delivered at a time, to find out whether the relay is available again.
    case probing
  }

  /// A pause that begins.
  struct Pause: Hashable {
    /// How long it lasts.
    let duration: Duration
    /// Whether the relay was available until now.
    let isFirst: Bool
  }

  /// How many domains in a row may fail before the reason is the relay rather than the recipients.
  private static let maximumFailedDomains = 3

  /// The state of the relay.
  private(set) var state = State.available

  private var pauses = RelayPause()
  /// The domains of the recipients that have failed since the last mail that did not, at most
  /// ``maximumFailedDomains``.
  private var failedDomains: Set<String> = []

  /// The relay has accepted a mail, or rejected it for a reason of the mail's own.
  ///
  /// - Returns: Whether the relay was unavailable until now.
  mutating func replied() -> Bool {
    let wasAvailable = state == .available
    self = RelayHealth()
    return !wasAvailable
  }

  /// A mail has failed at its recipient or text, for a reason that may be the relay's.
  ///
  /// Anyone can sign up addresses with which that happens, so a single domain never begins a pause,
  /// and the pause that several begin is always the shortest one.
  ///
  /// - Parameter jitter: 0 to 1.
  /// - Returns: Whether the relay was unavailable until now, and the pause that begins, if any.
  mutating func failed(for domain: String, jitter: Double) -> (isBack: Bool, pause: Pause?) {
    // What was under way when the pause began does not show that it may end.
    guard state != .paused else { return (false, nil) }
    var domains = failedDomains
    if domains.count < Self.maximumFailedDomains { domains.insert(domain) }
    let isBack = domains.count < Self.maximumFailedDomains && replied()
    failedDomains = domains
    guard domains.count == Self.maximumFailedDomains else { return (isBack, nil) }
    pauses.reset()
    return (false, failed(jitter: jitter))
  }

  /// The relay did not reply, or no mail can be delivered.
  ///
  /// - Parameter jitter: 0 to 1.
  /// - Returns: The pause that begins; `nil` during a pause, since connections fail together.
  mutating func failed(jitter: Double) -> Pause? {
    guard state != .paused else { return nil }
    defer { state = .paused }
    return Pause(duration: pauses.next(jitter: jitter), isFirst: state == .available)
  }

  /// The pause is over.
  mutating func pauseEnded() {
    if state == .paused { state = .probing }
  }
}

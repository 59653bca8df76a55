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

  /// How many mails in a row a relay may reject for reasons of its own before it pauses.
  private static let maximumNotAccepted = 3

  /// The state of the relay.
  private(set) var state = State.available

  private var pauses = RelayPause()
  private var notAcceptedCount = 0

  /// The relay has accepted a mail, or rejected it for a reason of the mail's own.
  ///
  /// - Returns: Whether the relay was unavailable until now.
  mutating func replied() -> Bool {
    let wasAvailable = state == .available
    self = RelayHealth()
    return !wasAvailable
  }

  /// The relay has not accepted a mail, for a reason that may be its configuration.
  ///
  /// - Parameter jitter: 0 to 1.
  /// - Returns: Whether the relay was unavailable until now, and the pause that begins, if any.
  mutating func didNotAccept(jitter: Double) -> (isBack: Bool, pause: Pause?) {
    let count = notAcceptedCount + 1
    guard count < Self.maximumNotAccepted else {
      notAcceptedCount = count
      return (false, failed(jitter: jitter, isReachable: true))
    }
    let isBack = replied()
    notAcceptedCount = count
    return (isBack, nil)
  }

  /// The relay did not reply, or no mail can be delivered.
  ///
  /// - Parameters:
  ///   - jitter: 0 to 1.
  ///   - isReachable: Whether the relay replied to the recipient or the text. Anyone can sign up
  ///     addresses that cause such replies, so the pause is always the shortest one.
  /// - Returns: The pause that begins; `nil` during a pause, since connections fail together.
  mutating func failed(jitter: Double, isReachable: Bool = false) -> Pause? {
    guard state != .paused else { return nil }
    if isReachable { pauses.reset() }
    defer { state = .paused }
    return Pause(duration: pauses.next(jitter: jitter), isFirst: state == .available)
  }

  /// The pause is over.
  mutating func pauseEnded() {
    if state == .paused { state = .probing }
  }
}

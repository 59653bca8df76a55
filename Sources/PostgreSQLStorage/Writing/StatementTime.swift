/// The time limits of a statement of the writer.
///
/// They limit the wait of every sign-up to less than a second above the store's timeout, regardless
/// of the length of the queue.
struct StatementTime {
  /// The time after its deadline in which a sign-up may still be stored.
  private static let grace: Duration = .milliseconds(400)
  /// The granularity of the server's timeout: with few different values, the session's setting
  /// rarely changes.
  private static let step: Duration = .milliseconds(200)

  /// The end of the wait for the result.
  let end: ContinuousClock.Instant
  /// The server's timeout of the statement in milliseconds.
  let milliseconds: Int

  /// Computes the limits of a statement that is about to be sent.
  ///
  /// - Parameters:
  ///   - timeout: The timeout of a statement for which no sign-up is waiting.
  ///   - deadline: The deadline of the oldest sign-up in the statement or behind it; `nil` if there
  ///     is none.
  init(
    _ timeout: Duration, at now: ContinuousClock.Instant, before deadline: ContinuousClock.Instant?
  ) {
    let usual = OpenConnections.Request.statementTimeout(timeout)
    guard let deadline, deadline + Self.grace < now + .milliseconds(usual) else {
      end = now + timeout
      milliseconds = usual
      return
    }
    let steps = max(Int((deadline + Self.grace - now) / Self.step), 2)
    milliseconds = min(usual, steps * 200)
    end = min(now + timeout, max(deadline, now) + Self.grace * 2)
  }
}

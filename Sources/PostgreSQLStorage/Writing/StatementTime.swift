/// How long a statement of the writer may take, so that no sign-up waits for a second longer than the
/// timeout of the store, however many wait.
struct StatementTime {
  /// How long after its deadline a sign-up may still be stored.
  private static let grace: Duration = .milliseconds(400)
  /// The shortest time of a statement, and the difference between two times: few differ, because the
  /// session has to be told.
  private static let step: Duration = .milliseconds(200)

  /// When the result is not waited for any longer.
  let end: ContinuousClock.Instant
  /// After how many milliseconds the server gives up the statement.
  let milliseconds: Int

  /// Computes the time of a statement that is about to be sent.
  ///
  /// - Parameters:
  ///   - timeout: How long the server may take for a statement that nothing waits for.
  ///   - deadline: The deadline of the sign-up that has waited for the longest time, if any: one of
  ///     the statement itself, or one that waits for the next statement.
  init(
    _ timeout: Duration,
    at now: ContinuousClock.Instant,
    before deadline: ContinuousClock.Instant?
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

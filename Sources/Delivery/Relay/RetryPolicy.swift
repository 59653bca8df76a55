package import MailingList
internal import Signals

/// The times of further attempts for a mail: exponential backoff with full jitter.
package struct RetryPolicy: Hashable, Sendable {
  /// The longest delay, before jitter.
  package static let maximumDelay = Duration.seconds(4 * 3600)
  /// The time during which a mail is tried, from the sign-up.
  package static let lifetime = Duration.seconds(3 * 86_400)

  /// The longest delay before the second attempt, before jitter.
  package let firstDelay: Duration

  /// Creates a policy; a negative delay counts as zero.
  package init(firstDelay: Duration = .seconds(60)) {
    self.firstDelay = max(firstDelay, .zero)
  }

  /// Returns the time of the next attempt; `nil` if it is too late for another one.
  ///
  /// - Parameters:
  ///   - mail: The mail; its attempts before the one that has just failed determine the delay.
  ///   - jitter: 0 to 1, the fraction of the longest delay.
  package func nextAttempt(of mail: ClaimedMail, at now: Timestamp, jitter: Double) -> Timestamp? {
    let next = now.adding(delay(after: mail.attempts, jitter: jitter))
    return next < expiry(of: mail) ? next : nil
  }

  /// Returns whether it is too late for any attempt, for example after an outage of several days.
  package func isExpired(_ mail: ClaimedMail, at now: Timestamp) -> Bool {
    now >= expiry(of: mail)
  }

  private func expiry(of mail: ClaimedMail) -> Timestamp {
    mail.createdAt.adding(Self.lifetime)
  }

  /// Returns the delay after a failure, given the number of attempts before the failed one.
  func delay(after attempts: Int, jitter: Double) -> Duration {
    firstDelay.doubled(attempts, limit: Self.maximumDelay) * min(max(jitter, 0), 1)
  }
}

import MailingList

/// Times of tests, in days after an arbitrary one.
func day(_ number: Double) -> Timestamp {
  Timestamp(millisecondsSince1970: 1_800_000_000_000 + Int64(number * 86_400_000))
}

extension Membership {
  static let pending = Membership(state: .pending)
  static let subscribed = Membership(state: .subscribed, confirmedAt: day(-40))
  /// Confirmed once, and left on day 0.
  static let former = Membership(
    state: .unsubscribed, confirmedAt: day(-40), unsubscribedAt: day(0))
  /// Never confirmed, and replied *stop* on day 0.
  static let stopped = Membership(state: .unsubscribed, unsubscribedAt: day(0))
  /// Suppressed on day 0.
  static func suppressed(_ reason: Suppression) -> Membership {
    Membership(
      state: .suppressed, suppression: reason, confirmedAt: day(-40), suppressedAt: day(0),
      rejections: reason == .hardBounce ? 2 : 0)
  }

  /// One membership of each kind that the transitions distinguish.
  static let samples: [Membership] =
    [.none, .pending, .subscribed, .former, .stopped] + Suppression.allCases.map(suppressed)

  /// The membership of someone who confirmed, or signed up with single opt-in, at a time.
  static func subscribed(at time: Timestamp) -> Membership {
    Membership(state: .subscribed, confirmedAt: time)
  }
}

import EmailAddresses
import MailingList
import Signals
import TestSupport

@testable import SQLiteStorage

/// The states of an address in a SQLite store that a sign-up distinguishes.
enum StoredState: String, Sendable, CaseIterable {
  case unknown, pending, subscribed, left
  case stoppedRecently, stoppedLongAgo
  case bouncedRecently, bouncedLongAgo, complained, suppressedByOperator, objected
  // Suppressed although they are not on the list.
  case unlistedBouncedRecently, unlistedBouncedLongAgo, unlistedComplained
  case unlistedSuppressedByOperator, unlistedObjected

  /// What the store knows before a sign-up.
  enum Content {
    case nothing
    case subscriber(Membership)
    case suppression(Suppression, at: Timestamp)
  }

  /// Returns what the store knows before a sign-up.
  func content(before time: Timestamp) -> Content {
    func daysAgo(_ days: Int) -> Timestamp { time.adding(.zero - .seconds(days * 86_400)) }
    func suppressed(_ reason: Suppression, _ days: Int) -> Content {
      let at = daysAgo(days)
      return .subscriber(Membership(state: .suppressed, suppression: reason, suppressedAt: at))
    }
    return switch self {
    case .unknown: .nothing
    case .pending: .subscriber(Membership(state: .pending))
    case .subscribed: .subscriber(Membership(state: .subscribed, confirmedAt: daysAgo(80)))
    case .left:
      .subscriber(
        Membership(state: .unsubscribed, confirmedAt: daysAgo(80), unsubscribedAt: daysAgo(2)))
    case .stoppedRecently:
      .subscriber(Membership(state: .unsubscribed, unsubscribedAt: daysAgo(2)))
    case .stoppedLongAgo:
      .subscriber(Membership(state: .unsubscribed, unsubscribedAt: daysAgo(60)))
    case .bouncedRecently: suppressed(.hardBounce, 2)
    case .bouncedLongAgo: suppressed(.hardBounce, 60)
    case .complained: suppressed(.complaint, 60)
    case .suppressedByOperator: suppressed(.operator, 60)
    case .objected: suppressed(.objected, 60)
    case .unlistedBouncedRecently: .suppression(.hardBounce, at: daysAgo(2))
    case .unlistedBouncedLongAgo: .suppression(.hardBounce, at: daysAgo(60))
    case .unlistedComplained: .suppression(.complaint, at: daysAgo(60))
    case .unlistedSuppressedByOperator: .suppression(.operator, at: daysAgo(60))
    case .unlistedObjected: .suppression(.objected, at: daysAgo(60))
    }
  }

  /// Whether the address has a row in `subscribers` before a sign-up.
  var isListed: Bool {
    switch content(before: .now) {
    case .subscriber: true
    case .nothing, .suppression: false
    }
  }

  /// The mail that a sign-up causes.
  var mail: MailKind? {
    switch self {
    case .unknown, .pending, .left, .stoppedLongAgo, .bouncedLongAgo, .unlistedBouncedLongAgo:
      .confirm
    case .subscribed:
      .already
    case .stoppedRecently, .bouncedRecently, .complained, .suppressedByOperator, .objected,
      .unlistedBouncedRecently, .unlistedComplained, .unlistedSuppressedByOperator,
      .unlistedObjected:
      nil
    }
  }

  /// Brings an address into this state, which must be unknown before.
  ///
  /// - Parameters:
  ///   - address: The address.
  ///   - store: The store; afterwards no mail waits in it.
  ///   - time: The current time.
  func prepare(_ address: String, in store: SQLiteSubscriberStore, at time: Timestamp) async throws
  {
    let email = try EmailAddress.sample(address)
    switch content(before: time) {
    case .nothing: break
    case .suppression(let reason, let at):
      try await _ = store.suppress(email, reason, by: .command, at: at).values()
    case .subscriber(let membership):
      let milliseconds = time.millisecondsSince1970 - 90 * 86_400_000
      try await _ = store.add(try .sample(address, at: milliseconds)).values()
      try store.withConnection { db in
        try db.execute("DELETE FROM outbox")
        let update = try db.statements[
          """
          UPDATE subscribers SET state = ?1, suppression = ?2, confirmed_at = ?3,
            unsubscribed_at = ?4, suppressed_at = ?5, rejections = ?6 WHERE address_key = ?7
          """
        ]
        update.bind(membership, at: 1)
        update.bind(email.key, at: 7)
        try update.run()
      }
    }
  }
}

internal import MailingList
internal import Platform
internal import Signals

/// The uses of keys to store, at most one for each key within a minute.
///
/// Several networks and pages may use a key in turn. Of the uses within a minute, the first is
/// stored immediately, and the newest at the end of the minute.
// Only existing keys have an entry, so the operator bounds their number.
final class KeyUses: Sendable {
  /// The next step for a use.
  enum Step: Hashable {
    /// Store the use now.
    case store(KeyUse)
    /// Call ``KeyUses/take(_:at:)`` after this time.
    case wait(Duration)
    /// Do nothing: the use is already stored, or it waits instead of an earlier one.
    case nothing
  }

  private struct Recent {
    /// The time at which a use was last stored.
    let time: Timestamp
    /// The newest use since then that is not stored.
    var waiting: KeyUse?
  }

  private static let milliseconds: Int64 = 60_000

  private let recent = Lock<[String: Recent]>([:])

  func add(_ use: KeyUse, of key: StoredKey, at now: Timestamp) -> Step {
    recent.withLock { recent in
      let last = recent[use.id]
      if let earlier = last?.waiting {
        recent[use.id]?.waiting = KeyUse(
          of: use.id,
          at: use.minute,
          from: use.network,
          // Remember a page even if a program uses the key after it.
          origin: use.origin ?? earlier.origin
        )
        return .nothing
      }
      guard !use.isKnown(to: key) else { return .nothing }
      let age = last.map { now.millisecondsSince1970 - $0.time.millisecondsSince1970 }
      // The age is negative if the clock was set back.
      if let age, (0..<Self.milliseconds).contains(age) {
        recent[use.id]?.waiting = use
        return .wait(.milliseconds(Self.milliseconds - age))
      }
      recent[use.id] = Recent(time: now)
      return .store(use)
    }
  }

  /// Takes the waiting use, which must be stored now; `nil` if none waits.
  func take(_ id: String, at now: Timestamp) -> KeyUse? {
    recent.withLock { recent in
      guard let use = recent[id]?.waiting else { return nil }
      recent[id] = Recent(time: now)
      return use
    }
  }
}

/// The counters of requests that were rejected because of their key.
struct KeyMetrics: Sendable {
  enum Cause: String, CaseIterable {
    /// The request has no key.
    case missing
    /// The checksum is wrong.
    case incomplete
    /// The store has no such key.
    case unknown
    /// The key was revoked.
    case revoked
    /// The key has expired.
    case expired
    /// The key does not have the scope.
    case scope
    /// A page in a browser sent the key.
    case browser
  }

  private let failures: CounterFamily<Cause>

  init(_ registry: MetricRegistry) {
    failures = CounterFamily("enlist_key_failures_total", by: "cause", registry)
  }

  func count(_ cause: Cause) {
    failures.count(cause)
  }
}

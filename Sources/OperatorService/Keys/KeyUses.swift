internal import Locks
internal import MailingList

/// The uses of keys that are to be stored: at most one for each key within a minute.
///
/// A key can be used from several networks and by several pages in turn. Of the uses within a
/// minute, the first is stored at once, and the newest when the minute is over.
// There is an entry only for keys that exist, so the operator bounds their number.
final class KeyUses: Sendable {
  /// What is to be done about a use.
  enum Step: Hashable {
    /// The use is stored now.
    case store(KeyUse)
    /// The use waits; ``KeyUses/take(_:at:)`` is due after this time.
    case wait(Duration)
    /// There is nothing to do: the use is stored already, or it waits instead of an earlier one.
    case nothing
  }

  private struct Recent {
    /// When a use was last stored.
    let time: Timestamp
    /// The newest use since then that is not stored.
    var waiting: KeyUse?
  }

  private static let milliseconds: Int64 = 60_000

  private let recent = Lock<[String: Recent]>([:])

  /// Adds a use.
  func add(_ use: KeyUse, of key: StoredKey, at now: Timestamp) -> Step {
    recent.withLock { recent in
      let last = recent[use.id]
      if let earlier = last?.waiting {
        recent[use.id]?.waiting = KeyUse(
          of: use.id,
          at: use.minute,
          from: use.network,
          // A page is not forgotten because a program uses the key after it.
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

  /// Takes the use that waits, which is to be stored now.
  ///
  /// - Returns: The newest use of the key; `nil` if none waits.
  func take(_ id: String, at now: Timestamp) -> KeyUse? {
    recent.withLock { recent in
      guard let use = recent[id]?.waiting else { return nil }
      recent[id] = Recent(time: now)
      return use
    }
  }
}

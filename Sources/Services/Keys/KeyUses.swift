internal import MailingList
internal import Platform
internal import Signals

/// The uses of keys, of which each key's are stored at most once within a minute.
///
/// Several networks and pages may use a key in turn. Of the uses within a minute, the first is
/// stored immediately, and the newest at the end of the minute.
// Only existing keys have an entry, so the operator bounds their number.
final class KeyUses: Sendable {
  private struct Entry {
    /// The time at which a use was last stored.
    var time: Timestamp?
    /// The newest use since then, which is still to be stored.
    var waiting: KeyUse?
  }

  private static let milliseconds: Int64 = 60_000

  private let list: any ListAccess
  private let scheduler: any Scheduler
  private let now: @Sendable () -> Timestamp
  private let entries = Lock<[String: Entry]>([:])

  init(
    _ list: any ListAccess, on scheduler: any Scheduler, now: @escaping @Sendable () -> Timestamp
  ) {
    self.list = list
    self.scheduler = scheduler
    self.now = now
  }

  func add(_ use: KeyUse, of key: StoredKey) {
    let now = now()
    let delay: Duration? = entries.withLock { entries in
      if let earlier = entries[use.id]?.waiting {
        // Remember a page even if a program uses the key after it.
        entries[use.id]?.waiting = KeyUse(
          of: use.id, at: use.minute, from: use.network, origin: use.origin ?? earlier.origin)
        return nil
      }
      guard !use.isKnown(to: key) else { return nil }
      entries[use.id, default: Entry()].waiting = use
      guard let last = entries[use.id]?.time else { return .zero }
      let age = now.millisecondsSince1970 - last.millisecondsSince1970
      // The age is negative if the clock was set back.
      guard (0..<Self.milliseconds).contains(age) else { return .zero }
      return .milliseconds(Self.milliseconds - age)
    }
    guard let delay else { return }
    if delay == .zero {
      storeWaiting(use.id)
    } else {
      scheduler.schedule(after: delay) { [weak self] in self?.storeWaiting(use.id) }
    }
  }

  private func storeWaiting(_ id: String) {
    let entry = Entry(time: now())
    let use = entries.withLock { entries in
      defer { entries[id] = entry }
      return entries[id]?.waiting
    }
    guard let use else { return }
    // A failure to store the use does not reject the request.
    list.change { list throws(StoreError) in try list.keyTable.record(use) }.subscribe()
  }
}

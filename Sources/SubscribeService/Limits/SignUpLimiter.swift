internal import HTTPSignals
internal import Locks
internal import MailingList

/// Counts the sign-ups of each client, whatever is in them, in a table that cannot grow.
///
/// A client is a leaky bucket: each post fills it by one part, and it runs empty over the time of
/// the rate. What is kept is when it will be empty (the "theoretical arrival time" of the generic
/// cell rate algorithm, ITU-T I.371), so a client costs one number.
final class SignUpLimiter: Sendable {
  /// When the bucket of each client is empty, in nanoseconds since 1970.
  ///
  /// Two generations: a full one becomes the old one, and the one before is forgotten. So those
  /// are forgotten that have not been here for longest, without looking for them.
  private struct Table {
    var recent: [ClientAddress: Int64] = [:]
    var old: [ClientAddress: Int64] = [:]
  }

  private let rate: SignUpRate
  private let generationCount: Int
  private let table = Lock(Table())

  /// Makes a limiter that has counted nothing.
  ///
  /// - Parameters:
  ///   - rate: How many are taken.
  ///   - clientCount: How many clients are remembered at the most; who is forgotten begins anew.
  init(rate: SignUpRate, clientCount: Int = 65_536) {
    self.rate = rate
    generationCount = max(clientCount / 2, 1)
  }

  /// How many clients are remembered.
  var rememberedCount: Int {
    table.withLock { table in
      table.recent.count + table.old.keys.count { table.recent[$0] == nil }
    }
  }

  /// Counts a post, unless it is one too many.
  ///
  /// - Parameters:
  ///   - client: Who posts; this machine is not limited.
  ///   - now: When.
  /// - Returns: In how many seconds, 1 or more, the next one will be taken; `nil` when this one is.
  func secondsToWait(of client: ClientAddress, at now: Timestamp) -> Int? {
    guard case .limited(let count, let time) = rate, !client.isLoopback else { return nil }
    let nanoseconds = Int64(time / .nanoseconds(1))
    let part = nanoseconds / Int64(count)
    let now = now.millisecondsSince1970 * 1_000_000
    let key = client.limitKey
    return table.withLock { table in
      var emptyAt = max(table.recent[key] ?? table.old[key] ?? now, now)
      // Further away it can only be when the clock was set back.
      if emptyAt > now + nanoseconds { emptyAt = now }
      let excess = emptyAt + part - now - nanoseconds
      guard excess <= 0 else { return Int((excess - 1) / 1_000_000_000) + 1 }
      if table.recent.count >= generationCount, table.recent[key] == nil {
        table.old = table.recent
        table.recent = [:]
      }
      table.recent[key] = emptyAt + part
      return nil
    }
  }
}

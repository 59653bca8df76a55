internal import HTTPSignals
internal import Locks

/// How many connections one client may open in a time.
package struct ConnectionRate: Hashable, Sendable {
  /// How many at once, 1 or more.
  package var count: Int
  /// How long it takes until as many are possible again.
  package var time: Duration

  /// Makes a rate.
  ///
  /// - Parameters:
  ///   - count: How many at once, 1 or more.
  ///   - time: How long it takes until as many are possible again; a millisecond or more.
  package init(count: Int, per time: Duration) {
    self.count = count
    self.time = time
  }
}

/// Counts the new connections of each client, over all loops, in a table that cannot grow.
///
/// Each client is a leaky bucket, of which only the time is kept when it will be empty (the generic
/// cell rate algorithm, ITU-T I.371). Two generations: when the recent one is full, it becomes the
/// old one, so those are forgotten first that have not connected for longest.
final class ConnectionRateLimiter: Sendable {
  private struct Table {
    var recent: [ClientAddress: Duration] = [:]
    var old: [ClientAddress: Duration] = [:]
  }

  private let rate: ConnectionRate
  private let generationCount: Int
  private let table = Lock(Table())

  /// Makes a limiter that has counted nothing.
  ///
  /// - Parameters:
  ///   - rate: How many connections are accepted.
  ///   - clientCount: How many clients are remembered at the most.
  init(_ rate: ConnectionRate, clientCount: Int = 65_536) {
    self.rate = rate
    generationCount = max(clientCount / 2, 1)
  }

  /// How many clients are remembered.
  var rememberedCount: Int { table.withLock { $0.recent.count + $0.old.count } }

  /// Counts a connection, unless it is one too many.
  ///
  /// - Parameters:
  ///   - peer: Who connects; an IPv6 /64 is one client.
  ///   - now: When.
  /// - Returns: Whether it is accepted.
  func accepts(_ peer: ClientAddress, at now: Duration) -> Bool {
    let part = rate.time / rate.count
    let key = peer.limitKey
    return table.withLock { table in
      let emptyAt = max(table.recent[key] ?? table.old[key] ?? now, now) + part
      guard emptyAt - now <= rate.time else { return false }
      if table.recent.count >= generationCount, table.recent[key] == nil {
        table.old = table.recent
        table.recent = [:]
      }
      table.recent[key] = emptyAt
      return true
    }
  }
}

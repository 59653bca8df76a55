internal import HTTPSignals
internal import Locks

/// The rate at which one client may open connections: a burst, and the time until it is available
/// again.
package struct ConnectionRate: Hashable, Sendable {
  /// The number of connections that are possible at once, 1 or more.
  package var count: Int
  /// The time until as many connections are possible again.
  package var time: Duration

  /// Creates a rate of 1 or more connections per time of a millisecond or more.
  package init(count: Int, per time: Duration) {
    self.count = count
    self.time = time
  }
}

/// A limiter of the new connections of each client, over all loops, with a table of bounded size.
///
/// Each client is a leaky bucket, of which the table only keeps the time when it will be empty (the
/// generic cell rate algorithm, ITU-T I.371). The table has two generations: when the recent one is
/// full, it becomes the old one. So the clients that have not connected for the longest time are
/// removed first.
final class ConnectionRateLimiter: Sendable {
  private struct Table {
    var recent: [ClientAddress: Duration] = [:]
    var old: [ClientAddress: Duration] = [:]
  }

  private let rate: ConnectionRate
  private let generationCount: Int
  private let table = Lock(Table())

  init(_ rate: ConnectionRate, clientCount: Int = 65_536) {
    self.rate = rate
    generationCount = max(clientCount / 2, 1)
  }

  /// Counts a connection, unless it exceeds the rate; an IPv6 /64 is one client.
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

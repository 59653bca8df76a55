internal import HTTPSignals
internal import Locks

/// How many connections each client has, over all loops.
final class ConnectionCounts: Sendable {
  private let maximum: Int
  private let unlimited: [CIDRBlock]
  private let proxies: TrustedProxies
  private let counts = Lock<[ClientAddress: Int]>([:])
  private let rate: ConnectionRateLimiter?

  /// Makes a table in which nobody has a connection.
  ///
  /// - Parameter configuration: The limit, and whom it does not count for.
  init(_ configuration: Daemon.Configuration) {
    maximum = configuration.maximumConnectionsPerClient
    unlimited = configuration.unlimitedClients
    proxies = configuration.trustedProxies
    rate = configuration.connectionRate.map { ConnectionRateLimiter($0) }
  }

  /// Counts a new connection, unless it is one too many for the time.
  ///
  /// - Returns: Whether it is accepted.
  func accepts(_ peer: ClientAddress, at now: Duration) -> Bool {
    guard let rate, isLimited(peer) else { return true }
    return rate.accepts(peer, at: now)
  }

  /// Counts a connection in.
  ///
  /// - Returns: Whether the client may have it; it is counted in any case.
  func enter(_ peer: ClientAddress) -> Bool {
    guard isLimited(peer) else { return true }
    return counts.withLock { counts in
      counts[peer.limitKey, default: 0] += 1
      return counts[peer.limitKey, default: 0] <= maximum
    }
  }

  func leave(_ peer: ClientAddress) {
    guard isLimited(peer) else { return }
    counts.withLock { counts in
      guard let count = counts[peer.limitKey] else { return }
      counts[peer.limitKey] = count > 1 ? count - 1 : nil
    }
  }

  private func isLimited(_ peer: ClientAddress) -> Bool {
    !unlimited.contains { $0.contains(peer) } && !proxies.contains(peer)
  }
}

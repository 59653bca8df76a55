internal import HTTPSignals
internal import Locks
internal import Synchronization

/// The connections of each client, over all loops: the number of open ones, and the rate of new
/// ones.
final class ConnectionCounts: Sendable {
  private let maximum: Int
  private let unlimited: [ClientNetwork]
  private let proxies: TrustedProxies
  private let counts = Lock<[ClientAddress: Int]>([:])
  private let rates: Lock<LeakyBucketTable?>
  private let open = Atomic(0)

  init(_ limits: ConnectionLimits, except proxies: TrustedProxies) {
    maximum = limits.maximumPerClient
    unlimited = limits.unlimitedClients
    self.proxies = proxies
    rates =
      switch limits.rate {
      case .unlimited: Lock(nil)
      case .limited(let count, let time): Lock(LeakyBucketTable(count: count, per: time))
      }
  }

  /// The number of open connections of all clients.
  var openCount: Int { open.load(ordering: .relaxed) }

  /// Returns whether a new connection is within the rate of its client, and counts it if so.
  func accepts(_ peer: ClientAddress, at now: Duration) -> Bool {
    guard isLimited(peer) else { return true }
    let now = Int64(now / .milliseconds(1))
    return rates.withLock { ($0?.take(peer.limitKey, at: now).wait ?? 0) == 0 }
  }

  /// Adds a connection to the count of its client, and returns whether the client is within its
  /// limit.
  ///
  /// The connection is counted in any case.
  func enter(_ peer: ClientAddress) -> Bool {
    open.wrappingAdd(1, ordering: .relaxed)
    guard isLimited(peer) else { return true }
    return counts.withLock { counts in
      counts[peer.limitKey, default: 0] += 1
      return counts[peer.limitKey, default: 0] <= maximum
    }
  }

  func leave(_ peer: ClientAddress) {
    open.wrappingSubtract(1, ordering: .relaxed)
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

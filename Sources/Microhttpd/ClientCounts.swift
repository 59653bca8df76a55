internal import HTTPSignals
internal import Signals
internal import Synchronization

/// The connections over all loops: the number of open ones, in total and of each client, and the
/// rate of each client's new ones.
final class ConnectionCounts: Sendable {
  private let limits: ConnectionLimits
  private let proxies: TrustedProxies
  private let streams: StreamAdmission
  private let counts = Lock<[ClientAddress: Int]>([:])
  private let rates: Lock<LeakyBucketTable?>
  private let open = Atomic(0)

  init(_ limits: ConnectionLimits, except proxies: TrustedProxies, streams: StreamAdmission) {
    self.limits = limits
    self.proxies = proxies
    self.streams = streams
    rates =
      switch limits.rate {
      case .unlimited: Lock(nil)
      case .limited(let count, let time): Lock(LeakyBucketTable(count: count, per: time))
      }
  }

  var openCount: Int { open.load(ordering: .relaxed) }

  /// Whether more than a quarter of the connections are in use.
  var isCrowded: Bool { openCount + streams.count > limits.maximum / 4 }

  /// Returns whether a new connection is within the rate of its client, and counts it if so.
  func accepts(_ peer: ClientAddress, at now: Duration) -> Bool {
    guard isLimited(peer) else { return true }
    let now = Int64(now / .milliseconds(1))
    return rates.withLock { ($0?.take(peer.limitKey, at: now).wait ?? 0) == 0 }
  }

  /// Adds a connection, and returns whether it is within the limits.
  ///
  /// The connection is counted in any case. A stream whose socket was taken over is not one of
  /// libmicrohttpd's connections anymore, and still counts.
  func enter(_ peer: ClientAddress) -> Bool {
    let count = open.wrappingAdd(1, ordering: .relaxed).newValue
    let isWithinTotal = count + streams.count <= limits.maximum
    guard isLimited(peer) else { return isWithinTotal }
    return counts.withLock { counts in
      counts[peer.limitKey, default: 0] += 1
      return isWithinTotal && counts[peer.limitKey, default: 0] <= limits.maximumPerClient
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

  /// Whether the limits per client apply to a client.
  func isLimited(_ peer: ClientAddress) -> Bool {
    !limits.unlimitedClients.contains { $0.contains(peer) } && !proxies.contains(peer)
  }
}

/// The limits and the numbers of open streams, in total and per client; used from any thread.
final class StreamAdmission: Sendable {
  private struct Counts {
    var all = 0
    var ofClient: [ClientAddress: Int] = [:]
  }

  private let limits: StreamLimits
  private let counts = Lock(Counts())

  init(_ limits: StreamLimits) { self.limits = limits }

  var count: Int { counts.withLock { $0.all } }

  /// Adds a stream, unless a limit is reached; if it was added, call ``leave(_:)`` once.
  func enter(_ client: ClientAddress) -> Bool {
    counts.withLock { counts in
      guard counts.all < limits.maximum else { return false }
      if !client.isLoopback {
        let count = counts.ofClient[client.limitKey, default: 0]
        guard count < limits.maximumPerClient else { return false }
        counts.ofClient[client.limitKey] = count + 1
      }
      counts.all += 1
      return true
    }
  }

  func leave(_ client: ClientAddress) {
    counts.withLock { counts in
      counts.all -= 1
      guard !client.isLoopback, let count = counts.ofClient[client.limitKey] else { return }
      counts.ofClient[client.limitKey] = count > 1 ? count - 1 : nil
    }
  }
}

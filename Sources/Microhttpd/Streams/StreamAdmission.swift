internal import HTTPSignals
internal import Locks

/// Counts the open streams, of all loops and of each client, against their limits.
final class StreamAdmission: Sendable {
  private struct Counts {
    var all = 0
    var throughLibrary = 0
    var ofClient: [ClientAddress: Int] = [:]
  }

  private let maximum: Int
  private let maximumThroughLibrary: Int
  private let maximumPerClient: Int
  private let counts = Lock(Counts())

  /// Makes a count of nothing.
  ///
  /// - Parameters:
  ///   - maximum: How many streams may be open.
  ///   - maximumThroughLibrary: How many of them libmicrohttpd may write.
  ///   - maximumPerClient: How many of one client: an IPv4 address or an IPv6 /64. A client on this
  ///     machine is not limited.
  init(maximum: Int, maximumThroughLibrary: Int, maximumPerClient: Int) {
    self.maximum = maximum
    self.maximumThroughLibrary = maximumThroughLibrary
    self.maximumPerClient = maximumPerClient
  }

  /// Counts a stream in, unless a limit is reached.
  ///
  /// - Parameters:
  ///   - client: Whose it is.
  ///   - transport: How it is written.
  /// - Returns: Whether it was counted; then `leave` is due once, with the same.
  func enter(_ client: ClientAddress, _ transport: Daemon.StreamTransport) -> Bool {
    counts.withLock { counts in
      guard counts.all < maximum else { return false }
      switch transport {
      case .direct: break
      case .library: guard counts.throughLibrary < maximumThroughLibrary else { return false }
      }
      if !client.isLoopback {
        let count = counts.ofClient[client.limitKey, default: 0]
        guard count < maximumPerClient else { return false }
        counts.ofClient[client.limitKey] = count + 1
      }
      counts.all += 1
      switch transport {
      case .direct: break
      case .library: counts.throughLibrary += 1
      }
      return true
    }
  }

  /// Counts a stream out.
  ///
  /// - Parameters:
  ///   - client: Whose it was.
  ///   - transport: How it was written.
  func leave(_ client: ClientAddress, _ transport: Daemon.StreamTransport) {
    counts.withLock { counts in
      counts.all -= 1
      switch transport {
      case .direct: break
      case .library: counts.throughLibrary -= 1
      }
      guard !client.isLoopback, let count = counts.ofClient[client.limitKey] else { return }
      counts.ofClient[client.limitKey] = count > 1 ? count - 1 : nil
    }
  }
}

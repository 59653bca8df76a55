internal import HTTPSignals
internal import Locks

/// Counts the open streams, of all loops and of each client, against their limits.
final class StreamAdmission: Sendable {
  private struct Counts {
    var all = 0
    var ofClient: [ClientAddress: Int] = [:]
  }

  private let maximum: Int
  private let maximumPerClient: Int
  private let counts = Lock(Counts())

  /// Makes a count of nothing.
  ///
  /// - Parameters:
  ///   - maximum: How many streams may be open.
  ///   - maximumPerClient: How many of one client: an IPv4 address or an IPv6 /64. A client on this
  ///     machine is not limited.
  init(maximum: Int, maximumPerClient: Int) {
    self.maximum = maximum
    self.maximumPerClient = maximumPerClient
  }

  /// Counts a stream in, unless a limit is reached.
  ///
  /// - Parameter client: Whose it is.
  /// - Returns: Whether it was counted; then `leave` is due once.
  func enter(_ client: ClientAddress) -> Bool {
    counts.withLock { counts in
      guard counts.all < maximum else { return false }
      if !client.isLoopback {
        let count = counts.ofClient[client.limitKey, default: 0]
        guard count < maximumPerClient else { return false }
        counts.ofClient[client.limitKey] = count + 1
      }
      counts.all += 1
      return true
    }
  }

  /// Counts a stream out.
  ///
  /// - Parameter client: Whose it was.
  func leave(_ client: ClientAddress) {
    counts.withLock { counts in
      counts.all -= 1
      guard !client.isLoopback, let count = counts.ofClient[client.limitKey] else { return }
      counts.ofClient[client.limitKey] = count > 1 ? count - 1 : nil
    }
  }
}

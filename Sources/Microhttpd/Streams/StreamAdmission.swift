internal import CMicrohttpd
internal import HTTPSignals
internal import Signals

/// The limits and the numbers of open streams, in total and per client; used from any thread.
final class StreamAdmission: Sendable {
  private struct Counts {
    var all = 0
    var ofClient: [ClientAddress: Int] = [:]
  }

  private let limits: StreamLimits
  private let counts = Lock(Counts())

  init(_ limits: StreamLimits) {
    self.limits = limits
  }

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

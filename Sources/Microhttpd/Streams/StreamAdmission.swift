internal import HTTPSignals
internal import Signals

/// The limits and the numbers of open streams, in total and per client.
final class StreamAdmission: Sendable {
  private struct Counts {
    var ofTransport: [StreamTransport: Int] = [:]
    var ofClient: [ClientAddress: Int] = [:]
  }

  private let limits: StreamLimits
  private let counts = Lock(Counts())

  init(_ limits: StreamLimits) {
    self.limits = limits
  }

  /// Adds a stream to the counts, unless a limit is reached; callable from any thread.
  ///
  /// - Returns: Whether the stream was added; if so, call `leave` once with the same arguments.
  func enter(_ client: ClientAddress, _ transport: StreamTransport) -> Bool {
    counts.withLock { counts in
      guard counts.ofTransport.values.reduce(0, +) < limits.maximum else { return false }
      let count = counts.ofTransport[transport, default: 0]
      switch transport {
      case .direct: break
      case .library: guard count < limits.maximumThroughLibrary else { return false }
      }
      if !client.isLoopback {
        let count = counts.ofClient[client.limitKey, default: 0]
        guard count < limits.maximumPerClient else { return false }
        counts.ofClient[client.limitKey] = count + 1
      }
      counts.ofTransport[transport] = count + 1
      return true
    }
  }

  /// Returns the number of open streams; callable from any thread.
  func count(through transport: StreamTransport) -> Int {
    counts.withLock { $0.ofTransport[transport, default: 0] }
  }

  /// Removes a stream from the counts; callable from any thread.
  func leave(_ client: ClientAddress, _ transport: StreamTransport) {
    counts.withLock { counts in
      counts.ofTransport[transport, default: 0] -= 1
      guard !client.isLoopback, let count = counts.ofClient[client.limitKey] else { return }
      counts.ofClient[client.limitKey] = count > 1 ? count - 1 : nil
    }
  }
}

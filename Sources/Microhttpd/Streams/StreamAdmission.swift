internal import HTTPSignals
internal import Locks

/// The limits and the numbers of open streams, in total and per client.
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

  init(_ limits: StreamLimits) {
    maximum = limits.maximum
    maximumThroughLibrary = limits.maximumThroughLibrary
    maximumPerClient = limits.maximumPerClient
  }

  /// Adds a stream to the counts, unless a limit is reached; callable from any thread.
  ///
  /// - Returns: Whether the stream was added; if so, call `leave` once with the same arguments.
  func enter(_ client: ClientAddress, _ transport: StreamTransport) -> Bool {
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

  /// Returns the number of open streams; callable from any thread.
  func count(through transport: StreamTransport) -> Int {
    counts.withLock { counts in
      switch transport {
      case .direct: counts.all - counts.throughLibrary
      case .library: counts.throughLibrary
      }
    }
  }

  /// Removes a stream from the counts; callable from any thread.
  func leave(_ client: ClientAddress, _ transport: StreamTransport) {
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

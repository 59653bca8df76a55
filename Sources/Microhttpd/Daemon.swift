package import HTTPSignals
internal import Locks
internal import Logging
package import Signals

/// An HTTP server on GNU libmicrohttpd, as signals of exchanges.
///
/// It hides all that libmicrohttpd asks for: which thread may call what, suspending and resuming,
/// when a request may be answered, and the order of stopping. An exchange may be answered from any
/// thread, at once or later.
///
/// ```swift
/// let daemon = try Daemon(configuration)
/// for exchanges in daemon.exchanges { router.connect(to: exchanges) }
/// try daemon.start()
/// ```
package final class Daemon: Sendable {
  private let configuration: Configuration
  private let loops: [ServerLoop]
  private let directTransport: DirectTransport
  private let socket: Lock<ListenSocket?>
  private let tlsAcceptor: TLSAcceptor?

  /// Makes a daemon that listens, and takes no connection before it is started.
  ///
  /// - Parameter configuration: Where it listens, and its limits.
  /// - Throws: `DaemonError`, when the address cannot be had.
  package init(_ configuration: Configuration) throws(DaemonError) {
    var configuration = configuration
    configuration.loopCount = max(1, configuration.loopCount)
    if configuration.streamTransport == .direct, !TakeoverProbe.passes(configuration.identity) {
      configuration.streamTransport = .library
      configuration.logger.notice(
        """
        cannot take over sockets from libmicrohttpd: event streams use more memory, and at most \
        \(configuration.maximumLibraryStreams) can be open
        """
      )
    }
    self.configuration = configuration
    let tlsAcceptor = configuration.identity.map { TLSAcceptor($0) }
    if case .some(.none) = tlsAcceptor { throw .libraryNotStarted }
    self.tlsAcceptor = tlsAcceptor.flatMap(\.self)
    let clients = ConnectionCounts(configuration)
    let bodyBudget = BodyBudget(maximumBytes: configuration.maximumBodyMemoryBytes)
    let admission = StreamAdmission(
      maximum: configuration.maximumStreams,
      maximumThroughLibrary: configuration.maximumLibraryStreams,
      maximumPerClient: configuration.maximumStreamsPerClient
    )
    directTransport = try DirectTransport(configuration: configuration, admission: admission)
    var loops: [ServerLoop] = []
    for _ in 0..<configuration.loopCount {
      loops.append(
        try ServerLoop(
          configuration: configuration,
          clients: clients,
          tlsAcceptor: self.tlsAcceptor,
          bodyBudget: bodyBudget,
          admission: admission,
          directTransport: directTransport
        )
      )
    }
    self.loops = loops
    let listening = try ListenSocket(configuration.endpoint)
    socket = Lock(listening)
    endpoint = listening.endpoint
  }

  deinit {
    closeSocket()
  }

  /// Where it listens: at the port that the kernel chose where 0 was asked for, and at the address of
  /// a socket that was inherited.
  package let endpoint: Endpoint

  /// The requests of each event loop, hot.
  ///
  /// One signal for each loop, because the events of a subscription never overlap: so the loops
  /// need not wait for each other.
  package var exchanges: [Signal<Exchange, Never>] { loops.map(\.exchanges.signal) }

  /// Runs work on the first event loop, where it can answer exchanges without another hop.
  package var scheduler: any Scheduler { loops[0].loop }

  /// Takes connections from now on.
  ///
  /// - Throws: `DaemonError`; the daemon cannot be started again then.
  package func start() throws(DaemonError) {
    guard let listening = socket.withLock({ $0 }) else { return }
    try directTransport.start()
    for (index, loop) in loops.enumerated() { try loop.start(on: listening, index: index) }
  }

  /// Presents another certificate on connections that are accepted from now on; from any thread.
  ///
  /// Open connections and streams keep the one they have. Sessions of the old one are not resumed,
  /// so every client that comes back sees the new one. With the identity it has, a daemon only takes
  /// a new key for session tickets: what was recorded can then not be decrypted with it any more.
  ///
  /// - Parameter identity: The certificate and its key, of any type.
  /// - Returns: Whether it does; a daemon that speaks no TLS, or has no memory left, does not.
  package func use(_ identity: TLSIdentity) -> Bool {
    tlsAcceptor?.use(identity) ?? false
  }

  /// Stops: lets streams end and requests be answered for a while, then closes everything.
  ///
  /// - Parameters:
  ///   - drain: How long streams are given; they end at random times within it. With nothing open it
  ///     stops at once.
  ///   - finish: Called after the drain, before requests without a response get 503: ends the work
  ///     that they asked for. Returns whether none of it is still being done; if some is, the
  ///     connections are closed without a response, because 503 would promise that nothing happened.
  package func stop(drain: Duration, finish: () async -> Bool = { true }) async {
    await withCheckedContinuation { continuation in
      let idle = Countdown(loops.count + 1) { continuation.resume() }
      // A loop that never started would keep the work, and the work the loop.
      if loops[0].loop.isRunning { loops[0].loop.schedule(after: drain) { idle.finish() } }
      for loop in loops { loop.drain(over: drain) { idle.countDown() } }
      // A tenth is left for the last of them to be read.
      directTransport.drain(within: drain * 0.9) { idle.countDown() }
    }
    let isOutcomeKnown = await finish()
    await withCheckedContinuation { continuation in
      let stopped = Countdown(loops.count + 1) { continuation.resume() }
      for loop in loops { loop.stop(isOutcomeKnown: isOutcomeKnown) { stopped.countDown() } }
      directTransport.stop { stopped.countDown() }
    }
    closeSocket()
  }

  private func closeSocket() {
    let listening = socket.withLock { socket in
      defer { socket = nil }
      return socket
    }
    listening?.close()
  }
}

/// Calls back once: after so many calls, or before when it is told to.
private final class Countdown: Sendable {
  private let state: Lock<(count: Int, done: (@Sendable () -> Void)?)>

  init(_ count: Int, _ done: @escaping @Sendable () -> Void) {
    state = Lock((count, done))
  }

  func countDown() {
    take { state in
      state.count -= 1
      return state.count <= 0
    }
  }

  func finish() {
    take { _ in true }
  }

  private func take(_ isDue: (inout (count: Int, done: (@Sendable () -> Void)?)) -> Bool) {
    let done: (@Sendable () -> Void)? = state.withLock { state in
      guard isDue(&state) else { return nil }
      defer { state.done = nil }
      return state.done
    }
    done?()
  }
}

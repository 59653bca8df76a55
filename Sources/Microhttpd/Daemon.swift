internal import CMicrohttpd
package import HTTPSignals
internal import Logging
internal import Platform
package import Security
package import Signals
internal import Synchronization

/// An HTTP server on GNU libmicrohttpd that sends its requests as signals of exchanges.
///
/// The daemon hides the rules of libmicrohttpd: which thread may call which function, when to
/// suspend and resume a connection, when a response may be queued, and the order of shutdown.
/// Respond to an exchange from any thread, at any time. `docs/life-of-a-request.md` follows a
/// request through the threads.
package final class Daemon: Sendable {
  private let shared: SharedResources
  private let loops: [HTTPLoop]
  private let socket: Lock<ListenSocket?>

  /// Creates a daemon that listens, but accepts no connection until it is started.
  ///
  /// - Throws: `DaemonError` if the endpoint cannot be bound, the process has no file descriptor
  ///   left, or TLS cannot be set up.
  package init(_ options: DaemonOptions) throws(DaemonError) {
    let shared = try SharedResources(options)
    self.shared = shared
    var loops: [HTTPLoop] = []
    for _ in 0..<shared.loopCount { loops.append(try HTTPLoop(shared)) }
    self.loops = loops
    let listening = try ListenSocket(options.endpoint)
    socket = Lock(listening)
    endpoint = listening.endpoint
  }

  deinit { closeSocket() }

  /// The endpoint on which the daemon listens.
  ///
  /// For port 0 it contains the port that the kernel chose, for an inherited socket its address.
  package let endpoint: Endpoint

  /// The requests of each event loop, as hot signals.
  ///
  /// Each loop has a signal of its own, because the events of a subscription never overlap: with
  /// one signal for all, the loops would wait for each other.
  package var exchanges: [Signal<Exchange, Never>] { loops.map(\.exchanges.signal) }

  /// The number of open connections, without those that were taken over for event streams; callable
  /// from any thread.
  package var connectionCount: Int { shared.clients.openCount }

  package var streamCount: Int { shared.admission.count }

  /// A scheduler that runs work on the first event loop, where it can respond to exchanges without
  /// another hop.
  package var scheduler: any Scheduler { loops[0].loop }

  /// Starts accepting connections.
  ///
  /// - Throws: `DaemonError`, after which the daemon cannot be started again.
  package func start() throws(DaemonError) {
    guard let listening = socket.withLock({ $0 }) else { return }
    if !SocketTakeover.isSupported {
      shared.options.logger.notice(
        "event streams are finite: this release of libmicrohttpd has not been tried")
    }
    try shared.streams.start()
    for (index, loop) in loops.enumerated() { try loop.start(on: listening, index: index) }
    shared.memory.start(on: loops[0].loop) { [shared] in shared.usedBytes }
  }

  /// Replaces the certificate for connections that are accepted from now on; call it from any
  /// thread.
  ///
  /// Open connections and streams keep their certificate. Sessions of the old certificate are not
  /// resumed, so every returning client sees the new one. With its current identity, the daemon
  /// only replaces the key for session tickets: the new key cannot decrypt traffic recorded before.
  ///
  /// - Returns: Whether the daemon uses the identity; `false` without TLS, and when GnuTLS has no
  ///   memory or no random numbers.
  package func use(_ identity: TLSIdentity) -> Bool {
    shared.tlsAcceptor?.use(identity) ?? false
  }

  /// Stops the daemon: drains streams and requests for `drain`, then closes everything.
  ///
  /// - Parameter finish: Ends the work that requests have started; called after the drain, before
  ///   requests without a response get 503. Returns `false` if some of the work is still running.
  ///   Then the connections are closed without a response, because 503 would promise that nothing
  ///   happened.
  package func stop(drain: Duration, finish: () async -> Bool = { true }) async {
    await withCheckedContinuation { continuation in
      let idle = Countdown(loops.count + 1) { continuation.resume() }
      // A loop that never started would retain the work, and the work would retain the loop.
      if loops[0].loop.isRunning {
        loops[0].loop.schedule(after: drain) { [count = loops.count + 1] in idle.countDown(count) }
      }
      for loop in loops { loop.drain(over: drain) { idle.countDown() } }
      shared.streams.notifyWhenEmpty { idle.countDown() }
    }
    let isOutcomeKnown = await finish()
    await withCheckedContinuation { continuation in
      let stopped = Countdown(loops.count + 1) { continuation.resume() }
      for loop in loops { loop.stop(isOutcomeKnown: isOutcomeKnown) { stopped.countDown() } }
      shared.streams.stop { stopped.countDown() }
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

/// A counter that calls back once, when it reaches zero.
private final class Countdown: Sendable {
  private let state: Lock<(count: Int, done: (@Sendable () -> Void)?)>

  init(_ count: Int, _ done: @escaping @Sendable () -> Void) {
    state = Lock((count, done))
  }

  func countDown(_ number: Int = 1) {
    let done: (@Sendable () -> Void)? = state.withLock { state in
      state.count -= number
      guard state.count <= 0 else { return nil }
      defer { state.done = nil }
      return state.done
    }
    done?()
  }
}

/// The resources that the event loops of a daemon share.
struct SharedResources: Sendable {
  let options: DaemonOptions
  let tlsAcceptor: TLSAcceptor?
  let streams: StreamLoop
  let admission: StreamAdmission
  let clients: ConnectionCounts
  let bodyBudget: BodyBudget
  let rejections: RejectionLog
  let requestLog: RequestLog?
  let memory = MemoryReturn()

  init(_ options: DaemonOptions) throws(DaemonError) {
    self.options = options
    let acceptor = options.identity.map { TLSAcceptor($0) }
    if case .some(.none) = acceptor { throw .tlsNotStarted }
    tlsAcceptor = acceptor.flatMap(\.self)
    admission = StreamAdmission(options.streams)
    streams = try StreamLoop(options, admission)
    clients = ConnectionCounts(
      options.connections, except: options.trustedProxies, streams: admission)
    bodyBudget = BodyBudget(maximumBytes: options.requests.maximumBodyMemoryBytes)
    rejections = RejectionLog(logger: options.logger, metrics: options.metrics)
    requestLog = RequestLog(options)
  }

  var loopCount: Int { max(1, options.loopCount) }

  /// The approximate memory of all connections and bodies, in bytes.
  var usedBytes: Int {
    clients.openCount * options.requests.connectionMemoryBytes + bodyBudget.usedBytes
  }
}

/// Gives freed memory back to the kernel after a peak of connections or bodies.
///
/// The allocator keeps freed memory in its arenas, possibly forever: hundreds of MiB after 15,000
/// slow bodies. Returning it takes milliseconds per 100 MiB, so it is done on a thread of its own; an
/// event loop waits only while it allocates from the arena that is being trimmed.
final class MemoryReturn: Sendable {
  /// The minimum decrease from the peak, in bytes, that makes returning memory worthwhile.
  private static let minimumBytes = 8 << 20

  private let peakBytes = Atomic(0)
  private let isRunning = Atomic(false)

  /// Compares the memory in use with its peak from now on, on a loop that will start.
  func start(on loop: EventLoop, usedBytes: @escaping @Sendable () -> Int) {
    loop.schedule(after: .seconds(1), repeating: .seconds(1)) {
      self.peakBytes.max(usedBytes(), ordering: .relaxed)
    }
    loop.schedule(after: .seconds(20), repeating: .seconds(20)) { self.returnUnused(usedBytes()) }
  }

  /// Returns memory to the system if far fewer bytes are in use than at the peak.
  private func returnUnused(_ bytes: Int) {
    guard peakBytes.load(ordering: .relaxed) - bytes >= Self.minimumBytes,
      !isRunning.exchange(true, ordering: .relaxed)
    else { return }
    peakBytes.store(bytes, ordering: .relaxed)
    let hasStarted = NamedThread.start("enlist-memory") {
      cmicrohttpd_trim_memory()
      self.isRunning.store(false, ordering: .relaxed)
    }
    if !hasStarted { isRunning.store(false, ordering: .relaxed) }
  }
}

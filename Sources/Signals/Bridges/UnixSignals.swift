internal import Dispatch
internal import Synchronization

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// The write end of the pipe, for the handler, in which only a few functions may be called.
private let pipeForHandler = Atomic<Int32>(-1)

/// The Unix signals that are observed: one handler for each, for any number of observers.
///
/// The handler writes the number into a pipe, which a background queue reads. The pipe exists
/// before the handler is installed, so no Unix signal is missed from that moment on.
final class UnixSignals: Sendable {
  static let shared = UnixSignals()

  private struct Listeners {
    /// The disposition before the first observer subscribed.
    var previous: sigaction
    var observers: [(id: Int, observer: Observer<Int32, Never>)] = []
  }

  private struct State {
    var listeners: [Int32: Listeners] = [:]
    var lastID = 0
    var pipe: SignalPipe?
  }

  private let state = Lock(State())

  /// Observes a Unix signal.
  ///
  /// - Returns: The key of the observer.
  func add(_ observer: Observer<Int32, Never>, for number: Int32) -> Int {
    state.withLock { state in
      if state.pipe == nil { state.pipe = SignalPipe { [weak self] in self?.send($0) } }
      state.lastID += 1
      if state.listeners[number] == nil {
        state.listeners[number] = Listeners(previous: Self.installHandler(for: number))
      }
      state.listeners[number]?.observers.append((state.lastID, observer))
      return state.lastID
    }
  }

  /// Removes an observer; the last one restores the previous disposition.
  func remove(_ id: Int, for number: Int32) {
    let removed: Observer<Int32, Never>? = state.withLock { state in
      guard var listeners = state.listeners.removeValue(forKey: number) else { return nil }
      let index = listeners.observers.firstIndex { $0.id == id }
      let removed = index.map { listeners.observers.remove(at: $0).observer }
      if listeners.observers.isEmpty {
        sigaction(number, &listeners.previous, nil)
      } else {
        state.listeners[number] = listeners
      }
      return removed
    }
    // Released after the lock: it holds the observer.
    _ = removed
  }

  private func send(_ number: Int32) {
    let observers = state.withLock { $0.listeners[number]?.observers ?? [] }
    for (_, observer) in observers { observer.send(number) }
  }

  /// Installs the handler.
  ///
  /// - Returns: The previous disposition.
  private static func installHandler(for number: Int32) -> sigaction {
    var action = sigaction()
    let handler: @convention(c) (Int32) -> Void = { number in
      let error = errno
      var byte = UInt8(truncatingIfNeeded: number)
      _ = write(pipeForHandler.load(ordering: .relaxed), &byte, 1)
      errno = error
    }
    #if canImport(Glibc) || canImport(Musl)
      action.__sigaction_handler.sa_handler = handler
    #else
      action.__sigaction_u.__sa_handler = handler
    #endif
    action.sa_flags = SA_RESTART
    var previous = sigaction()
    sigaction(number, &action, &previous)
    return previous
  }
}

/// The pipe between the handler and the queue, which exists as long as the process.
// @unchecked Sendable because a Dispatch source may be used from any thread, which its type does
// not declare.
private final class SignalPipe: @unchecked Sendable {
  private let source: any DispatchSourceRead

  /// Makes a pipe.
  ///
  /// - Parameter receive: Receives the number of each Unix signal, on a background queue.
  init(_ receive: @escaping @Sendable (Int32) -> Void) {
    var ends: [Int32] = [-1, -1]
    pipe(&ends)
    for end in ends {
      // Neither end may block: the handler drops a number that does not fit, and the queue reads
      // only what has been written.
      _ = fcntl(end, F_SETFL, fcntl(end, F_GETFL) | O_NONBLOCK)
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
    }
    pipeForHandler.store(ends[1], ordering: .relaxed)
    let reading = ends[0]
    source = DispatchSource.makeReadSource(
      fileDescriptor: reading, queue: DispatchQueue(label: "signals.unix"))
    source.setEventHandler {
      var numbers = [UInt8](repeating: 0, count: 64)
      let count = read(reading, &numbers, numbers.count)
      for number in numbers.prefix(max(0, count)) { receive(Int32(number)) }
    }
    source.resume()
  }
}

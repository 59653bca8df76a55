internal import Dispatch
internal import FoundationEssentials
internal import Signals
internal import Platform

/// A log destination: a bounded buffer, and a thread that writes its lines to a stream.
///
/// ```text
/// any thread ──► LogBuffer (1 MiB) ──► "enlist-log" ──► descriptor 2
/// ```
///
/// Logging never waits for the reader of the log: if a pipe has no reader, the buffer fills up, and
/// lines that do not fit are dropped and counted. The descriptor keeps its inherited mode because
/// other programs may share it; only the thread blocks, and the process exits without waiting for
/// it.
final class LogOutput: Sendable {
  /// The log of the process.
  static let standardError = LogOutput(.standardError)

  private let writer: LogWriter

  /// Creates an output of at most `capacity` waiting bytes; its thread starts with the first line.
  init(_ stream: OutputStream, capacity: Int = 1_048_576) {
    writer = LogWriter(stream, capacity: capacity)
  }

  deinit {
    writer.end()
  }

  /// Sets the closure that formats the report of dropped lines, which must be quick and must not
  /// log.
  func describeDrops(by dropMessage: @escaping @Sendable (Int) -> String) {
    writer.state.withLock { $0.buffer.dropMessage = dropMessage }
  }

  /// Queues a line, without its line end, to be written, or drops it; never waits.
  ///
  /// An essential line, which reports why the process ends, may exceed the capacity.
  func write(line: String, isEssential: Bool = false) {
    writer.add(line, isEssential: isEssential)
  }

  /// The number of dropped lines since startup.
  var droppedLineCount: Int { writer.state.withLock { $0.buffer.allDroppedCount } }

  /// Waits until everything is written, up to a time limit; the default, a second, is for the end
  /// of a process.
  @discardableResult
  func flush(within time: Duration = .seconds(1)) -> Bool {
    let written = DispatchSemaphore(value: 0)
    let isEmpty = writer.state.withLock { state in
      if !state.buffer.isEmpty { state.flushes.append(written) }
      return state.buffer.isEmpty
    }
    let (seconds, attoseconds) = time.components
    let milliseconds = Int(seconds * 1000 + attoseconds / 1_000_000_000_000_000)
    return isEmpty || written.wait(timeout: .now() + .milliseconds(milliseconds)) == .success
  }
}

/// The writer thread of a log output, and the state it shares with logging threads.
private final class LogWriter: Sendable {
  struct State {
    var buffer: LogBuffer
    var hasThread = false
    /// Whether the thread waits to be woken.
    var isAsleep = false
    var isEnding = false
    /// The semaphores of callers waiting until everything is written.
    var flushes: [DispatchSemaphore] = []
  }

  /// The maximum number of bytes per write.
  ///
  /// A pipe accepts this many bytes atomically (`PIPE_BUF`), so lines of programs that share a pipe
  /// do not mix.
  private static let pieceBytes = 4096

  let state: Lock<State>
  private let stream: OutputStream
  private let wakeUp = DispatchSemaphore(value: 0)

  init(_ stream: OutputStream, capacity: Int) {
    self.stream = stream
    state = Lock(State(buffer: LogBuffer(capacity: capacity)))
  }

  func add(_ line: String, isEssential: Bool) {
    let (needsThread, needsWakeUp) = state.withLock { state in
      state.buffer.append(line, isEssential: isEssential)
      defer {
        state.hasThread = true
        state.isAsleep = false
      }
      return (!state.hasThread, state.isAsleep)
    }
    if needsThread { start() }
    if needsWakeUp { wakeUp.signal() }
  }

  /// Ends the thread once everything is written.
  func end() {
    state.withLock { $0.isEnding = true }
    wakeUp.signal()
  }

  private func start() {
    NamedThread.start("enlist-log") { self.run() }
  }

  private func run() {
    while let lines = takeLines() {
      if lines.isEmpty {
        wakeUp.wait()
      } else {
        write(lines)
      }
    }
  }

  /// Takes the next lines to write: empty if the thread should sleep, `nil` if it should end.
  private func takeLines() -> [UInt8]? {
    state.withLock { state in
      let lines = state.buffer.take()
      guard lines.isEmpty else { return lines }
      guard !state.isEnding else { return nil }
      state.isAsleep = true
      return lines
    }
  }

  private func write(_ lines: [UInt8]) {
    var rest = lines[...]
    while !rest.isEmpty {
      let piece = Self.firstPiece(of: rest)
      // A failure to write the log cannot be reported.
      try? stream.write(piece)
      rest = rest[piece.endIndex...]
      let flushes = state.withLock { state in
        state.buffer.release(piece.count)
        guard state.buffer.isEmpty else { return [DispatchSemaphore]() }
        defer { state.flushes = [] }
        return state.flushes
      }
      for flush in flushes { flush.signal() }
    }
  }

  /// Returns as many whole lines as fit into one write, or a single longer line.
  private static func firstPiece(of lines: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    guard lines.count > pieceBytes else { return lines }
    let newline = UInt8(ascii: "\n")
    let end = lines.prefix(pieceBytes).lastIndex(of: newline) ?? lines.firstIndex(of: newline)
    return end.map { lines[...$0] } ?? lines
  }
}

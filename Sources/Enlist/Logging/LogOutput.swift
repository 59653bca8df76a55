internal import Dispatch
internal import Foundation
internal import Locks

/// Where log lines go: to a bounded buffer, from which a thread of its own writes them.
///
/// ```text
/// any thread ──► LogBuffer (1 MiB) ──► "enlist-log" ──► descriptor 2
/// ```
///
/// Nobody who logs waits for whoever reads the log: a pipe that is not read fills the buffer, and
/// what does not fit is dropped and counted. The descriptor stays as it was inherited, since other
/// programs may share it: only the thread blocks, and the end of the process does not wait for it.
final class LogOutput: Sendable {
  /// The log of the process.
  static let standardError = LogOutput(.standardError)

  private let writer: LogWriter

  /// Makes an output; its thread starts with the first line.
  ///
  /// - Parameters:
  ///   - stream: Where the lines are written.
  ///   - capacity: How many bytes may wait.
  init(_ stream: OutputStream, capacity: Int = 1_048_576) {
    writer = LogWriter(stream, capacity: capacity)
  }

  deinit {
    writer.end()
  }

  /// Sets how it is told that lines were dropped.
  ///
  /// - Parameter dropMessage: Makes the line of their number; quick, and logs nothing itself.
  func describeDrops(by dropMessage: @escaping @Sendable (Int) -> String) {
    writer.state.withLock { $0.buffer.dropMessage = dropMessage }
  }

  /// Has a line written in a while, or drops it; never waits.
  ///
  /// - Parameters:
  ///   - line: The line without its end.
  ///   - isEssential: Whether it may go over the capacity, since it tells why the process ends.
  func write(line: String, isEssential: Bool = false) {
    writer.add(line, isEssential: isEssential)
  }

  /// Waits until everything is written, but no longer than a time.
  ///
  /// - Parameter time: How long; a second is what the end of a process has.
  /// - Returns: Whether everything is written.
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

/// The thread of a log output, and what it shares with those who log.
private final class LogWriter: Sendable {
  struct State {
    var buffer: LogBuffer
    var hasThread = false
    /// Whether the thread waits to be woken.
    var isAsleep = false
    var isEnding = false
    /// Who waits until everything is written.
    var flushes: [DispatchSemaphore] = []
  }

  /// How much is written at once: what a pipe takes as a whole, so that the lines of programs that
  /// share it do not mix (`PIPE_BUF`).
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
    let thread = Thread { self.run() }
    thread.name = "enlist-log"
    thread.start()
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

  /// What is to be written next; nothing when the thread is to sleep, `nil` when it is to end.
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
      // A log that cannot be written has nowhere to complain.
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

  /// As many whole lines as fit into a piece, or one that is longer.
  private static func firstPiece(of lines: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    guard lines.count > pieceBytes else { return lines }
    let newline = UInt8(ascii: "\n")
    let end = lines.prefix(pieceBytes).lastIndex(of: newline) ?? lines.firstIndex(of: newline)
    return end.map { lines[...$0] } ?? lines
  }
}

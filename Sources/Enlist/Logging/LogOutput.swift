internal import Dispatch
internal import Glibc
internal import Logging
internal import Platform
internal import Signals

/// The log's way to standard error, which never waits for a reader or for a disk.
///
/// ```text
/// any thread ──► pipe of 1 MiB ──► "enlist-log" ──► descriptor 2
/// ```
///
/// Only the thread may hang, and the process ends without it. A line for which the pipe has no room
/// is dropped and counted. The descriptor keeps its inherited mode, because other programs may share
/// it. Until ``start()``, lines go to the descriptor itself: a command that says why it failed needs
/// no thread.
final class LogOutput: Sendable {
  static let standardError = LogOutput(descriptor: STDERR_FILENO)

  private let descriptor: Int32
  private let capacity: Int32
  private let state: Lock<LogState>

  init(descriptor: Int32, capacity: Int32 = 1 << 20) {
    self.descriptor = descriptor
    self.capacity = capacity
    state = Lock(LogState(target: descriptor))
  }

  var droppedLineCount: Int { state.withLock { $0.dropped } }

  /// Sets what formats the report of dropped lines, and an essential line.
  func format(by handler: LineLogHandler) { state.withLock { $0.handler = handler } }

  /// Starts the thread; if the system has no descriptor or thread left, lines go on as before.
  func start() {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return }
    // F_SETPIPE_SZ: the most that a process without rights may ask for.
    _ = fcntl(ends[1], 1031, capacity)
    guard NamedThread.start("enlist-log", { [ends] in self.copy(from: ends[0]) }) else {
      for end in ends { close(end) }
      return
    }
    state.withLock { ($0.target, $0.unwritten) = (ends[1], $0.waiting.count) }
  }

  /// Writes a line without its line end, or drops it; an essential one, which says why the process
  /// ends, is never dropped, but waits for ``flush(within:)``.
  func write(line: String, isEssential: Bool = false) {
    state.withLock { state in
      state.passOn()
      if isEssential {
        state.reportDrops()
        state.add(state.handler?.lastLine(line) ?? line)
      } else if state.waiting.isEmpty {
        state.add(line)
      } else {
        state.dropped += 1
      }
    }
  }

  /// Lets the process end when its last lines are written, which say why.
  static func flushAtExit() { atexit { LogOutput.standardError.flush() } }

  /// Waits until all lines are written.
  @discardableResult
  func flush(within milliseconds: Int = 1000) -> Bool {
    let written = DispatchSemaphore(value: 0)
    let isWritten: Bool? = state.withLock { state in
      guard state.target != descriptor else {
        state.push(within: Int32(milliseconds))
        return state.waiting.isEmpty
      }
      state.whenWritten = written
      return state.unwritten == 0 ? true : nil
    }
    return isWritten ?? (written.wait(timeout: .now() + .milliseconds(milliseconds)) == .success)
  }

  /// Writes what the pipe has in pieces of whole lines that a pipe takes at once, so that they do not
  /// mix with those of other programs; a longer line is a piece of its own.
  private func copy(from pipe: Int32) {
    let output = OutputStream(descriptor: descriptor)
    let newline = UInt8(ascii: "\n")
    var buffer = [UInt8](repeating: 0, count: Int(PIPE_BUF))
    var lines: [UInt8] = []
    while true {
      let count = read(pipe, &buffer, buffer.count)
      if count > 0 { lines += buffer[..<count] }
      while let end = lines.prefix(buffer.count).lastIndex(of: newline)
        ?? lines.firstIndex(of: newline)
      {
        let isWritten = (try? output.write(lines[...end])) != nil
        let lost = isWritten ? 0 : lines[...end].count { $0 == newline }
        lines.removeSubrange(...end)
        state.withLock { state in
          state.unwritten -= end + 1
          // The next line reports what is lost: a report at once would be lost, too, without an end.
          state.dropped += lost
          if lost == 0 { state.passOn() } else { state.push() }
          if state.unwritten == 0 { state.whenWritten?.signal() }
        }
      }
    }
  }
}

/// What threads share of a log output.
private struct LogState {
  /// The pipe; the descriptor before the start.
  var target: Int32
  /// What the target has had no room for: a line or its rest, and the lines that must not be lost.
  var waiting: [UInt8] = []
  /// The number of bytes that the thread has still to write, also of those that wait.
  var unwritten = 0
  var whenWritten: DispatchSemaphore?
  var dropped = 0
  /// The number of dropped lines that a line has reported.
  var reported = 0
  var handler: LineLogHandler?

  /// Passes on what waits and, when there is room again, the number of dropped lines: no line comes
  /// before it.
  mutating func passOn() {
    push()
    if waiting.isEmpty { reportDrops() }
  }

  mutating func reportDrops() {
    guard dropped > reported else { return }
    let report = "\(dropped - reported) log lines dropped"
    add(handler?.line(.warning, "\(report)") ?? report)
    reported = dropped
  }

  mutating func add(_ line: String) {
    let bytes = "\(line)\n".utf8
    waiting += bytes
    unwritten += bytes.count
    push()
  }

  /// Writes what waits to the target, as far as that has room within a time.
  mutating func push(within milliseconds: Int32 = 0) {
    while !waiting.isEmpty {
      var output = pollfd(fd: target, events: Int16(POLLOUT), revents: 0)
      guard poll(&output, 1, milliseconds) == 1, output.revents & Int16(POLLOUT) != 0 else {
        return
      }
      // A pipe that is ready takes this many bytes without waiting, and not mixed with others.
      let piece = waiting.prefix(Int(PIPE_BUF))
      let count = piece.withUnsafeBytes { Glibc.write(target, $0.baseAddress, $0.count) }
      guard count > 0 else { return }
      waiting.removeFirst(count)
    }
  }
}

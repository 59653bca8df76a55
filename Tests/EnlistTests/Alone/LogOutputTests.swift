import Dispatch
import Glibc
import TestSupport
import Testing

@testable import enlist

/// Tests of a log output with a pipe whose reader may be slow, absent or gone.
@Suite struct LogOutputTests {
  private let pipe: ReaderPipe

  init() throws {
    // Unlike the program, the test process does not ignore SIGPIPE by default.
    ThisProcess.ignoreWriteSignals()
    pipe = try ReaderPipe()
  }

  private func makeOutput(capacity: Int32 = 1 << 20) -> LogOutput {
    let output = LogOutput(descriptor: pipe.writeEnd, capacity: capacity)
    output.start()
    return output
  }

  /// Writes numbered lines of some hundred bytes.
  private func writeNumbers(_ count: Int, to output: LogOutput) {
    let text = String(repeating: "x", count: 99)
    for number in 0..<count { output.write(line: "\(number) \(text)") }
  }

  /// Reads lines that begin with their numbers, from 0, or have the number of the dropped ones in
  /// their place.
  private func readNumbers(_ count: Int) throws {
    var next = 0
    while next < count {
      let words = try pipe.readLine().split(separator: " ")
      let number = try #require(words.first.flatMap { Int($0) })
      if words.dropFirst() == ["log", "lines", "dropped"] {
        next += number
      } else {
        #expect(number == next)
        next += 1
      }
    }
    #expect(next == count)
  }

  @Test func `a log output writes every line in the order of its thread`() throws {
    let output = makeOutput()
    DispatchQueue.concurrentPerform(iterations: 4) { thread in
      for number in 0..<500 { output.write(line: "\(thread) \(number)") }
    }
    var next = [0, 0, 0, 0]
    for _ in 0..<2000 {
      let numbers = try pipe.readLine().split(separator: " ").compactMap { Int($0) }
      try #require(numbers.count == 2)
      #expect(next[numbers[0]] == numbers[1])
      next[numbers[0]] += 1
    }
    #expect(output.flush(within: 10_000))
  }

  @Test func `lines that a full disk has no room for are counted`() throws {
    let disk = open("/dev/full", O_WRONLY)
    try #require(disk >= 0)
    defer { close(disk) }
    let output = LogOutput(descriptor: disk)
    output.start()
    for _ in 0..<3 { output.write(line: "lost") }
    #expect(output.flush(within: 10_000))
    // What reports the lost ones is lost, too.
    #expect(output.droppedLineCount >= 3)
  }

  @Test func `logging never waits for a reader, and each line is written or counted`() throws {
    let output = makeOutput(capacity: 10_000)
    let begin = ContinuousClock.now
    writeNumbers(10_000, to: output)
    #expect(ContinuousClock.now - begin < .seconds(5))
    #expect(output.droppedLineCount > 9000)
    // The last ones are counted although no other line follows.
    try readNumbers(10_000)
    #expect(output.flush(within: 10_000))
  }

  @Test func `a log that nobody reads has room for a mebibyte`() throws {
    let output = makeOutput()
    writeNumbers(20_000, to: output)
    let kept = 20_000 - output.droppedLineCount
    #expect((9000...11_000).contains(kept), "\(kept)")
    try readNumbers(20_000)
    #expect(output.flush(within: 10_000))
  }

  @Test func `the reader gets lines again after the number of dropped ones`() throws {
    let output = makeOutput(capacity: 4096)
    writeNumbers(1000, to: output)
    try readNumbers(1000)
    output.write(line: "after")
    #expect(try pipe.readLine() == "after")
    #expect(output.flush(within: 10_000))
  }

  @Test func `lines that are longer than a write to a pipe are written whole, or counted`() throws {
    let output = makeOutput(capacity: 65_536)
    let lineCount = 200
    let group = DispatchGroup()
    for thread in 0..<3 {
      DispatchQueue.global().async(group: group) {
        for number in 0..<lineCount {
          let count = number % 2 == 0 ? 20 : 9000 * (thread + 1)
          output.write(line: "\(count) \(String(repeating: "\(thread)", count: count))")
        }
      }
    }
    var (kept, dropped) = (0, 0)
    while kept + dropped < 3 * lineCount {
      let words = try pipe.readLine().split(separator: " ")
      let count = try #require(words.first.flatMap { Int($0) })
      if words.dropFirst() == ["log", "lines", "dropped"] {
        dropped += count
      } else {
        try #require(words.count == 2)
        #expect(words[1].utf8.count == count && Set(words[1].utf8).count == 1)
        kept += 1
      }
    }
    group.wait()
    #expect(kept + dropped == 3 * lineCount)
    #expect(output.flush(within: 10_000))
  }

  @Test func `a line that says why the process ends is never dropped`() throws {
    // F_SETPIPE_SZ: the only page is full, so nothing fits, however few lines the log has kept.
    #expect(fcntl(pipe.writeEnd, 1031, 4096) == 4096)
    let text = Array(String(repeating: "x", count: 4095).utf8) + [UInt8(ascii: "\n")]
    #expect(write(pipe.writeEnd, text, text.count) == text.count)
    let output = makeOutput(capacity: 4096)
    writeNumbers(1000, to: output)
    output.write(line: "the reason", isEssential: true)
    #expect(!output.flush(within: 50))
    _ = try pipe.readLine()
    try readNumbers(1000)
    #expect(try pipe.readLine() == "the reason")
    #expect(output.flush(within: 10_000))
  }

  @Test func `a flush without a reader times out, and returns at once if all is written`() throws {
    let output = makeOutput()
    #expect(output.flush(within: 3_600_000))
    output.write(line: String(repeating: "x", count: 100_000))
    let begin = ContinuousClock.now
    #expect(!output.flush(within: 50))
    #expect(ContinuousClock.now - begin >= .milliseconds(50))
    _ = try pipe.readLine()
    #expect(output.flush(within: 10_000))
  }

  @Test func `a command that has not started the log writes its line itself`() throws {
    let output = LogOutput(descriptor: pipe.writeEnd)
    output.write(line: "the reason", isEssential: true)
    #expect(try pipe.readLine() == "the reason")
    #expect(output.flush(within: 0))
    // Without room, the line waits for the flush.
    let filling = String(repeating: "x", count: 4095)
    output.write(line: filling)
    output.write(line: "another", isEssential: true)
    #expect(!output.flush(within: 50))
    #expect(try pipe.readLine() == filling)
    #expect(output.flush(within: 10_000))
    #expect(try pipe.readLine() == "another")
  }

  @Test func `logging continues after the reader has closed the pipe`() throws {
    let output = makeOutput(capacity: 4096)
    pipe.closeReadEnd()
    for _ in 0..<100 { output.write(line: "lost") }
    #expect(output.flush(within: 10_000))
  }

  /// Atomic writes keep lines of programs that share a pipe from mixing.
  @Test func `a log output writes whole lines at once`() throws {
    let output = makeOutput()
    let line = String(repeating: "y", count: 1500)
    for _ in 0..<200 { output.write(line: line) }
    let other = OutputStream(descriptor: pipe.writeEnd)
    DispatchQueue.global().async { [pipe] in
      for _ in 0..<200 { try? other.write(line: "other") }
      withExtendedLifetime(pipe) {}
    }
    var counts = ["other": 0, line: 0]
    for _ in 0..<400 { counts[try pipe.readLine(), default: 0] += 1 }
    #expect(counts == ["other": 200, line: 200])
    #expect(output.flush(within: 10_000))
  }
}

/// A pipe of 4 KiB that is read line by line.
// @unchecked Sendable because only the test's own thread reads.
private final class ReaderPipe: @unchecked Sendable {
  let writeEnd: Int32
  private let readEnd: Int32
  private var received: [UInt8] = []
  private var isClosed = false

  init() throws {
    (readEnd, writeEnd) = try Pipe.make(size: 4096)
  }

  deinit {
    closeReadEnd()
    close(writeEnd)
  }

  func closeReadEnd() {
    guard !isClosed else { return }
    isClosed = true
    close(readEnd)
  }

  func readLine() throws -> String {
    while true {
      if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
        defer { received.removeFirst(end + 1) }
        return String(decoding: received[..<end], as: UTF8.self)
      }
      try wait(of: readEnd, within: patience)
      var buffer = [UInt8](repeating: 0, count: 65_536)
      let count = read(readEnd, &buffer, buffer.count)
      guard count > 0 else { throw TestSystemError.closed }
      received += buffer.prefix(count)
    }
  }
}

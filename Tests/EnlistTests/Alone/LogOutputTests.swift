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
    ProcessSignals.ignoreWriteSignals()
    pipe = try ReaderPipe()
  }

  private func makeOutput(capacity: Int) -> LogOutput {
    LogOutput(OutputStream(descriptor: pipe.writeEnd), capacity: capacity)
  }

  @Test func `a log output writes every line in the order of its thread`() throws {
    let output = makeOutput(capacity: 1_048_576)
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
    #expect(output.flush(within: .seconds(10)))
  }

  @Test func `logging never waits for a reader, and later reports the dropped lines`() throws {
    let output = makeOutput(capacity: 10_000)
    let line = String(repeating: "x", count: 99)
    let begin = ContinuousClock.now
    for number in 0..<10_000 { output.write(line: "\(number) \(line)") }
    #expect(ContinuousClock.now - begin < .seconds(5))

    var next = 0
    while next < 10_000 {
      let words = try pipe.readLine().split(separator: " ")
      let number = try #require(words.first.flatMap { Int($0) })
      if words.dropFirst() == ["log", "lines", "dropped"] {
        next += number
      } else {
        #expect(number == next)
        next += 1
      }
    }
    #expect(next == 10_000)
    #expect(output.flush(within: .seconds(10)))
  }

  @Test func `a flush without a reader times out, and returns at once if all is written`() throws {
    let output = makeOutput(capacity: 1_048_576)
    #expect(output.flush(within: .seconds(3600)))
    output.write(line: String(repeating: "x", count: 100_000))
    let begin = ContinuousClock.now
    #expect(!output.flush(within: .milliseconds(50)))
    #expect(ContinuousClock.now - begin >= .milliseconds(50))
    _ = try pipe.readLine()
    #expect(output.flush(within: .seconds(10)))
  }

  @Test func `logging continues after the reader has closed the pipe`() throws {
    let output = makeOutput(capacity: 1_000)
    pipe.closeReadEnd()
    for _ in 0..<100 { output.write(line: "lost") }
    #expect(output.flush(within: .seconds(10)))
  }

  /// Atomic writes keep lines of programs that share a pipe from mixing.
  @Test func `a log output writes whole lines at once`() throws {
    let output = makeOutput(capacity: 1_048_576)
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
    #expect(output.flush(within: .seconds(10)))
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

import Glibc
import TestSupport
import Testing

/// Tests that the log never blocks the service and that clients cannot flood it.
@Suite struct LogTests {
  /// Sends requests that libmicrohttpd rejects, one connection after the other.
  private func sendMalformed(
    _ count: Int, _ field: String = "Content-Length: +1", to service: Enlist
  ) throws {
    for _ in 0..<count {
      let client = try service.connect()
      try client.send("GET /livez HTTP/1.1\r\nHost: localhost\r\n\(field)\r\n\r\n")
      let status = try client.readHead().status
      try #require(status == 400)
    }
  }

  @Test func `a log without a reader delays neither sign-ups nor the exit`() throws {
    let log = try SmallLog()
    defer { log.close() }
    let service = try log.service()
    try sendMalformed(10_000, to: service)
    // Waiting for the log would block them forever.
    for number in 0..<21 { try service.signUp("p\(number)@example.com").expect(202) }
    try service.get("/readyz").expect(200)
    #expect(try service.process.wait(after: SIGTERM) == .exit(0))
  }

  @Test func `a log reader that resumes gets the number of dropped lines`() throws {
    let log = try SmallLog()
    defer { log.close() }
    let service = try log.service()
    try sendMalformed(6_000, to: service)
    var line: String
    repeat { line = try log.readLine() } while !line.contains("log lines dropped")
    let notice = line.wholeMatch(of: /\S+ warning enlist: [1-9][0-9]* log lines dropped/)
    #expect(notice != nil, "\(line)")
  }

  @Test func `an error at startup does not wait for a reader of the log`() throws {
    let log = try SmallLog()
    defer { log.close() }
    try log.fill()
    let process = try Child(["enlist", "--listen", "nowhere"], errors: log.writeEnd)
    #expect(try process.wait() == .exit(64))
  }

  @Test(arguments: ["Content-Length: +1", "Host: again"])
  func `a thousand malformed requests cause one log line`(_ field: String) throws {
    let service = try Enlist(["--log-level", "info"])
    let before = service.process.errors.split(separator: "\n").count
    try sendMalformed(1000, field, to: service)
    #expect(try service.process.wait(after: SIGTERM) == .exit(0))
    let lines = service.process.errors.split(separator: "\n").dropFirst(before)
    let malformed = lines.filter { $0.contains("malformed requests: ") }
    // If this takes more than a minute on a slow machine, a line with a count is added.
    #expect((1...4).contains(malformed.count), "\(lines)")
    #expect(lines.count - malformed.count <= 5, "\(lines)")
  }
}

/// A pipe of 4 KiB for a log, which only the test reads.
private final class SmallLog {
  private static let size = 4096

  private let readEnd: Int32
  private(set) var writeEnd: Int32
  private var received: [UInt8] = []

  init() throws { (readEnd, writeEnd) = try Pipe.make(size: Int32(Self.size)) }

  /// Closes the pipe; until then it has a reader.
  func close() {
    Glibc.close(readEnd)
    if writeEnd >= 0 { Glibc.close(writeEnd) }
  }

  /// Starts a service with this log, the only one that can write to it.
  func service() throws -> Enlist {
    let service = try Enlist(["--drain", "0s"], errors: writeEnd)
    Glibc.close(writeEnd)
    writeEnd = -1
    return service
  }

  /// Leaves no room in the pipe.
  func fill() throws {
    try #require(write(writeEnd, [UInt8](repeating: 0, count: Self.size), Self.size) == Self.size)
  }

  /// Waits for the next line.
  func readLine() throws -> String {
    while true {
      if let end = received.firstIndex(of: 10) {
        defer { received.removeFirst(end + 1) }
        return String(decoding: received[..<end], as: UTF8.self)
      }
      try wait(of: readEnd, within: patience)
      var buffer = [UInt8](repeating: 0, count: Self.size)
      let count = read(readEnd, &buffer, buffer.count)
      guard count > 0 else { throw TestSystemError.closed }
      received += buffer[..<count]
    }
  }
}

import Foundation
import Glibc
import TestSupport
import Testing

/// Tests in which clients exhaust a resource while sign-ups must continue.
@Suite(.serialized) struct ExhaustionTests {
  /// Returns the resident memory of a process, in bytes.
  private func residentBytes(of process: ChildProcess) throws -> Int {
    let text = try String(contentsOfFile: "/proc/\(process.id)/status", encoding: .utf8)
    let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("VmRSS:") })
    return try #require(Int(line.filter(\.isNumber))) * 1024
  }

  /// Returns the CPU time of a process, in ticks of 10 ms.
  private func ticks(of process: ChildProcess) throws -> Int {
    let text = try String(contentsOfFile: "/proc/\(process.id)/stat", encoding: .utf8)
    let fields = try #require(text.split(separator: ")").last).split(separator: " ")
    return try #require(Int(fields[11])) + #require(Int(fields[12]))
  }

  private func setDescriptors(_ count: Int, of process: ChildProcess) throws {
    let command = "prlimit --pid=\(process.id) --nofile=\(count):20000"
    let prlimit = try ChildProcess(through: ["bash", "-c", command])
    #expect(try prlimit.wait() == .exit(0))
  }

  @Test
  func `streams leave connections for sign-ups when descriptors are scarce`() throws {
    let service = try RunningService(
      ["--threads", "1", "--status-stream", "public"], through: ["prlimit", "--nofile=200"])
    for warning in ["max-connections from 20000 to 104", "max-streams from 10000 to 52"] {
      try Deadline.soon.wait { service.process.standardError.contains(warning) }
    }
    var clients: [SocketClient] = []
    for number in 0..<300 {
      let client = try service.connect()
      // A rejected connection is closed before the request is sent.
      try? client.request("GET", "/status")
      clients.append(client)
      if number.isMultiple(of: 50) {
        #expect(try service.signUp("ana\(number)@example.org").status == 202)
      }
    }
    #expect(try service.signUp("last@example.org").status == 202)
    let statuses = statuses(of: clients)
    #expect(statuses[200] == 52, "\(statuses)")
    #expect(statuses[503, default: 0] > 0, "\(statuses)")
  }

  /// Counts the responses that clients have by now; 0 stands for none.
  private func statuses(of clients: some Sequence<SocketClient>) -> [Int: Int] {
    clients.reduce(into: [:]) { statuses, client in
      let head = try? client.readHead(by: Deadline(after: .milliseconds(20)))
      statuses[head?.status ?? 0, default: 0] += 1
    }
  }

  @Test(.disabled(if: Sanitizer.isActive, "a sanitizer keeps freed memory"))
  func `sign-ups continue during 2,000 slow bodies, which stay within their memory`() throws {
    let service = try RunningService(["--body-memory", "1MiB", "--threads", "1"])
    #expect(try service.signUp("first@example.org").status == 202)
    let before = try residentBytes(of: service.process)
    let part = String(repeating: "x", count: 15_000)
    let head = "POST /subscribers HTTP/1.1\r\nHost: a\r\nContent-Length: 16000\r\n"
    let clients = try (0..<2000).map { number in
      let client = try service.connect()
      try? client.send(head + "\r\n" + part)
      if number.isMultiple(of: 200) {
        #expect(try service.signUp("ana\(number)@example.org").status == 202)
      }
      return client
    }
    #expect(try service.signUp("last@example.org").status == 202)
    // All bodies would take 30 MiB; the rest is libmicrohttpd's memory for accepted requests.
    #expect(try residentBytes(of: service.process) - before < 24 << 20)
    let statuses = statuses(of: clients.suffix(1000))
    #expect(statuses[503, default: 0] > 500, "\(statuses)")
  }

  @Test(.disabled(if: Sanitizer.isActive, "a sanitizer keeps freed memory"))
  func `the memory of 2,000 slow bodies goes back to the system within a minute`() throws {
    let service = try RunningService(["--threads", "1"])
    #expect(try service.signUp("first@example.org").status == 202)
    let before = try residentBytes(of: service.process)
    let body = "Content-Length: 16000\r\n\r\n" + String(repeating: "x", count: 15_000)
    let clients = try (0..<2000).map { _ in
      let client = try service.connect()
      try client.send("POST /subscribers HTTP/1.1\r\nHost: a\r\n" + body)
      return client
    }
    try Deadline(after: .seconds(30)).wait {
      try residentBytes(of: service.process) - before > 40 << 20
    }
    // The service records once a second how much memory is in use.
    Deadline(after: .seconds(3)).pass()
    for client in clients { client.close() }
    try Deadline(after: .seconds(60)).wait {
      try residentBytes(of: service.process) - before < 12 << 20
    }
    #expect(try service.signUp("last@example.org").status == 202)
  }

  /// A control group in which tests can create groups with a memory limit, and the name of the file
  /// with the limit: of version 2, or of version 1; `nil` if there is none.
  private static let groups: (path: String, limit: String)? = {
    let (root, files) = ("/sys/fs/cgroup", FileManager.default)
    let inherited = try? String(contentsOfFile: "\(root)/cgroup.subtree_control", encoding: .utf8)
    if inherited?.contains("memory") == true, files.isWritableFile(atPath: "\(root)/cgroup.procs") {
      return (root, "memory.max")
    }
    let isThere = files.isWritableFile(atPath: "\(root)/memory/cgroup.procs")
    return isThere ? ("\(root)/memory", "memory.limit_in_bytes") : nil
  }()

  @Test(
    .enabled(
      if: groups != nil && sysconf(Int32(_SC_OPEN_MAX)) > 16_000,
      "requires a control group with a memory limit, and 16,000 descriptors"),
    .disabled(if: Sanitizer.isActive, "a sanitizer needs more than 128 MiB"))
  func `a process in a container of 128 MiB survives 15,000 slow bodies`() throws {
    let groups = try #require(Self.groups)
    let group = "\(groups.path)/enlist-test-\(UInt32.random(in: 0...UInt32.max))"
    try FileManager.default.createDirectory(atPath: group, withIntermediateDirectories: false)
    defer { rmdir(group) }
    let join = """
      echo \(128 << 20) >\(group)/\(groups.limit) && echo $$ >\(group)/cgroup.procs && exec "$0" "$@"
      """
    let service = try RunningService(["--threads", "1"], through: ["bash", "-c", join])
    try Deadline.soon.wait {
      service.process.standardError.contains("limited to 128 MiB of memory")
    }
    try expectSurvival(of: service, slowBodies: 15_000)
  }

  @Test(
    .enabled(if: sysconf(Int32(_SC_OPEN_MAX)) > 9000, "requires 9,000 descriptors"),
    .disabled(if: Sanitizer.isActive, "a sanitizer needs more addresses"))
  func `a process with little address space survives 8,000 slow bodies`() throws {
    let service = try RunningService(
      ["--threads", "1"], through: ["prlimit", "--as=\(720_000 << 10)"])
    try Deadline.soon.wait {
      service.process.standardError.contains(/limited to \d+ MiB of memory; lowering/)
    }
    try expectSurvival(of: service, slowBodies: 8000)
  }

  /// Sends bodies slowly, and expects that the service stores a sign-up after that, and ends.
  private func expectSurvival(of service: RunningService, slowBodies count: Int) throws {
    let part = String(repeating: "x", count: 15_000)
    let head = "POST /subscribers HTTP/1.1\r\nHost: a\r\nContent-Length: 16000\r\n\r\n"
    var clients: [SocketClient] = []
    for _ in 0..<count {
      let client = try service.connect()
      try? client.send(head + part)
      clients.append(client)
    }
    let statuses = statuses(of: clients.suffix(100))
    #expect(statuses[202] == nil && statuses[503, default: 0] > 0, "\(statuses)")
    #expect(try service.signUp("after@example.org").status == 202)
    service.process.send(signal: 15)
    #expect(try service.process.wait() == .exit(0))
  }

  @Test
  func `a process without free descriptors idles, and accepts again when some are free`() throws {
    let service = try RunningService(["--threads", "2"])
    #expect(try service.signUp("before@example.org").status == 202)
    let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(service.process.id)/fd")
    try setDescriptors(open.compactMap { Int($0) }.max().map { $0 + 1 } ?? 3, of: service.process)
    let clients = try (0..<40).map { _ in try service.connect() }
    let begin = try ticks(of: service.process)
    let linesBefore = service.process.standardError.count
    // The service closes some connections every 100 ms; their end is the clients' only notice.
    for client in clients.prefix(4) { _ = try? client.readToEnd() }
    #expect(try ticks(of: service.process) - begin < 20)
    #expect(service.process.standardError.count - linesBefore < 4096)
    try setDescriptors(20_000, of: service.process)
    #expect(try service.signUp("after@example.org").status == 202)
  }
}

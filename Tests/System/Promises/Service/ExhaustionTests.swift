import Foundation
import Glibc
import TestSupport
import Testing

/// Tests in which clients exhaust a resource while sign-ups must continue.
@Suite(.serialized) struct ExhaustionTests {
  /// A line for each request would cost memory and time, which are measured here.
  private let quiet = ["--log-level", "info"]
  /// A request whose body does not end.
  private let slowBody =
    "POST /subscribers HTTP/1.1\r\nHost: a\r\nContent-Length: 16000\r\n\r\n"
    + String(repeating: "x", count: 15_000)

  @Test
  func `streams leave connections for sign-ups when descriptors are scarce`() throws {
    let service = try Enlist(
      ["--threads", "1", "--status-stream", "public"] + quiet, through: ["prlimit", "--nofile=200"])
    for warning in ["max-connections from 20000 to 104", "max-streams from 10000 to 52"] {
      try service.process.waitForLog(warning)
    }
    let clients = try (0..<300).map { number in
      let client = try service.connect()
      // A rejected connection is closed before the request is sent.
      try? client.request("GET", "/status")
      if number.isMultiple(of: 50) {
        try service.signUp("ana\(number)@example.org").expect(202)
      }
      return client
    }
    try service.signUp("last@example.org").expect(202)
    let statuses = statuses(of: clients)
    #expect(statuses[200] == 52, "\(statuses)")
    #expect(statuses[503, default: 0] > 0, "\(statuses)")
  }

  /// Counts the responses that clients have by now; 0 stands for none.
  private func statuses(of clients: some Sequence<Client>) -> [Int: Int] {
    clients.reduce(into: [:]) { statuses, client in
      let head = try? client.readHead(within: .milliseconds(20))
      statuses[head?.status ?? 0, default: 0] += 1
    }
  }

  @Test(.disabled(if: Sanitizer.isActive, "a sanitizer keeps freed memory"))
  func `sign-ups continue during 2,000 slow bodies, which stay within their memory`() throws {
    let service = try Enlist(["--body-memory", "1MiB", "--threads", "1"] + quiet)
    try service.signUp("first@example.org").expect(202)
    let before = try service.residentBytes()
    let clients = try (0..<2000).map { number in
      let client = try service.connect()
      try? client.send(slowBody)
      if number.isMultiple(of: 200) {
        try service.signUp("ana\(number)@example.org").expect(202)
      }
      return client
    }
    try service.signUp("last@example.org").expect(202)
    // All bodies would take 30 MiB; the rest is libmicrohttpd's memory for accepted requests.
    let grown = try service.residentBytes() - before
    #expect(grown < 24 << 20)
    let statuses = statuses(of: clients.suffix(1000))
    #expect(statuses[503, default: 0] > 500, "\(statuses)")
  }

  @Test(.disabled(if: Sanitizer.isActive, "a sanitizer keeps freed memory"))
  func `the memory of 2,000 slow bodies goes back to the system within a minute`() throws {
    let service = try Enlist(["--threads", "1"] + quiet)
    try service.signUp("first@example.org").expect(202)
    let before = try service.residentBytes()
    let clients = try (0..<2000).map { _ in
      let client = try service.connect()
      try client.send(slowBody)
      return client
    }
    try eventually("40 MiB in use") { try service.residentBytes() - before > 40 << 20 }
    // The service records once a second how much memory is in use.
    pause(.seconds(3))
    for client in clients { client.close() }
    try eventually("memory that went back", within: .seconds(60)) {
      try service.residentBytes() - before < 12 << 20
    }
    try service.signUp("last@example.org").expect(202)
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
      echo \(128 << 20) >\(group)/\(groups.limit) && echo $$ >\(group)/cgroup.procs &&
        exec "$0" "$@"
      """
    let service = try Enlist(["--threads", "1"] + quiet, through: ["bash", "-c", join])
    try service.process.waitForLog("limited to 128 MiB of memory")
    try expectSurvival(of: service, slowBodies: 15_000)
  }

  @Test(
    .enabled(if: sysconf(Int32(_SC_OPEN_MAX)) > 9000, "requires 9,000 descriptors"),
    .disabled(if: Sanitizer.isActive, "a sanitizer needs more addresses"))
  func `a process with little address space survives 8,000 slow bodies`() throws {
    let service = try Enlist(
      ["--threads", "1"] + quiet, through: ["prlimit", "--as=\(720_000 << 10)"])
    _ = try service.process.line(/limited to (\d+) MiB of memory; lowering/, in: \.errors)
    try expectSurvival(of: service, slowBodies: 8000)
  }

  /// Sends bodies slowly, and expects that the service stores a sign-up after that, and ends.
  private func expectSurvival(of service: Enlist, slowBodies count: Int) throws {
    let clients = try (0..<count).map { _ in
      let client = try service.connect()
      try? client.send(slowBody)
      return client
    }
    // Its connection comes after theirs, so they have been served by then.
    try service.signUp("after@example.org").expect(202)
    let statuses = statuses(of: clients.suffix(100))
    #expect(statuses[202] == nil && statuses[503, default: 0] > 0, "\(statuses)")
    let end = try service.process.wait(after: SIGTERM)
    #expect(end == .exit(0))
  }

  @Test
  func `a process without free descriptors idles, and accepts again when some are free`() throws {
    let service = try Enlist(["--threads", "2"] + quiet)
    try service.signUp("before@example.org").expect(202)
    let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(service.process.id)/fd")
    try service.setDescriptors(open.compactMap { Int($0) }.max().map { $0 + 1 } ?? 3)
    let clients = try (0..<40).map { _ in try service.connect() }
    let begin = try service.ticks()
    let bytesBefore = service.process.errors.count
    // The service closes some connections every 100 ms; their end is the clients' only notice.
    for client in clients.prefix(4) { _ = try? client.readToEnd() }
    let ticks = try service.ticks() - begin
    #expect(ticks < 20)
    #expect(service.process.errors.count - bytesBefore < 4096)
    try service.setDescriptors(20_000)
    try service.signUp("after@example.org").expect(202)
  }
}

extension Enlist {
  /// The resident memory of the process, in bytes.
  fileprivate func residentBytes() throws -> Int {
    let text = try String(contentsOfFile: "/proc/\(process.id)/status", encoding: .utf8)
    let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("VmRSS:") })
    return try #require(Int(line.filter(\.isNumber))) * 1024
  }

  /// The CPU time of the process, in ticks of 10 ms.
  fileprivate func ticks() throws -> Int {
    let text = try String(contentsOfFile: "/proc/\(process.id)/stat", encoding: .utf8)
    let fields = try #require(text.split(separator: ")").last).split(separator: " ")
    return try #require(Int(fields[11])) + #require(Int(fields[12]))
  }

  fileprivate func setDescriptors(_ count: Int) throws {
    let limit = try Child.run(["prlimit", "--pid=\(process.id)", "--nofile=\(count):20000"])
    #expect(limit.end == .exit(0), "\(limit.errors)")
  }
}

import TestSupport
import Testing

/// Tests in which the store becomes unavailable to the running service, and available again.
@Suite struct StoreTakenAwayTests {
  @Test func `a lock beyond the busy timeout causes 503, and sign-ups resume after its release`()
    throws
  {
    let service = try Enlist(["--database-timeout", "200ms"])
    let stream = try service.stream()
    let lock = try StolenLock(of: service)
    try expectRejection(of: "ana@example.com", by: service, on: stream)
    try expectRejection(of: "bob@example.com", by: service, on: stream)
    try service.get("/readyz").expect(503)
    try service.get("/livez").expect(200)
    try expectStored(0, by: service)

    try lock.giveBack()
    try expectSuccess(of: "ana@example.com", by: service, on: stream)
    try service.get("/readyz").expect(200)
    let addresses = try service.addresses()
    #expect(addresses == ["ana@example.com"])
    try expectStored(1, by: service)
  }

  @Test func `all sign-ups waiting for a long lock fail, and none is stored in part`() throws {
    let service = try Enlist(["--database-timeout", "200ms"])
    let lock = try StolenLock(of: service)
    let addresses = (1...20).map { "a\($0)@example.com" }
    let clients = try addresses.map { _ in try service.connect() }
    for (client, address) in zip(clients, addresses) { try client.sendSignUp(of: address) }
    for client in clients { try client.readResponse().expect(503) }
    try lock.giveBack()
    for (client, address) in zip(clients, addresses) { try client.sendSignUp(of: address) }
    for client in clients { try client.readResponse().expect(202) }
    try expectStored(20, by: service)
  }

  /// A limit on the file size of the running process simulates a full disk; it is also one on the
  /// file of the log, which therefore must be short.
  @Test func `a file-size limit causes 503, and sign-ups resume when it is lifted`() throws {
    let service = try Enlist(["--log-level", "info"])
    var stored = ["first@example.com"]
    try service.signUp(stored[0]).expect(202)
    try service.limitFiles(to: "120000")
    stored += try service.signUpUntilRejected()

    let stream = try service.stream()
    try expectRejection(of: "ana@example.com", by: service, on: stream)
    try expectStored(stored.count, by: service)
    try service.limitFiles(to: "unlimited")
    try expectSuccess(of: "ana@example.com", by: service, on: stream)
    let addresses = try service.addresses()
    #expect(addresses == stored + ["ana@example.com"])
    try expectStored(stored.count + 1, by: service)
  }

  @Test(
    .enabled(if: SmallDisk.isAllowed, "requires the right to mount a small disk in a namespace"))
  func `a full disk causes 503, and sign-ups resume when there is space`() throws {
    let disk = try SmallDisk()
    let service = try Enlist(
      ["--database", "sqlite:\(disk.path)/enlist.sqlite"], through: disk.launcher)
    disk.belongs(to: service.process)
    var stored = ["first@example.com"]
    try service.signUp(stored[0]).expect(202)
    try disk.fill()
    stored += try service.signUpUntilRejected()

    let stream = try service.stream()
    try expectRejection(of: "ana@example.com", by: service, on: stream)
    try disk.empty()
    try expectSuccess(of: "ana@example.com", by: service, on: stream)
    let export = try Child.run(
      disk.entrance + ["enlist", "export", "--format", "ndjson"],
      environment: ["ENLIST_DATABASE": "sqlite:\(disk.path)/enlist.sqlite"])
    #expect(export.end == .exit(0), "\(export.errors)")
    let lines = export.output.split(separator: "\n")
    #expect(lines.count == stored.count + 1)
    for (line, address) in zip(lines, stored + ["ana@example.com"]) {
      #expect(line.contains(#""address":"\#(address)""#), "\(line)")
    }
  }

  @Test(
    .enabled(
      if: ImmutableFiles.areAllowed,
      "requires the right to make files immutable, and a file system that supports it"))
  func `files that become read-only cause 503, and sign-ups resume when they are writable`() throws
  {
    let service = try Enlist()
    try service.signUp("first@example.com").expect(202)
    let stream = try service.stream()
    let files = try ImmutableFiles([service.database, service.database + "-wal"])
    try expectRejection(of: "ana@example.com", by: service, on: stream)
    try expectRejection(of: "bob@example.com", by: service, on: stream)
    try service.get("/readyz").expect(503)
    try service.get("/livez").expect(200)
    try expectStored(1, by: service)

    try files.free()
    try expectSuccess(of: "ana@example.com", by: service, on: stream)
    try service.get("/readyz").expect(200)
    let addresses = try service.addresses()
    #expect(addresses == ["first@example.com", "ana@example.com"])
    try expectStored(2, by: service)
    stream.close()
    let log = try service.stop()
    #expect(log.contains("the database is read-only"))
    #expect(log.contains("sign-ups are stored again"))
  }

  private func expectRejection(
    of address: String, by service: Enlist, on stream: Client
  ) throws {
    let response = try service.signUp(address).expect(503, "storage-unavailable")
    #expect(response["Content-Type"] == "application/problem+json")
    #expect(response["Retry-After"] != nil)
    #expect(!response.text.contains(address))
    #expect(try stream.readEvent()?.event == "started")
    let end = try #require(try stream.readEvent())
    #expect(end.event == "failed")
    #expect(end.data?.contains("Error :(") == true, "\(end)")
    #expect(end.data?.contains("Thanks") == false, "\(end)")
  }

  private func expectSuccess(
    of address: String, by service: Enlist, on stream: Client
  ) throws {
    try service.signUp(address).expect(202)
    // This event follows the rejection directly: no "Thanks" in between.
    #expect(try stream.readEvent()?.event == "started")
    #expect(try stream.readEvent()?.event == "completed")
  }

  /// Expects a number of subscribers, each with one consent.
  private func expectStored(
    _ count: Int, by service: Enlist, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let counts = try service.storedCounts()
    #expect(counts == (count, count), sourceLocation: sourceLocation)
  }
}

extension Enlist {
  /// Signs people up one after another until there is no space, and returns the acknowledged
  /// addresses.
  fileprivate func signUpUntilRejected() throws -> [String] {
    var stored: [String] = []
    for number in 1...200 {
      let address = "a\(number)@example.com"
      let response = try signUp(address)
      guard response.status == 202 else {
        response.expect(503)
        return stored
      }
      stored.append(address)
    }
    Issue.record("the disk was never full")
    return stored
  }
}

/// Files that no process can write, even with an open descriptor, as on a disk that was remounted
/// read-only; they become writable again with the end of this object, and can then be removed.
private final class ImmutableFiles {
  /// Whether the tests can make files immutable, which requires root and a suitable file system.
  static let areAllowed: Bool = {
    guard let folder = try? Folder(),
      let path = try? folder.write("a", to: "file"),
      let files = try? ImmutableFiles([path])
    else { return false }
    defer { try? files.free() }
    return (try? folder.write("b", to: "file")) == nil
  }()

  private var paths: [String]

  init(_ paths: [String]) throws {
    self.paths = paths
    try change("+i")
  }

  deinit {
    try? free()
  }

  func free() throws {
    try change("-i")
    paths = []
  }

  private func change(_ attribute: String) throws {
    guard !paths.isEmpty else { return }
    let change = try Child.run(["chattr", attribute] + paths)
    guard change.end == .exit(0) else { throw TestSystemError.malformed(change.errors) }
  }
}

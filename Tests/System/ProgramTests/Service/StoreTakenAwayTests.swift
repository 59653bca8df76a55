import TestSupport
import Testing

/// Tests in which the store becomes unavailable to the running service, and available again.
@Suite struct StoreTakenAwayTests {
  @Test func `a lock beyond the busy timeout causes 503, and sign-ups resume after its release`()
    throws
  {
    let service = try RunningService(["--database-timeout", "200ms"])
    let stream = try service.stream()
    let lock = try StolenLock(of: service)
    try expectRejection(of: "ana@example.com", by: service, on: stream)
    try expectRejection(of: "bob@example.com", by: service, on: stream)
    #expect(try service.request("GET", "/readyz").status == 503)
    #expect(try service.request("GET", "/livez").status == 200)
    #expect(try service.storedCounts() == (0, 0))

    try lock.giveBack()
    try expectSuccess(of: "ana@example.com", by: service, on: stream)
    #expect(try service.request("GET", "/readyz").status == 200)
    #expect(try service.exportedAddresses() == ["ana@example.com"])
    #expect(try service.storedCounts() == (1, 1))
  }

  @Test func `all sign-ups waiting for a long lock fail, and none is stored in part`() throws {
    let service = try RunningService(["--database-timeout", "200ms"])
    let lock = try StolenLock(of: service)
    let addresses = (1...20).map { "a\($0)@example.com" }
    let clients = try addresses.map { _ in try service.connect() }
    for (client, address) in zip(clients, addresses) { try client.sendSignUp(of: address) }
    for client in clients { #expect(try client.readResponse().status == 503) }
    try lock.giveBack()
    for (client, address) in zip(clients, addresses) { try client.sendSignUp(of: address) }
    for client in clients { #expect(try client.readResponse().status == 202) }
    #expect(try service.storedCounts() == (20, 20))
  }

  /// A limit on the file size of the running process simulates a full disk.
  @Test func `a file-size limit causes 503, and sign-ups resume when it is lifted`() throws {
    let service = try RunningService()
    var stored = ["first@example.com"]
    #expect(try service.signUp(stored[0]).status == 202)
    try service.limitFiles(to: "120000")
    stored += try service.signUpUntilRejected()

    let stream = try service.stream()
    try expectRejection(of: "ana@example.com", by: service, on: stream)
    #expect(try service.storedCounts() == (stored.count, stored.count))
    try service.limitFiles(to: "unlimited")
    try expectSuccess(of: "ana@example.com", by: service, on: stream)
    #expect(try service.exportedAddresses() == stored + ["ana@example.com"])
    #expect(try service.storedCounts() == (stored.count + 1, stored.count + 1))
  }

  @Test(
    .enabled(if: SmallDisk.isAllowed, "requires the right to mount a small disk in a namespace"))
  func `a full disk causes 503, and sign-ups resume when there is space`() throws {
    let disk = try SmallDisk()
    let service = try RunningService(
      ["--database", "sqlite:\(disk.path)/enlist.sqlite"], through: disk.launcher)
    disk.belongs(to: service.process)
    var stored = ["first@example.com"]
    #expect(try service.signUp(stored[0]).status == 202)
    try disk.fill()
    stored += try service.signUpUntilRejected()

    let stream = try service.stream()
    try expectRejection(of: "ana@example.com", by: service, on: stream)
    try disk.empty()
    try expectSuccess(of: "ana@example.com", by: service, on: stream)
    let export = try ChildProcess(
      "enlist",
      ["export", "--database", "sqlite:\(disk.path)/enlist.sqlite", "--format", "ndjson"],
      through: disk.entrance)
    let lines = String(decoding: try export.readOutput(), as: UTF8.self).split(separator: "\n")
    #expect(try export.wait() == .exit(0))
    #expect(lines.count == stored.count + 1)
    for (line, address) in zip(lines, stored + ["ana@example.com"]) {
      #expect(line.contains(#""address":"\#(address)""#))
    }
  }

  @Test(
    .enabled(
      if: ImmutableFiles.areAllowed,
      "requires the right to make files immutable, and a file system that supports it"))
  func `files that become read-only cause 503, and sign-ups resume when they are writable`() throws
  {
    let service = try RunningService()
    #expect(try service.signUp("first@example.com").status == 202)
    let stream = try service.stream()
    let files = try ImmutableFiles([service.database, service.database + "-wal"])
    try expectRejection(of: "ana@example.com", by: service, on: stream)
    try expectRejection(of: "bob@example.com", by: service, on: stream)
    #expect(try service.request("GET", "/readyz").status == 503)
    #expect(try service.request("GET", "/livez").status == 200)
    #expect(try service.storedCounts() == (1, 1))

    try files.free()
    try expectSuccess(of: "ana@example.com", by: service, on: stream)
    #expect(try service.request("GET", "/readyz").status == 200)
    #expect(try service.exportedAddresses() == ["first@example.com", "ana@example.com"])
    #expect(try service.storedCounts() == (2, 2))
    stream.close()
    let log = try service.endAndReadLog()
    #expect(log.contains("the database is read-only"))
    #expect(log.contains("sign-ups are stored again"))
  }

  private func expectRejection(
    of address: String, by service: RunningService, on stream: SocketClient
  ) throws {
    let response = try service.signUp(address)
    #expect(response.status == 503)
    #expect(response["Content-Type"] == "application/problem+json")
    #expect(response["Retry-After"] != nil)
    #expect(response.text.contains("/problems/storage-unavailable"))
    #expect(!response.text.contains(address))
    #expect(try stream.readEvent()?.event == "started")
    let end = try #require(try stream.readEvent())
    #expect(end.event == "failed")
    #expect(end.data?.contains("Error :(") == true)
    #expect(end.data?.contains("Thanks") == false)
  }

  private func expectSuccess(
    of address: String, by service: RunningService, on stream: SocketClient
  ) throws {
    #expect(try service.signUp(address).status == 202)
    // This event follows the rejection directly: no "Thanks" in between.
    #expect(try stream.readEvent()?.event == "started")
    #expect(try stream.readEvent()?.event == "completed")
  }
}

extension RunningService {
  /// Signs people up one after another until there is no space.
  ///
  /// - Returns: The acknowledged addresses.
  fileprivate func signUpUntilRejected() throws -> [String] {
    var stored: [String] = []
    for number in 1...200 {
      let address = "a\(number)@example.com"
      let response = try signUp(address)
      guard response.status == 202 else {
        #expect(response.status == 503)
        return stored
      }
      stored.append(address)
    }
    Issue.record("the disk was never full")
    return stored
  }
}

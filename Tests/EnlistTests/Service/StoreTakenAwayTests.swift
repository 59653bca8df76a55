import GRDB
import TestSupport
import Testing

/// The store is taken away from the running service, and given back.
@Suite struct StoreTakenAwayTests {
  @Test func `a lock beyond the busy timeout is 503, and sign-ups go on when it is gone`() throws {
    let service = try RunningService(["--database-timeout", "50ms"])
    let stream = try watch(service)

    // To SQLite, the test is another process.
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    let other = try DatabaseQueue(
      path: service.folder.path(of: "enlist.sqlite"),
      configuration: configuration
    )
    try other.inDatabase { try $0.execute(sql: "BEGIN IMMEDIATE") }
    try expectRefusal(of: "ana@example.com", by: service, on: stream)

    try other.inDatabase { try $0.execute(sql: "ROLLBACK") }
    try expectSuccess(of: "ana@example.com", by: service, on: stream)
    #expect(try service.exportedAddresses() == ["ana@example.com"])
  }

  @Test func `a full disk is 503, and sign-ups go on when there is room`() throws {
    let service = try RunningService()
    try limitFiles(of: service, to: "120000")
    var stored: [String] = []
    for number in 1...100 {
      let address = "a\(number)@example.com"
      guard try service.signUp(address).status == 202 else { break }
      stored.append(address)
    }
    try #require(stored.count < 100)

    let stream = try watch(service)
    try expectRefusal(of: "ana@example.com", by: service, on: stream)

    try limitFiles(of: service, to: "unlimited")

    try expectSuccess(of: "ana@example.com", by: service, on: stream)
    #expect(try service.exportedAddresses() == stored + ["ana@example.com"])
  }

  /// Limits the size of files that a service may write, which to it is a full disk.
  ///
  /// Only the soft limit, so that it can be lifted again, and only once the service runs: what the
  /// sanitizers map at the start is larger.
  private func limitFiles(of service: RunningService, to bytes: String) throws {
    let change = "prlimit --pid \(service.process.id) --fsize=\(bytes):"
    #expect(try ChildProcess(through: ["sh", "-c", change]).wait() == .exit(0))
  }

  private func watch(_ service: RunningService) throws -> SocketClient {
    let stream = try service.connect()
    try stream.request("GET", "/status")
    try #require(try stream.readHead().status == 200)
    #expect(try stream.readEventLine()?.hasPrefix("retry: ") == true)
    return stream
  }

  private func expectRefusal(
    of address: String,
    by service: RunningService,
    on stream: SocketClient
  ) throws {
    let answer = try service.signUp(address)
    #expect(answer.status == 503)
    #expect(answer["Content-Type"] == "application/problem+json")
    #expect(answer["Retry-After"] != nil)
    #expect(!answer.text.contains(address))
    #expect(try stream.readEvent()?.event == "started")
    let end = try #require(try stream.readEvent())
    #expect(end.event == "failed")
    #expect(end.data?.contains("Error :(") == true)
    #expect(end.data?.contains("Thanks") == false)
  }

  private func expectSuccess(
    of address: String,
    by service: RunningService,
    on stream: SocketClient
  ) throws {
    #expect(try service.signUp(address).status == 202)
    #expect(try stream.readEvent()?.event == "started")
    #expect(try stream.readEvent()?.event == "completed")
  }
}

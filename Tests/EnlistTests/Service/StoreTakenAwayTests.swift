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
    // A limit on the size of files stands for the full disk; only the soft one, to be lifted again.
    let service = try RunningService(through: ["prlimit", "--fsize=120000:"])
    var stored: [String] = []
    for number in 1...100 {
      let address = "a\(number)@example.com"
      guard try service.signUp(address).status == 202 else { break }
      stored.append(address)
    }
    try #require(stored.count < 100)

    let stream = try watch(service)
    try expectRefusal(of: "ana@example.com", by: service, on: stream)
    let lift = try ChildProcess(
      through: ["sh", "-c", "prlimit --pid \(service.process.id) --fsize=unlimited:"]
    )
    #expect(try lift.wait() == .exit(0))

    try expectSuccess(of: "ana@example.com", by: service, on: stream)
    #expect(try service.exportedAddresses() == stored + ["ana@example.com"])
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

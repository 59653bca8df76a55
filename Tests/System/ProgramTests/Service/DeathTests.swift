import Dispatch
import Glibc
import Signals
import TestSupport
import Testing

/// Tests in which the process is killed during its work.
@Suite struct DeathTests {
  private static let connectionCount = 6
  private static let postsPerConnection = 400
  private static let acknowledgedAtDeath = 150

  @Test(arguments: [1, 2])
  func `every acknowledged sign-up is exported exactly once after a restart`(_ threads: Int) throws
  {
    let folder = try TemporaryFolder()
    let first = try RunningService(["--threads", "\(threads)"], in: folder)
    let (port, id) = (first.port, first.process.id)
    let acknowledged = Lock<[String]>([])
    let unexpected = Lock<[Int]>([])
    DispatchQueue.concurrentPerform(iterations: Self.connectionCount) { connection in
      // The connection ends with the process, in the middle of a POST.
      guard let client = try? SocketClient(port: port) else { return }
      for post in 0..<Self.postsPerConnection {
        let address = "a\(connection)-\(post)@example.com"
        guard let status = try? Self.signUp(address, on: client) else { return }
        guard status == 202 else {
          unexpected.withLock { $0.append(status) }
          return
        }
        let count = acknowledged.withLock { acknowledged in
          acknowledged.append(address)
          return acknowledged.count
        }
        if count == Self.acknowledgedAtDeath { kill(id, SIGKILL) }
      }
    }
    #expect(unexpected.withLock { $0 } == [])
    #expect(try first.process.wait() == .signal(SIGKILL))

    let second = try RunningService(in: folder)
    let exported = try second.exportedAddresses()
    #expect(Set(exported).count == exported.count)
    let missing = Set(acknowledged.withLock { $0 }).subtracting(exported)
    #expect(missing.isEmpty)
    #expect(acknowledged.withLock { $0.count } >= Self.acknowledgedAtDeath)
    #expect(try second.storedCounts() == (exported.count, exported.count))
    #expect(try second.signUp("after@example.com").status == 202)
  }

  private static func signUp(_ address: String, on client: SocketClient) throws -> Int {
    try client.sendSignUp(of: address)
    return try client.readResponse().status
  }
}

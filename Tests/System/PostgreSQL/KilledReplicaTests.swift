import Glibc
import TestSupport
import Testing

/// Tests of what a killed replica leaves behind.
@Suite(.needsPostgreSQL)
struct KilledReplicaTests {
  @Test func `messages of a replica that was killed are numbered by another one`() throws {
    let list = try ReplicatedList()
    let survivor = try list.replica()
    let stream = try survivor.stream()
    for number in 0..<3 {
      let killed = try list.replica()
      // No replica numbers what the killed one has committed.
      let lock = try HeldLocks("SELECT FROM enlist.status_numbering FOR UPDATE", of: list)
      try killed.signUp("p\(number)@example.com").expect(202)
      #expect(try killed.process.wait(after: SIGKILL) == .signal(SIGKILL))
      try lock.release()
      try stream.expectEvents(2 * number + 1, through: 2 * number + 2)
    }
  }
}

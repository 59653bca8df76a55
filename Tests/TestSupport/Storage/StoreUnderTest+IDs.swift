internal import EmailAddresses
package import MailingList
internal import Signals
internal import Testing

extension StoreUnderTest {
  /// Expects that no id is given twice on an empty list with double opt-in, however people come and
  /// leave.
  ///
  /// - Parameters:
  ///   - commands: The commands of another process.
  ///   - purge: Deletes everything that is due today.
  package func expectNewIDs(
    through commands: ListCommands, purging purge: @escaping () async throws -> Void
  ) async throws {
    // Long ago, so that a purge deletes everybody.
    let time = Timestamp(millisecondsSince1970: 1_600_000_000_000)
    func status(_ address: String) async throws -> Subscriber? {
      try await store.lookUp([.sample(address)]).last()?.first?.subscriber
    }
    func person(_ address: String) throws -> ImportedPerson {
      try .sample(address, Membership(state: .pending), at: time)
    }
    let ways: [(name: String, add: (String) async throws -> Void)] = [
      ("form", { _ = try await signUp($0, at: time) }),
      ("import", { _ = try commands.store([person($0)], at: time) }),
      ("api", { _ = try await store.add([person($0)], by: .command, at: time).last() }),
    ]
    let ends: [(name: String, end: (Subscriber) async throws -> Void)] = [
      ("command", { _ = try commands.erase([.sample($0.address)], leaving: .imports) }),
      (
        "api",
        { _ = try await store.erase($0.id, leaving: .imports, by: .command, at: time).last() }
      ),
      ("purge", { _ in try await purge() }),
    ]
    var last: Int64 = 0
    for way in ways {
      for end in ends {
        let first = "\(way.name)-\(end.name)@example.org"
        try await way.add(first)
        let found = try #require(try await status(first))
        #expect(found.id > last, "\(first)")
        try await end.end(found)
        #expect(try await status(first) == nil, "\(first)")
        let next = "after-\(way.name)-\(end.name)@example.org"
        _ = try await signUp(next, at: time)
        let follower = try #require(try await status(next))
        #expect(follower.id > found.id, "\(first)")
        last = follower.id
      }
    }
  }
}

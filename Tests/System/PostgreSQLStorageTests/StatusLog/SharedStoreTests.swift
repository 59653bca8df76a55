import EmailAddresses
import MailingList
import Signals
import TestSupport
import Testing

@testable import PostgreSQLStorage

/// Stores of several replicas on one list.
@Suite(.needsPostgreSQL)
struct SharedStoreTests {
  private static let configuration = PostgreSQLSubscriberStore.Configuration(
    deliverOn: QueueScheduler.background)

  @Test func `a sign-up on one replica is in the log of both`() async throws {
    try await withStore(Self.configuration) { first, database in
      try await withStore(Self.configuration, on: database) { second, _ in
        let (one, other) = (TestReplicaState(), TestReplicaState())
        try #require(first.sharedStatusLog).follow(history: 100) { one.receive($0) }
        try #require(second.sharedStatusLog).follow(history: 100) { other.receive($0) }
        let signUp = try SignUp.sample("ada@example.org")
        _ = try await first.add(signUp).values()
        for state in [one, other] {
          try eventually { state.content.next == 3 }
          let messages = state.content.messages.sorted { $0.key < $1.key }.map(\.value)
          #expect(messages.map(\.message) == [.started, .completed])
          #expect(messages.first?.time == signUp.time)
        }
        #expect(one.content.epoch == other.content.epoch)
        #expect(try await second.hasStored(signUp.id).values() == [true])
      }
    }
  }

  @Test func `the last sign-ups before the end get their positions`() async throws {
    let database = try TestDatabase(isMigrated: false)
    try await withStore(Self.configuration, on: database) { store, _ in
      try #require(store.sharedStatusLog).follow(history: 100) { _ in }
      for number in 0..<5 {
        _ = try await store.add(.sample("person\(number)@example.org")).values()
      }
    }
    let rows = try database.run(
      Query("SELECT max(last), (SELECT count(*) FROM enlist.status_pending) FROM enlist.status_log")
    )
    #expect(try rows.value(0, 0) == Int64(10))
    #expect(try rows.value(0, 1) == Int64(0))
  }

  @Test func `a store that follows nothing does not wait for other replicas`() async throws {
    try await withStore(Self.configuration) { store, _ in
      let id = try SignUp.sample("ada@example.org").id
      #expect(!store.log.isFollowed)
      #expect(try await store.hasStored(id).values() == [false])
    }
  }
}

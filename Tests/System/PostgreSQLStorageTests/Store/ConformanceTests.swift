import MailingList
import Security
import TestSupport
import Testing

@testable import PostgreSQLStorage

@Suite(.needsPostgreSQL, .serialized)
struct ConformanceTests {
  @Test(arguments: SubscriberStoreConformance.promises)
  func `the PostgreSQL store keeps every promise of a store`(
    _ promise: SubscriberStoreConformance.Promise
  ) async throws {
    try await withStore { store, database in
      try await promise.check(.postgresql(store, database))
    }
  }

  @Test(arguments: SubscriberStoreConformance.doublePromises)
  func `the PostgreSQL store keeps every promise of a store with double opt-in`(
    _ promise: SubscriberStoreConformance.Promise
  ) async throws {
    try await withStore(.init(optIn: .double)) { store, database in
      try await promise.check(.postgresql(store, database))
    }
  }

  @Test(arguments: OutboxConformance.promises)
  func `the PostgreSQL store keeps every promise of an outbox`(
    _ promise: OutboxConformance.Promise
  ) async throws {
    try await withStore(.init(optIn: .double)) { store, database in
      try await promise.check(.postgresql(store, database))
    }
  }

  @Test(arguments: SuppressionConformance.promises)
  func `the PostgreSQL store keeps every promise about suppressions`(
    _ promise: SuppressionConformance.Promise
  ) async throws {
    let keyring = Keyring(Secret(), previous: Secret())
    try await withStore(.init(optIn: .double, keyring: keyring)) { store, database in
      try await promise.check(.postgresql(store, database))
    }
  }

  @Test(arguments: MembershipRules.Act.allCases)
  func `a list in PostgreSQL follows the rules of a membership`(
    _ act: MembershipRules.Act
  )
    throws
  {
    let database = try TestDatabase()
    let session = PostgreSQLListSession(try database.session(), by: .soon)
    try MembershipRules(session, keys: MailKeys(Keyring(Secret()))).check(act)
  }

  @Test(arguments: ListConformance.promises)
  func `a list in PostgreSQL keeps every promise about its rows`(
    _ promise: ListConformance.Promise
  ) async throws {
    let session = PostgreSQLListSession(try TestDatabase().session(), by: .soon)
    try await promise.check(RowsUnderTest(session, keys: MailKeys(Keyring(Secret()))))
  }
}

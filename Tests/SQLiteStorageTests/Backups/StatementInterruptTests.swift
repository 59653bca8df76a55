import GRDB
import TestSupport
import Testing

@testable import SQLiteStorage

@Suite(.timeLimit(.minutes(15))) struct StatementInterruptTests {
  @Test func `another thread ends a read, also between two statements, and all later ones`()
    async throws
  {
    let database = try DatabaseQueue(named: nil, configuration: SQLiteLibrary.configuration())
    let interrupt = StatementInterrupt()
    let (begun, continuation) = AsyncStream.makeStream(of: Void.self)
    let read = Task(executorPreference: ThreadPerJob()) {
      try database.read { db in
        try interrupt.perform(on: db) {
          continuation.yield()
          while true { _ = try Int.fetchOne(db, sql: "SELECT 1") }
        }
      }
    }
    _ = await begun.first { _ in true }
    interrupt.request()
    let error = await #expect(throws: DatabaseError.self) { try await read.value }
    #expect(error?.resultCode == .SQLITE_INTERRUPT)
    #expect(throws: DatabaseError.self) {
      try database.read { db in
        try interrupt.perform(on: db) { _ = try Int.fetchOne(db, sql: "SELECT 1") }
      }
    }
    #expect(try await database.read { try Int.fetchOne($0, sql: "SELECT 1") } == 1)
  }
}

import MailingList
import CSQLite
import Signals

@testable import SQLiteStorage

/// What the writer of a store has done, as SQLite reports it.
struct WriterWork: Hashable {
  /// The statements, in order, without their values.
  let statements: [String]
  /// The number of rows that were inserted, updated or deleted.
  let rows: Int
  /// The number of pages that were written to the log.
  let pages: Int

  /// The statements without details: the verb and the table of those that write.
  var outline: [String] {
    statements.map { sql in
      let words = sql.split { $0.isWhitespace || $0 == "(" }
      return switch words.first {
      case "SELECT": "SELECT"
      case "INSERT", "DELETE": words.prefix(3).joined(separator: " ")
      case "UPDATE": words.prefix(2).joined(separator: " ")
      default: sql
      }
    }
  }
}

/// Observes the connection of a store's writer.
final class WriterTrace: Sendable {
  /// The statements since the last measurement began.
  private final class Statements: Sendable {
    let texts = Lock<[String]>([])
  }

  private let store: SQLiteSubscriberStore
  private let statements = Statements()

  /// Begins to observe.
  init(_ store: SQLiteSubscriberStore) {
    self.store = store
    // The connection keeps the statements as long as the process runs.
    store.withConnection { [statements] db in
      _ = sqlite3_trace_v2(
        db.handle,
        UInt32(SQLITE_TRACE_STMT),
        { _, context, statement, _ in
          guard let context, let sql = sqlite3_sql(statement.map { OpaquePointer($0) }) else {
            return 0
          }
          let statements = Unmanaged<Statements>.fromOpaque(context).takeUnretainedValue()
          statements.texts.withLock { $0.append(String(cString: sql)) }
          return 0
        },
        Unmanaged.passRetained(statements).toOpaque()
      )
    }
  }

  /// Returns what the writer does for a closure, which waits for it.
  func work<Value>(_ body: () throws -> Value) rethrows -> (value: Value, work: WriterWork) {
    let before = counts()
    statements.texts.withLock { $0 = [] }
    let value = try body()
    // The writer lends its connection when the transaction has ended.
    let after = counts()
    return (
      value,
      WriterWork(
        statements: statements.texts.withLock { $0 }, rows: after.rows - before.rows,
        pages: after.pages - before.pages)
    )
  }

  /// The rows and pages since the connection was opened.
  ///
  /// The corresponding C functions are `sqlite3_total_changes` and `sqlite3_db_status` with
  /// `SQLITE_DBSTATUS_CACHE_WRITE`.
  private func counts() -> (rows: Int, pages: Int) {
    store.withConnection { db in
      var pages: Int32 = 0
      var highest: Int32 = 0
      sqlite3_db_status(db.handle, SQLITE_DBSTATUS_CACHE_WRITE, &pages, &highest, 0)
      return (Int(sqlite3_total_changes64(db.handle)), Int(pages))
    }
  }
}

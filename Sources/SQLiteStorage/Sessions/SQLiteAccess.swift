package import MailingList
package import Signals

/// The reader threads and the writer's thread of a database.
///
/// Reads do not wait for the writer; changes share the transactions of sign-ups and run after them.
package struct SQLiteAccess: ListAccess {
  let queue: WriterQueue
  let reads: ConcurrentReads

  package func read<Value: Sendable>(
    _ body: @escaping @Sendable (ListReader) throws(StoreError) -> Value
  ) -> Signal<Value, StoreError> {
    reads.list(body)
  }

  package func change<Value: Sendable>(
    _ body: @escaping @Sendable (ListWriter) throws(StoreError) -> Value
  ) -> Signal<Value, StoreError> {
    queue.change { (writer) throws(StoreError) in try body(writer.list) }
  }
}

extension ConcurrentReads {
  func list<Value: Sendable>(
    _ body: @escaping @Sendable (ListReader) throws(StoreError) -> Value
  ) -> Signal<Value, StoreError> {
    read { db in try body(ListReader(SQLiteSession(db))) }
  }
}

package import MailingList
package import Signals

/// The reader's thread and the writer's thread of a store.
///
/// Reads do not wait for the writer; changes follow the queued sign-ups.
package struct PostgreSQLAccess: ListAccess {
  let queue: WriterQueue
  let reads: ReaderQueue

  package func read<Value: Sendable>(
    _ body: @escaping @Sendable (ListReader) throws(StoreError) -> Value
  ) -> Signal<Value, StoreError> {
    reads.read(body)
  }

  package func change<Value: Sendable>(
    _ body: @escaping @Sendable (ListWriter) throws(StoreError) -> Value
  ) -> Signal<Value, StoreError> {
    queue.change(body)
  }
}

internal import Signals
package import MailingList
package import Security
internal import Testing

/// A purge that runs in one session, on the thread of the test.
package struct PurgeRun {
  private let access: DirectAccess

  /// Makes a purge.
  package init(_ session: any ListSession, _ keys: MailKeys) {
    access = DirectAccess(session: session, keys: keys)
  }

  /// Deletes everything that is due, without pauses.
  ///
  /// - Parameters:
  ///   - now: The time.
  ///   - eventAge: How long events are stored; `nil` is forever.
  /// - Returns: The number of subscribers that were deleted.
  package func deletedCount(at now: Timestamp, eventAge: Duration? = nil) throws -> Int {
    let delays = VirtualDelays()
    let count = Lock(0)
    let end = Lock<Result<Void, StoreError>?>(nil)
    Purge(access, eventAge: eventAge, on: delays).run(at: now).subscribe(
      next: { number in count.withLock { $0 += number } },
      failed: { error in end.withLock { $0 = .failure(error) } },
      completed: { end.withLock { $0 = .success(()) } })
    while delays.pendingCount > 0 { delays.advance(by: .seconds(1)) }
    try #require(end.withLock { $0 }).get()
    return count.withLock { $0 }
  }
}

/// Reads and changes a list on the thread that subscribes.
// @unchecked Sendable because only the thread of the test uses it.
private struct DirectAccess: ListAccess, @unchecked Sendable {
  let session: any ListSession
  let keys: MailKeys

  func read<Value: Sendable>(
    _ body: @escaping @Sendable (ListReader) throws(StoreError) -> Value
  ) -> Signal<Value, StoreError> {
    .calling { () throws(StoreError) in try body(ListReader(session)) }
  }

  func change<Value: Sendable>(
    _ body: @escaping @Sendable (ListWriter) throws(StoreError) -> Value
  ) -> Signal<Value, StoreError> {
    .calling { () throws(StoreError) in try body(ListWriter(session, keys: keys, optIn: .double)) }
  }
}

internal import Locks
internal import MailingList

/// The content that an in-memory store and its outbox share.
final class SharedList: Sendable {
  private let list: Lock<InMemoryList>

  /// Makes an empty list.
  ///
  /// - Parameter optIn: Whether sign-ups have to be confirmed.
  init(optIn: OptIn) {
    list = Lock(InMemoryList(optIn: optIn))
  }

  /// Calls a closure with the content while no other thread uses it.
  func withLock<Value: Sendable, Failure: Error>(
    _ body: (inout InMemoryList) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    try list.withLock { (list) throws(Failure) in try body(&list) }
  }
}

internal import HTTPSignals
internal import MailingList
internal import Signals

/// The source of the merged status stream.
enum StatusSource: Sendable {
  /// The messages of this process.
  case own(StatusLog)
  /// The committed messages of this and other services.
  case shared(SharedStatusReplica)

  /// Creates the source of a service, whose store has a log if services share the list.
  init(_ store: any SubscriberStore, history: Int, feed: StatusFeed) {
    if let shared = store.sharedStatusLog {
      let replica = SharedStatusReplica(of: shared, history: history)
      feed.events.subscribe(next: replica.add)
      self = .shared(replica)
    } else {
      let log = StatusLog(capacity: history)
      feed.events.subscribe(next: log.append)
      self = .own(log)
    }
  }

  /// Creates the stream for a client, from the position after its cursor.
  ///
  /// - Parameters:
  ///   - grant: Limits the events that were sent before.
  ///   - open: Called once with the stream, possibly later and on another thread.
  func stream(
    from cursor: StreamCursor, _ grant: @escaping ReplayLimit.Grant,
    _ open: @escaping @Sendable (EventStream) -> Void
  ) {
    switch self {
    case .own(let log): open(log.stream(from: cursor, grant))
    case .shared(let replica): replica.stream(from: cursor, grant, open)
    }
  }
}

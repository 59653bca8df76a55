internal import Signals
internal import MailingList

/// The number of waiting mails, read at most once per second.
///
/// A store counts up to ``OutboxBacklog/maximumCount`` rows, which takes milliseconds, and the
/// number of requests is not limited. Requests during a read share its result.
final class RecentBacklog: Sendable {
  private struct Read {
    let backlog: Signal<OutboxBacklog, StoreError>
    let time: Timestamp
  }

  /// The time for which the result of a read is reused, as for a store's probe.
  private static let lifetime: Duration = .seconds(1)

  private let backlog: Signal<OutboxBacklog, StoreError>
  private let now: @Sendable () -> Timestamp
  private let last = Lock<Read?>(nil)

  init(_ backlog: Signal<OutboxBacklog, StoreError>, now: @escaping @Sendable () -> Timestamp) {
    self.backlog = backlog
    self.now = now
  }

  /// The result of a read that began within the last second, or of a new one.
  ///
  /// The signal sends one value, or fails if the store cannot be read.
  var value: Signal<OutboxBacklog, StoreError> {
    let time = now()
    return last.withLock { last in
      // A clock that was set back invalidates the result.
      if let last, last.time <= time, time < last.time.adding(Self.lifetime) { return last.backlog }
      let read = Read(backlog: backlog.replayLazily(), time: time)
      last = read
      return read.backlog
    }
  }
}

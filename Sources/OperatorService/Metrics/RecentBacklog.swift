internal import Locks
internal import MailingList
internal import Signals

/// The number of mails that wait, read at most once a second.
///
/// A store counts up to ``OutboxBacklog/maximumCount`` rows, which takes milliseconds, and anyone
/// may ask as often as they like. Whoever asks during a read gets its result.
final class RecentBacklog: Sendable {
  private struct Read {
    let backlog: Signal<OutboxBacklog, StoreError>
    let time: Timestamp
  }

  /// How long the result of a read is used, as that of a store's probe.
  private static let lifetime: Duration = .seconds(1)

  private let backlog: Signal<OutboxBacklog, StoreError>
  private let now: @Sendable () -> Timestamp
  private let last = Lock<Read?>(nil)

  /// Creates a backlog that has not been read.
  init(
    _ backlog: Signal<OutboxBacklog, StoreError>,
    now: @escaping @Sendable () -> Timestamp
  ) {
    self.backlog = backlog
    self.now = now
  }

  /// The result of the read that has begun within the last second, or of a new one: a signal that
  /// sends one value, or fails when the store cannot be read.
  var value: Signal<OutboxBacklog, StoreError> {
    let time = now()
    return last.withLock { last in
      // A clock that has been set back does not keep a result.
      if let last, last.time <= time, time < last.time.adding(Self.lifetime) { return last.backlog }
      let read = Read(backlog: backlog.replayLazily(), time: time)
      last = read
      return read.backlog
    }
  }
}

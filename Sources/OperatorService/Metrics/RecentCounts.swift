internal import Signals
internal import MailingList

/// The numbers of subscribers by state, counted at most once a minute.
///
/// Counting reads the whole list, and the number of requests is not limited.
final class RecentCounts: Sendable {
  /// The time for which the numbers are reused.
  private static let lifetime: Duration = .seconds(60)
  /// The time limit for reading the store.
  ///
  /// Prometheus waits 10 seconds for a scrape, which has also read its key.
  static let readTimeout: Duration = .seconds(2)

  private struct Counts {
    /// The end of the last attempt to read the list; `nil` before it.
    var time: Timestamp?
    /// `nil` if the list could not be read.
    var byState: [Subscriber.State: Int]?
    /// Whether another request is reading the numbers.
    var isCounting = false

    /// Returns whether a request must read the numbers.
    func areDue(at now: Timestamp) -> Bool {
      guard !isCounting else { return false }
      guard let time else { return true }
      return now < time || time.adding(RecentCounts.lifetime) <= now
    }
  }

  private let list: any EventReader
  private let scheduler: any Scheduler
  private let now: @Sendable () -> Timestamp
  private let counts = Lock(Counts())

  init(_ dependencies: OperatorDependencies) {
    list = dependencies.list
    scheduler = dependencies.scheduler
    now = dependencies.now
  }

  /// The numbers, `nil` if the last attempt to read them failed; the signal sends once.
  ///
  /// Concurrent requests cause only one read of the list: the others get the previous numbers, as
  /// does the request whose read takes too long. A failed read is not repeated earlier either,
  /// because it may have taken too long.
  var value: Signal<[Subscriber.State: Int]?, Never> {
    let time = now()
    let (isDue, known) = counts.withLock { counts in
      let isDue = counts.areDue(at: time)
      if isDue { counts.isCounting = true }
      return (isDue, counts)
    }
    guard isDue else { return .just(known.byState) }
    let reading = list.subscriberCounts()
      .map { [self] in Counts(time: now(), byState: $0) }
      .catch { [self] _ in Signal<Counts, StoreError>.just(Counts(time: now())) }
      .do(next: { [self] read in counts.withLock { $0 = read } })
      // The count continues after the request has timed out.
      .replay()
    return reading.timeout(after: Self.readTimeout, on: scheduler, with: .unreachable)
      .replaceError(with: known)
      .map(\.byState)
  }
}

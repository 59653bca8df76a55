internal import HTTPSignals
internal import HTTPTypes
internal import MailingList

/// A limit on the old events that each client gets from the merged status stream: in ten minutes,
/// as many as the stream retains.
///
/// A request of a hundred bytes could otherwise cause a response of a megabyte each time.
final class ReplayLimit: Sendable {
  /// Returns the number of events, out of a count, that a client gets, and counts them.
  typealias Grant = @Sendable (_ count: UInt64) -> UInt64

  /// Buckets count parts of the history instead of events, because it may have millions of them.
  private static let partCount = 1024

  private let eventsPerPart: UInt64
  private let limiter: ClientRateLimiter
  private let now: @Sendable () -> Timestamp

  /// Creates a limit that no client has used; without a rate of streams, there is no limit.
  init(history: Int, streamRate: RequestRate, now: @escaping @Sendable () -> Timestamp) {
    let count = min(Self.partCount, max(history, 1))
    eventsPerPart = UInt64((history - 1) / count + 1)
    limiter = ClientRateLimiter(
      rate: streamRate == .unlimited ? .unlimited : .limited(count: count, per: .seconds(600)))
    self.now = now
  }

  /// Returns the grant for the stream of a request.
  func grant(for request: Request) -> Grant {
    // HEAD gets no event.
    guard request.method != .head else { return { $0 } }
    return { [self] count in
      let parts = (count + eventsPerPart - 1) / eventsPerPart
      let client = request.source.limitedClient
      let granted = limiter.take(upTo: Int64(clamping: parts), of: client, at: now()).count
      return min(count, UInt64(granted) * eventsPerPart)
    }
  }
}

internal import HTTPSignals
internal import HTTPTypes
internal import MailingList

/// A gate that limits the rate at which each client opens event streams.
final class StreamRateGate: Sendable {
  private let limiter: ClientRateLimiter
  private let now: @Sendable () -> Timestamp

  /// Creates a gate that has not counted any streams.
  ///
  /// - Parameter rate: The rate at which each client may open streams.
  init(rate: RequestRate, now: @escaping @Sendable () -> Timestamp) {
    limiter = ClientRateLimiter(rate: rate)
    self.now = now
  }

  /// Counts a stream before its execution or log is looked up.
  ///
  /// - Parameter exchange: The exchange that requests the stream; HEAD does not open one.
  /// - Returns: Whether the stream may be opened; if not, the gate has already responded.
  func admits(_ exchange: Exchange) -> Bool {
    let request = exchange.request
    guard request.method != .head,
      let seconds = limiter.secondsToWait(of: request.source.limitedClient, at: now())
    else { return true }
    if request.fields.acceptsEvents {
      exchange.respond(EventStream.busyResponse)
    } else {
      exchange.respond(.tooManyRequests(.stream, secondsToWait: seconds))
    }
    return false
  }
}

internal import HTTPSignals
internal import HTTPTypes
internal import MailingList

/// Decides whether a client may open another event stream now.
final class StreamRateGate: Sendable {
  private let limiter: ClientRateLimiter
  private let now: @Sendable () -> Timestamp

  /// Makes a gate that has counted nothing.
  ///
  /// - Parameters:
  ///   - rate: How many streams one client may open.
  ///   - now: The clock.
  init(rate: RequestRate, now: @escaping @Sendable () -> Timestamp) {
    limiter = ClientRateLimiter(rate: rate)
    self.now = now
  }

  /// Counts a stream, before anything is looked up for it.
  ///
  /// - Parameter exchange: The request for the stream; HEAD opens none.
  /// - Returns: Whether it may be opened; otherwise the exchange has its response.
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

internal import HTTPSignals
internal import HTTPTypes
internal import MailingList

/// A gate that limits the rate at which each client opens event streams.
final class StreamRateGate: Sendable {
  private let limiter: ClientRateLimiter
  private let now: @Sendable () -> Timestamp

  init(rate: RequestRate, now: @escaping @Sendable () -> Timestamp) {
    limiter = ClientRateLimiter(rate: rate)
    self.now = now
  }

  /// Counts a stream before its execution or log is looked up, and returns whether it may be
  /// opened.
  ///
  /// If not, the gate has already responded. HEAD does not open a stream.
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

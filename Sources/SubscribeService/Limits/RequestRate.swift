/// The rate at which requests of one kind are accepted from one client.
package enum RequestRate: Hashable, Sendable {
  /// All requests are accepted.
  case unlimited
  /// A burst, then an even rate: 30 in 10 minutes allows 30 at once, then one every 20 seconds.
  ///
  /// The count is from 1 to 10,000; the time is at least a second, in whole milliseconds.
  case limited(count: Int, per: Duration)
}

/// The kinds of requests that have a rate.
enum LimitedRequest: CaseIterable, Sendable {
  /// `POST /subscribers`, and `POST /confirm/{token}/mail`.
  case signUp
  /// `POST /email-checks`.
  case emailCheck
  /// A request that opens an event stream.
  case stream
}

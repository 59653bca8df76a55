/// The rate at which requests of one kind, or connections, are accepted from one client.
package enum RequestRate: Hashable, Sendable {
  /// All are accepted.
  case unlimited
  /// A burst, then an even rate: 30 in 10 minutes allows 30 at once, then one every 20 seconds.
  ///
  /// The count is from 1 to 10,000; the time is at least a second, in whole milliseconds.
  case limited(count: Int, per: Duration)
}

/// How many sign-ups are taken from one client.
package enum SignUpRate: Hashable, Sendable {
  /// As many as come.
  case unlimited
  /// So many at once, and then one for each such part of the time: 30 in 10 minutes are 30 at once
  /// and then one every 20 seconds.
  ///
  /// The count is from 1 to 10,000, the time a second or more.
  case limited(count: Int, per: Duration)
}

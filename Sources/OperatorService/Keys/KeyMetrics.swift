internal import Monitoring

/// The counts of requests that were rejected because of their key.
struct KeyMetrics: Sendable {
  /// The reason for a rejection.
  enum Cause: String, CaseIterable {
    /// There was no key.
    case missing
    /// The checksum was wrong.
    case incomplete
    /// There is no such key.
    case unknown
    /// The key was revoked.
    case revoked
    /// The key has expired.
    case expired
    /// The key does not have the scope.
    case scope
    /// A page in a browser sent the key.
    case browser
  }

  private let failures: CounterFamily<Cause>

  /// Makes the counts.
  ///
  /// - Parameter registry: Makes the counters; `nil` counts nothing.
  init(_ registry: MetricRegistry?) {
    failures = CounterFamily("enlist_key_failures_total", by: "cause", registry)
  }

  /// Counts a rejection.
  func count(_ cause: Cause) {
    failures.count(cause)
  }
}

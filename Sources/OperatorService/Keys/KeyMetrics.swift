internal import Platform

/// The counters of requests that were rejected because of their key.
struct KeyMetrics: Sendable {
  enum Cause: String, CaseIterable {
    /// The request has no key.
    case missing
    /// The checksum is wrong.
    case incomplete
    /// The store has no such key.
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

  init(_ registry: MetricRegistry) {
    failures = CounterFamily("enlist_key_failures_total", by: "cause", registry)
  }

  func count(_ cause: Cause) {
    failures.count(cause)
  }
}

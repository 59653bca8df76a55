internal import MailingList
internal import Platform

/// The counters of requests that failed because of the store, and of failed probes, by the error.
struct StoreErrorMetrics: Sendable {
  private enum Kind: String, CaseIterable {
    case full, locked
    case readOnly = "read-only"
    case damaged, replaced, overloaded, unreachable, incompatible, undetermined, failed
  }

  private let errors: CounterFamily<Kind>

  /// Creates the counters; without a registry, nothing is counted.
  init(_ registry: MetricRegistry? = nil) {
    errors = CounterFamily("enlist_store_errors_total", by: "error", registry)
  }

  /// Counts an error, except ``StoreError/closed`` and ``StoreError/executing``.
  func count(_ error: StoreError) {
    switch error {
    case .full: errors.count(.full)
    case .locked: errors.count(.locked)
    case .readOnly: errors.count(.readOnly)
    case .damaged: errors.count(.damaged)
    case .replaced: errors.count(.replaced)
    case .overloaded: errors.count(.overloaded)
    case .failed, .rejected: errors.count(.failed)
    case .unreachable: errors.count(.unreachable)
    case .incompatible: errors.count(.incompatible)
    case .undetermined: errors.count(.undetermined)
    case .closed, .executing: break
    }
  }
}

internal import CoreMetrics
internal import MailingList

/// The counts of requests that failed because of the store, and of failed probes, by the error.
struct StoreErrorMetrics: Sendable {
  private let full: Counter
  private let locked: Counter
  private let readOnly: Counter
  private let damaged: Counter
  private let replaced: Counter
  private let overloaded: Counter
  private let unreachable: Counter
  private let undetermined: Counter
  private let failed: Counter

  /// Makes the counts.
  ///
  /// - Parameter factory: Makes the counters; the default counts nothing.
  init(_ factory: any MetricsFactory = NOOPMetricsHandler.instance) {
    func counter(_ error: String) -> Counter {
      Counter(label: "enlist_store_errors_total", dimensions: [("error", error)], factory: factory)
    }
    full = counter("full")
    locked = counter("locked")
    readOnly = counter("read-only")
    damaged = counter("damaged")
    replaced = counter("replaced")
    overloaded = counter("overloaded")
    unreachable = counter("unreachable")
    undetermined = counter("undetermined")
    failed = counter("failed")
  }

  /// Counts an error; closing is none, nor is an address that another service is storing.
  func count(_ error: StoreError) {
    switch error {
    case .full: full.increment()
    case .locked: locked.increment()
    case .readOnly: readOnly.increment()
    case .damaged: damaged.increment()
    case .replaced: replaced.increment()
    case .overloaded: overloaded.increment()
    case .failed: failed.increment()
    case .unreachable: unreachable.increment()
    case .undetermined: undetermined.increment()
    case .closed, .executing: break
    }
  }
}

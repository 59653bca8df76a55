internal import CoreMetrics
internal import EmailAddresses
internal import HTTPSignals

/// The counts of responses with a problem, by its type, and of invalid addresses, by the reason.
///
/// A sign-up that succeeds does not get here.
final class ProblemMetrics: Sendable {
  /// The code of an address whose domain accepts no mail.
  private static let undeliverable = "undeliverable"

  private let problems: [String: Counter]
  private let reasons: [String: Counter]

  /// Makes the counts of all problems and reasons.
  ///
  /// - Parameter factory: Makes the counters.
  init(_ factory: any MetricsFactory) {
    func counters(_ label: String, _ name: String, _ values: [String]) -> [String: Counter] {
      Dictionary(
        uniqueKeysWithValues: values.map { value in
          (value, Counter(label: label, dimensions: [(name, value)], factory: factory))
        }
      )
    }
    problems = counters("enlist_problems_total", "problem", Texts.publicProblemNames)
    reasons = counters(
      "enlist_invalid_addresses_total",
      "reason",
      EmailAddressError.Reason.allCases.map(\.rawValue) + [Self.undeliverable]
    )
  }

  /// Counts a response with a problem.
  func count(_ problem: ProblemDetails) {
    problems[problem.name]?.increment()
    guard problem.name == ServiceProblem.invalidEmail.rawValue, let error = problem.errors.first
    else { return }
    reasons[error.code]?.increment()
  }
}

internal import EmailAddresses
internal import HTTPSignals
internal import Monitoring

/// The counts of responses with a problem, by its type, and of invalid addresses, by the reason.
///
/// A sign-up that succeeds does not get here.
final class ProblemMetrics: Sendable {
  /// The code of an address whose domain accepts no mail.
  private static let undeliverable = "undeliverable"

  private let problems: CounterFamily<String>
  private let reasons: CounterFamily<String>

  /// Makes the counts of all problems and reasons.
  ///
  /// - Parameter registry: Makes the counters; `nil` counts nothing.
  init(_ registry: MetricRegistry?) {
    problems = CounterFamily(
      "enlist_problems_total",
      by: "problem",
      of: Texts.publicProblemNames,
      registry,
      name: \.self
    )
    reasons = CounterFamily(
      "enlist_invalid_addresses_total",
      by: "reason",
      of: EmailAddressError.Reason.allCases.map(\.rawValue) + [Self.undeliverable],
      registry,
      name: \.self
    )
  }

  /// Counts a response with a problem.
  func count(_ problem: ProblemDetails) {
    problems.count(problem.name)
    guard problem.name == ServiceProblem.invalidEmail.rawValue, let error = problem.errors.first
    else { return }
    reasons.count(error.code)
  }
}

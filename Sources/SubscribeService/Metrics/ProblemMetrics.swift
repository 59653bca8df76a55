internal import EmailAddresses
internal import HTTPSignals
internal import Platform

/// The counters of responses with a problem, by its type, and of invalid addresses, by the reason.
///
/// Successful sign-ups do not use them.
final class ProblemMetrics: Sendable {
  /// The code of an address whose domain accepts no mail.
  private static let undeliverable = "undeliverable"

  private let problems: CounterFamily<String>
  private let reasons: CounterFamily<String>

  /// Creates the counters of all problems and reasons; without a registry, nothing is counted.
  init(_ registry: MetricRegistry?) {
    problems = CounterFamily(
      "enlist_problems_total", by: "problem", of: Texts.publicProblemNames, registry, name: \.self)
    reasons = CounterFamily(
      "enlist_invalid_addresses_total", by: "reason",
      of: EmailAddressError.Reason.allCases.map(\.rawValue) + [Self.undeliverable], registry,
      name: \.self)
  }

  func count(_ problem: ProblemDetails) {
    problems.count(problem.name)
    guard problem.name == ServiceProblem.invalidEmail.rawValue, let error = problem.errors.first
    else { return }
    reasons.count(error.code)
  }
}

internal import EmailAddresses
internal import HTTPSignals
internal import MailingList
internal import Platform

/// The counters of responses with a problem, by its type, and of invalid addresses, by the reason.
///
/// Successful sign-ups do not use them.
final class ProblemMetrics: Sendable {
  /// The code of an address whose domain accepts no mail.
  private static let undeliverable = "undeliverable"

  private let problems: CounterFamily<String>
  private let reasons: CounterFamily<String>

  init(_ registry: MetricRegistry) {
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

/// The counters of requests that failed because of the store, and of failed probes, by the error.
struct StoreErrorMetrics: Sendable {
  private enum Kind: String, CaseIterable {
    case full, locked
    case readOnly = "read-only"
    case damaged, replaced, overloaded, unreachable, incompatible, undetermined, failed
  }

  private let errors: CounterFamily<Kind>

  init(_ registry: MetricRegistry = MetricRegistry()) {
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

import HTTPSignals
import HTTPTypes

@testable import Services

/// A listener, with its description and what the description is compared with.
enum DescribedListener: CaseIterable {
  case everyone
  case operators

  /// The description.
  var text: String {
    let document =
      switch self {
      case .everyone: SignUpService.description
      case .operators: Operator.description
      }
    return String(decoding: document.bytes, as: UTF8.self)
  }

  /// The routes, each as its method and its pattern.
  var routes: [String] {
    switch self {
    case .everyone: SignUpService.rows.map { "\($0.method) \($0.pattern)" }
    case .operators: Operator.table.map { "\($0.method) \($0.pattern)" }
    }
  }

  /// The types of problems that are responses of the listener, with their statuses.
  var problems: [String: Int] {
    let types: [[any ProblemType]] =
      switch self {
      case .everyone: [HTTPProblem.allCases, ServiceProblem.allCases]
      case .operators:
        [
          HTTPProblem.allCases,
          KeyProblem.allCases,
          APIProblem.allCases,
          [ServiceProblem.commandDisabled, ServiceProblem.storageUnavailable],
        ]
      }
    var statuses: [String: Int] = [:]
    for type in types.flatMap(\.self) { statuses[type.rawValue] = type.status.code }
    return statuses
  }
}

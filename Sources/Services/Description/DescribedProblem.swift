internal import HTTPSignals
internal import HTTPTypes

/// A type of problem in the descriptions.
struct DescribedProblem: Hashable {
  let name: String
  let status: Int
  /// The name in the names of components.
  private let words: String

  init(_ type: some ProblemType) {
    name = type.rawValue
    status = type.status.code
    words = name.inPascalCase
  }

  /// The types of problems of both listeners by name.
  static let all: [String: DescribedProblem] = {
    let types: [[any ProblemType]] = [
      HTTPProblem.allCases, ServiceProblem.allCases, KeyProblem.allCases, APIProblem.allCases,
    ]
    let problems = types.joined().map { DescribedProblem($0) }
    return Dictionary(problems.map { ($0.name, $0) }) { first, _ in first }
  }()

  /// Those that every request can cause.
  static let general =
    early
    + [HTTPProblem.tooLarge, .internalError, .tooManyConnections, .tooManyBodies].map { Self($0) }
    + [Self(ServiceProblem.commandDisabled)]

  /// Those that every request with a key can cause.
  static let ofKeys =
    [KeyProblem.unauthorized, .insufficientScope, .keyInBrowser, .tooManyFailures].map { Self($0) }
    + [Self(ServiceProblem.storageUnavailable)]

  /// Those of a request whose head is not read, so that nothing is known about its client.
  private static let early = [
    HTTPProblem.malformedRequest, .requestTimeout, .targetTooLong, .expectationFailed,
    .fieldsTooLarge,
  ].map { Self($0) }

  // MARK: Words

  /// The name of the component with the type's schema.
  var id: String { "\(words)Problem" }

  /// Returns the name of the component with a response that has one of the problems.
  static func id(of problems: [DescribedProblem]) -> String {
    problems.map(\.words).joined(separator: "Or")
  }

  var title: String { Texts.english.title(of: name) }

  var help: String { Texts.english.help(on: name)?.text ?? title }

  // MARK: Responses

  /// Whether the request is rejected before its head is read: the response is never a page, and no
  /// page of another site can read it.
  var precedesRouting: Bool { Self.early.contains(self) }

  /// Whether no page of another site can read the response.
  var isHiddenFromPages: Bool {
    [Self(ServiceProblem.originNotAllowed), Self(ServiceProblem.tokenExpired)].contains(self)
  }

  /// Whether the problem is one of the board, which shows it as a page.
  var isOfBoard: Bool { self == Self(KeyProblem.hostNotAllowed) }

  /// The header field that the response has besides those of every problem.
  var field: String? {
    switch status {
    case 401: "WWW-Authenticate"
    case 405: "Allow"
    case 415: "Accept-Post"
    case 429, 503: "Retry-After"
    case _ where self == Self(ServiceProblem.alreadyExecuting): "Retry-After"
    case _ where self == Self(KeyProblem.insufficientScope): "WWW-Authenticate"
    default: nil
    }
  }
}

extension StringProtocol {
  /// The words of a name, each with a capital.
  var inPascalCase: String {
    split { $0 == "-" || $0 == "." }.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
  }
}

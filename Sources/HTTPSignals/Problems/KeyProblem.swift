package import HTTPTypes

/// The types of problems of a request that needs a key.
package enum KeyProblem: String, ProblemType {
  case unauthorized
  case insufficientScope = "insufficient-scope"
  case keyInBrowser = "key-in-browser"
  case tooManyFailures = "too-many-failures"
  case hostNotAllowed = "host-not-allowed"
  case formNotAllowed = "form-not-allowed"

  package var status: HTTPResponse.Status {
    switch self {
    case .unauthorized: .unauthorized
    case .insufficientScope, .keyInBrowser, .hostNotAllowed, .formNotAllowed: .forbidden
    case .tooManyFailures: .tooManyRequests
    }
  }
}

/// The texts of `unauthorized`.
package enum Unauthorized: String, TextKey {
  case noKey = "problem.unauthorized.detail"
  /// The key is unknown, revoked or expired.
  case invalidKey = "problem.unauthorized.invalid"
  /// The checksum of the key is wrong.
  case incompleteKey = "problem.unauthorized.incomplete"
  /// A request to the board without a session.
  case noSession = "problem.unauthorized.session"
}

extension ProblemDetails {
  /// Creates the problem for a request without a valid key, with a `WWW-Authenticate` field (RFC
  /// 6750 §3).
  package static func unauthorized(_ detail: Unauthorized) -> ProblemDetails {
    ProblemDetails(
      KeyProblem.unauthorized, detail, fields: [.wwwAuthenticate: "Bearer realm=\"enlist\""])
  }

  /// Creates the problem for a key that does not allow the request.
  ///
  /// The text and `WWW-Authenticate` name the scope (RFC 6750 §3.1).
  package static func insufficientScope(_ scope: String) -> ProblemDetails {
    ProblemDetails(
      KeyProblem.insufficientScope,
      [.init("scope", scope)],
      fields: [
        .wwwAuthenticate:
          "Bearer realm=\"enlist\", error=\"insufficient_scope\", scope=\"\(scope)\""
      ]
    )
  }

  /// The request comes from a page in a browser, which must not have a key.
  package static let keyInBrowser = ProblemDetails(KeyProblem.keyInBrowser)

  /// The board is not shown under the requested host: a page that rebinds a name could read it.
  package static let hostNotAllowed = ProblemDetails(KeyProblem.hostNotAllowed)

  /// The form of the board was sent by another page, or by a program.
  package static let formNotAllowed = ProblemDetails(KeyProblem.formNotAllowed)

  /// Creates the problem for a client that has sent too many wrong keys and must wait before the
  /// next.
  package static func tooManyFailures(secondsToWait: Int) -> ProblemDetails {
    ProblemDetails(KeyProblem.tooManyFailures, fields: [.retryAfter: String(secondsToWait)])
  }
}

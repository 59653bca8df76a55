package import HTTPSignals

/// What is the same in all answers of the service: problems are told in the language of the client,
/// as pages for those who read pages, and a browser is told which site may read an answer.
package final class ServiceResponsePolicy: ResponsePolicy {
  private let pages: Pages
  private let origins: OriginPolicy

  /// Makes the policy of a service.
  ///
  /// - Parameters:
  ///   - allowedOrigins: Sites that may use the service from their pages.
  ///   - publicOrigin: Where the service itself is reached, if that is known.
  package init(allowedOrigins: AllowedOrigins, publicOrigin: WebOrigin?) {
    pages = Pages(allowedOrigins: allowedOrigins)
    origins = OriginPolicy(allowed: allowedOrigins, publicOrigin: publicOrigin)
  }

  /// How long the content security policy of the pages may be, so that the head of every response
  /// fits the memory of a connection.
  package static let maximumPolicyBytes = 2048

  /// How long the content security policy of the pages is with some origins.
  ///
  /// - Parameter allowedOrigins: Sites to which a form may lead on.
  /// - Returns: Bytes; more than ``maximumPolicyBytes`` cannot be served.
  package static func policyBytes(with allowedOrigins: AllowedOrigins) -> Int {
    PageFrame(formTargets: allowedOrigins.sources).contentSecurityPolicy.utf8.count
  }

  package func response(for problem: ProblemDetails, to request: Request) -> Response {
    pages.response(for: problem, to: request)
  }

  package func finish(_ response: inout Response, to request: Request) {
    origins.finish(&response, to: request)
  }
}

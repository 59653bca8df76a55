package import HTTPSignals

/// What is the same in all answers of the service: problems are told in the language of the client,
/// as pages for those who read pages, and a browser is told which site may read an answer.
package final class ServiceAnswers: AnswerPolicy {
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

  package func response(for problem: ProblemDetails, to request: Request) -> Response {
    pages.response(for: problem, to: request)
  }

  package func complete(_ response: inout Response, to request: Request) {
    origins.complete(&response, to: request)
  }
}

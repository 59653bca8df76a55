package import HTTPSignals
internal import HTTPTypes
package import Logging
package import MailingList
package import Platform

/// The response policy of the service.
///
/// The policy translates problems into the client's language, renders them as pages for clients
/// that prefer HTML, and adds the CORS header fields.
///
/// One object serves the daemon and the service.
package final class ServiceResponsePolicy: ResponsePolicy {
  let pages: Pages
  /// The policy for requests from pages of other sites.
  let origins: OriginPolicy
  /// The paths that contain a secret.
  private let secretPaths: PathSet

  /// Creates the policy of a service.
  ///
  /// - Parameters:
  ///   - profile: The look and the words of the pages.
  ///   - nextStep: What the owner of an address does after a sign-up.
  package init(
    allowedOrigins: AllowedOrigins, publicOrigin: WebOrigin?, profile: ListProfile = ListProfile(),
    nextStep: NextStep = .none, metrics: MetricRegistry = MetricRegistry(),
    logger: Logger = Logger(label: "enlist", factory: { _ in SwiftLogNoOpLogHandler() })
  ) {
    pages = Pages(
      profile, nextStep: nextStep, formTargets: allowedOrigins.sources, publicOrigin: publicOrigin,
      credentialPaths: PathSet(SignUpService.table.filter { $0.pattern.contains("{") }),
      metrics: ProblemMetrics(metrics))
    origins = OriginPolicy(allowed: allowedOrigins, publicOrigin: publicOrigin, logger: logger)
    secretPaths = SignUpService.paths(for: .secretLink)
  }

  /// The maximum length of the pages' content security policy, in bytes.
  ///
  /// Within this limit, the head of every response fits into the memory of a connection.
  package static let maximumPolicyBytes = 2048

  /// Returns the length in bytes of the pages' content security policy with the sites to which a
  /// form may redirect.
  ///
  /// A policy of more than ``maximumPolicyBytes`` cannot be served.
  package static func policyBytes(with allowedOrigins: AllowedOrigins) -> Int {
    Pages.policies(formTargets: allowedOrigins.sources).live.utf8.count
  }

  /// The problem `command-disabled`: no sign-up is accepted while the service drains.
  package var draining: ProblemDetails { .commandDisabled }

  /// Returns the problem as a page or as JSON, in the language that the client prefers.
  ///
  /// If the path contains a secret, the page has no script and does not reveal the URL, regardless
  /// of the problem.
  package func response(for problem: ProblemDetails, to request: Request?) -> Response {
    let isSecret = request.map { secretPaths.contains($0.path) } ?? false
    let kind = isSecret ? Pages.Kind.secret : .live
    if problem.status == .methodNotAllowed, let request,
      request.method == .get || request.method == .head,
      isSecret ? request.prefersHTMLOfLink : request.prefersHTML,
      let page = SignUpService.page(sendingTo: request.path)
    {
      var response = Response.redirect(to: page)
      response.fields.append(contentsOf: pages.policyFields(of: kind))
      return response
    }
    return pages.response(for: problem, to: request, as: kind)
  }

  /// Adds the CORS header fields.
  package func finish(_ response: inout Response, to request: Request) {
    origins.finish(&response, to: request)
  }
}

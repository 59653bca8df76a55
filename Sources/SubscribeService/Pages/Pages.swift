internal import HTTPSignals
internal import HTTPTypes

/// All that browsers show: the pages, and the files that they need.
final class Pages: Sendable {
  let frame: PageFrame
  let signUp: SignUpPage
  let thanks: ThanksPage
  let problem: ProblemPage

  /// Makes the pages.
  ///
  /// - Parameter allowedOrigins: Sites to which a form may lead on.
  init(allowedOrigins: AllowedOrigins) {
    frame = PageFrame(formTargets: allowedOrigins.sources)
    signUp = SignUpPage(frame: frame)
    thanks = ThanksPage(frame: frame)
    problem = ProblemPage(frame: frame)
  }

  /// The files of the pages, by their path.
  static let assets: [String: Asset] = [
    "/embed.js": Asset(PackageResources.embed_js, mediaType: "text/javascript; charset=utf-8"),
    "/page.css": Asset(PackageResources.page_css, mediaType: "text/css; charset=utf-8"),
    "/icon.svg": Asset(PackageResources.icon_svg, mediaType: "image/svg+xml"),
  ]

  /// A problem in the language of the client, and as a page when it would rather have that.
  func response(for problem: ProblemDetails, to request: Request) -> Response {
    if request.prefersHTML {
      return self.problem.response(to: problem, in: .preferred(by: request))
    }
    guard request.fields.first("accept-language") != nil else {
      return problem.response(to: request)
    }
    return Texts.preferred(by: request).translation(of: problem).response(to: request)
  }
}

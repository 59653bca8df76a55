internal import HTTPSignals
internal import HTTPTypes

/// All that browsers show: the pages, and the files that they need.
struct Pages: Sendable {
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

  /// An exchange whose problems are answered as pages, when the client would rather have these.
  func decorate(_ exchange: Exchange) -> Exchange {
    let request = exchange.request
    guard request.prefersHTML else { return exchange }
    return Exchange(request) { response in
      guard let problem = response.problem else {
        exchange.respond(response)
        return
      }
      var page = self.problem.response(to: problem, in: .preferred(by: request))
      // What others have added stays, who may read it for instance.
      for field in response.fields where page.fields[field.name] == nil {
        page.fields[field.name] = field.value
      }
      exchange.respond(page)
    }
  }
}

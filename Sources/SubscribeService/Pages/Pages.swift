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

  /// An exchange whose problems are told in the language of the client, and as pages when it would
  /// rather have these.
  func decorate(_ exchange: Exchange) -> Exchange {
    let request = exchange.request
    let prefersHTML = request.prefersHTML
    guard prefersHTML || request.field(.acceptLanguage) != nil else { return exchange }
    return Exchange(request) { response in
      guard let problem = response.problem else {
        exchange.respond(response)
        return
      }
      let texts = Translation.preferred(by: request)
      var told =
        prefersHTML
        ? self.problem.response(to: problem, in: texts) : texts.translation(of: problem).response
      // What others have added stays, who may read it for instance.
      for field in response.fields where told.fields[field.name] == nil {
        told.fields[field.name] = field.value
      }
      exchange.respond(told)
    }
  }
}

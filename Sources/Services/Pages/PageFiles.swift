internal import CResources
internal import HTTPSignals
internal import HTTPTypes
internal import MailingList
internal import Platform

/// The sign-up page in each language, and the files that depend on the owner's settings.
struct PageFiles: Sendable {
  let home: [String: Asset]
  let pageStyle: Asset
  let embedStyle: Asset
  let logo: Asset?

  init(_ pages: Pages) {
    var home: [String: Asset] = [:]
    for texts in pages.texts.all { home[texts.language] = pages.signUp.asset(in: texts) }
    self.home = home
    let profile = pages.frame.profile
    func style(_ files: [Resource], _ rest: String...) -> Asset {
      let bytes = files.flatMap(\.bytes) + Array(rest.joined().utf8)
      return Asset(bytes, mediaType: "text/css; charset=utf-8")
    }
    pageStyle = style(
      [resource_base_css(), resource_page_css()], profile.accent?.pageStyle ?? "",
      profile.stylesheet)
    embedStyle = style([resource_embed_css()], profile.accent?.embedStyle ?? "")
    logo = profile.logo.map { Asset($0.bytes, mediaType: $0.format.rawValue) }
  }
}

extension SignUpService {
  /// `GET /`: the sign-up page.
  func showForm(_ routed: RoutedExchange) throws(ProblemDetails) {
    let request = routed.exchange.request
    guard let asset = files.home[texts(of: request).language] else { throw .notFound }
    let fields = pages.frame.policyFields(of: .home)
    routed.exchange.respond(asset.response(to: request, fields: fields))
  }

  /// `GET /page.css`: the style sheet of the pages.
  func showPageStyle(_ routed: RoutedExchange) {
    routed.exchange.respond(files.pageStyle.response(to: routed.exchange.request))
  }

  /// `GET /embed.css`: the style sheet of a form on a page of another site.
  func showEmbedStyle(_ routed: RoutedExchange) {
    routed.exchange.respond(files.embedStyle.response(to: routed.exchange.request))
  }

  /// `GET /logo`: the logo of the list.
  func showLogo(_ routed: RoutedExchange) throws(ProblemDetails) {
    guard let logo = files.logo else { throw .notFound }
    var fields = FieldList()
    // A picture may contain a script, which runs if a visitor opens the picture itself.
    fields[.contentSecurityPolicy] = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
    routed.exchange.respond(logo.response(to: routed.exchange.request, fields: fields))
  }

  /// `GET /embed.json`: the texts of the script.
  func showScriptTexts(_ routed: RoutedExchange) throws(ProblemDetails) {
    let request = routed.exchange.request
    guard let response = pages.script.response(to: request, in: texts(of: request)) else {
      throw .notFound
    }
    routed.exchange.respond(response)
  }

  /// `GET /problems/{name}`: the help page of a problem type.
  func explainProblem(_ routed: RoutedExchange) throws(ProblemDetails) {
    let name = routed["name"].map(String.init) ?? ""
    let texts = texts(of: routed.exchange.request)
    guard let page = pages.problem.help(on: name, in: texts) else { throw .notFound }
    routed.exchange.respond(page)
  }
}

extension AccentColor {
  /// The style sheet that sets the color of the pages.
  fileprivate var pageStyle: String {
    """
    :root { --accent: \(onLight.text); --on-accent: \(onLight.onAccent.text); }
    @media (prefers-color-scheme: dark) {
      :root { --accent: \(onDark.text); --on-accent: \(onDark.onAccent.text); }
    }

    """
  }

  /// The style sheet that sets the color of a form on a page of another site, which is dark only if
  /// that page is.
  fileprivate var embedStyle: String {
    """
    .enlist { --accent: \(onLight.text); --on-accent: \(onLight.onAccent.text); }
    @supports (color: light-dark(red, red)) {
      .enlist {
        --accent: light-dark(\(onLight.text), \(onDark.text));
        --on-accent: light-dark(\(onLight.onAccent.text), \(onDark.onAccent.text));
      }
    }

    """
  }
}

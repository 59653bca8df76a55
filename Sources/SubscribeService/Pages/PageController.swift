internal import Platform
internal import CResources
internal import HTTPSignals
internal import HTTPTypes
internal import MailingList

/// The handler of `GET /`, of the files that depend on the owner's settings, and of
/// `GET /problems/{name}`.
struct PageController: Sendable {
  private let pages: Pages
  private let home: [String: Asset]
  private let pageStyle: Asset
  private let embedStyle: Asset
  private let logo: Asset?

  init(pages: Pages) {
    self.pages = pages
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

  @Sendable
  func style(_ routed: RoutedExchange) { respond(routed.exchange, with: pageStyle) }

  @Sendable
  func embedStyle(_ routed: RoutedExchange) { respond(routed.exchange, with: embedStyle) }

  @Sendable
  func showLogo(_ routed: RoutedExchange) {
    guard let logo else {
      routed.exchange.respond(.notFound)
      return
    }
    var fields = FieldList()
    // A picture may contain a script, which runs if a visitor opens the picture itself.
    fields[.contentSecurityPolicy] = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
    respond(routed.exchange, with: logo, fields)
  }

  private func respond(_ exchange: Exchange, with asset: Asset, _ fields: FieldList = FieldList()) {
    exchange.respond(asset.response(to: exchange.request, fields: fields))
  }

  @Sendable
  func show(_ routed: RoutedExchange) {
    let exchange = routed.exchange
    let texts = pages.texts.preferred(by: exchange.request)
    guard let asset = home[texts.language] else { return }
    exchange.respond(
      asset.response(to: exchange.request, fields: pages.frame.policyFields(of: .home)))
  }

  @Sendable
  func translate(_ routed: RoutedExchange) {
    let exchange = routed.exchange
    let texts = pages.texts.preferred(by: exchange.request)
    guard let response = pages.script.response(to: exchange.request, in: texts) else { return }
    exchange.respond(response)
  }

  @Sendable
  func explain(_ routed: RoutedExchange) {
    let exchange = routed.exchange
    let texts = pages.texts.preferred(by: exchange.request)
    let name = routed["name"].map(String.init) ?? ""
    if let page = pages.problem.help(on: name, in: texts) {
      exchange.respond(page)
    } else {
      exchange.respond(.notFound)
    }
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

internal import CResources
internal import HTTPSignals
internal import HTTPTypes
internal import MailingList
internal import Platform

/// The sign-up page in each language, and the files that depend on the owner's settings.
struct PageFiles: Sendable {
  let home: [String: Asset]
  /// The texts that `embed.js` loads in the language of its form.
  let scriptTexts: [String: Asset]
  let pageStyle: Asset
  let embedStyle: Asset
  let logo: Asset?

  init(_ pages: Pages) {
    func inEachLanguage(_ file: (Texts) -> Asset) -> [String: Asset] {
      Dictionary(uniqueKeysWithValues: pages.texts.all.map { ($0.language, file($0)) })
    }
    home = inEachLanguage { pages.home(in: $0) }
    scriptTexts = inEachLanguage {
      Asset(pages.scriptTexts(in: $0).bytes, mediaType: "application/json")
    }
    let profile = pages.profile
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

extension Pages {
  /// The texts of `embed.js`, and the next step after a sign-up.
  ///
  /// The pages of all sites may read them, so that a form can report that its site is not allowed.
  fileprivate func scriptTexts(in texts: Texts) -> JSONText {
    var json = JSONText()
    json.object { object in
      func show(_ shown: KeyValuePairs<StaticString, PageText>) {
        for (name, text) in shown { object.member(name, texts[text]) }
      }
      object.member("enlistNext", nextStep.rawValue)
      object.member("enlistLanguage", texts.language)
      show([
        "started": .started, "completed": .completed, "failed": .failed,
        "suggestion": .suggestion, "unreachable": .unreachable,
      ])
      if let consent = profile.consentText { object.member("consent", consent) }
      // The rest is for the service's own page, which must not contain it before a sign-up.
      switch nextStep {
      case .none:
        show(["next": .thanksNext])
        guard let url = profile.siteURL else { return }
        object.member("site", texts[.site, list: profile.name])
        object.member("siteURL", url)
      case .link, .code:
        show([
          "title": .codeTitle, "sent": .codeSent, "wrongAddress": .codeWrongAddress,
          "code": .codeIntro, "link": .codeNone, "codeButton": .codeButton,
          "confirmed": .codeConfirmed,
        ])
      }
    }
    return json
  }
}

extension SignUpService {
  /// `GET /`: the sign-up page.
  func showForm(_ routed: RoutedExchange) throws(ProblemDetails) {
    let request = routed.exchange.request
    guard let asset = files.home[texts(of: request).language] else { throw .notFound }
    let fields = pages.policyFields(of: .home)
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
    guard let asset = files.scriptTexts[texts(of: request).language] else { throw .notFound }
    var fields = FieldList()
    fields[.vary] = "Accept-Language"
    routed.exchange.respond(asset.response(to: request, fields: fields))
  }

  /// `GET /problems/{name}`: the help page of a problem type.
  func explainProblem(_ routed: RoutedExchange) throws(ProblemDetails) {
    let name = routed["name"].map(String.init) ?? ""
    let texts = texts(of: routed.exchange.request)
    guard let page = pages.help(on: name, in: texts) else { throw .notFound }
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

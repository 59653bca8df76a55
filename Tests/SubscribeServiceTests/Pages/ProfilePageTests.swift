import EmailAddresses
import Foundation
import HTTPSignals
import HTTPTypes
import MailingList
import TestSupport
import Testing

@testable import Services

/// Pages with the look and the words of the owner.
@Suite struct ProfilePageTests {
  private static let profile = {
    var profile = ListProfile(name: "Herbs & <Roses>")
    profile.description = "A letter about \"gardens\"."
    profile.siteURL = "https://garden.example/letters?a=1&b=2"
    profile.privacyURL = "https://garden.example/privacy"
    profile.imprintURL = "https://garden.example/imprint"
    profile.consentText = "Send me <letters>."
    profile.accent = AccentColor("#d0f0c0")
    profile.logo = ListProfile.Logo(Array("<svg/>".utf8), .svg)
    profile.stylesheet = "h1 { font-style: italic; }"
    return profile
  }()

  private let service = DoubleOptInService(profile: profile)

  @Test func `the sign-up page has the name, the sentence and the box of the owner`() {
    let page = service.send(.get, "/").text
    #expect(page.contains("<h1><a href=\"https://garden.example/letters?a=1&amp;b=2\">Herbs &amp;"))
    #expect(page.contains("<p><bdi>A letter about &quot;gardens&quot;.</bdi></p>"))
    let box = "value=\"Send me &lt;letters&gt;.\" required aria-invalid=\"false\">"
    // A screen reader reads the box before the button that needs it.
    #expect(page.components(separatedBy: "<button").first?.contains(box) == true)
    #expect(!page.contains("novalidate"))
    #expect(page.contains("<img src=\"/logo\" alt=\"\""))
    #expect(page.contains("<meta property=\"og:title\" content=\"Herbs &amp; &lt;Roses&gt;\">"))
    #expect(page.contains("<meta name=\"description\" content=\"A letter about"))
    #expect(!page.contains("og:image"), "other sites do not show SVG")
  }

  @Test func `every page links to the pages about privacy and the legal notice`() throws {
    let token = String(repeating: "A", count: 43)
    for path in ["/", "/none", "/confirm/\(token)", "/problems/not-found"] {
      let page = service.send(.get, path).text
      #expect(page.contains("<a href=\"https://garden.example/privacy\">Privacy</a>"), "\(path)")
      #expect(page.contains("<a href=\"https://garden.example/imprint\">Legal notice</a>"))
    }
    #expect(!ServiceUnderTest().get("/").text.contains("<footer>"))
  }

  @Test func `a rejected form without the consent shows the box again`() {
    let form = "application/x-www-form-urlencoded"
    let without = service.send(.post, "/subscribers", body: "email=x", as: form).text
    #expect(without.contains("value=\"Send me &lt;letters&gt;.\" required aria-invalid=\"false\">"))
    let with = service.send(
      .post, "/subscribers", body: "email=x&consent=Send+me+%3Cletters%3E.", as: form
    ).text
    #expect(
      with.contains("value=\"Send me &lt;letters&gt;.\" required aria-invalid=\"false\" checked>"))
    let other = service.send(.post, "/subscribers", body: "email=x&consent=mine", as: form).text
    #expect(other.contains("type=\"hidden\" name=\"consent\" value=\"mine\""))
    #expect(!other.contains("checkbox"))
  }

  @Test func `forms of other sites can read the text of the consent`() {
    let texts = service.send(.get, "/embed.json").text
    #expect(texts.contains("\"consent\":\"Send me <letters>.\""))
  }

  @Test func `the style sheets have the color, darker on light pages, and the owner's rules`() {
    let page = service.send(.get, "/page.css").text
    let light = AccentColor("#d0f0c0")?.onLight.text ?? ""
    #expect(light != "#d0f0c0")
    #expect(page.contains(":root { --accent: \(light); --on-accent: #ffffff; }"))
    #expect(page.contains(":root { --accent: #d0f0c0; --on-accent: #000000; }"))
    #expect(page.hasSuffix("h1 { font-style: italic; }"))
    let form = service.send(.get, "/embed.css").text
    #expect(form.contains("--accent: light-dark(\(light), #d0f0c0);"))
    #expect(form.utf8.count <= 2_300)
  }

  @Test func `no script of the logo runs when it is opened`() {
    let logo = service.send(.get, "/logo")
    #expect(logo["Content-Type"] == "image/svg+xml")
    #expect(logo["Content-Security-Policy"]?.hasSuffix("; sandbox") == true)
    #expect(DoubleOptInService().send(.get, "/logo").status == 404)
  }

  @Test(arguments: ["#000000", "#ffffff", "#777777", "#1f5fa8", "#ffcc00", "#d40000"])
  func `a color is readable on each ground, and so is the text on it`(text: String) throws {
    let color = try #require(AccentColor(text))
    let grounds = [("#fbfaf8", color.onLight), ("#1f1f1e", color.onDark)]
    for (ground, adjusted) in grounds {
      let ground = try #require(AccentColor(ground))
      #expect(adjusted.contrast(with: ground) >= 4.5)
      #expect(adjusted.contrast(with: adjusted.onAccent) >= 4.5)
      if color.contrast(with: ground) >= 4.5 { #expect(adjusted == color) }
    }
  }

  @Test(arguments: ["", "1f5fa8", "#fff", "#1f5fa", "#1f5fag", "#+1f5fa", "red"])
  func `other colors are invalid`(text: String) {
    #expect(AccentColor(text) == nil)
  }

  // MARK: Texts

  @Test
  func `the owner's texts replace those of a language, or add one that is read right to left`()
    throws
  {
    var profile = ListProfile()
    profile.texts = [
      "de": ["page.title": "Gartenbriefe bestellen"], "ar": ["page.title": "اشترك"],
    ]
    let service = ServiceUnderTest(profile: profile)
    func page(_ language: String) -> String {
      let fields = FieldList(["Accept": "text/html", "Accept-Language": "\(language)"])
      return service.send(Request(method: .get, path: "/", fields: fields)).text
    }
    #expect(page("de").contains("<h1>Gartenbriefe bestellen</h1>"))
    #expect(page("de").contains("E-Mail-Adresse"))
    #expect(page("ar").contains("<html lang=\"ar\" dir=\"rtl\">"))
    #expect(page("ar").contains("<h1>اشترك</h1>"))
    #expect(page("ar").contains("Email address"), "a missing text is in English")
    #expect(page("fr").contains("<html lang=\"fr\">"))
  }

  @Test(arguments: ["zh-TW", "zh-HK", "zh-Hant"])
  func `the page and the script have the script of the region, if the owner has texts in it`(
    language: String
  ) {
    var profile = ListProfile()
    profile.texts = ["zh-Hant": ["page.title": "訂閱"]]
    let service = ServiceUnderTest(profile: profile)
    let fields = FieldList(["Accept": "text/html", "Accept-Language": "\(language)"])
    let page = service.send(Request(method: .get, path: "/", fields: fields)).text
    #expect(page.contains("<html lang=\"zh-Hant\">"))
    #expect(page.contains("<h1>訂閱</h1>"))
    let texts = service.send(Request(method: .get, path: "/embed.json", fields: fields)).text
    #expect(texts.contains(#""enlistLanguage":"zh-Hant""#))
  }

  @Test func `a translation needs all texts but those for programs`() {
    #expect(LanguageTexts.translatedKeys.contains("visitor.missing"))
    #expect(LanguageTexts.translatedKeys.contains("reason.missingAt"))
    #expect(!LanguageTexts.translatedKeys.contains("problem.malformed-request.method"))
  }

  // MARK: Visitors

  @Test(arguments: TextCatalog.builtIn.all.map(\.language))
  func `no page for a visitor names a problem, a setting or a header field`(language: String) {
    let texts = TextCatalog.builtIn.all.first { $0.language == language } ?? .english
    let pages = ServiceUnderTest().responsePolicy.pages
    var problems: [ProblemDetails] = HTTPProblem.allCases.map { .init($0, VisitorText.wait) }
    problems += ServiceProblem.allCases.map { .init($0, VisitorText.wait) }
    problems += [
      .storageUnavailable, .commandDisabled, .originNotAllowed, .tokenExpired, .misdirectedRequest,
      .tooManyRequests(.signUp, secondsToWait: 9),
    ]
    for problem in problems {
      let response = pages.page(for: problem, in: texts)
      guard case .bytes(let bytes) = response.body else { continue }
      let text = String(decoding: bytes, as: UTF8.self)
      #expect(response.status == problem.status)
      #expect(!text.contains("--"), "\(problem.name)")
      #expect(!text.contains("Retry-After"), "\(problem.name)")
      #expect(!text.contains(problem.name), "\(problem.name)")
      #expect(text.contains("<p><a href="), "\(problem.name) has a way on")
    }
  }
}

import Foundation
import TestSupport
import Testing

/// Tests of what a form on another site does for visitors and for the site's owner.
@Suite(
  .serialized,
  .needsBrowser)
struct EmbeddedFormTests {
  private static let intro = "Check your email and press the button there, or type the code:"

  // MARK: Validation by the browser

  @Test func `the documented form is not sent without the required consent`() throws {
    let form = try EmbeddedForm(try EmbeddedForm.documented(in: "docs/embedding.md"))
    try form.submit()
    #expect(try form.focusedField() == "consent")
    #expect(try form.events() == [])
    #expect(try form.service.exportedStates() == [:])
    try form.browser.click("[name=consent]")
    try form.browser.click("button:not([type])")
    try form.waitForText("Thanks")
    #expect(try form.service.exportedStates() == ["ana@example.com": "pending"])
    try form.visit.end()
  }

  @Test(arguments: [
    #"<input name="it" required>"#, #"<input name="it" type="url" value="x">"#,
    #"<input name="it" pattern="[0-9]{5}" value="1">"#,
    #"<fieldset><input name="it" type="number" max="3" value="4"></fieldset>"#,
    #"<select name="it" required><option value="">Choose</option></select>"#,
  ])
  func `the browser rejects other fields of a form as it does without the script`(
    field: String
  ) throws {
    let form = try EmbeddedForm(EmbeddedForm.html(field))
    try form.submit()
    #expect(try form.focusedField() == "it")
    #expect(try form.events() == [])
    #expect(try form.service.exportedStates() == [:])
    try form.visit.end()
  }

  @Test func `a form with novalidate is sent as it is`() throws {
    let form = try EmbeddedForm(EmbeddedForm.html("<input name=it required>", "novalidate"))
    try form.submit()
    try form.waitForText("Thanks")
    #expect(try form.service.exportedStates() == ["ana@example.com": "pending"])
    try form.visit.end()
  }

  @Test func `a form sends the fields of the owner, and marks one that is rejected`() throws {
    let html = EmbeddedForm.html("<input name=first_name> <input name=city>")
    let form = try EmbeddedForm(html, ["--fields", "first_name*,city"])
    let marked = "return [...document.querySelectorAll('[aria-invalid]')].map(field => field.name)"
    try form.browser.type("Paris", into: "[name=city]")
    try form.submit()
    try form.waitForText("This field is required.")
    #expect(try form.browser.evaluate(marked) as? [String] == ["first_name"])
    try form.browser.type("Ana", into: "[name=first_name]")
    #expect(try form.browser.evaluate(marked) as? [String] == [])
    try form.browser.click("button:not([type])")
    try form.waitForText("Thanks")
    let consents = try CommandRun(["export", "--consents"], in: form.service.folder).output
    #expect(consents.contains(#""fields":{"city":"Paris","first_name":"Ana"}"#))
    try form.visit.end()
  }

  @Test func `an address that only the browser rejects is accepted, other fields are not`() throws {
    let form = try EmbeddedForm(
      EmbeddedForm.html("<fieldset><input name=it required></fieldset>", email: "required"))
    try form.submit("jörg@example.com")
    #expect(try form.focusedField() == "it")
    try form.browser.type("x", into: "[name=it]")
    try form.browser.click("button:not([type])")
    try form.waitForText("Thanks")
    #expect(try form.service.exportedStates() == ["jörg@example.com": "pending"])
    try form.visit.end()
  }

  @Test func `the script explains an invalid address of a form without a button`() throws {
    let form = try EmbeddedForm(
      EmbeddedForm.html("", email: "required").replacing("<button>Join</button>", with: ""))
    try form.browser.type("ana@@example.com\u{E007}", into: "[name=email]")
    try form.waitForText("An address can contain only one @ sign.")
    #expect(try form.events().filter { $0 != "refused" } == [])
    try form.visit.end()
  }

  // MARK: Styles of the page

  /// The styles of a page, and a button of the page's own for the suggestion.
  @Test(
    arguments: [
      "button { display: inline-block }", "form * { display: block !important }",
      "[hidden] { display: inherit; visibility: visible !important }",
    ],
    ["", "<button type=button data-enlist-suggestion hidden></button>"]
  )
  func `no style of a page shows a button that suggests nothing`(
    style: String, button: String
  ) throws {
    let form = try EmbeddedForm("<style>\(style)</style>" + EmbeddedForm.html(button))
    let texts = """
      return [...document.querySelectorAll('button')].filter(button => button.checkVisibility())
        .map(button => button.textContent).sort()
      """
    func expectOnlyButton(_ when: String) throws {
      #expect(try form.browser.evaluate(texts) as? [String] == ["Join"], "\(when)")
    }
    try expectOnlyButton("at first")
    try form.browser.type("ana@gmial.com", into: "[name=email]")
    try form.browser.until("there is a suggestion") {
      try form.browser.evaluate(texts) as? [String] == ["Did you mean ana@gmail.com?", "Join"]
    }
    try form.browser.click("[type=button]")
    try form.browser.until("it is gone") {
      try form.browser.evaluate(texts) as? [String] == ["Join"]
    }
    #expect(
      try form.browser.evaluate("return document.querySelector('[name=email]').value") as? String
        == "ana@gmail.com"
    )
    try form.browser.click("button:not([type])")
    try form.waitForText("Thanks")
    #expect(try form.service.exportedStates() == ["ana@gmail.com": "pending"])
    try form.visit.end()
  }

  // MARK: Policies of the page

  private static let consent = "Send me News by email."

  @Test(arguments: [
    "script-src 'nonce-abc'", "script-src 'nonce-abc' 'strict-dynamic'",
    "require-trusted-types-for 'script'",
    "script-src 'nonce-abc'; require-trusted-types-for 'script'; trusted-types enlist",
  ])
  func `a form is complete under a policy with a nonce or with Trusted Types`(policy: String) throws
  {
    let form = try EmbeddedForm(
      EmbeddedForm.html("").replacing("<script ", with: "<script nonce=abc "),
      ["--consent-text", Self.consent], policy: policy)
    try form.browser.until("there is a box") { try form.browser.count("[name=consent]") == 1 }
    try form.browser.click("[name=consent]")
    try form.submit()
    try form.waitForText("Thanks")
    try form.waitForText(Self.intro, in: "form + form label")
    try form.browser.type(try form.visit.mail().code() + "\u{E007}", into: "form + form input")
    try form.waitForText("Confirmed ✓", in: "form + form [role=status]")
    try form.visit.end()
  }

  @Test(arguments: [
    "script-src http://localhost/embed.js",
    "require-trusted-types-for 'script'; trusted-types 'none'",
    "require-trusted-types-for 'script'; trusted-types other",
  ])
  func `where the policy of a page blocks the second script, the status says to open the mail`(
    policy: String
  ) throws {
    let form = try EmbeddedForm(
      EmbeddedForm.html(""), ["--consent-text", Self.consent], policy: policy)
    try form.browser.until("there is a box") { try form.browser.count("[name=consent]") == 1 }
    try form.browser.click("[name=consent]")
    try form.submit()
    try form.waitForText("Thanks – Check your email and press the button there.")
    let texts = try form.service.file.texts("SELECT text FROM consents")
    #expect(texts == [Self.consent])
    form.browser.close()
  }

  // MARK: What is left to do

  @Test func `the README's form says where to confirm, and has a field for the code`() throws {
    let form = try EmbeddedForm(try EmbeddedForm.documented(in: "README.md"))
    try form.submit()
    try form.waitForText(Self.intro, in: "form + form label")
    try form.browser.type(try form.visit.mail().code() + "\u{E007}", into: "form + form input")
    try form.waitForText("Confirmed ✓", in: "form + form [role=status]")
    #expect(try form.events() == ["started", "completed", "confirmed"])
    #expect(try form.service.exportedStates() == ["ana@example.com": "subscribed"])
    try form.visit.end()
  }

  @Test func `an attribute of the form moves the field for the code`() throws {
    let html = EmbeddedForm.html("", #"data-enlist-code="aside""#)
    let form = try EmbeddedForm("<aside id=aside></aside>" + html)
    try form.submit()
    try form.waitForText(Self.intro, in: "aside form label")
    #expect(try form.browser.isShown("aside [name=code]"))
    try form.visit.end()
  }

  @Test(arguments: [(#"data-enlist-code="off""#, "on"), ("", "off"), ("data-enlist-code", "off")])
  func `without a field the form says only where to confirm`(
    attribute: String, confirmCode: String
  ) throws {
    let form = try EmbeddedForm(EmbeddedForm.html("", attribute), ["--confirm-code", confirmCode])
    try form.submit()
    try form.waitForText("Check your email and press the button there.", in: "form + form p")
    #expect(
      try form.browser.evaluate("return document.querySelector('[name=code]') === null") as? Bool
        == true
    )
    try form.visit.end()
  }

  @Test func `with single opt-in the form only thanks`() throws {
    let form = try EmbeddedForm(EmbeddedForm.html(""), ["--opt-in", "single"])
    try form.submit()
    try form.waitForText("Thanks")
    #expect(try form.browser.evaluate("return document.forms.length") as? Int == 1)
    try form.visit.end()
  }

  // MARK: Language

  /// The language of the page, the field, the language around the form, that of the browser, and
  /// that of the texts.
  @Test(arguments: [
    ("de", "de", "", "en", "de"), ("de", "", "", "en", "de"), ("de", "fr-CA", "", "en", "fr"),
    ("de", "", "fr", "en", "fr"), ("pt_BR", "", "", "es", "es"), ("zh-CN", "", "", "en", "zh"),
  ])
  func `a form speaks the language of its field, then of its page, then of the browser`(
    page: String, locale: String, near: String, browser: String, language: String
  ) throws {
    let field =
      locale.isEmpty ? "" : "<input type=hidden name=locale value=\(locale)>"
    let form = try EmbeddedForm(
      "<div \(near.isEmpty ? "" : "lang=\(near)")>\(EmbeddedForm.html(field))</div>",
      language: page, browserLanguage: browser)
    let texts = [
      "de": ("Eine Adresse darf nur ein @-Zeichen enthalten.", "Danke", "Bestätigen"),
      "fr": ("Une adresse ne peut contenir qu’un seul signe @.", "Merci", "Confirmer"),
      "es": ("Una dirección solo puede contener un signo @.", "Gracias", "Confirmar"),
      "zh": ("地址只能包含一个 @ 符号。", "谢谢", "确认"),
    ]
    let (reason, thanks, button) = try #require(texts[language])
    try form.browser.type("ana@@example.com\t", into: "[name=email]")
    try form.waitForText(reason)
    try form.browser.evaluate("document.querySelector('[name=email]').value = ''")
    try form.submit()
    try form.waitForText(thanks)
    try form.waitForText(button, in: "form + form button")
    let mail = try form.visit.mail()
    #expect(mail.contains("\nContent-Language: \(language)"))
    try form.browser.type(try mail.wrongCode() + "\u{E007}", into: "[name=code]")
    try form.browser.until("there is a message about the code") {
      try !form.browser.text("form + form [role=status]").isEmpty
    }
    #expect(try !form.browser.text("form + form [role=status]").contains("wrong"))
    try form.visit.end()
  }

  // MARK: Sites that are not allowed

  @Test func `a form on a site that is not allowed says so while the visitor types`() throws {
    let site = "http://127.0.0.1"
    let form = try EmbeddedForm(EmbeddedForm.html(""), ["--allowed-origins", "none"])
    let sentence = """
      Signing up here does not work at the moment. Try again later, or tell the owner of this site.
      """
    try form.browser.type("ana@example.com", into: "[name=email]")
    try form.waitForText(sentence)
    try form.browser.until("the button is enabled") { try form.browser.isEnabled("button") }
    try form.browser.click("button:not([type])")
    try form.browser.until("it has failed") { try form.events() == ["failed"] }
    try form.waitForText(sentence)
    form.browser.close()
    let lines = try form.service.endAndReadLog().split(separator: "\n")
      .filter { $0.contains("--allowed-origins") }
    #expect(lines.count == 1)
    #expect(lines.first?.contains("pages of \(site):") == true)
  }
}

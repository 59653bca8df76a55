import TestSupport
import Testing

/// Tests of what a form on another site does for visitors and for the site's owner.
@Suite(.serialized, .needsBrowser)
struct EmbeddedFormTests {
  private static let intro = "Check your email and press the button there, or type the code:"

  @Test func `a form on an allowed site updates live and dispatches events to the site`() throws {
    let form = try EmbeddedForm(EmbeddedForm.html(""), ["--opt-in", "single"])
    try form.browser.type("ana@gmial.com", into: "[name=email]")
    try eventually("a suggestion") { try form.browser.count("[type=button]") == 1 }
    try form.browser.click("[type=button]")
    try form.browser.click("button:not([type])")
    try form.browser.waitForText("Thanks", in: "[role=status]")
    try form.browser.expect("events", ["started", "completed"])
    try form.visit.expect(["ana@gmail.com": "subscribed"])
    try form.browser.expectNoComplaints()
  }

  @Test func `a form that the page adds after the script is live`() throws {
    let script = #"<script src="https://list.example.org/embed.js"></script>"#
    let html = EmbeddedForm.html("").replacing(script, with: "")
    let form = try EmbeddedForm("\(script)<template>\(html)</template>")
    try form.browser.evaluate("document.body.append(document.querySelector('template').content)")
    try form.submit()
    try form.waitForText("Thanks")
    try form.visit.expect(["ana@example.com": "pending"])
    try form.visit.end()
  }

  // MARK: Validation by the browser

  @Test func `the documented form passes axe, and is not sent without the required consent`()
    throws
  {
    let html = try EmbeddedForm.documented(in: "docs/embedding.md")
    let form = try EmbeddedForm("")
    let styled = """
      <style>
      html { color-scheme: light dark }
      body { background: light-dark(#fff, #1a1a1a); color: light-dark(#111, #eee) }
      </style>
      <link rel="stylesheet" href="https://list.example.org/embed.css">
      \(html.replacing("<form ", with: "<form class=\"enlist\" "))
      """
    for isDark in [false, true] {
      try form.browser.change(to: Browser.Options(width: 320, isDark: isDark))
      try form.show(styled)
      try form.browser.type("ana@@gmial.com\t", into: "[name=email]")
      try form.waitForText("An address can contain only one @ sign.")
      try form.browser.expectAccessible(isDark ? "dark" : "light", .wcag)
    }
    try form.show(html)
    let box = "checkbox I want to receive the newsletter."
    try form.browser.expectTree([box], "a box that nobody has touched")
    try form.submit()
    try form.browser.expect("document.activeElement.name", "consent")
    try form.browser.expectTree(["\(box) focused invalid"], "a required box that is empty")
    try form.browser.expect("events", [String]())
    try form.visit.expect([:])
    try form.browser.click("[name=consent]")
    try form.browser.click("button:not([type])")
    try form.waitForText("Thanks")
    try form.visit.expect(["ana@example.com": "pending"])
    try form.visit.end()
  }

  @Test func `the browser rejects other fields of a form as it does without the script`() throws {
    let form = try EmbeddedForm("")
    for field in [
      #"<input name="it" required>"#, #"<input name="it" type="url" value="x">"#,
      #"<input name="it" pattern="[0-9]{5}" value="1">"#,
      #"<fieldset><input name="it" type="number" max="3" value="4"></fieldset>"#,
      #"<select name="it" required><option value="">Choose</option></select>"#,
    ] {
      try form.show(EmbeddedForm.html(field))
      try form.submit()
      try form.browser.expect("document.activeElement.name", "it", field)
      try form.browser.expect("events", [String](), field)
    }
    try form.visit.expect([:])
    try form.visit.end()
  }

  @Test func `a form with novalidate is sent as it is`() throws {
    let form = try EmbeddedForm(EmbeddedForm.html("<input name=it required>", "novalidate"))
    try form.submit()
    try form.waitForText("Thanks")
    try form.visit.expect(["ana@example.com": "pending"])
    try form.visit.end()
  }

  @Test func `a form sends the fields of the owner, and marks one that is rejected`() throws {
    let html = EmbeddedForm.html("<input name=first_name> <input name=city>")
    let form = try EmbeddedForm(html, ["--fields", "first_name*,city"])
    let marked = "[...document.querySelectorAll('[aria-invalid]')].map(field => field.name)"
    try form.browser.type("Paris", into: "[name=city]")
    try form.submit()
    try form.waitForText("This field is required.")
    try form.browser.expect(marked, ["first_name"])
    try form.browser.expect("document.activeElement.name", "first_name")
    try form.browser.type("Ana", into: "[name=first_name]")
    try form.browser.expect(marked, [String]())
    try form.browser.click("button:not([type])")
    try form.waitForText("Thanks")
    let consents = try form.service.run("export", "--consents").output
    #expect(consents.contains(#""fields":{"city":"Paris","first_name":"Ana"}"#))
    try form.visit.end()
  }

  @Test func `an address that only the browser rejects is accepted, other fields are not`() throws {
    let form = try EmbeddedForm(
      EmbeddedForm.html("<fieldset><input name=it required></fieldset>", email: "required"))
    try form.submit("jörg@example.com")
    try form.browser.expect("document.activeElement.name", "it")
    try form.browser.type("x", into: "[name=it]")
    try form.browser.click("button:not([type])")
    try form.waitForText("Thanks")
    try form.visit.expect(["jörg@example.com": "pending"])
    try form.visit.end()
  }

  @Test func `the script explains an invalid address of a form without a button`() throws {
    let form = try EmbeddedForm(
      EmbeddedForm.html("", email: "required").replacing("<button>Join</button>", with: ""))
    try form.browser.type("ana@@example.com\u{E007}", into: "[name=email]")
    try form.waitForText("An address can contain only one @ sign.")
    try form.browser.expect("events.filter(name => name !== 'refused')", [String]())
    try form.visit.end()
  }

  // MARK: Styles of the page

  @Test(arguments: ["", "<button type=button data-enlist-suggestion hidden></button>"])
  func `no style of a page shows a button that suggests nothing`(button: String) throws {
    let form = try EmbeddedForm("")
    let texts = """
      [...document.querySelectorAll('button')].filter(button => button.checkVisibility())
        .map(button => button.textContent).sort()
      """
    var people: [String: String] = [:]
    for style in [
      "button { display: inline-block }", "form * { display: block !important }",
      "[hidden] { display: inherit; visibility: visible !important }",
    ] {
      let name = "p\(people.count)"
      try form.show("<style>\(style)</style>" + EmbeddedForm.html(button))
      try form.browser.expect(texts, ["Join"], style)
      try form.browser.type("\(name)@gmial.com", into: "[name=email]")
      try form.browser.wait(for: texts, ["Did you mean \(name)@gmail.com?", "Join"])
      try form.browser.click("[type=button]")
      try form.browser.wait(for: texts, ["Join"])
      try form.browser.expect("document.querySelector('[name=email]').value", "\(name)@gmail.com")
      try form.browser.click("button:not([type])")
      try form.waitForText("Thanks")
      people["\(name)@gmail.com"] = "pending"
      try form.visit.expect(people)
    }
    try form.visit.end()
  }

  // MARK: Policies of the page

  private static let consent = "Send me News by email."

  @Test func `a form is complete under a policy with a nonce or with Trusted Types`() throws {
    let form = try EmbeddedForm("", ["--consent-text", Self.consent])
    let html = EmbeddedForm.html("").replacing("<script ", with: "<script nonce=abc ")
    for (index, policy) in [
      "script-src 'nonce-abc'", "script-src 'nonce-abc' 'strict-dynamic'",
      "require-trusted-types-for 'script'",
      "script-src 'nonce-abc'; require-trusted-types-for 'script'; trusted-types enlist",
    ].enumerated() {
      let address = "p\(index)@example.com"
      try form.show(html, policy: policy)
      try submitWithConsent(form, address)
      try form.waitForText("Thanks")
      try form.waitForText(Self.intro, in: "form + form label")
      let code = try form.service.mail(to: address).code
      try form.browser.type(code + "\u{E007}", into: "form + form input")
      try form.waitForText("Confirmed ✓", in: "form + form [role=status]")
    }
    try form.visit.end()
  }

  @Test
  func `where the policy of a page blocks the second script, the status says to open the mail`()
    throws
  {
    let form = try EmbeddedForm("", ["--consent-text", Self.consent])
    for (index, policy) in [
      "script-src http://localhost/embed.js",
      "require-trusted-types-for 'script'; trusted-types 'none'",
      "require-trusted-types-for 'script'; trusted-types other",
    ].enumerated() {
      try form.show(EmbeddedForm.html(""), policy: policy)
      try submitWithConsent(form, "p\(index)@example.com")
      try form.waitForText("Thanks – Check your email and press the button there.")
      let texts = try form.service.file.texts("SELECT text FROM consents")
      #expect(texts == Array(repeating: Self.consent, count: index + 1), "\(policy)")
    }
  }

  private func submitWithConsent(_ form: EmbeddedForm, _ address: String) throws {
    try eventually("a box") { try form.browser.count("[name=consent]") == 1 }
    try form.browser.expectTree(["checkbox \(Self.consent)"], "a box that nobody has touched")
    try form.browser.click("[name=consent]")
    try form.submit(address)
  }

  // MARK: What is left to do

  @Test func `the README's form says where to confirm, and has a field for the code`() throws {
    let form = try EmbeddedForm(try EmbeddedForm.documented(in: "README.md"))
    try form.submit()
    try form.waitForText(Self.intro, in: "form + form label")
    try form.browser.type(
      form.service.mail(to: "ana@example.com").code + "\u{E007}", into: "form + form input")
    try form.waitForText("Confirmed ✓", in: "form + form [role=status]")
    try form.browser.expect("events", ["started", "completed", "confirmed"])
    try form.visit.expect(["ana@example.com": "subscribed"])
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
    try form.browser.expect("document.querySelector('[name=code]') === null", true)
    try form.visit.end()
  }

  @Test func `with single opt-in the form only thanks`() throws {
    let form = try EmbeddedForm(EmbeddedForm.html(""), ["--opt-in", "single"])
    try form.submit()
    try form.waitForText("Thanks")
    try form.browser.expect("document.forms.length", 1)
    try form.visit.end()
  }

  // MARK: Language

  /// The language of the page, the field, the language around the form, that of the browser, and
  /// that of the texts.
  private static let languages = [
    ("de", "de", "", "en", "de"), ("de", "", "", "en", "de"), ("de", "fr-CA", "", "en", "fr"),
    ("de", "", "fr", "en", "fr"), ("pt_BR", "", "", "es", "es"), ("zh-CN", "", "", "en", "zh"),
  ]

  @Test(arguments: ["en", "es"])
  func `a form speaks the language of its field, then of its page, then of the browser`(
    browser: String
  ) throws {
    let form = try EmbeddedForm("", browserLanguage: browser)
    let texts = [
      "de": ("Eine Adresse darf nur ein @-Zeichen enthalten.", "Danke", "Bestätigen"),
      "fr": ("Une adresse ne peut contenir qu’un seul signe @.", "Merci", "Confirmer"),
      "es": ("Una dirección solo puede contener un signo @.", "Gracias", "Confirmar"),
      "zh": ("地址只能包含一个 @ 符号。", "谢谢", "确认"),
    ]
    let rows = Self.languages.filter { $0.3 == browser }
    for (index, (page, locale, near, _, language)) in rows.enumerated() {
      let field = locale.isEmpty ? "" : "<input type=hidden name=locale value=\(locale)>"
      try form.show(
        "<div \(near.isEmpty ? "" : "lang=\(near)")>\(EmbeddedForm.html(field))</div>",
        language: page)
      let (reason, thanks, button) = try #require(texts[language])
      try form.browser.type("ana@@example.com\t", into: "[name=email]")
      try form.waitForText(reason)
      try form.browser.evaluate("document.querySelector('[name=email]').value = ''")
      let address = "p\(index)@example.com"
      try form.submit(address)
      try form.waitForText(thanks)
      try form.waitForText(button, in: "form + form button")
      let mail = try form.service.mail(to: address)
      #expect(mail.contains("\nContent-Language: \(language)"), "\(page) \(locale) \(near)")
      try form.browser.type(mail.wrongCode + "\u{E007}", into: "[name=code]")
      let message = try eventually("a message about the code") {
        let text = try form.browser.text("form + form [role=status]")
        return text.isEmpty ? nil : text
      }
      #expect(!message.contains("wrong"))
    }
    try form.visit.end()
  }

  // MARK: Sites that are not allowed

  @Test(arguments: [["--allowed-origins", "none"], []])
  func `a form on a site that is not allowed says so while the visitor types`(
    flags: [String]
  ) throws {
    let form = try EmbeddedForm(EmbeddedForm.html(""), flags, isAllowed: false)
    let sentence = """
      Signing up here does not work at the moment. Try again later, or tell the owner of this site.
      """
    try form.browser.type("ana@example.com", into: "[name=email]")
    try form.waitForText(sentence)
    try form.browser.click("button:not([type])")
    try form.browser.wait(for: "events", ["failed"])
    try form.waitForText(sentence)
    try form.visit.expect([:])
    let lines = try form.service.stop().split(separator: "\n")
      .filter { $0.contains("pages of http://127.0.0.1:") }
    #expect(lines.count == 1)
    #expect(lines.first?.contains("--allowed-origins") == true)
  }
}

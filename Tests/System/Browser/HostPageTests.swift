import Foundation
import TestSupport
import Testing

/// Tests of a form on pages whose names, styles and policies nobody has made for it.
@Suite(.serialized, .needsBrowser)
struct HostPageTests {
  @Test func `a control may have the name of any property of a form`() throws {
    let form = try EmbeddedForm("")
    var people: [String: String] = [:]
    for name in [
      "action", "after", "closest", "dataset", "dispatchEvent", "elements", "enlistTexts",
      "noValidate", "reportValidity", "submit",
    ] {
      let address = "\(name.lowercased())@example.com"
      try form.show(EmbeddedForm.html("<input name=\(name) value=1>"))
      try form.submit(address)
      try eventually("a field for the code beside \(name)") {
        try form.browser.count("form + form [name=code]") == 1
      }
      people[address] = "pending"
    }
    try form.visit.expect(people)
    try form.visit.end()
  }

  @Test func `forms and pictures may have the name of any property of a document`() throws {
    let names = ["activeElement", "body", "createElement", "head", "querySelectorAll"]
    let others = names.map { "<form name=\($0)></form>" }.joined()
    let form = try EmbeddedForm(others + "<img name=getElementById>" + EmbeddedForm.html(""))
    // A script does what the driver cannot on such a page.
    try form.browser.evaluate(
      """
      const field = document.querySelector('[name=email]')
      field.value = 'ana@example.com'
      field.form.requestSubmit()
      """)
    try form.waitForText("Thanks")
    try form.waitForText("Confirm", in: "form + form button")
    try form.visit.end()
  }

  @Test func `one click signs up an address that no event has announced`() throws {
    let form = try EmbeddedForm("")
    for index in 0..<2 {
      try form.show(EmbeddedForm.html(""))
      try form.browser.wait(for: "document.querySelector('button').disabled", true)
      try form.browser.evaluate(
        "document.querySelector('[name=email]').value = 'p\(index)@example.com'")
      try form.browser.clickAtOnce("button")
      try form.waitForText("Thanks")
    }
    try form.visit.end()
  }

  @Test func `an address that no event has announced enables the button`() throws {
    let form = try EmbeddedForm(EmbeddedForm.html(""))
    try form.browser.wait(for: "document.querySelector('button').disabled", true)
    try form.browser.evaluate("document.querySelector('[name=email]').value = 'ana@example.com'")
    try form.browser.wait(for: "document.querySelector('button').disabled", false)
    try form.visit.end()
  }

  @Test func `where a style hides what is required, the form says so, and tells the page`() throws {
    let text = "Send me News by email."
    let form = try EmbeddedForm("", ["--consent-text", text])
    let box = "<label class=own><input type=checkbox name=consent value=x required> Yes</label>"
    for (style, fields) in [
      ("[type=checkbox] { display: none }", box), ("label.own { visibility: hidden }", box),
      (".consent { display: none }", ""),
      ("[name=it] { display: none }", box + "<input name=it required>"),
    ] {
      try form.show("<style>\(style)</style>" + EmbeddedForm.html(fields))
      try eventually("a box") { try form.browser.count("[type=checkbox]") == 1 }
      if fields.contains("name=it") { try form.browser.click("[type=checkbox]") }
      try form.submit()
      try form.browser.wait(for: "document.querySelector('[role=status]').dataset.state", "refused")
      try form.browser.expect("document.querySelector('[role=status]').textContent > ''", true)
      try form.browser.expect("events", ["refused"], style)
    }
    try form.visit.expect([:])
  }

  @Test func `where a policy of the page forbids requests of scripts, the browser sends the form`()
    throws
  {
    let form = try EmbeddedForm("")
    try form.show(EmbeddedForm.html(""), policy: "connect-src 'self'")
    try form.submit()
    try form.visit.waitForTitle("Thanks")
    try form.visit.expect(["ana@example.com": "pending"])
  }

  @Test func `a page may add header fields to all requests, and load the script with CORS`()
    throws
  {
    let form = try EmbeddedForm("")
    let tracing = """
      <script>
      const plain = window.fetch
      window.fetch = (url, options = {}) => plain(url, { ...options, headers: {
        ...options.headers, traceparent: '00-1', 'sentry-trace': '1', baggage: 'a=1',
        'x-requested-with': 'XMLHttpRequest'
      } })
      </script>
      """
    let html = EmbeddedForm.html("")
    for (name, page) in [
      ("tracing", tracing + html),
      // For `integrity`.
      ("cors", html.replacing("<script ", with: "<script crossorigin ")),
    ] {
      try form.show(page)
      try form.submit("\(name)@example.com")
      try form.waitForText("Thanks")
      try form.browser.expect("events", ["started", "completed"], name)
    }
    try form.visit.expect(["tracing@example.com": "pending", "cors@example.com": "pending"])
    try form.visit.end()
  }

  @Test func `a form in a sandboxed frame needs allow-same-origin`() throws {
    let form = try EmbeddedForm("")
    let html = EmbeddedForm.html("").replacing("\"", with: "&quot;")
    let sentence = """
      Signing up here does not work at the moment. Try again later, or tell the owner of this site.
      """
    for (name, permission, text) in [
      ("opaque", "", sentence), ("same", " allow-same-origin", "Thanks"),
    ] {
      let sandbox = "allow-scripts allow-forms\(permission)"
      try form.show("<iframe sandbox=\"\(sandbox)\" srcdoc=\"\(html)\"></iframe>")
      try form.browser.command("POST", "/frame", ["id": 0])
      try form.submit("\(name)@example.com")
      try form.waitForText(text)
      try form.browser.command("POST", "/frame", ["id": NSNull()])
    }
    try form.visit.expect(["same@example.com": "pending"])
  }

  @Test func `the message of the start does not wait for the service`() throws {
    let form = try EmbeddedForm(EmbeddedForm.html(""))
    try form.browser.type("ana@example.com", into: "[name=email]")
    try eventually("an enabled button") { try form.browser.isEnabled("button") }
    form.service.process.send(SIGSTOP)
    defer { form.service.process.send(SIGCONT) }
    try form.browser.click("button")
    try form.waitForText("Sending request...")
  }
}

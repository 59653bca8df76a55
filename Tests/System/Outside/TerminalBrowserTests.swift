import TestSupport
import Testing

/// Tests of the form in browsers that show text in a terminal.
@Suite(
  .enabled(
    if: ["lynx", "script", "w3m"].allSatisfy(Child.finds),
    "Lynx or w3m is not installed: Scripts/bootstrap all"))
struct TerminalBrowserTests {
  enum TerminalBrowser: CaseIterable {
    case lynx, w3m
  }

  private let service: Enlist

  init() throws {
    service = try Enlist(
      .mail + ["--fields", "first_name*", "--consent-text", "Send me News by email."])
  }

  @Test(arguments: TerminalBrowser.allCases)
  func `a browser in a terminal shows the form, a refusal and the thanks, and sends what is typed`(
    _ browser: TerminalBrowser
  ) throws {
    func expect(_ text: String, _ parts: String...) {
      for part in parts { #expect(text.contains(part), "\(text)") }
    }
    expect(
      try text("/", in: browser), "News", "First name", "Email address", "Send me News by email.",
      "Subscribe")
    expect(
      try text("/subscribers", posting: "email=ana%40%40gmial.com&first_name=Ana", in: browser),
      "Ana", "ana@@gmial.com", "An address can contain only one @ sign.",
      "Did you mean ana@gmail.com?")
    expect(
      try text(
        "/subscribers",
        posting: "email=ben%40example.com&first_name=Ben&consent=Send+me+News+by+email.",
        in: browser),
      "Thanks", "Check your email", "Press the button in it, or type its code:", "Confirm")
    try fillIn(browser)
    let people = try service.people()
    #expect(people == ["ana@gmail.com": "pending", "ben@example.com": "pending"])
  }

  /// The text of a page, or of the response to a form, without line ends.
  private func text(
    _ path: String, posting form: String? = nil, in browser: TerminalBrowser
  ) throws -> String {
    var command: [String]
    switch browser {
    case .lynx: command = ["lynx", "-dump"] + (form == nil ? [] : ["-post_data"])
    case .w3m: command = ["w3m", "-dump"] + (form == nil ? [] : ["-post", "form"])
    }
    if let form { try service.folder.write(form, to: "form") }
    command.append(MailVisit.url(path))
    // Lynx reads up to a line of hyphens.
    let output = try run(command, input: form.map { "\($0)\n---\n" } ?? "").output
    return output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  /// Opens the page, types a name and a wrong address, ticks the box, and presses the button; then
  /// presses the one that corrects the address, and ends the browser.
  private func fillIn(_ browser: TerminalBrowser) throws {
    let command: String
    var input = ""
    switch browser {
    case .lynx:
      let keys = "Ana\tana@@gmial.com\t\r\t\r\t\t\t\t\rQ".map { key in
        switch key {
        case "\t": "key <tab>\n"
        case "\r": "key ^J\n"
        default: "key \(key)\n"
        }
      }
      try service.folder.write(keys.joined(), to: "keys")
      command = "lynx -nopause -cmd_script=keys"
    case .w3m:
      command = "w3m"
      input = "\t\rAna\r\t\rana@@gmial.com\r\t\r\t\r\t\t\t\t\t\rqy"
    }
    // A browser asks only a terminal for keys.
    try run(["script", "-qec", "\(command) \(MailVisit.url("/"))", "/dev/null"], input: input)
      .expect(0)
  }

  /// Runs a browser that reaches the service at its public URL.
  private func run(_ command: [String], input: String) throws -> Child.Outcome {
    try Child.run(
      command, in: service.folder,
      environment: [
        "HOME": service.folder.path, "LC_ALL": "C.UTF-8", "TERM": "vt100",
        "http_proxy": "http://127.0.0.1:\(service.port)/", "no_proxy": "", "NO_PROXY": "",
      ],
      input: input)
  }
}

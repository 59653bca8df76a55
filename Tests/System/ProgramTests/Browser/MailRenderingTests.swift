import Foundation
import TestSupport
import Testing

/// Tests of mails as a mail program shows them: the HTML part of the golden files in a browser.
@Suite(
  .serialized,
  .needsBrowser)
struct MailRenderingTests {
  private static let golden = Repository.root.appending(path: "Tests/Golden")

  /// Writes the HTML part of each mail in a folder to another folder.
  private static let program = """
    import email, email.policy, pathlib, sys
    for file in pathlib.Path(sys.argv[1]).glob("*.eml"):
        message = email.message_from_bytes(file.read_bytes(), policy=email.policy.default)
        html = message.get_body(("html",)).get_content()
        pathlib.Path(sys.argv[2], file.stem + ".html").write_text(html, encoding="utf-8")
    """

  /// The pages of all mails in a folder.
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    let process = try ChildProcess(through: [
      "python3", "-B", "-c", Self.program, Self.golden.path, folder.path,
    ])
    try #require(try process.wait() == .exit(0), "\(process.standardError)")
  }

  /// The names of the pages, such as `confirm.en.html`.
  private func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
  }

  /// The name of the list in the golden files.
  private static let listName = "Garden Letters"

  @Test(
    arguments: [
      (360, false, listName), (360, true, listName), (800, false, listName), (800, true, listName),
      (360, false, String(repeating: "W", count: 200)),
    ]
  )
  func `each mail in each language fits the window, is readable, and loads nothing`(
    width: Int, isDark: Bool, listName: String
  ) throws {
    let browser = try Browser(Browser.Options(width: width, isDark: isDark))
    let names = try names()
    #expect(names.count == 10)
    for name in names {
      let page = folder.path(of: name)
      let html = try String(contentsOfFile: page, encoding: .utf8)
      try #require(html.contains(Self.listName))
      try html.replacing(Self.listName, with: listName)
        .write(toFile: page, atomically: true, encoding: .utf8)
      try browser.open("file://\(folder.path(of: name))")
      #expect(try browser.fitsWidth(), "\(name)")
      #expect(try browser.accessibilityViolations(.wcag) == [], "\(name)")
      let background = try browser.evaluate(
        "return getComputedStyle(document.body).backgroundColor")
      #expect(background as? String == (isDark ? "rgb(23, 25, 28)" : "rgb(255, 255, 255)"))
      let links = try browser.evaluate("return [...document.links].map(link => link.href)")
      let targets = (links as? [String] ?? []).map {
        $0.replacing(/[A-Za-z0-9_-]{43}$/, with: "TOKEN")
      }
      let purposes = name.hasPrefix("confirm.") ? ["confirm", "unsubscribe"] : ["unsubscribe"]
      #expect(targets == purposes.map { "https://list.example.org/\($0)/TOKEN" }, "\(name)")
    }
    let requested = try Set(browser.requestedURLs())
    #expect(requested == Set(names.map { "file://\(folder.path(of: $0))" }))
    #expect(try browser.console().isEmpty)
    browser.close()
  }

  /// The pictures of `docs/mail.md`; `ENLIST_SCREENSHOTS=update` takes them again.
  @Test(arguments: [false, true])
  func `the page about mail shows a mail in the light and the dark scheme`(isDark: Bool) throws {
    let browser = try Browser(Browser.Options(width: 560, height: 500, scale: 2, isDark: isDark))
    try browser.open("file://\(folder.path(of: "confirm.en.html"))")
    let picture = try browser.screenshot()
    let scheme = isDark ? "dark" : "light"
    let file = Repository.root.appending(path: "docs/images/mail-confirm-\(scheme).png")
    if ProcessInfo.processInfo.environment["ENLIST_SCREENSHOTS"] == "update" {
      try picture.write(to: file)
    }
    // Fonts differ between machines, so only the dimensions are compared (bytes 16 to 23 of a PNG).
    #expect(try Data(contentsOf: file).prefix(24) == picture.prefix(24))
    browser.close()
  }
}

import Foundation
import TestSupport
import Testing

/// Tests of mails as a mail program shows them: the HTML part of the golden files in a browser.
@Suite(.serialized, .needsBrowser)
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

  /// The pages of all mails in a folder, such as `confirm.en.html`.
  private let folder: Folder

  init() throws {
    folder = try Folder()
    let run = try Child.run(["python3", "-B", "-c", Self.program, Self.golden.path, folder.path])
    try #require(run.end == .exit(0), "\(run.errors)")
  }

  @Test func `each mail in each language fits the window, is readable, and loads nothing`() throws {
    let browser = try Browser()
    let list = "Garden Letters"
    for (width, isDark, name) in [
      (360, false, list), (360, true, list), (800, false, list), (800, true, list),
      (360, false, String(repeating: "W", count: 200)),
    ] {
      try browser.change(to: Browser.Options(width: width, isDark: isDark))
      try expectReadable(browser, isDark: isDark, list: list, as: name)
    }
  }

  /// Expects of all mails, with another name of the list, what the test promises.
  private func expectReadable(
    _ browser: Browser, isDark: Bool, list: String, as listName: String
  ) throws {
    let names = try folder.names
    #expect(names.count == 10)
    let pages = try Folder()
    for name in names {
      let html = try folder.read(name)
      try #require(html.contains(list))
      let path = try pages.write(html.replacing(list, with: listName), to: name)
      try browser.open("file://\(path)")
      try browser.expectAccessible(name, .wcag)
      try browser.expect(
        "getComputedStyle(document.body).backgroundColor",
        isDark ? "rgb(23, 25, 28)" : "rgb(255, 255, 255)", name)
      let purposes = name.hasPrefix("confirm.") ? ["confirm", "unsubscribe"] : ["unsubscribe"]
      try browser.expect(
        "[...document.links].map(link => link.href.replace(/[A-Za-z0-9_-]{43}$/, 'TOKEN'))",
        purposes.map { "https://list.example.org/\($0)/TOKEN" }, name)
    }
    let requested = try Set(browser.requestedURLs())
    #expect(requested == Set(names.map { "file://\(pages($0))" }))
    try browser.expectNoComplaints()
  }

  /// The pictures of `docs/mail.md`; `ENLIST_SCREENSHOTS=update` takes them again.
  @Test func `the page about mail shows a mail in the light and the dark scheme`() throws {
    let browser = try Browser()
    for (isDark, scheme) in [(false, "light"), (true, "dark")] {
      try browser.change(to: Browser.Options(width: 560, height: 500, scale: 2, isDark: isDark))
      try browser.open("file://\(folder("confirm.en.html"))")
      try browser.expectPicture("docs/images/mail-confirm-\(scheme).png")
    }
  }
}

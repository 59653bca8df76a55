import TestSupport
import Testing

/// A browser that reaches a service with double opt-in at its public URL, `http://localhost`; both
/// run until `end()`.
final class MailVisit {
  let service: RunningService
  let browser: Browser
  /// nginx between the two, with the port that the browser connects to; `nil` without it.
  private let hindrance: (nginx: Nginx, proxy: TestProxy)?

  /// Starts the service and the browser.
  ///
  /// - Parameters:
  ///   - listName: The name of the list.
  ///   - arguments: Additional flags of the service.
  ///   - options: The options of the browser.
  ///   - streams: What nginx, between the two, does with the streams of executions; `SERVICE` is
  ///     the port of the service. `nil` for no nginx.
  /// - Throws: An error if one of them does not start.
  init(
    listName: String = "News", _ arguments: [String] = [],
    _ options: Browser.Options = Browser.Options(), streams: String? = nil
  ) throws {
    let flags = RunningService.mailFlags.map { $0 == "News" ? listName : $0 }
    service = try RunningService(flags + arguments)
    hindrance = try streams.map { [service] streams in
      let nginx = try Nginx(
        """
        server {
          \(Nginx.listen(in: service.folder))
          proxy_set_header Host $http_host;
          location / { proxy_pass http://127.0.0.1:\(service.port); }
          location ~ ^/executions/[^/]+/events$ {
            \(streams.replacing("SERVICE", with: "\(service.port)"))
          }
        }
        """,
        in: service.folder
      )
      return (nginx, try nginx.proxy())
    }
    var options = options
    options.localhostPort = hindrance?.proxy.port ?? service.port
    browser = try Browser(options)
  }

  /// Opens a page of the service.
  func open(_ path: String) throws {
    try browser.open(Self.url(path))
  }

  /// Returns the URL of a path of the service.
  static func url(_ path: String) -> String { "http://localhost\(path)" }

  /// Signs an address up, and waits for its mail.
  func signUp(_ address: String = "ana@example.com") throws -> String {
    #expect(try service.signUp(address).status == 202)
    return try mail(to: address)
  }

  /// Waits for the first mail to an address.
  func mail(to address: String = "ana@example.com") throws -> String {
    try Deadline.soon.value { try service.mails().first { $0.contains("\nTo: \(address)\n") } }
  }

  /// Presses the button of a page, and waits for the title of the next one, even without JavaScript.
  func press(_ button: String = "button", to title: String) throws {
    try browser.click(button)
    try waitForTitle(title)
  }

  /// Waits for the title of a page, even without JavaScript.
  func waitForTitle(_ title: String) throws {
    try browser.waitForElement(xpath: "//h1[. = \"\(title)\"]")
  }

  /// Ends the browser; its console may contain only its own message for a rejected request.
  func end() throws {
    let complaints = try browser.console().filter { line in
      !["status of 404", "status of 410", "status of 422"].contains(where: line.contains)
    }
    #expect(complaints == [])
    browser.close()
  }
}

extension String {
  /// The code of a mail.
  func code() throws -> String {
    String(try #require(firstMatch(of: /\n(\d{6})\n/)?.output.1))
  }

  /// A code that is not that of a mail.
  func wrongCode() throws -> String {
    try code() == "000000" ? "000001" : "000000"
  }
}

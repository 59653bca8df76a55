import TestSupport
import Testing

/// A browser that reaches a service with double opt-in at its public URL, `http://localhost`.
struct MailVisit {
  let service: Enlist
  let browser: Browser
  /// nginx between the two, with the port that the browser connects to; `nil` without it.
  private let hindrance: (nginx: Nginx, proxy: TestProxy)?

  /// Starts the service and the browser.
  ///
  /// - Parameters:
  ///   - flags: Additional flags of the service.
  ///   - options: The options of the browser.
  ///   - streams: What nginx, between the two, does with the streams of executions; `SERVICE` is
  ///     the port of the service. `nil` for no nginx.
  init(
    _ flags: [String] = [], _ options: Browser.Options = Browser.Options(), streams: String? = nil
  ) throws {
    service = try Enlist(.mail + flags)
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
        in: service.folder)
      return (nginx, try nginx.proxy())
    }
    var options = options
    options.localhostPort = hindrance?.proxy.port ?? service.port
    browser = try Browser(options)
  }

  /// Returns the URL of a path of the service.
  static func url(_ path: String) -> String { "http://localhost\(path)" }

  /// Opens a page of the service.
  func open(_ path: String) throws {
    try browser.open(Self.url(path))
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

  /// Expects the people on the list, and their states.
  func expect(
    _ people: [String: String], sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let found = try service.people()
    #expect(found == people, sourceLocation: sourceLocation)
  }

  /// Expects no complaints of the browser but its own message for a rejected request.
  func end() throws {
    try browser.expectNoComplaints(butOf: [404, 410, 422])
  }
}

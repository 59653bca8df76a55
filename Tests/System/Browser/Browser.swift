import Foundation
import TestSupport
import Testing

/// A real browser, driven through chromedriver (W3C WebDriver); it ends with its last owner.
final class Browser {
  /// A command that the browser did not complete.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// The options of a browser.
  struct Options: Sendable {
    var width = 1280
    var height = 800
    /// The number of pixels of a screenshot per pixel of the page.
    var scale = 1
    var isDark = false
    var language = "en"
    var hasScript = true
    /// Whether pages are asked to avoid motion.
    var reducesMotion = false
    /// The port that `http://localhost` leads to; `nil` leaves it alone.
    ///
    /// So links to a public URL without a port reach a service on any port.
    var localhostPort: UInt16?
  }

  /// The files of the browser and its driver, which is killed and cannot clean up.
  private let folder: Folder
  private let driver: Child
  private let port: UInt16
  private let session: String

  /// Starts a new browser.
  init(_ options: Options = Options()) throws {
    folder = try Folder()
    (driver, port) = try Self.startDriver(in: folder)
    var arguments = [
      // The sandbox is not available in a container.
      "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
      "--hide-scrollbars", "--window-size=\(options.width),\(options.height)",
      "--lang=\(options.language)",
    ]
    if let port = options.localhostPort {
      arguments.append("--host-resolver-rules=MAP localhost:80 127.0.0.1:\(port)")
    }
    let preferences = ["intl.accept_languages": options.language]
    let capabilities: [String: Any] = [
      "goog:chromeOptions": ["args": arguments, "prefs": preferences],
      "goog:loggingPrefs": ["browser": "ALL", "performance": "ALL"],
    ]
    let value = try Self.send(
      "POST", "/session", ["capabilities": ["alwaysMatch": capabilities]], to: port)
    guard let session = (value as? [String: Any])?["sessionId"] as? String else {
      throw Failure(description: "no session: \(value)")
    }
    self.session = session
    try change(to: options)
  }

  deinit {
    _ = try? command("DELETE", "")
  }

  /// Starts chromedriver on a port of its choice.
  ///
  /// It picks a port for IPv4 and requires the same port for IPv6; if that is in use, it exits and
  /// is started again.
  private static func startDriver(in folder: Folder) throws -> (Child, UInt16) {
    for _ in 0..<5 {
      let driver = try Child(["chromedriver", "--port=0"], environment: ["TMPDIR": folder.path])
      if let port = try? driver.line(/successfully on port ([0-9]+)\./), let port = UInt16(port) {
        return (driver, port)
      }
    }
    throw Failure(description: "chromedriver does not start")
  }

  /// Changes everything but the language and the port, for the next page; so one browser can show
  /// pages in many looks.
  func change(to options: Options) throws {
    // Emulates the size, because a window cannot be as narrow as a phone.
    try callDevTools(
      "Emulation.setDeviceMetricsOverride",
      [
        "width": options.width, "height": options.height, "deviceScaleFactor": options.scale,
        "mobile": false,
      ])
    let features = [
      "prefers-color-scheme": options.isDark ? "dark" : "light",
      "prefers-reduced-motion": options.reducesMotion ? "reduce" : "no-preference",
    ].map { ["name": $0, "value": $1] }
    try callDevTools("Emulation.setEmulatedMedia", ["features": features])
    try callDevTools("Emulation.setScriptExecutionDisabled", ["value": !options.hasScript])
  }

  // MARK: Actions

  func open(_ url: String) throws {
    try command("POST", "/url", ["url": url])
  }

  func type(_ text: String, into selector: String) throws {
    try command("POST", "/element/\(try element(selector))/value", ["text": text])
  }

  /// Clicks an element once it is enabled.
  func click(_ selector: String) throws {
    try eventually("\(selector) that is enabled") { try isEnabled(selector) }
    try clickAtOnce(selector)
  }

  /// Clicks an element, whether or not it is enabled.
  func clickAtOnce(_ selector: String) throws {
    try command("POST", "/element/\(try element(selector))/click")
  }

  /// Presses keys in the element that has the focus.
  func press(_ keys: String) throws {
    let actions = keys.map(String.init).flatMap { key in
      [["type": "keyDown", "value": key], ["type": "keyUp", "value": key]]
    }
    try command(
      "POST", "/actions", ["actions": [["type": "key", "id": "keyboard", "actions": actions]]])
  }

  /// Opens a URL in another tab, does something there, and closes it, which shows the first tab
  /// again.
  func inAnotherTab(_ url: String, _ act: () throws -> Void) throws {
    let original = try command("GET", "/window")
    guard let tab = try command("POST", "/window/new", ["type": "tab"]) as? [String: Any],
      let handle = tab["handle"]
    else { throw Failure(description: "no tab") }
    try command("POST", "/window", ["handle": handle])
    try open(url)
    try act()
    try command("DELETE", "/window")
    try command("POST", "/window", ["handle": original])
  }

  // MARK: Observations

  /// The text that an element shows.
  func text(_ selector: String) throws -> String {
    try command("GET", "/element/\(try element(selector))/text") as? String ?? ""
  }

  /// Returns the number of elements, even without JavaScript.
  func count(_ selector: String) throws -> Int {
    let value = try command("POST", "/elements", ["using": "css selector", "value": selector])
    return (value as? [Any])?.count ?? 0
  }

  func isEnabled(_ selector: String) throws -> Bool {
    try command("GET", "/element/\(try element(selector))/enabled") as? Bool ?? false
  }

  func isShown(_ selector: String) throws -> Bool {
    try command("GET", "/element/\(try element(selector))/displayed") as? Bool ?? false
  }

  func url() throws -> String {
    try command("GET", "/url") as? String ?? ""
  }

  /// Evaluates a script, which may return a value.
  @discardableResult
  func evaluate(_ script: String, asynchronously: Bool = false) throws -> Any {
    try command(
      "POST", asynchronously ? "/execute/async" : "/execute/sync",
      ["script": script, "args": [Any]()])
  }

  /// Takes a screenshot of the page (PNG).
  ///
  /// - Parameter isWhole: Whether it has what is outside of the window, too.
  func screenshot(isWhole: Bool = false) throws -> Data {
    let result = try callDevTools("Page.captureScreenshot", ["captureBeyondViewport": isWhole])
    return Data(base64Encoded: (result as? [String: Any])?["data"] as? String ?? "") ?? Data()
  }

  /// Returns the console messages since the last call.
  func console() throws -> [String] {
    let entries = try command("POST", "/se/log", ["type": "browser"]) as? [[String: Any]]
    return entries?.compactMap { $0["message"] as? String } ?? []
  }

  /// Returns the URLs requested since the last call.
  func requestedURLs() throws -> [String] {
    let entries = try command("POST", "/se/log", ["type": "performance"]) as? [[String: Any]]
    return (entries ?? []).compactMap { entry -> String? in
      guard let text = entry["message"] as? String,
        let outer = try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any],
        let message = outer["message"] as? [String: Any],
        message["method"] as? String == "Network.requestWillBeSent",
        let parameters = message["params"] as? [String: Any],
        let request = parameters["request"] as? [String: Any]
      else { return nil }
      return request["url"] as? String
    }
  }

  // MARK: Expectations

  /// Expects a value of an expression.
  func expect<Value: Equatable>(
    _ expression: String, _ value: Value, _ comment: String = "",
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let found = try evaluate("return \(expression)")
    #expect(
      found as? Value == value, "\(expression) is \(found) \(comment)",
      sourceLocation: sourceLocation)
  }

  /// Expects that a font is installed; otherwise pages show another one in its place.
  func expectFont(_ name: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let isKnown = try evaluate(
      """
      const pen = document.createElement('canvas').getContext('2d')
      const width = font => {
        pen.font = '20px ' + font
        return pen.measureText('mwi@').width
      }
      return ['monospace', 'serif'].some(other => width('"\(name)", ' + other) !== width(other))
      """)
    #expect(
      isKnown as? Bool == true, "\(name) is not installed: Scripts/bootstrap all",
      sourceLocation: sourceLocation)
  }

  /// Waits for a value of an expression.
  func wait<Value: Equatable>(for expression: String, _ value: Value) throws {
    var found: Any = ""
    try eventually("\(value), as \(expression) is \(found)") {
      found = try evaluate("return \(expression)")
      return found as? Value == value
    }
  }

  /// Waits until an element shows a text.
  func waitForText(_ text: String, in selector: String) throws {
    var found = ""
    try eventually("\(text) in \(selector), which says \(found)") {
      found = try self.text(selector)
      return found == text
    }
  }

  /// Waits until an element exists, even without JavaScript; the browser itself waits.
  func waitForElement(xpath: String) throws {
    try command("POST", "/timeouts", ["implicit": 15_000])
    try command("POST", "/element", ["using": "xpath", "value": xpath])
    try command("POST", "/timeouts", ["implicit": 0])
  }

  /// Expects that the console has only the browser's own messages for responses with some statuses.
  func expectNoComplaints(
    butOf statuses: [Int] = [], sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let complaints = try console().filter { line in
      !statuses.contains { line.contains("status of \($0)") }
    }
    #expect(complaints == [], sourceLocation: sourceLocation)
  }

  /// Expects that the page is the picture at a path of the repository; with
  /// `ENLIST_SCREENSHOTS=update`, takes it again.
  func expectPicture(_ path: String) throws {
    let picture = try screenshot()
    let file = Repository.root.appending(path: path)
    if ProcessInfo.processInfo.environment["ENLIST_SCREENSHOTS"] == "update" {
      try picture.write(to: file)
    }
    // Fonts differ between machines, so only the dimensions are compared (bytes 16 to 23 of a PNG).
    let expected = try Data(contentsOf: file)
    #expect(expected.prefix(24) == picture.prefix(24), "\(path)")
  }

  /// The directory for pictures of all pages, if `Scripts/screenshots` takes them.
  static let pictures = ProcessInfo.processInfo.environment["ENLIST_SCREENSHOTS"]
    .flatMap { $0.contains("/") ? $0 : nil }

  // MARK: Protocol

  private func element(_ selector: String) throws -> String {
    let value = try command("POST", "/element", ["using": "css selector", "value": selector])
    guard let element = (value as? [String: String])?.values.first else {
      throw Failure(description: "no element \(selector)")
    }
    return element
  }

  /// Calls a function of the DevTools protocol.
  @discardableResult
  func callDevTools(_ function: String, _ parameters: [String: Any]) throws -> Any {
    try command("POST", "/goog/cdp/execute", ["cmd": function, "params": parameters])
  }

  /// Sends a command of this session (W3C WebDriver §6.3).
  @discardableResult
  func command(_ method: String, _ path: String, _ body: [String: Any] = [:]) throws -> Any {
    try Self.send(method, "/session/\(session)\(path)", body, to: port)
  }

  private static func send(
    _ method: String, _ path: String, _ body: [String: Any], to port: UInt16
  ) throws -> Any {
    let client = try Client(port: port)
    let content = try JSONSerialization.data(withJSONObject: body)
    try client.request(
      method, path, fields: ["Content-Type: application/json"],
      body: method == "POST" ? String(decoding: content, as: UTF8.self) : nil)
    let data = try client.readResponse(to: method, within: .seconds(60)).body
    let response = try JSONSerialization.jsonObject(with: Data(data)) as? [String: Any]
    let value = response?["value"] ?? NSNull()
    if let error = (value as? [String: Any])?["error"] as? String {
      throw Failure(description: "\(error): \((value as? [String: Any])?["message"] ?? "")")
    }
    return value
  }
}

import Foundation
import Glibc
import Signals
import TestSupport
import Testing

/// A real browser, driven through chromedriver (W3C WebDriver).
final class Browser: Sendable {
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

  private let driver: Process
  /// The files of the browser and its driver, which are killed and cannot clean up.
  private let folder: TemporaryFolder
  private let session: String
  private let port: UInt16

  /// Whether the browser's driver and axe-core, which checks pages, are installed.
  fileprivate static let isInstalled =
    FileManager.default.isExecutableFile(atPath: "/usr/bin/chromedriver")
    && FileManager.default.isReadableFile(atPath: axe)

  /// Starts a new browser.
  init(_ options: Options = Options()) throws {
    folder = try TemporaryFolder()
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
    let preferences: [String: Any] = [
      "intl.accept_languages": options.language,
      "profile.default_content_setting_values.javascript": options.hasScript ? 1 : 2,
    ]
    let value = try Self.send(
      "POST",
      "/session",
      [
        "capabilities": [
          "alwaysMatch": [
            "goog:chromeOptions": ["args": arguments, "prefs": preferences],
            "goog:loggingPrefs": ["browser": "ALL", "performance": "ALL"],
          ]
        ]
      ],
      to: port
    )
    guard let session = (value as? [String: Any])?["sessionId"] as? String else {
      throw Failure(description: "no session: \(value)")
    }
    self.session = session
    // Emulates the size, because a window cannot be as narrow as a phone.
    try emulate(
      "setDeviceMetricsOverride",
      [
        "width": options.width, "height": options.height, "deviceScaleFactor": options.scale,
        "mobile": false,
      ]
    )
    var features: [[String: String]] = []
    if options.isDark { features.append(["name": "prefers-color-scheme", "value": "dark"]) }
    if options.reducesMotion {
      features.append(["name": "prefers-reduced-motion", "value": "reduce"])
    }
    if !features.isEmpty { try emulate("setEmulatedMedia", ["features": features]) }
  }

  deinit { close() }

  /// Starts chromedriver on a port of its choice.
  ///
  /// It picks a port for IPv4 and requires the same port for IPv6; if that is in use, it exits and
  /// is started again.
  private static func startDriver(in folder: TemporaryFolder) throws -> (Process, UInt16) {
    for _ in 0..<5 {
      let driver = Process()
      driver.executableURL = URL(filePath: "/usr/bin/chromedriver")
      driver.arguments = ["--port=0"]
      driver.environment = ProcessInfo.processInfo.environment
        .merging(["TMPDIR": folder.path]) { $1 }
      let output = Pipe()
      driver.standardOutput = output
      driver.standardError = FileHandle.nullDevice
      try driver.run()
      // "ChromeDriver was started successfully on port 1234."
      var text = ""
      while true {
        let data = output.fileHandleForReading.availableData
        if data.isEmpty { break }
        text += String(decoding: data, as: UTF8.self)
        if let match = text.firstMatch(of: /successfully on port ([0-9]+)\./),
          let port = UInt16(match.1)
        {
          return (driver, port)
        }
      }
      driver.waitUntilExit()
    }
    throw Failure(description: "chromedriver does not start")
  }

  /// Ends the browser and its driver.
  func close() {
    guard driver.isRunning else { return }
    _ = try? command("DELETE", "")
    // The driver inherited this thread's blocked signals, which include SIGTERM.
    kill(driver.processIdentifier, SIGKILL)
    driver.waitUntilExit()
  }

  // MARK: Actions

  func open(_ url: String) throws {
    try command("POST", "/url", ["url": url])
  }

  func type(_ text: String, into selector: String) throws {
    try command("POST", "/element/\(try element(selector))/value", ["text": text])
  }

  func click(_ selector: String) throws {
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

  // MARK: Observations

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

  /// Evaluates an expression.
  @discardableResult
  func evaluate(_ script: String, asynchronously: Bool = false) throws -> Any {
    try command(
      "POST", asynchronously ? "/execute/async" : "/execute/sync",
      ["script": script, "args": [Any]()])
  }

  /// Takes a screenshot of the page (PNG).
  func screenshot() throws -> Data {
    let text = try command("GET", "/screenshot") as? String ?? ""
    return Data(base64Encoded: text) ?? Data()
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

  /// Waits until a condition is true.
  func until(_ what: String, _ isSo: () throws -> Bool) throws {
    let deadline = Deadline(after: .seconds(15))
    while try !isSo() {
      if deadline.hasPassed { throw Failure(description: "not in time: \(what)") }
      // No sleep is needed: the browser responds only after its other work, so each query waits.
      try evaluate("return new Promise(done => requestAnimationFrame(done))")
    }
  }

  /// Waits until an element exists, even without JavaScript; the browser itself waits.
  func waitForElement(xpath: String) throws {
    try command("POST", "/timeouts", ["implicit": 15_000])
    try command("POST", "/element", ["using": "xpath", "value": xpath])
    try command("POST", "/timeouts", ["implicit": 0])
  }

  // MARK: Protocol

  private func element(_ selector: String) throws -> String {
    let value = try command("POST", "/element", ["using": "css selector", "value": selector])
    guard let element = (value as? [String: String])?.values.first else {
      throw Failure(description: "no element \(selector)")
    }
    return element
  }

  /// Calls a function of the DevTools protocol, in its domain `Emulation`.
  private func emulate(_ function: String, _ parameters: [String: Any]) throws {
    try command(
      "POST", "/goog/cdp/execute", ["cmd": "Emulation.\(function)", "params": parameters])
  }

  /// Sends a command of this session (W3C WebDriver §6.3).
  @discardableResult
  func command(_ method: String, _ path: String, _ body: [String: Any] = [:]) throws -> Any {
    try Self.send(method, "/session/\(session)\(path)", body, to: port)
  }

  private static func send(
    _ method: String, _ path: String, _ body: [String: Any], to port: UInt16
  ) throws -> Any {
    let client = try SocketClient(port: port)
    let content = try JSONSerialization.data(withJSONObject: body)
    try client.request(
      method, path, fields: ["Content-Type: application/json"],
      body: method == "POST" ? String(decoding: content, as: UTF8.self) : nil)
    let data = try client.readResponse(to: method, by: Deadline(after: .seconds(60))).body
    let response = try JSONSerialization.jsonObject(with: Data(data)) as? [String: Any]
    let value = response?["value"] ?? NSNull()
    if let error = (value as? [String: Any])?["error"] as? String {
      throw Failure(description: "\(error): \((value as? [String: Any])?["message"] ?? "")")
    }
    return value
  }
}

extension Trait where Self == ConditionTrait {
  /// The test needs a browser, and axe-core to check pages.
  static var needsBrowser: Self {
    .enabled(
      if: Browser.isInstalled, "chromedriver or axe-core is missing: Scripts/bootstrap all")
  }
}

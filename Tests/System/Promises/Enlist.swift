import Foundation
import Glibc
import TestSupport
import Testing

extension [String] {
  /// Double opt-in, with mails as files, and links to the host `localhost`.
  static var mail: [String] {
    ["--mail-to-directory", "mail"] + sending
  }

  /// What every service says that sends mail.
  static var sending: [String] {
    [
      "--mail-from", "news@example.org", "--public-url", "http://localhost", "--list-name", "News",
    ]
  }

  /// The operator's listener on a free port.
  static var operating: [String] { ["--operator-listen", "127.0.0.1:0"] }

  /// The same, with metrics that need no key.
  static var openMetrics: [String] { operating + ["--metrics-access", "open"] }
}

/// The program, as a process with a list of its own: what a test starts, asks, kills and starts
/// again.
///
/// At its end, it expects that its log has no address that was posted to it, and no token and no code
/// of its mails.
final class Enlist {
  let folder: Folder
  /// The relay that it sends to.
  let relay: TestRelay?
  private let command: [String]
  private let environment: [String: String]
  private let errors: Int32?
  private let isSecure: Bool
  private(set) var process: Child
  private(set) var port: UInt16
  /// The port of the operator's listener, once it is known.
  private var operatorPortOfProcess: UInt16?
  /// The logs of the processes before this one.
  private var earlierLogs = ""
  /// The addresses that the log may not contain.
  private var postedAddresses: Set<String> = []

  /// Starts the service, and waits until it listens.
  ///
  /// - Parameters:
  ///   - flags: Those of `enlist serve`.
  ///   - folder: The folder of the list, and the working directory; `nil` for a new one.
  ///   - relay: The relay to which it sends its mails; it adds flags.
  ///   - certificate: The certificate that it presents; it adds flags.
  ///   - environment: Variables that are added to those of the test.
  ///   - launcher: A program that starts it, with its arguments.
  ///   - errors: A descriptor for the log; without it, a file.
  init(
    _ flags: [String] = [], in folder: Folder? = nil, relay: TestRelay? = nil,
    certificate: TestCertificate? = nil, environment: [String: String] = [:],
    through launcher: [String] = [], errors: Int32? = nil
  ) throws {
    let folder = try folder ?? Folder()
    var flags = flags
    if let relay {
      // First, so that those of the test count.
      flags =
        ["--smtp-url", "smtp://127.0.0.1:\(relay.port)"] + .sending + .openMetrics
        + ["--mail-budget", "off", "--mail-budget-per-domain", "off"] + flags
    }
    if let certificate {
      try certificate.write(to: folder)
      flags += ["--tls-certificate", "tls.crt", "--tls-key", "tls.key"]
    }
    (self.folder, self.relay, isSecure) = (folder, relay, certificate != nil)
    // So that privacy is expected of every line that can be logged.
    self.environment = ["ENLIST_LOG_LEVEL": "trace"].merging(environment) { $1 }
    self.errors = errors
    command = launcher + ["enlist", "serve", "--listen", "127.0.0.1:0"] + flags
    process = try Child(command, in: folder, environment: self.environment, errors: errors)
    port = try process.port()
  }

  /// Ends the process, and starts it again on the same list.
  func restart(after signal: Int32 = SIGTERM) throws {
    try process.wait(after: signal)
    earlierLogs += process.errors
    process = try Child(command, in: folder, environment: environment, errors: errors)
    port = try process.port()
    operatorPortOfProcess = nil
  }

  /// Ends the service, which flushes its log before it exits.
  ///
  /// - Returns: The log.
  func stop() throws -> String {
    try process.wait(after: SIGTERM)
    return process.errors
  }

  /// Replaces the certificate, which new connections see soon.
  func present(_ certificate: TestCertificate) throws {
    try certificate.write(to: folder)
    process.send(SIGHUP)
  }

  // MARK: HTTP

  /// Connects, with TLS if the service has a certificate.
  ///
  /// - Parameter version: The version of TLS in a GnuTLS priority string.
  func connect(_ version: String = "TLS1.3") throws -> Client {
    let client = try Client(port: port)
    if isSecure { try client.shakeHands("NORMAL:-VERS-ALL:+VERS-\(version)") }
    return client
  }

  /// Sends a request on a new connection.
  func send(
    _ method: String, _ path: String, fields: [String] = [], body: String? = nil
  ) throws -> Client.Response {
    if let body { remember(addressesIn: body) }
    let client = try connect()
    try client.request(method, path, fields: fields, body: body)
    return try client.readResponse(to: method)
  }

  func get(_ path: String, fields: [String] = []) throws -> Client.Response {
    try send("GET", path, fields: fields)
  }

  /// Posts a form; an empty one confirms and leaves.
  func post(
    _ path: String, form: String = "", fields: [String] = []
  ) throws -> Client.Response {
    let type = ["Content-Type: application/x-www-form-urlencoded"]
    return try send("POST", path, fields: type + fields, body: form)
  }

  func post(_ path: String, json: String, fields: [String] = []) throws -> Client.Response {
    try send("POST", path, fields: ["Content-Type: application/json"] + fields, body: json)
  }

  /// Signs an address up like a form.
  func signUp(_ address: String, fields: [String] = []) throws -> Client.Response {
    try post("/subscribers", form: "email=\(address)", fields: fields)
  }

  /// Types a code in the original tab.
  func type(_ code: String, for execution: String) throws -> Client.Response {
    try post("/executions/\(execution)/code", json: #"{"code":"\#(code)"}"#)
  }

  /// Leaves the list as a mail program does on one click (RFC 8058).
  func leaveByOneClick(_ link: String) throws -> Client.Response {
    try post(link, form: "List-Unsubscribe=One-Click")
  }

  /// Opens a stream, and reads its head and preamble; a client misses no event after that.
  func stream(_ path: String = "/status", after lastEventID: String? = nil) throws -> Client {
    let client = try connect()
    try client.request("GET", path, fields: lastEventID.map { ["Last-Event-ID: \($0)"] } ?? [])
    try client.readHead().expect(200)
    try #require(try client.readEventLine()?.hasPrefix("retry: ") == true)
    try #require(try client.readEventLine() == ": ok")
    return client
  }

  /// Waits until a number of sign-ups are executing.
  func waitForExecutions(_ count: Int) throws {
    var state = ""
    try eventually(state, within: .seconds(60)) {
      state = try get("/commands/subscribe").text
      return state.contains(#""executing":\#(count),"#)
    }
  }

  // MARK: Mails

  /// The mails that the service has written as files, in the order of their names, with LF as line
  /// ends.
  func mails() throws -> [String] {
    guard FileManager.default.fileExists(atPath: folder("mail")) else { return [] }
    let names = try FileManager.default.contentsOfDirectory(atPath: folder("mail"))
    return try names.filter { $0.hasSuffix(".eml") }.sorted().map { name in
      try folder.read("mail/\(name)").replacing("\r\n", with: "\n")
    }
  }

  /// Waits for a number of mails.
  func mails(_ count: Int) throws -> [String] {
    try eventually("\(count) mails") {
      let mails = try mails()
      return mails.count >= count ? mails : nil
    }
  }

  /// Waits for the newest mail to an address.
  func mail(to address: String) throws -> String {
    try eventually("a mail to \(address)") {
      try mails().last { $0.contains("\nTo: \(address)\n") }
    }
  }

  /// Waits until no mail waits any longer, also none that is being delivered; the metrics must be
  /// open.
  func waitUntilOutboxIsEmpty(within time: Duration = patience) throws {
    try eventually("an empty outbox", within: time) {
      try metric("enlist_outbox_messages") == 0
    }
  }

  // MARK: The operator

  /// The port of the operator's listener, from the log.
  func operatorPort() throws -> UInt16 {
    if let operatorPortOfProcess { return operatorPortOfProcess }
    let pattern = /operator's listener started.*https?:[^ "\n]*:([0-9]+)\b.*\n/
    let port = try #require(UInt16(process.line(pattern, in: \.errors)))
    operatorPortOfProcess = port
    return port
  }

  /// Sends a request to the operator's listener on a new connection.
  func operatorRequest(
    _ method: String, _ path: String, key: String? = nil, fields: [String] = [],
    json: String? = nil, body: String? = nil
  ) throws -> Client.Response {
    if let body = json ?? body { remember(addressesIn: body) }
    let client = try Client(port: try operatorPort())
    let authorization = key.map { ["Authorization: Bearer \($0)"] } ?? []
    let type = json == nil ? [] : ["Content-Type: application/json"]
    try client.request(method, path, fields: authorization + type + fields, body: json ?? body)
    return try client.readResponse(to: method)
  }

  /// The value of a line of the metrics, which must be open.
  func metric(_ name: String) throws -> Double? {
    let line = try metrics().split(separator: "\n").first { $0.hasPrefix("\(name) ") }
    return line.flatMap { Double($0.dropFirst(name.count + 1)) }
  }

  /// The text of the metrics, which must be open.
  func metrics() throws -> String {
    try operatorRequest("GET", "/metrics").expect(200).text
  }

  /// Creates a key, with the command.
  func makeKey(_ scopes: String = "metrics") throws -> String {
    let created = try run("keys", "create", "--name", "test", "--scopes", scopes).expect(0)
    return String(created.output.prefix { $0 != "\n" })
  }

  // MARK: Commands

  /// Runs a command on the list.
  func run(
    _ arguments: String..., environment: [String: String] = [:], input: String = ""
  ) throws -> Child.Outcome {
    var environment = environment
    if let flag = command.firstIndex(of: "--database") {
      environment["ENLIST_DATABASE"] = command[flag + 1]
    }
    return try Child.run(
      ["enlist"] + arguments, in: folder, environment: environment, input: input)
  }

  /// The states of all people by address, as `enlist export` writes them.
  func people() throws -> [String: String] {
    Dictionary(uniqueKeysWithValues: try rows().map { (String($0[1]), String($0[2])) })
  }

  /// The addresses of all people, in the order in which they came.
  func addresses() throws -> [String] { try rows().map { String($0[1]) } }

  private func rows() throws -> [[Substring]] {
    let export = try run("export")
    try #require(export.end == .exit(0), "\(export.errors)")
    return export.output.split(separator: "\r\n").dropFirst()
      .map { $0.split(separator: ",", omittingEmptySubsequences: false) }
  }

  // MARK: Privacy

  /// Remembers the addresses in a body that is sent, which the log may not contain.
  func remember(addressesIn body: String) {
    let text = body.removingPercentEncoding ?? body
    for match in text.matches(of: /[^\s"'=&,:;<>\\]+@[^\s"'=&,:;<>\\]+/) {
      postedAddresses.insert(String(match.output))
    }
  }

  deinit {
    // So that the end of the log is in its file; open streams would take longer, which needs no wait.
    if !postedAddresses.isEmpty {
      _ = try? process.wait(after: SIGTERM, within: .milliseconds(300))
    }
    let log = Log(earlierLogs + process.errors)
    for address in postedAddresses where log.contains(address) {
      Issue.record("The log contains \(address).")
    }
    for mail in ((try? mails()) ?? []) + ((try? relay?.mails()) ?? []).map(\.text) {
      for link in mail.replacing("=\n", with: "").matches(of: /\/[a-z]+\/([A-Za-z0-9_-]{43})/)
      where log.tokens.contains(where: { $0.contains(link.1) }) {
        Issue.record("The log contains the token \(link.1).")
      }
      if log.codes.contains(mail.code[...]) {
        Issue.record("The log contains the code \(mail.code).")
      }
    }
  }

  /// What a log contains, found in one pass: a test may have sent thousands of addresses.
  private struct Log {
    /// Words as long as a token, which may be a part of one.
    private(set) var tokens: [Substring] = []
    /// Numbers as long as a code.
    private(set) var codes: Set<Substring> = []
    /// The log, if anything in it may be an address.
    private var text: String?

    init(_ text: String) {
      var last: Substring = ""
      for word in text.split(whereSeparator: {
        !($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_")
      }) {
        if word.utf8.count >= 43 { tokens.append(word) }
        // A duration in microseconds is no code.
        if !last.hasSuffix("-us") {
          codes.formUnion(word.split { $0 == "-" || $0 == "_" }.filter { $0.utf8.count == 6 })
        }
        last = word
      }
      if text.utf8.contains(UInt8(ascii: "@")) || text.contains("%40") {
        self.text = text.lowercased()
      }
    }

    func contains(_ address: String) -> Bool {
      guard let text else { return false }
      let address = address.lowercased()
      return text.contains(address) || text.contains(address.replacing("@", with: "%40"))
    }
  }
}

extension Child {
  /// Waits for the line with the address of a service.
  func port() throws -> UInt16 {
    try #require(UInt16(line(/listening on https?:\S*:([0-9]+)["\n]/)))
  }
}

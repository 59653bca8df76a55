import TestSupport
import Testing

extension RunningService {
  /// The flags with which the operator's listener is on a free port.
  static let operatorFlags = ["--operator-listen", "127.0.0.1:0"]

  /// The same flags, with metrics that need no key.
  static let openMetricsFlags = operatorFlags + ["--metrics-access", "open"]

  /// The port of the operator's listener, from the log.
  func operatorPort() throws -> UInt16 {
    try Deadline.soon.value { Self.operatorPort(in: process.standardError) }
  }

  /// Finds the port of the operator's listener in a log.
  static func operatorPort(in log: String) -> UInt16? {
    let line = log.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      .first { $0.contains("operator's listener started") }
    return line?.firstMatch(of: /https?:[^ "]*:([0-9]+)/).flatMap { UInt16($0.1) }
  }

  /// Sends a request to the operator's listener on a new connection.
  func operatorRequest(
    _ method: String,
    _ path: String,
    key: String? = nil,
    fields: [String] = [],
    json: String? = nil,
    body: String? = nil
  ) throws -> TestResponse {
    let client = try SocketClient(port: try operatorPort())
    let authorization = key.map { ["Authorization: Bearer \($0)"] } ?? []
    let type = json == nil ? [] : ["Content-Type: application/json"]
    try client.request(method, path, fields: authorization + type + fields, body: json ?? body)
    return try client.readResponse(to: method)
  }

  /// The text of the metrics, which must be open.
  func metrics() throws -> String {
    let response = try operatorRequest("GET", "/metrics")
    try #require(response.status == 200)
    return response.text
  }

  /// The value of a line of the metrics, which must be open.
  func metric(_ name: String) throws -> Double? {
    let line = try metrics().split(separator: "\n").first { $0.hasPrefix("\(name) ") }
    return line.flatMap { Double($0.dropFirst(name.count + 1)) }
  }

  /// Runs `enlist keys`, which must succeed.
  ///
  /// - Returns: The lines on standard output.
  func keys(_ arguments: [String]) throws -> [String] {
    let process = try ChildProcess("enlist", ["keys"] + arguments, in: folder)
    let output = String(decoding: try process.readOutput(), as: UTF8.self)
    try #require(try process.wait() == .exit(0), "\(process.standardError)")
    return output.split(separator: "\n").map(String.init)
  }

  /// Creates a key.
  func makeKey() throws -> String {
    try #require(try keys(["create", "--name", "test", "--scopes", "metrics"]).first)
  }

  /// Creates a key with scopes, also with those that no route of this version uses.
  func makeKey(_ scopes: String) throws -> String {
    let key = try makeKey()
    let id = key.dropFirst(7).prefix(8)
    try SQLiteFile(database, busyTimeout: .seconds(5))
      .execute("UPDATE keys SET scopes = '\(scopes)' WHERE id = '\(id)'")
    return key
  }
}

import Foundation
import TestSupport
import Testing

extension RunningService {
  /// The flags with which mails become files in the folder of the service, and its requests for the
  /// host `localhost` are accepted.
  static let mailFlags = [
    "--mail-to-directory", "mail", "--mail-from", "news@example.org",
    "--public-url", "http://localhost", "--list-name", "News",
  ]

  /// The mails that the service has written, in the order of their names, with LF as line ends.
  func mails() throws -> [String] {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path(of: "mail"))
    return try names.filter { $0.hasSuffix(".eml") }.sorted().map { name in
      try folder.read("mail/\(name)").replacing("\r\n", with: "\n")
    }
  }

  /// Waits for a number of mails.
  func waitForMails(_ count: Int) throws -> [String] {
    try Deadline.soon.value {
      let mails = try mails()
      return mails.count >= count ? mails : nil
    }
  }

  /// Types a code in the original tab.
  ///
  /// - Parameters:
  ///   - code: The code.
  ///   - id: The id of the execution.
  /// - Returns: The response.
  /// - Throws: `TestSystemError`.
  func type(_ code: String, for id: String) throws(TestSystemError) -> TestResponse {
    try request(
      "POST", "/executions/\(id)/code", fields: ["Content-Type: application/json"],
      body: #"{"code":"\#(code)"}"#)
  }

  /// Leaves the list as a mail program does on one click (RFC 8058).
  ///
  /// - Parameter link: The path of the link.
  /// - Returns: The response.
  /// - Throws: `TestSystemError`.
  func leaveByOneClick(_ link: String) throws(TestSystemError) -> TestResponse {
    try request(
      "POST", link, fields: ["Content-Type: application/x-www-form-urlencoded"],
      body: "List-Unsubscribe=One-Click")
  }

  /// The states of all subscribers, by address, as `enlist export` writes them.
  func exportedStates() throws -> [String: String] {
    let export = try ChildProcess("enlist", ["export"], in: folder)
    let lines = String(decoding: try export.readOutput(), as: UTF8.self).split(separator: "\r\n")
    try #require(try export.wait() == .exit(0), "\(export.standardError)")
    var states: [String: String] = [:]
    for line in lines.dropFirst() {
      let cells = line.split(separator: ",", omittingEmptySubsequences: false)
      states[String(cells[1])] = String(cells[2])
    }
    return states
  }
}

extension String {
  /// The path of the first link in a mail that begins with a path.
  func firstLink(_ path: String) throws -> String {
    let link = try Regex("http://localhost(/\(path)/[A-Za-z0-9_-]{43})")
    return String(try #require(firstMatch(of: link)?.output[1].substring))
  }
}

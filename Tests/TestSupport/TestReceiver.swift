internal import Foundation
internal import Testing

/// A receiver of webhooks for one test: `receiver.py`, which ends with its last owner.
package final class TestReceiver {
  /// A request that the receiver prints.
  package struct Request: Decodable, Sendable {
    package let id: String?
    package let type: String?
    package let subscriber: Int?
    package let address: String?
    package let response: String?
    /// The number of bytes that the sender has read, of a large response.
    package let sent: Int?

    /// The position of the event.
    package var position: Int? {
      id.flatMap { $0.split(separator: "-").last }.flatMap { Int($0) }
    }
  }

  private struct Port: Decodable {
    let port: UInt16
  }

  /// The port on 127.0.0.1.
  package let port: UInt16
  private let process: Child
  private let scheme: String

  /// Starts a receiver with options of `receiver.py`.
  package init(_ arguments: [String] = []) throws {
    scheme = arguments.contains("--certificate") ? "https" : "http"
    let script = Repository.root.appending(path: "Tests/TestSupport/receiver.py").path
    process = try Child(
      ["python3", script] + arguments, environment: ["PYTHONPATH": PythonPackages.folder])
    let line = try #require(try process.nextLine(), "\(process.errors)")
    port = try JSONDecoder().decode(Port.self, from: Data(line.utf8)).port
  }

  /// The URL for a webhook.
  package var url: String { "\(scheme)://127.0.0.1:\(port)/hook" }

  /// Waits for the next request; `nil` if the receiver has ended.
  package func next(within time: Duration = patience) throws -> Request? {
    guard let line = try process.nextLine(within: time) else { return nil }
    return try JSONDecoder().decode(Request.self, from: Data(line.utf8))
  }

  /// Kills the receiver.
  package func kill() {
    process.send(SIGKILL)
  }
}

internal import Foundation
internal import Glibc
internal import Testing

/// A relay for one test: `relay.py`, which ends with its last owner.
package final class TestRelay {
  private static let script = Repository.root.appending(path: "Tests/TestSupport/relay.py").path

  /// An event that the relay prints.
  package struct Event: Decodable, Sendable {
    package let event: String
    package let port: UInt16?
    package let connection: Int?
    package let name: String?
    package let tls: Bool?
    package let address: String?
    package let options: [String]?
    package let mechanism: String?
    package let success: Bool?
    package let size: Int?
    package let message: String?
  }

  /// The certificates of the relay, and authorities, which all relays of a process share.
  package static let certificates: TemporaryFolder? = {
    guard let folder = try? TemporaryFolder(),
      let process = try? ChildProcess(
        environment: ["PYTHONPATH": PythonPackages.folder],
        through: ["sh", "-c", "exec python3 '\(script)' --make-certificates '\(folder.path)'"]),
      (try? process.wait()) == .exit(0)
    else { return nil }
    return folder
  }()

  /// The port on 127.0.0.1.
  package let port: UInt16
  private let process: ChildProcess

  /// Starts a relay.
  ///
  /// - Parameter arguments: The options of `relay.py`.
  /// - Throws: An error if the relay does not start.
  package init(_ arguments: [String] = []) throws {
    var words = ["python3", Self.script] + arguments
    if arguments.contains("--tls") {
      words += ["--certificates", try #require(Self.certificates).path]
    }
    // The path of the program that follows is an argument of the shell.
    process = try ChildProcess(
      environment: ["PYTHONPATH": PythonPackages.folder],
      through: ["sh", "-c", "exec \(words.map { "'\($0)'" }.joined(separator: " "))"])
    let line = try #require(try process.readLine(), "\(process.standardError)")
    port = try #require(try JSONDecoder().decode(Event.self, from: Data(line.utf8)).port)
  }

  /// Reads events up to one with a name.
  ///
  /// - Parameters:
  ///   - name: The name of the last event.
  ///   - deadline: The time by which it must arrive.
  /// - Returns: All events since the last call, the named one included.
  /// - Throws: An error if the event does not arrive.
  package func events(until name: String, by deadline: Deadline = .soon) throws -> [Event] {
    var events: [Event] = []
    repeat {
      let line = try #require(try process.readLine(by: deadline), "\(process.standardError)")
      events.append(try JSONDecoder().decode(Event.self, from: Data(line.utf8)))
    } while events.last?.event != name
    return events
  }

  /// Reads events up to one with a name.
  ///
  /// - Parameters:
  ///   - name: The name of the event.
  ///   - deadline: The time by which it must arrive.
  /// - Returns: The event.
  /// - Throws: An error if the event does not arrive.
  @discardableResult
  package func event(_ name: String, by deadline: Deadline = .soon) throws -> Event {
    try #require(try events(until: name, by: deadline).last)
  }

  /// Begins to accept connections, after a start with `--away`.
  package func comeBack() {
    process.send(signal: SIGUSR1)
  }

  /// Stops the relay, and reads the rest of the events.
  ///
  /// - Returns: All events since the last call.
  /// - Throws: An error if the relay does not end.
  package func stop() throws -> [Event] {
    process.send(signal: SIGTERM)
    var events: [Event] = []
    while let line = try process.readLine() {
      events.append(try JSONDecoder().decode(Event.self, from: Data(line.utf8)))
    }
    return events
  }
}

internal import Foundation
internal import Glibc
internal import Testing

/// A mail as a relay has received it, or as the service has written it.
package struct Mail: Decodable, Sendable {
  /// The recipients of the envelope.
  package let recipients: [String]
  /// A few header fields by name; those that the mail lacks are empty.
  package let fields: [String: String]
  /// The decoded plain text.
  package let text: String

  /// The recipient of the envelope.
  package var recipient: String { recipients.first ?? "" }

  package var messageID: String { fields["Message-ID"] ?? "" }

  /// The path of the link that begins with a path, such as `confirm`.
  package func link(_ path: String) throws -> String { try text.link(path) }

  /// The code, six digits.
  package var code: String { text.code }
}

extension String {
  /// The path of the first link in this mail that begins with a path.
  package func link(_ path: String) throws -> String {
    let link = try Regex("http://localhost(/\(path)/[A-Za-z0-9_-]{43})")
    return String(try #require(firstMatch(of: link)?.output[1].substring))
  }

  /// The code of this mail, six digits.
  package var code: String { firstMatch(of: /\n(\d{6})\n/).map { String($0.1) } ?? "none" }

  /// A code that is not that of this mail.
  package var wrongCode: String { code == "000000" ? "000001" : "000000" }
}

/// A relay for one test: `relay.py`, which keeps the mails that it receives, and ends with its last
/// owner.
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
  package static let certificates: Folder? = {
    guard let folder = try? Folder(),
      let outcome = try? Child.run(
        ["python3", script, "--make-certificates", folder.path],
        environment: ["PYTHONPATH": PythonPackages.folder]),
      outcome.end == .exit(0)
    else { return nil }
    return folder
  }()

  /// The port on 127.0.0.1.
  package let port: UInt16
  private let folder: Folder
  private let process: Child
  private var received: [Mail] = []
  /// The number of bytes in the file that ``received`` was read from.
  private var readByteCount = 0

  /// Starts a relay with options of `relay.py`.
  package init(_ arguments: [String] = []) throws {
    folder = try Folder()
    var words = ["python3", Self.script, "--mails", folder("mails")] + arguments
    if arguments.contains("--tls") {
      words += ["--certificates", try #require(Self.certificates).path]
    }
    process = try Child(words, environment: ["PYTHONPATH": PythonPackages.folder])
    let line = try #require(try process.nextLine(), "\(process.errors)")
    port = try #require(try JSONDecoder().decode(Event.self, from: Data(line.utf8)).port)
  }

  // MARK: Events

  /// Reads events up to one with a name: all since the last call, the named one included.
  package func events(until name: String, within time: Duration = patience) throws -> [Event] {
    var events: [Event] = []
    repeat {
      let line = try #require(try process.nextLine(within: time), "\(process.errors)")
      events.append(try JSONDecoder().decode(Event.self, from: Data(line.utf8)))
    } while events.last?.event != name
    return events
  }

  /// Reads events up to one with a name.
  @discardableResult
  package func event(_ name: String, within time: Duration = patience) throws -> Event {
    try #require(try events(until: name, within: time).last)
  }

  /// Begins to accept connections, after a start with `--away`.
  package func comeBack() {
    process.send(SIGUSR1)
  }

  /// Stops the relay, and reads the rest of the events.
  package func stop() throws -> [Event] {
    process.send(SIGTERM)
    var events: [Event] = []
    while let line = try process.nextLine() {
      events.append(try JSONDecoder().decode(Event.self, from: Data(line.utf8)))
    }
    return events
  }

  // MARK: Mails

  /// The mails received so far, in their order, also those that were not accepted.
  package func mails() throws -> [Mail] {
    let data = (try? Data(contentsOf: URL(filePath: folder("mails")))) ?? Data()
    // What follows the last line end is not complete.
    guard let end = data.lastIndex(of: 10), end >= readByteCount else { return received }
    for line in data[readByteCount...end].split(separator: 10) {
      received.append(try JSONDecoder().decode(Mail.self, from: Data(line)))
    }
    readByteCount = end + 1
    return received
  }

  /// Waits for a number of mails.
  package func mails(
    _ count: Int, within time: Duration = patience
  ) throws -> [Mail] {
    try eventually("\(count) mails", within: time) {
      let mails = try mails()
      return mails.count >= count ? mails : nil
    }
  }
}

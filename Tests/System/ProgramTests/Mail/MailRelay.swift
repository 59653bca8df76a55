import Foundation
import TestSupport
import Testing

/// A mail as a relay has received it.
struct ReceivedMail: Decodable, Sendable {
  /// The recipients of the envelope.
  let recipients: [String]
  /// A few header fields by name; those that the mail lacks are empty.
  let fields: [String: String]
  /// The decoded plain text.
  let text: String

  /// The recipient of the envelope.
  var recipient: String { recipients.first ?? "" }

  var messageID: String { fields["Message-ID"] ?? "" }

  /// The run of the service that has sent the mail, see ``MailRelay/flags(run:)``.
  var run: Int? {
    fields["Reply-To"].flatMap { Int($0.prefix { $0 != "@" }.drop { !$0.isNumber }) }
  }

  /// Returns the path of the link that begins with a path, such as `confirm`.
  func link(_ path: String) throws -> String { try text.firstLink(path) }

  /// Returns the code, six digits.
  func code() throws -> String {
    String(try #require(text.firstMatch(of: /\n(\d{6})\n/)?.output.1))
  }
}

/// A relay that keeps the mails it receives, for the service as a child process.
///
/// It belongs to one test.
final class MailRelay {
  private let folder: TemporaryFolder
  private let relay: TestRelay
  private var received: [ReceivedMail] = []
  /// The number of bytes in the file that ``received`` was read from.
  private var readByteCount = 0

  /// Starts a relay.
  ///
  /// - Parameter arguments: Further options of `relay.py`.
  /// - Throws: An error if the relay does not start.
  init(_ arguments: [String] = []) throws {
    folder = try TemporaryFolder()
    relay = try TestRelay(["--mails", folder.path(of: "mails")] + arguments)
  }

  var port: UInt16 { relay.port }

  /// The flags of a service that sends its mails to this relay.
  var flags: [String] { Self.flags(port: relay.port) }

  /// Returns flags with which each mail names the run of the service that has sent it.
  func flags(run: Int) -> [String] { flags + ["--mail-reply-to", "run\(run)@example.org"] }

  /// Returns the flags of a service that sends its mails to a port, however many there are.
  static func flags(port: UInt16) -> [String] {
    [
      "--smtp-url", "smtp://127.0.0.1:\(port)", "--mail-from", "news@example.org",
      "--public-url", "http://localhost", "--list-name", "News",
      "--mail-budget", "off", "--mail-budget-per-domain", "off",
    ] + RunningService.openMetricsFlags
  }

  /// Begins to accept connections, after a start with `--away`.
  func comeBack() { relay.comeBack() }

  /// Returns the mails received so far, in their order, also those that were not accepted.
  func mails() throws -> [ReceivedMail] {
    let data = try Data(contentsOf: URL(filePath: folder.path(of: "mails")))
    // What follows the last line end is not complete.
    guard let end = data.lastIndex(of: 10), end >= readByteCount else { return received }
    for line in data[readByteCount...end].split(separator: 10) {
      received.append(try JSONDecoder().decode(ReceivedMail.self, from: Data(line)))
    }
    readByteCount = end + 1
    return received
  }

  /// Waits for a number of mails.
  ///
  /// - Parameters:
  ///   - count: The number of mails.
  ///   - deadline: The time by which they must arrive.
  /// - Returns: The mails received so far.
  /// - Throws: An error if they do not arrive.
  func waitForMails(_ count: Int, by deadline: Deadline = .soon) throws -> [ReceivedMail] {
    try deadline.value {
      let mails = try mails()
      return mails.count >= count ? mails : nil
    }
  }
}

extension String {
  /// This password, and what SMTP sends of it: the arguments of AUTH PLAIN and LOGIN (RFC 4616).
  ///
  /// - Parameter user: The name of the user.
  /// - Returns: The texts, none of which a log may contain.
  func credentials(of user: String) -> [String] {
    [self] + ["\0\(user)\0\(self)", self].map { Data($0.utf8).base64EncodedString() }
  }
}

extension RunningService {
  /// Waits until no mail waits any longer, also none that is being delivered; the metrics must be
  /// open.
  func waitUntilOutboxIsEmpty(by deadline: Deadline = .soon) throws {
    try deadline.wait { try metric("enlist_outbox_messages") == 0 }
  }
}

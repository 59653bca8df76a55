import EmailAddresses
import Foundation
import Locks
import Signals
import TestSupport
import Testing

@testable import Delivery

/// A relay for one test: `relay.py`, which ends with its last owner.
final class TestRelay {
  /// The folder to which `Scripts/bootstrap test` installs aiosmtpd.
  private static let packages = root.appending(path: ".build-relay").path
  private static let script = root.appending(path: "Tests/TestSupport/relay.py").path
  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// Whether aiosmtpd is installed.
  static let isInstalled = FileManager.default.fileExists(atPath: "\(packages)/aiosmtpd")

  /// An event that the relay prints.
  struct Event: Decodable {
    let event: String
    let port: UInt16?
    let connection: Int?
    let name: String?
    let tls: Bool?
    let address: String?
    let options: [String]?
    let mechanism: String?
    let success: Bool?
    let size: Int?
    let message: String?
  }

  /// The certificates of the relay, and authorities, which all relays of a process share.
  static let certificates: TemporaryFolder? = {
    guard let folder = try? TemporaryFolder(),
      let process = try? ChildProcess(
        environment: ["PYTHONPATH": packages],
        through: ["sh", "-c", "exec python3 '\(script)' --make-certificates '\(folder.path)'"]
      ),
      (try? process.wait()) == .exit(0)
    else { return nil }
    return folder
  }()

  /// The port on 127.0.0.1.
  let port: UInt16
  private let process: ChildProcess

  /// Starts a relay.
  ///
  /// - Parameter arguments: The options of `relay.py`.
  /// - Throws: An error if the relay does not start.
  init(_ arguments: [String] = []) throws {
    var words = ["python3", Self.script] + arguments
    if arguments.contains("--tls") {
      words += ["--certificates", try #require(Self.certificates).path]
    }
    // The path of the program that follows is an argument of the shell.
    process = try ChildProcess(
      environment: ["PYTHONPATH": Self.packages],
      through: ["sh", "-c", "exec \(words.map { "'\($0)'" }.joined(separator: " "))"]
    )
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
  func events(until name: String, by deadline: Deadline = .soon) throws -> [Event] {
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
  func event(_ name: String, by deadline: Deadline = .soon) throws -> Event {
    try #require(try events(until: name, by: deadline).last)
  }

  /// Stops the relay, and reads the rest of the events.
  ///
  /// - Returns: All events since the last call.
  /// - Throws: An error if the relay does not end.
  func stop() throws -> [Event] {
    process.send(signal: SIGTERM)
    var events: [Event] = []
    while let line = try process.readLine() {
      events.append(try JSONDecoder().decode(Event.self, from: Data(line.utf8)))
    }
    return events
  }

  /// Makes settings for this relay.
  ///
  /// - Parameters:
  ///   - scheme: `smtp` or `smtps`.
  ///   - user: The user name.
  ///   - password: The password.
  ///   - security: How TLS is used.
  ///   - authorities: The name of a file of ``certificates``.
  ///   - replyTimeout: The longest time for a reply.
  ///   - connectionCount: The maximum number of connections.
  ///   - publicHost: The host of the service.
  /// - Returns: The settings.
  /// - Throws: An error if they are invalid.
  func settings(
    scheme: String = "smtp",
    user: String? = nil,
    password: String? = nil,
    security: SMTPSecurity? = nil,
    authorities: String? = nil,
    replyTimeout: Duration = .seconds(60),
    connectionCount: Int = 1,
    publicHost: String = "www.example.com"
  ) throws -> SMTPSettings {
    try SMTPSettings(
      server: SMTPServer(url: "\(scheme)://127.0.0.1:\(port)", user: user, password: password),
      security: security,
      authorities: authorities.flatMap { Self.certificates?.path(of: $0) },
      replyTimeout: replyTimeout,
      connectionCount: connectionCount,
      sender: EmailAddress(validating: "list@example.com", level: .test),
      publicHost: publicHost
    )
  }
}

extension SMTPMailer {
  /// Starts to deliver a mail.
  ///
  /// - Parameters:
  ///   - local: The local part of the recipient.
  ///   - text: The message.
  /// - Returns: The running delivery.
  /// - Throws: `EmailAddressError`.
  func start(_ local: String, _ text: String = "Subject: Test\r\n\r\nText\r\n") throws
    -> RunningDelivery
  {
    let recipient = try EmailAddress(validating: "\(local)@example.org")
    return RunningDelivery(deliver(Array(text.utf8), to: recipient))
  }

  /// Delivers a mail, and blocks until it has a result.
  ///
  /// - Parameters:
  ///   - local: The local part of the recipient.
  ///   - text: The message.
  /// - Returns: The error; `nil` when the relay has accepted the mail.
  /// - Throws: An error if there is no result in time.
  func send(
    _ local: String,
    _ text: String = "Subject: Test\r\n\r\nText\r\n"
  ) throws -> DeliveryError? {
    try start(local, text).result()
  }
}

/// A delivery in progress.
final class RunningDelivery: Sendable {
  private let end = Lock<DeliveryError??>(nil)
  private let semaphore = DispatchSemaphore(value: 0)
  private let subscription = SerialDisposable()

  init(_ signal: Signal<Never, DeliveryError>) {
    subscription.replace(
      with: signal.subscribe(
        failed: { error in self.finish(error) },
        completed: { self.finish(nil) }
      )
    )
  }

  private func finish(_ error: DeliveryError?) {
    end.withLock { $0 = .some(error) }
    semaphore.signal()
  }

  /// Blocks until the delivery ends; returns its error, or `nil` when the mail was accepted.
  func result(within time: DispatchTimeInterval = .seconds(10)) throws -> DeliveryError? {
    try #require(semaphore.wait(timeout: .now() + time) == .success, "no result in time")
    return end.withLock { $0 } ?? nil
  }

  /// Cancels the delivery.
  func cancel() {
    subscription.dispose()
  }
}

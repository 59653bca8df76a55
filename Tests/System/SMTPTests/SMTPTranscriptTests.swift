import Signals
import TestSupport
import Testing

@testable import Delivery

@Suite(.needsPython)
struct SMTPTranscriptTests {
  @Test func `the conversation has each command and reply, but no credentials`() throws {
    let relay = try TestRelay(["--user", "ada", "--password", "secret"])
    var settings = try relay.settings(user: "ada", password: "secret", security: .off)
    let lines = TranscriptRecorder()
    settings.transcript = { line in lines.add("\(line)") }
    #expect(try SMTPMailer(settings).send("grace") == nil)
    let text = lines.all
    #expect(text.first?.hasPrefix("< 220 ") == true)
    #expect(text.contains("> EHLO www.example.com"))
    #expect(text.contains { $0.hasPrefix("> AUTH PLAIN") })
    #expect(text.contains { $0.hasPrefix("< 235 ") })
    #expect(text.contains { $0.hasPrefix("> MAIL FROM:<list@example.com>") })
    #expect(text.contains { $0.hasPrefix("> RCPT TO:<grace@example.org>") })
    #expect(text.contains("> DATA"))
    #expect(text.contains { $0.hasSuffix(" bytes)") })
    #expect(text.last?.hasPrefix("< 250 ") == true)
    // The base64 of a null character, the user, a null character and the password.
    #expect(!text.contains { $0.contains("AGFkYQBzZWNyZXQ=") || $0.contains("secret") })
  }
}

extension SMTPTranscriptTests {
  @Test func `a command after AUTH is shown, also the one that asks for SMTPUTF8`() throws {
    let relay = try TestRelay(["--user", "ada", "--password", "secret"])
    var settings = try relay.settings(user: "ada", password: "secret", security: .off)
    let lines = TranscriptRecorder()
    settings.transcript = { line in lines.add("\(line)") }
    #expect(try SMTPMailer(settings).send("jürgen") == nil)
    #expect(lines.all.contains("> NOOP"))
    #expect(lines.all.count { $0 == "> ***" } == 1)
  }
}

/// The lines of a conversation, from the thread of a connection.
private final class TranscriptRecorder: Sendable {
  private let lines = Lock<[String]>([])

  var all: [String] { lines.withLock { $0 } }

  func add(_ line: String) {
    lines.withLock { $0.append(line) }
  }
}

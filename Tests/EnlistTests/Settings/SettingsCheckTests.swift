import Foundation
import TestSupport
import Testing

@testable import enlist

/// Tests of `enlist serve --check`.
@Suite(.timeLimit(.minutes(15))) struct SettingsCheckTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func files() throws -> Set<String> {
    Set(try FileManager.default.contentsOfDirectory(atPath: folder.path))
  }

  @Test func `prints each setting with its origin, and touches nothing`() throws {
    try folder.write(#"{"threads": 3, "drain": "9s"}"#, to: "settings.json")
    try folder.write("sqlite:secret-place.sqlite\n", to: "database")
    let before = try files()
    let run = try CommandRun(
      [
        "serve", "--check", "--config", "settings.json", "--heartbeat", "7s",
        "--mail-to-directory", "mail", "--mail-from", "news@example.org",
        "--public-url", "https://list.example.org",
      ],
      environment: ["ENLIST_DRAIN": "2s", "ENLIST_DATABASE_FILE": "database"],
      in: folder
    )
    #expect(run.end == .exit(0), "\(run.errors)")
    let lines = run.output.split(separator: "\n").map(String.init)
    for line in [
      "listen = 127.0.0.1:8080 (default)",
      "heartbeat = 7s (--heartbeat)",
      "drain = 2s (ENLIST_DRAIN)",
      "threads = 3 (threads in settings.json)",
      "database = *** (ENLIST_DATABASE_FILE: database)",
      "secret = generated (default)",
      "mail-to-directory = mail (--mail-to-directory)",
      "opt-in = auto (default)",
      "opt-in in force: double (--mail-to-directory is set)",
    ] { #expect(lines.contains(line), "\(line) in \(run.output)") }
    #expect(lines.count == SettingTable.rows.count + 1)
    #expect(try files() == before)
  }

  @Test func `prints no secret, wherever it comes from`() throws {
    let secret = Data(repeating: 7, count: 32).base64EncodedString()
    try folder.write("hunter-in-file\n", to: "password")
    let run = try CommandRun(
      [
        "--check", "--secret", secret, "--smtp-url", "smtp://user:hunter-in-url@relay.example.com",
        "--mail-from", "news@example.org", "--public-url", "https://list.example.org",
      ],
      environment: ["ENLIST_SMTP_PASSWORD_FILE": "password"],
      in: folder
    )
    #expect(run.end == .exit(0), "\(run.errors)")
    #expect(!(run.output + run.errors).contains("hunter"))
    #expect(!(run.output + run.errors).contains(secret))
    #expect(run.output.contains("secret = *** (--secret)\n"))
    #expect(run.output.contains("smtp-password = *** (ENLIST_SMTP_PASSWORD_FILE: password)\n"))
    #expect(run.output.contains("smtp-url = smtp://user:***@relay.example.com (--smtp-url)\n"))
    let wrong = try CommandRun(["--check", "--secret", "hunter"], in: folder)
    #expect(wrong.end == .exit(64))
    #expect(!wrong.errors.contains("hunter"))
  }

  @Test func `opens neither the socket nor the database`() throws {
    let service = try RunningService()
    let run = try CommandRun(
      ["serve", "--check", "--listen", "127.0.0.1:\(service.port)"],
      in: service.folder
    )
    #expect(run.end == .exit(0), "\(run.errors)")
    #expect(try CommandRun(["serve", "--check"], in: folder).end == .exit(0))
    #expect(try files().isEmpty)
  }

  @Test func `reports every invalid setting at once`() throws {
    let run = try CommandRun(
      ["serve", "--check", "--threads", "many", "--trusted-proxies", "10.0.0.0/99"],
      environment: ["ENLIST_DRAIN": "often"],
      in: folder
    )
    #expect(run.end == .exit(64))
    #expect(run.output.isEmpty)
    for text in ["--threads", "--trusted-proxies", "ENLIST_DRAIN"] {
      #expect(run.errors.contains(" for \(text): expected "), "\(run.errors)")
    }
    #expect(run.errors.utf8.count { $0 == 10 } == 3)
  }

  @Test(
    arguments: [
      (["--opt-in", "double"], "--opt-in"),
      (["--tls-certificate", "nowhere.pem"], "--tls-key"),
      (["--tls-certificate", "nowhere.pem", "--tls-key", "nowhere.pem"], "--tls-certificate"),
      (["--smtp-url", "smtp://relay.example.com"], "--mail-from"),
      (
        [
          "--mail-to-directory", "mail", "--mail-from", "news@example.org", "--public-url",
          "https://list.example.org", "--templates", "templates",
        ],
        "--templates"
      ),
      (
        [
          "--mail-to-directory", "nowhere/mail", "--mail-from", "news@example.org", "--public-url",
          "https://list.example.org",
        ],
        "--mail-to-directory"
      ),
      (["--config", "nowhere.json"], "--config"),
    ]
  )
  func `settings that do not fit together or name unusable files are reported`(
    _ arguments: [String],
    _ setting: String
  ) throws {
    try FileManager.default.createDirectory(
      atPath: folder.path(of: "templates"),
      withIntermediateDirectories: false
    )
    try folder.write("{{unclosed", to: "templates/confirm.txt")
    // Limits that fit everywhere, so that no warning says otherwise.
    let arguments = ["--max-connections", "100", "--max-streams", "50"] + arguments
    let run = try CommandRun(["serve", "--check"] + arguments, in: folder)
    #expect(run.end == .exit(64))
    #expect(run.output.isEmpty)
    #expect(run.errors.contains(setting), "\(run.errors)")
    #expect(run.errors.utf8.count { $0 == 10 } == 1)
    // What --check rejects does not start, with the same message.
    let serve = try CommandRun(["serve"] + arguments, in: folder)
    #expect(serve.end == .exit(64))
    #expect(serve.errors == run.errors)
  }

  @Test func `warns of limits that are lowered and of a certificate that expires`() throws {
    let certificate = try TestCertificate(expiresInDays: 3)
    for (name, bytes) in [("cert.pem", certificate.certificate), ("key.pem", certificate.key)] {
      try Data(bytes).write(to: URL(filePath: folder.path(of: name)))
    }
    let run = try CommandRun(
      [
        "serve", "--check", "--tls-certificate", "cert.pem", "--tls-key", "key.pem", "--threads",
        "1",
      ],
      in: folder,
      through: ["prlimit", "--nofile=200"]
    )
    #expect(run.end == .exit(0))
    #expect(run.errors.contains("enlist: warning: the certificate expires at "))
    #expect(run.errors.contains("max-connections from 20000 to 104"), "\(run.errors)")
    #expect(run.output.contains("max-connections = 20000 (default)\n"))
  }
}

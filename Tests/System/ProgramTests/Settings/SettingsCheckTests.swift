import Foundation
import TestSupport
import Testing

@testable import enlist

/// Tests of `enlist serve --check`.
@Suite struct SettingsCheckTests {
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
      ["serve", "--check", "--listen", "127.0.0.1:\(service.port)"], in: service.folder)
    #expect(run.end == .exit(0), "\(run.errors)")
    #expect(try CommandRun(["serve", "--check"], in: folder).end == .exit(0))
    #expect(try files().isEmpty)
  }

  @Test func `reports every invalid setting at once`() throws {
    let run = try CommandRun(
      ["serve", "--check", "--threads", "many", "--trusted-proxies", "10.0.0.0/99"],
      environment: ["ENLIST_DRAIN": "often"], in: folder)
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
    _ arguments: [String], _ setting: String
  ) throws {
    try FileManager.default.createDirectory(
      atPath: folder.path(of: "templates"), withIntermediateDirectories: false)
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

  @Test(
    arguments: [
      ("ENLIST_PUBLIC_ULR", "did you mean ENLIST_PUBLIC_URL?"),
      ("ENLIST_TRUSTED_PROXY", "did you mean ENLIST_TRUSTED_PROXIES?"),
      ("ENLIST_SMTP_PASWORD_FILE", "did you mean ENLIST_SMTP_PASSWORD_FILE?"),
      ("ENLIST_CONFG", "did you mean ENLIST_CONFIG?"),
      ("ENLIST_PORT", "see enlist serve --help-all"),
      ("ENLIST_", "see enlist serve --help-all"),
    ]
  )
  func `rejects an environment variable that names no setting`(
    _ variable: String, _ remedy: String
  ) throws {
    let run = try CommandRun(["--check"], environment: [variable: "8080"], in: folder)
    #expect(run.end == .exit(64))
    #expect(run.output.isEmpty)
    let line = "enlist: \(variable): no setting has this name; \(remedy)\n"
    #expect(run.errors.hasSuffix(line), "\(run.errors)")
  }

  /// A pod gets these variables for each service whose name begins with `enlist`.
  @Test func `accepts the variables that Kubernetes sets for services`() throws {
    let run = try CommandRun(
      ["--check"],
      environment: [
        "ENLIST_SERVICE_HOST": "10.0.0.11", "ENLIST_SERVICE_PORT": "8080",
        "ENLIST_SERVICE_PORT_HTTP": "8080", "ENLIST_PORT": "tcp://10.0.0.11:8080",
        "ENLIST_PORT_8080_TCP": "tcp://10.0.0.11:8080", "ENLIST_PORT_8080_TCP_PROTO": "tcp",
        "ENLIST_PORT_8080_TCP_PORT": "8080", "ENLIST_PORT_8080_TCP_ADDR": "10.0.0.11",
        "ENLIST_DB_SERVICE_HOST": "10.0.0.12", "ENLIST_DB_PORT": "tcp://10.0.0.12:5432",
        "ENLIST_DB_PORT_5432_TCP": "tcp://10.0.0.12:5432",
      ],
      in: folder
    )
    #expect(run.end == .exit(0), "\(run.errors)")
    #expect(!run.errors.contains("ENLIST_"), "\(run.errors)")
  }

  @Test func `reads each value file once, so that it may be a pipe`() throws {
    let run = try CommandRun(
      [], in: folder,
      through: ["sh", "-c", "echo 7s | env ENLIST_DRAIN_FILE=/dev/stdin \"$0\" --check"])
    #expect(run.end == .exit(0), "\(run.errors)")
    #expect(run.output.contains("drain = *** (ENLIST_DRAIN_FILE: /dev/stdin)\n"))
  }

  @Test(
    arguments: [
      (["ENLIST_SECRET_FILE": "file"], [], "ENLIST_SECRET_FILE"),
      ([:], ["--secret-file", "file"], "--secret-file"),
      (["ENLIST_DATABASE_FILE": "url"], [], "ENLIST_DATABASE_FILE"),
      ([:], ["--config", "settings.json"], "secret in settings.json"),
      ([:], ["--tls-certificate", "cert.pem", "--tls-key", "key.pem"], "--tls-key"),
    ] as [([String: String], [String], String)]
  )
  func `warns of a secret in a file that every user can read`(
    _ environment: [String: String], _ arguments: [String], _ source: String
  ) throws {
    let secret = Data(repeating: 7, count: 32).base64EncodedString()
    try folder.write("\(secret)\n", to: "file")
    try folder.write("postgres://enlist:hunter2@db.example.com/list\n", to: "url")
    try folder.write(#"{"secret": "\#(secret)"}"#, to: "settings.json")
    let certificate = try TestCertificate(expiresInDays: 90)
    for (name, bytes) in [("cert.pem", certificate.certificate), ("key.pem", certificate.key)] {
      try Data(bytes).write(to: URL(filePath: folder.path(of: name)))
    }
    for (mode, isWarned) in [(0o640, false), (0o644, true)] as [(mode_t, Bool)] {
      for name in ["file", "url", "settings.json", "key.pem"] {
        #expect(chmod(folder.path(of: name), mode) == 0)
      }
      let run = try CommandRun(["--check"] + arguments, environment: environment, in: folder)
      #expect(run.end == .exit(0), "\(run.errors)")
      let warning = "enlist: warning: \(source): every user can read the file "
      #expect(run.errors.contains(warning) == isWarned, "\(run.errors)")
      #expect(!run.errors.contains(secret))
    }
  }

  @Test func `does not warn of a file without a secret that every user can read`() throws {
    try folder.write("sqlite:list.sqlite\n", to: "database")
    try folder.write(#"{"threads": 1}"#, to: "settings.json")
    for name in ["database", "settings.json"] {
      #expect(chmod(folder.path(of: name), 0o644) == 0)
    }
    let run = try CommandRun(
      ["--check", "--config", "settings.json"], environment: ["ENLIST_DATABASE_FILE": "database"],
      in: folder)
    #expect(run.end == .exit(0), "\(run.errors)")
    #expect(!run.errors.contains("every user"), "\(run.errors)")
  }

  @Test func `warns of a password that others can read on its way to the relay`() throws {
    let run = try CommandRun(
      [
        "--check", "--smtp-url", "smtp://list:hunter2@relay.invalid", "--smtp-tls", "off",
        "--mail-from", "news@example.org", "--public-url", "https://list.example.org",
      ],
      in: folder
    )
    #expect(run.end == .exit(0), "\(run.errors)")
    #expect(
      run.errors.contains("enlist: warning: the password for the relay can be read on the way"),
      "\(run.errors)")
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

import Foundation
import TestSupport
import Testing

@testable import enlist

/// Tests of `enlist serve --check`; DoesNotStartTests has more of what it rejects.
@Suite struct SettingsCheckTests {
  private static let secret = Data(repeating: 7, count: 32).base64EncodedString()
  private static let sending = [
    "--mail-from", "news@example.org", "--public-url", "https://list.example.org",
  ]

  private let folder: Folder

  init() throws {
    folder = try Folder()
  }

  private func check(
    _ arguments: [String] = [], environment: [String: String] = [:],
    through launcher: [String] = []
  ) throws -> Child.Outcome {
    try Child.run(
      launcher + ["enlist", "--check"] + arguments, in: folder, environment: environment)
  }

  @Test func `prints each setting with its origin, and touches nothing`() throws {
    try folder.write(#"{"threads": 3, "drain": "9s"}"#, to: "settings.json")
    try folder.write("sqlite:secret-place.sqlite\n", to: "database")
    let run = try check(
      ["--config", "settings.json", "--heartbeat", "7s", "--mail-to-directory", "mail"]
        + Self.sending,
      environment: ["ENLIST_DRAIN": "2s", "ENLIST_DATABASE_FILE": "database"])
    run.expect(0)
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
    let names = try folder.names
    #expect(Set(names) == ["settings.json", "database"])
  }

  @Test func `prints no secret, wherever it comes from`() throws {
    try folder.write("hunter-in-file\n", to: "password")
    let run = try check(
      [
        "--secret", Self.secret, "--smtp-url", "smtp://user:hunter-in-url@relay.example.com",
      ] + Self.sending, environment: ["ENLIST_SMTP_PASSWORD_FILE": "password"])
    run.expect(0)
    #expect(!(run.output + run.errors).contains("hunter"))
    #expect(!(run.output + run.errors).contains(Self.secret))
    for line in [
      "secret = *** (--secret)\n", "smtp-password = *** (ENLIST_SMTP_PASSWORD_FILE: password)\n",
      "smtp-url = smtp://user:***@relay.example.com (--smtp-url)\n",
    ] { #expect(run.output.contains(line), "\(run.output)") }
    let wrong = try check(["--secret", "hunter"]).expect(64)
    #expect(!wrong.errors.contains("hunter"))
  }

  @Test func `opens neither the socket nor the database`() throws {
    let service = try Enlist()
    try service.run("serve", "--check", "--listen", "127.0.0.1:\(service.port)").expect(0)
    try check().expect(0)
    let names = try folder.names
    #expect(names.isEmpty)
  }

  @Test func `reports every invalid setting at once`() throws {
    let run = try check(
      ["--threads", "many", "--trusted-proxies", "10.0.0.0/99"],
      environment: ["ENLIST_DRAIN": "often"])
    run.expect(64)
    #expect(run.output.isEmpty)
    for text in ["--threads", "--trusted-proxies", "ENLIST_DRAIN"] {
      #expect(run.errors.contains(" for \(text): expected "), "\(run.errors)")
    }
    #expect(run.errors.utf8.count { $0 == 10 } == 3, "\(run.errors)")
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
    let run = try check(environment: [variable: "8080"]).expect(64)
    #expect(run.output.isEmpty)
    let line = "enlist: \(variable): no setting has this name; \(remedy)\n"
    #expect(run.errors.hasSuffix(line), "\(run.errors)")
  }

  /// A pod gets these variables for each service whose name begins with `enlist`.
  @Test func `accepts the variables that Kubernetes sets for services`() throws {
    let run = try check(
      environment: [
        "ENLIST_SERVICE_HOST": "10.0.0.11", "ENLIST_SERVICE_PORT": "8080",
        "ENLIST_SERVICE_PORT_HTTP": "8080", "ENLIST_PORT": "tcp://10.0.0.11:8080",
        "ENLIST_PORT_8080_TCP": "tcp://10.0.0.11:8080", "ENLIST_PORT_8080_TCP_PROTO": "tcp",
        "ENLIST_PORT_8080_TCP_PORT": "8080", "ENLIST_PORT_8080_TCP_ADDR": "10.0.0.11",
        "ENLIST_DB_SERVICE_HOST": "10.0.0.12", "ENLIST_DB_PORT": "tcp://10.0.0.12:5432",
        "ENLIST_DB_PORT_5432_TCP": "tcp://10.0.0.12:5432",
      ]
    ).expect(0)
    #expect(!run.errors.contains("ENLIST_"), "\(run.errors)")
  }

  @Test func `reads each value file once, so that it may be a pipe`() throws {
    let run = try Child.run(
      ["sh", "-c", "echo 7s | ENLIST_DRAIN_FILE=/dev/stdin enlist --check"], in: folder)
    run.expect(0)
    #expect(
      run.output.contains("drain = *** (ENLIST_DRAIN_FILE: /dev/stdin)\n"), "\(run.output)")
  }

  // MARK: Warnings

  @Test(
    arguments: [
      (["ENLIST_SECRET_FILE": "file"], [], "ENLIST_SECRET_FILE"),
      ([:], ["--secret-file", "file"], "--secret-file"),
      (["ENLIST_DATABASE_FILE": "url"], [], "ENLIST_DATABASE_FILE"),
      ([:], ["--config", "settings.json"], "secret in settings.json"),
      ([:], ["--tls-certificate", "tls.crt", "--tls-key", "tls.key"], "--tls-key"),
    ] as [([String: String], [String], String)]
  )
  func `warns of a secret in a file that every user can read`(
    _ environment: [String: String], _ arguments: [String], _ source: String
  ) throws {
    try folder.write("\(Self.secret)\n", to: "file")
    try folder.write("postgres://enlist:hunter2@db.example.com/list\n", to: "url")
    try folder.write(#"{"secret": "\#(Self.secret)"}"#, to: "settings.json")
    try TestCertificate().write(to: folder)
    for (mode, isWarned) in [(0o640, false), (0o644, true)] as [(mode_t, Bool)] {
      for name in ["file", "url", "settings.json", "tls.key"] {
        #expect(chmod(folder(name), mode) == 0)
      }
      let run = try check(arguments, environment: environment).expect(0)
      let warning = "enlist: warning: \(source): every user can read the file "
      #expect(run.errors.contains(warning) == isWarned, "\(run.errors)")
      #expect(!run.errors.contains(Self.secret))
    }
  }

  @Test func `does not warn of a file without a secret that every user can read`() throws {
    try folder.write("sqlite:list.sqlite\n", to: "database")
    try folder.write(#"{"threads": 1}"#, to: "settings.json")
    for name in ["database", "settings.json"] {
      #expect(chmod(folder(name), 0o644) == 0)
    }
    let run = try check(
      ["--config", "settings.json"], environment: ["ENLIST_DATABASE_FILE": "database"]
    ).expect(0)
    #expect(!run.errors.contains("every user"), "\(run.errors)")
  }

  @Test func `warns of a password that others can read on its way to the relay`() throws {
    let relay = ["--smtp-url", "smtp://list:hunter2@relay.invalid", "--smtp-tls", "off"]
    let run = try check(relay + Self.sending).expect(0)
    let warning = "enlist: warning: the password for the relay can be read on the way"
    #expect(run.errors.contains(warning), "\(run.errors)")
  }

  @Test func `warns of limits that are lowered and of a certificate that expires`() throws {
    try TestCertificate(expiresInDays: 3).write(to: folder)
    let run = try check(
      ["--tls-certificate", "tls.crt", "--tls-key", "tls.key", "--threads", "1"],
      through: ["prlimit", "--nofile=200"])
    run.expect(0)
    #expect(run.errors.contains("enlist: warning: the certificate expires at "), "\(run.errors)")
    #expect(run.errors.contains("max-connections from 20000 to 104"), "\(run.errors)")
    #expect(run.output.contains("max-connections = 20000 (default)\n"), "\(run.output)")
  }
}

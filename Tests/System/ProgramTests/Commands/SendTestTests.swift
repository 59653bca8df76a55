import TestSupport
import Testing

@Suite struct SendTestTests {
  @Test func `send-test writes a mail to a directory`() throws {
    let folder = try TemporaryFolder()
    let process = try ChildProcess(
      "enlist", ["send-test", "ana@example.com"] + RunningService.mailFlags, in: folder)
    #expect(try process.readLine() == "the mail is a file in mail")
    #expect(try process.wait() == .exit(0))
    #expect(process.standardError.isEmpty)
  }

  @Test func `send-test reports an unavailable relay in one line and exits with 1`() throws {
    let relay = try LocalListener(refuses: true)
    let process = try ChildProcess(
      "enlist",
      [
        "send-test", "ana@example.com", "--smtp-url", "smtp://127.0.0.1:\(relay.port)",
        "--mail-from", "news@example.org", "--public-url", "http://localhost",
      ]
    )
    #expect(try process.wait() == .exit(1))
    // The cause in the words of libcurl, which differ between versions.
    let line = process.standardError
    #expect(line.hasPrefix("enlist: the mail was not sent: relay unavailable at connect: "))
    #expect(line.hasSuffix(" (curl 7)\n"))
    #expect(line.split(separator: "\n").count == 1)
  }

  @Test(
    .needsPython,
    .enabled(if: SmallDisk.isAllowed, "requires the right to mount a file in a namespace"),
    arguments: [
      ("ca.pem", nil, nil), ("other-ca.pem", nil, "TLS"), ("ca.pem", "other-ca.pem", "TLS"),
      ("other-ca.pem", "ca.pem", nil),
    ] as [(String, String?, String?)]
  )
  func `--smtp-ca replaces the system's authorities, which decide without it`(
    _ authorities: String, _ ownAuthorities: String?, _ failure: String?
  ) throws {
    let relay = try TestRelay(["--tls", "smtps"])
    let certificates = try #require(TestRelay.certificates)
    let script = #"mount --bind "$0" /etc/ssl/certs/ca-certificates.crt && exec "$@""#
    let run = try CommandRun(
      [
        "send-test", "ana@example.com", "--smtp-url", "smtps://localhost:\(relay.port)",
        "--mail-from", "news@example.org", "--public-url", "http://localhost",
      ] + (ownAuthorities.map { ["--smtp-ca", certificates.path(of: $0)] } ?? []),
      through: ["unshare", "--mount", "sh", "-c", script, certificates.path(of: authorities)]
    )
    #expect(run.end == .exit(failure == nil ? 0 : 1), "\(run.errors)")
    let beginning = failure.map { "enlist: the mail was not sent: relay unavailable at \($0): " }
    #expect(run.errors.hasPrefix(beginning ?? ""))
  }

  @Test(
    .needsPython,
    arguments: [
      (["--user", "ada"], ["> AUTH PLAIN", "< 334 ***", "> ***"]),
      (
        ["--user", "ada", "--login-only"],
        ["> AUTH LOGIN", "< 334 ***", "> ***", "< 334 ***", "> ***"]
      ),
    ]
  )
  func `send-test prints the conversation without the password`(
    _ options: [String], _ authentication: [String]
  ) throws {
    let password = "correct-horse"
    let relay = try TestRelay(options + ["--password", password])
    let run = try CommandRun([
      "send-test", "ana@example.com", "--smtp-url", "smtp://127.0.0.1:\(relay.port)",
      "--smtp-user", "ada", "--smtp-password", password, "--smtp-tls", "off",
      "--mail-from", "news@example.org", "--public-url", "http://localhost",
    ])
    #expect(run.end == .exit(0), "\(run.errors)")
    let lines = run.output.split(separator: "\n").map(String.init)
    #expect(lines.first?.hasPrefix("< 220 ") == true)
    #expect(lines.contains("> EHLO localhost"))
    let begin = try #require(lines.firstIndex(of: authentication[0]))
    #expect(Array(lines[begin...].prefix(authentication.count)) == authentication)
    let expected = [
      "< 235 ", "> MAIL FROM:<news@example.org>", "< 250 ", "> RCPT TO:<ana@example.com>", "< 250 ",
      "> DATA", "< 354 ", "> (", "< 250 ", "the relay has accepted the mail",
    ]
    let rest = lines[(begin + authentication.count)...]
    #expect(rest.count == expected.count)
    for (line, beginning) in zip(rest, expected) { #expect(line.hasPrefix(beginning)) }
    for text in password.credentials(of: "ada") {
      #expect(!run.output.contains(text) && !run.errors.contains(text))
    }
  }

  @Test(.needsPython)
  func `send-test ends with the result, even if the relay says goodbye at once`() throws {
    let relay = try TestRelay(["--hostile", "goodbye"])
    let run = try CommandRun([
      "send-test", "ana@example.com", "--smtp-url", "smtp://127.0.0.1:\(relay.port)",
      "--smtp-tls", "off", "--mail-from", "news@example.org", "--public-url", "http://localhost",
    ])
    #expect(run.end == .exit(0), "\(run.errors)")
    let lines = run.output.split(separator: "\n")
    #expect(lines.suffix(2) == ["< 250 OK", "the relay has accepted the mail"])
  }

  @Test func `send-test rejects an invalid address`() throws {
    let process = try ChildProcess(
      "enlist", ["send-test", "nobody"] + RunningService.mailFlags, in: try TemporaryFolder())
    #expect(try process.wait() == .exit(1))
    let reason = "An address needs an @ sign."
    #expect(process.standardError == "enlist: the address is invalid: \(reason)\n")
  }
}

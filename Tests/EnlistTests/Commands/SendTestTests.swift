import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct SendTestTests {
  @Test func `send-test writes a mail to a directory`() throws {
    let folder = try TemporaryFolder()
    let process = try ChildProcess(
      "enlist",
      ["send-test", "ana@example.com"] + RunningService.mailFlags,
      in: folder
    )
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
    .enabled(if: TestRelay.isInstalled, "aiosmtpd is missing: Scripts/bootstrap test installs it"),
    .enabled(if: SmallDisk.isAllowed, "requires the right to mount a file in a namespace"),
    arguments: [("ca.pem", ChildProcess.End.exit(0)), ("other-ca.pem", .exit(1))]
  )
  func `without --smtp-ca the system's authorities decide`(
    _ authorities: String,
    _ end: ChildProcess.End
  ) throws {
    let relay = try TestRelay(["--tls", "smtps"])
    let script = #"mount --bind "$0" /etc/ssl/certs/ca-certificates.crt && exec "$@""#
    let run = try CommandRun(
      [
        "send-test", "ana@example.com", "--smtp-url", "smtps://localhost:\(relay.port)",
        "--mail-from", "news@example.org", "--public-url", "http://localhost",
      ],
      through: [
        "unshare", "--mount", "sh", "-c", script,
        try #require(TestRelay.certificates).path(of: authorities),
      ]
    )
    #expect(run.end == end, "\(run.errors)")
  }

  @Test func `send-test rejects an invalid address`() throws {
    let process = try ChildProcess(
      "enlist",
      ["send-test", "nobody"] + RunningService.mailFlags,
      in: try TemporaryFolder()
    )
    #expect(try process.wait() == .exit(1))
    let reason = "An address needs an @ sign."
    #expect(process.standardError == "enlist: the address is invalid: \(reason)\n")
  }
}

import Foundation
import TestSupport
import Testing

@Suite struct SendTestTests {
  @Test func `send-test writes a mail to a directory`() throws {
    let run = try Child.run(["enlist", "send-test", "ana@example.com"] + .mail, in: Folder())
    #expect(run.end == .exit(0), "\(run.errors)")
    #expect(run.output == "the mail is a file in mail\n")
    #expect(run.errors == "")
  }

  @Test func `send-test reports an unavailable relay in one line and exits with 1`() throws {
    let relay = try LocalListener(refuses: true)
    let run = try sendTest(to: "smtp://127.0.0.1:\(relay.port)")
    #expect(run.end == .exit(1))
    // The cause in the words of libcurl, which differ between versions.
    let line = run.errors
    #expect(
      line.hasPrefix("enlist: the mail was not sent: relay unavailable at connect: "), "\(line)")
    #expect(line.hasSuffix(" (curl 7)\n"), "\(line)")
    #expect(line.split(separator: "\n").count == 1, "\(line)")
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
    let run = try sendTest(
      to: "smtps://localhost:\(relay.port)",
      ownAuthorities.map { ["--smtp-ca", certificates($0)] } ?? [],
      through: ["unshare", "--mount", "sh", "-c", script, certificates(authorities)])
    #expect(run.end == .exit(failure == nil ? 0 : 1), "\(run.errors)")
    let beginning = failure.map { "enlist: the mail was not sent: relay unavailable at \($0): " }
    #expect(run.errors.hasPrefix(beginning ?? ""), "\(run.errors)")
  }

  @Test(
    .needsPython,
    arguments: [
      ([], ["> AUTH PLAIN", "< 334 ***", "> ***"]),
      (["--login-only"], ["> AUTH LOGIN", "< 334 ***", "> ***", "< 334 ***", "> ***"]),
    ]
  )
  func `send-test prints the conversation without the password`(
    _ options: [String], _ authentication: [String]
  ) throws {
    let password = "correct-horse"
    let relay = try TestRelay(["--user", "ada", "--password", password] + options)
    let run = try sendTest(
      to: "smtp://127.0.0.1:\(relay.port)",
      ["--smtp-user", "ada", "--smtp-password", password, "--smtp-tls", "off"])
    #expect(run.end == .exit(0), "\(run.errors)")
    let lines = run.output.split(separator: "\n").map(String.init)
    #expect(lines.first?.hasPrefix("< 220 ") == true, "\(lines)")
    #expect(lines.contains("> EHLO localhost"), "\(lines)")
    let begin = try #require(lines.firstIndex(of: authentication[0]))
    #expect(Array(lines[begin...].prefix(authentication.count)) == authentication)
    let expected = [
      "< 235 ", "> MAIL FROM:<news@example.org>", "< 250 ", "> RCPT TO:<ana@example.com>", "< 250 ",
      "> DATA", "< 354 ", "> (", "< 250 ", "the relay has accepted the mail",
    ]
    let rest = lines[(begin + authentication.count)...]
    #expect(rest.count == expected.count, "\(rest)")
    for (line, beginning) in zip(rest, expected) { #expect(line.hasPrefix(beginning)) }
    // What SMTP sends of it: the arguments of AUTH PLAIN and LOGIN (RFC 4616).
    let encoded = ["\0ada\0\(password)", password].map { Data($0.utf8).base64EncodedString() }
    for secret in [password] + encoded {
      #expect(!run.output.contains(secret) && !run.errors.contains(secret), "\(run)")
    }
  }

  @Test(.needsPython)
  func `send-test ends with the result, even if the relay says goodbye at once`() throws {
    let relay = try TestRelay(["--hostile", "goodbye"])
    let run = try sendTest(to: "smtp://127.0.0.1:\(relay.port)", ["--smtp-tls", "off"])
    #expect(run.end == .exit(0), "\(run.errors)")
    let lines = run.output.split(separator: "\n")
    #expect(lines.suffix(2) == ["< 250 OK", "the relay has accepted the mail"])
  }

  @Test func `send-test rejects an invalid address`() throws {
    let run = try Child.run(["enlist", "send-test", "nobody"] + .mail, in: Folder())
    #expect(run.end == .exit(1))
    #expect(run.errors == "enlist: the address is invalid: An address needs an @ sign.\n")
  }

  private func sendTest(
    to url: String, _ flags: [String] = [], through launcher: [String] = []
  ) throws -> Child.Outcome {
    try Child.run(
      launcher + ["enlist", "send-test", "ana@example.com", "--smtp-url", url] + .sending + flags)
  }
}

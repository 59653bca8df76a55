import Foundation
import TestSupport
import Testing

/// Tests of the service's TLS with `testssl`.
@Suite(
  .enabled(if: Child.finds("testssl"), "testssl.sh is not installed: Scripts/bootstrap all"))
struct TestSSLTests {
  /// A finding of `testssl`.
  private struct Finding: Decodable {
    var id: String
    var severity: String
    var finding: String
  }

  /// The findings with a high severity that do not concern the service.
  private static let exceptions: [String: String] = [
    // Concerns the openssl of the test machine.
    "engine_problem": "WARN",
    // Concerns the DNS records of the domain, and localhost has none.
    "DNS_CAArecord": "LOW",
  ]

  @Test(arguments: TestCertificate.Algorithm.allCases)
  func `testssl finds no issue above low severity`(_ algorithm: TestCertificate.Algorithm) throws {
    let authority = try TestCertificate()
    let service = try Enlist(certificate: try TestCertificate(algorithm, issuer: authority))
    try service.folder.write(String(decoding: authority.certificate, as: UTF8.self), to: "ca.crt")
    let findings = try examine(service)
    #expect(findings.contains { $0.id == "HSTS_time" && $0.severity == "OK" })
    #expect(findings.contains { $0.id == "secure_client_renego" && $0.severity == "OK" })
    #expect(findings.contains { $0.id == "cipherlist_AVERAGE" && $0.finding == "not offered" })
    let severe = findings.filter { finding in
      !["OK", "INFO", "LOW", "DEBUG"].contains(finding.severity)
        && Self.exceptions[finding.id] != finding.severity
    }
    #expect(severe.isEmpty, "\(severe)")
  }

  private func examine(_ service: Enlist) throws -> [Finding] {
    // Skips the client simulation and the tests of individual ciphers, which take minutes and
    // repeat the results of the cipher categories.
    let command = """
      testssl --quiet --color 0 --warnings batch --nodns none --ip 127.0.0.1 --add-ca ca.crt \
      --jsonfile findings.json --protocols --standard --pfs --server-preference \
      --server-defaults --headers --vulnerable https://localhost:\(service.port)
      """
    _ = try Child.run(
      command.split(separator: " ").map(String.init), in: service.folder, within: .seconds(560))
    return try JSONDecoder().decode(
      [Finding].self, from: Data(service.folder.read("findings.json").utf8))
  }
}

import Foundation
import TestSupport
import Testing

/// `testssl`: what an examiner of TLS says about the service.
@Suite(
  .enabled(if: Program.isThere("testssl"), "testssl.sh is not installed: Scripts/bootstrap test")
)
struct TestSSLTests {
  /// What `testssl` has found.
  private struct Finding: Decodable {
    var id: String
    var severity: String
    var finding: String
  }

  /// What is severe by name and says nothing about the service.
  private static let exceptions: [String: String] = [
    // It is about the machine's own openssl.
    "engine_problem": "WARN",
    // It is about the domain's DNS, and localhost has none.
    "DNS_CAArecord": "LOW",
  ]

  @Test(.timeLimit(.minutes(10)), arguments: TestCertificate.Algorithm.allCases)
  func `finds nothing that is more than low`(_ algorithm: TestCertificate.Algorithm) throws {
    let authority = try TestCertificate()
    let service = try SecureService(try TestCertificate(algorithm, issuer: authority))
    try service.folder.write(String(decoding: authority.certificate, as: UTF8.self), to: "ca.crt")
    // Everything but the simulation of clients and the attempts at each single cipher, which take
    // minutes and repeat what the categories of ciphers say.
    let examiner = try Program.start(
      """
      testssl --quiet --color 0 --warnings batch --nodns none --ip 127.0.0.1 --add-ca ca.crt \
      --jsonfile findings.json --protocols --standard --pfs --server-preference \
      --server-defaults --headers --vulnerable https://localhost:\(service.port)
      """,
      in: service.folder
    )
    try examiner.wait(by: Deadline(after: .seconds(560)))
    let file = try Data(contentsOf: URL(filePath: service.folder.path(of: "findings.json")))
    let findings = try JSONDecoder().decode([Finding].self, from: file)
    #expect(findings.contains { $0.id == "HSTS_time" && $0.severity == "OK" })
    #expect(findings.contains { $0.id == "secure_client_renego" && $0.severity == "OK" })
    #expect(findings.contains { $0.id == "cipherlist_AVERAGE" && $0.finding == "not offered" })
    let severe = findings.filter { finding in
      !["OK", "INFO", "LOW", "DEBUG"].contains(finding.severity)
        && Self.exceptions[finding.id] != finding.severity
    }
    #expect(severe.isEmpty, "\(severe)")
  }
}

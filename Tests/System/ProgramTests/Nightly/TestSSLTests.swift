import Foundation
import TestSupport
import Testing

/// Tests of the service's TLS with `testssl`.
@Suite(
  .enabled(if: Program.isThere("testssl"), "testssl.sh is not installed: Scripts/bootstrap all"))
struct TestSSLTests {
  /// A finding of `testssl`.
  private struct Finding: Decodable {
    var id: String
    var severity: String
    var finding: String

    /// Whether `testssl` could not run the check, which says nothing about the service.
    var isMissing: Bool { severity == "WARN" && finding.hasPrefix("check failed") }
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
    let service = try SecureService(try TestCertificate(algorithm, issuer: authority))
    try service.folder.write(String(decoding: authority.certificate, as: UTF8.self), to: "ca.crt")
    var findings = try examine(service)
    for _ in 0..<2 where findings.contains(where: \.isMissing) {
      let found = try examine(service).filter { !$0.isMissing }
      let ids = Set(found.map(\.id))
      findings = findings.filter { $0.isMissing && !ids.contains($0.id) } + found
    }
    #expect(findings.contains { $0.id == "HSTS_time" && $0.severity == "OK" })
    #expect(findings.contains { $0.id == "secure_client_renego" && $0.severity == "OK" })
    #expect(findings.contains { $0.id == "cipherlist_AVERAGE" && $0.finding == "not offered" })
    let severe = findings.filter { finding in
      !["OK", "INFO", "LOW", "DEBUG"].contains(finding.severity)
        && Self.exceptions[finding.id] != finding.severity
    }
    #expect(severe.isEmpty, "\(severe)")
  }

  private func examine(_ service: SecureService) throws -> [Finding] {
    let path = service.folder.path(of: "findings.json")
    // `testssl` does not replace it.
    try? FileManager.default.removeItem(atPath: path)
    // Skips the client simulation and the tests of individual ciphers, which take minutes and
    // repeat the results of the cipher categories.
    let examiner = try Program.start(
      """
      testssl --quiet --color 0 --warnings batch --nodns none --ip 127.0.0.1 --add-ca ca.crt \
      --jsonfile findings.json --protocols --standard --pfs --server-preference \
      --server-defaults --headers --vulnerable https://localhost:\(service.port)
      """,
      in: service.folder
    )
    try examiner.wait(by: Deadline(after: .seconds(560)))
    return try JSONDecoder().decode([Finding].self, from: Data(contentsOf: URL(filePath: path)))
  }
}

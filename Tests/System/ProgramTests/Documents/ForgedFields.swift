import TestSupport
import Testing

/// Fields by which a client behind a proxy pretends to be another client, or to want another host.
enum ForgedFields {
  /// Each of these is sent with all requests of one test.
  static let all = [
    ["Forwarded: for=198.51.100.77"], ["Forwarded: for=198.51.100.77;host=evil.example"],
    ["Forwarded: \""], ["X-Forwarded-For: 198.51.100.77"], ["X-Forwarded-For: 127.0.0.1"],
    ["X-Forwarded-For: 198.51.100.77", "X-Forwarded-For: 127.0.0.1", "Forwarded: for=127.0.0.1"],
    ["X-Forwarded-Host: evil.example", "X-Forwarded-Proto: http"],
    ["X-Forwarded-Host: evil.example, evil.example", "Forwarded: host=evil.example"],
  ]

  /// Expects a service that permits two sign-ups per client to count those of two clients apart,
  /// and to store where they came from.
  ///
  /// - Parameters:
  ///   - service: The service, behind a proxy.
  ///   - signUp: Signs an address up from a client, through the proxy, with the forged fields.
  /// - Throws: An error of the closure, or `TestSystemError`.
  static func expectNoEffect(
    on service: RunningService,
    _ signUp: (_ address: String, _ client: String) throws -> TestResponse
  ) throws {
    for name in ["a", "b"] {
      #expect(try signUp("\(name)@example.org", "203.0.113.9").status == 202)
    }
    #expect(try signUp("c@example.org", "203.0.113.9").status == 429)
    #expect(try signUp("c@example.org", "192.0.2.1").status == 202)
    for (name, network) in [("a", "203.0.113.0"), ("c", "192.0.2.0")] {
      let run = try CommandRun(["show", "\(name)@example.org"], in: service.folder)
      #expect(run.output.contains(network), "\(run.output)\(run.errors)")
      #expect(!run.output.contains("198.51.100"))
    }
    let log = try service.endAndReadLog()
    #expect(!log.contains("proxy"), "\(log)")
  }
}

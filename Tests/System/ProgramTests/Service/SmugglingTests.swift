import TestSupport
import Testing

/// Tests of sign-ups hidden behind ambiguous requests, with the program as a process.
@Suite struct SmugglingTests {
  private func hidden(_ address: String) -> String {
    let body = "email=\(address)"
    return "POST /subscribers HTTP/1.1\r\nHost: a\r\n"
      + "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: \(body.utf8.count)"
      + "\r\n\r\n\(body)"
  }

  @Test func `a sign-up hidden behind an ambiguous request is not stored`() throws {
    let service = try RunningService(["--signup-rate", "off", "--request-timeout", "5s"])
    let attempts = SmugglingAttempt.heads + SmugglingAttempt.bodies
    #expect(attempts.count >= 34)
    let clients = try attempts.enumerated().map { number, attempt in
      let client = try service.connect()
      // The service no longer reads the rest of a request that it rejects in the middle.
      do throws(TestSystemError) {
        try client.send(attempt.request + hidden("hidden-\(number)@example.org"))
      } catch .system {}
      return (attempt, client)
    }
    for (attempt, client) in clients {
      var responses = ""
      do throws(TestSystemError) {
        responses = String(decoding: try client.readToEnd(), as: UTF8.self)
      } catch .system {}
      // libmicrohttpd 0.9 rejects an invalid length with two heads (docs/limits.md).
      let count =
        responses.split(separator: "HTTP/1.1 2", omittingEmptySubsequences: false).count - 1
      #expect(count <= 1, "\(attempt): \(responses)")
    }
    #expect(try service.signUp("visible@example.org").status == 202)
    #expect(try service.exportedAddresses() == ["visible@example.org"])
  }
}

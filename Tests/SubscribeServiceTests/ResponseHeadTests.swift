import HTTPSignals
import HTTPTypes
import MailingList
import TestSupport
import Testing

@testable import Services

/// The maximum length of a response head: it must fit into the memory of a connection.
@Suite struct ResponseHeadTests {
  /// The maximum length of the service's own fields; the transport adds less than 512 bytes.
  private static let maximumBytes = 3072

  /// The longest possible origin; the service allows as many origins as fit into the policy.
  private static let origin = "https://" + String(repeating: "a", count: 253) + ":65535"

  private static func service() throws -> ServiceUnderTest {
    var list = origin
    while let longer = AllowedOrigins("\(list),\(origin)"),
      ServiceResponsePolicy.policyBytes(with: longer) <= ServiceResponsePolicy.maximumPolicyBytes
    {
      list += ",\(origin)"
    }
    let room =
      ServiceResponsePolicy.maximumPolicyBytes
      - ServiceResponsePolicy.policyBytes(with: try #require(AllowedOrigins(list)))
      - "  https://".utf8.count
    if room > 0 { list += ",https://" + String(repeating: "b", count: min(room, 253)) }
    let allowed = try #require(AllowedOrigins(list))
    #expect((2000...2048).contains(ServiceResponsePolicy.policyBytes(with: allowed)))
    return ServiceUnderTest(allowedOrigins: allowed) {
      $0.signUpRate = .limited(count: 2, per: .seconds(86_400))
      $0.streamRate = .limited(count: 2, per: .seconds(86_400))
    }
  }

  private func headBytes(_ response: TestResponse) throws -> Int {
    let fields = try #require(response.response).fields
    return fields.byteCount + 4 * fields.count
  }

  @Test(arguments: ["text/html", "application/json", "text/event-stream"])
  func `every response head fits into the memory of a connection`(accept: String) throws {
    let service = try Self.service()
    let next = Self.origin + "/" + String(repeating: "n", count: 2048 - Self.origin.utf8.count - 1)
    var longest = 0
    var statuses: Set<Int> = []
    func send(_ method: HTTPRequest.Method, _ path: String, _ body: String = "") throws {
      let fields = FieldList([
        "Accept": accept, "Origin": Self.origin, "Prefer": "respond-async",
        "Content-Type": body == "x" ? "text/plain" : "application/x-www-form-urlencoded",
        "Host": String(repeating: "h", count: 4000), "If-None-Match": "*",
      ])
      let response = service.send(
        Request(
          method: method, path: path, fields: fields, body: Array(body.utf8),
          client: .v4(0xCB00_7109)))
      longest = max(longest, try headBytes(response))
      statuses.insert(response.status)
    }
    for body in ["email=ada@example.org&next=\(next)", "email=none&next=\(next)", "email=c&a=b"] {
      try send(.post, "/subscribers", body)
    }
    for body in ["x", "email=%", "email=a&next=\(next)n"] { try send(.post, "/email-checks", body) }
    for _ in 0..<3 { try send(.get, "/status") }
    for path in ["/", "/embed.js", "/nowhere", "/problems/not-found", "/readyz", "/subscribers"] {
      for method in [.get, .post, .options] as [HTTPRequest.Method] { try send(method, path) }
    }
    #expect(longest <= Self.maximumBytes, "\(longest)")
    #expect(
      statuses.isSuperset(of: [422, 429, 404, 405, 204, 304, 415, 400]) || accept != "text/html")
    print("head: \(accept) at most \(longest) bytes")
  }

  @Test func `rejects a redirect that is too long before anything is stored`() async throws {
    let service = try Self.service()
    let next = Self.origin + "/" + String(repeating: "n", count: 10_000)
    let fields: KeyValuePairs = ["Accept": "text/html"]
    let body = Array("email=ada@example.org&next=\(next)".utf8)
    let response = service.send(
      .post(body, as: "application/x-www-form-urlencoded", fields: fields))
    #expect(response.status == 422)
    #expect(try await service.store.addresses().isEmpty)
  }
}

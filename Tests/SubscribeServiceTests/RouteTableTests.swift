import HTTPSignals
import HTTPTypes
import MailingList
import Security
import TestSupport
import Testing

@testable import Services

/// The table of routes, walked row by row.
@Suite struct RouteTableTests {
  private static let site = "https://site.example"
  private static let email = "ada@example.org"
  private let service: ServiceUnderTest

  init() {
    var profile = ListProfile()
    profile.logo = ListProfile.Logo([], .png)
    service = ServiceUnderTest(
      optIn: .double, allowedOrigins: AllowedOrigins(Self.site) ?? .none,
      publicOrigin: WebOrigin("https://list.example"), profile: profile)
  }

  private func send(
    _ method: HTTPRequest.Method, _ path: String, host: String = "list.example",
    origin: String? = nil
  ) -> TestResponse {
    var fields = FieldList(["Host": host, "Content-Type": "application/json"])
    if let origin { fields.append(.origin, origin) }
    let code = service.store.mail(Self.email, at: service.clock.now).code.digits
    let json = #"{"email":"\#(Self.email)","code":"\#(code)"}"#
    let body = method == .post ? Array(json.utf8) : []
    return service.send(Request(method: method, path: path, fields: fields, body: body))
  }

  /// Returns a path that the route matches, and that exists.
  private func path(of route: ServiceRoute) throws -> String {
    let id = try #require(send(.post, "/subscribers").id)
    let mail = service.store.mail(Self.email, at: service.clock.now)
    let token = route.pattern.hasPrefix("/confirm") ? mail.confirm : mail.unsubscribe
    return route.pattern.replacing("{id}", with: id).replacing("{name}", with: "not-found")
      .replacing("{token}", with: token.text)
  }

  private func isForOtherSites(_ route: ServiceRoute) -> Bool {
    route.access == .allowedOrigins || route.access == .everySite
  }

  /// Returns the methods of a route's pattern, as `Allow` lists them.
  private func allowedMethods(of route: ServiceRoute) -> [HTTPRequest.Method] {
    var allowed = SignUpService.table.filter { $0.pattern == route.pattern }.map(\.method)
    if isForOtherSites(route) { allowed.append(.options) }
    if allowed.contains(.get) { allowed.append(.head) }
    return allowed
  }

  @Test func `a pattern and its method occur once`() {
    let rows = SignUpService.table.map { "\($0.method) \($0.pattern)" }
    #expect(Set(rows).count == rows.count)
    // A shared pattern has one route for OPTIONS, which lists one method.
    let shared = SignUpService.table.filter(isForOtherSites).map(\.pattern)
    #expect(Set(shared).count == shared.count)
  }

  @Test(arguments: SignUpService.table.indices)
  func `a route responds to its method, and with 405 and Allow to others`(index: Int) throws {
    let route = SignUpService.table[index]
    let path = try path(of: route)
    let response = send(route.method, path)
    #expect((200..<300).contains(response.status), "\(route.method) \(path)")
    let allowed = allowedMethods(of: route)
    for method in [.delete, .put, .get, .post] as [HTTPRequest.Method]
    where !allowed.contains(method) {
      let rejection = send(method, path)
      #expect(rejection.status == 405)
      #expect(rejection.problem == "method-not-allowed")
      #expect(rejection["Allow"] == allowed.map(\.rawValue).joined(separator: ", "))
    }
  }

  @Test(arguments: SignUpService.table.indices)
  func `a problem names the path of its request, unless the path contains a credential`(
    index: Int
  ) throws {
    let route = SignUpService.table[index]
    let path = try path(of: route)
    for path in [path, "\(path)/more", "\(path)."] {
      let problem = send(.patch, path)
      #expect([404, 405].contains(problem.status))
      #expect(problem.text.contains(#""instance":"\#(path)""#) == !route.pattern.contains("{"))
    }
  }

  @Test(arguments: SignUpService.table.indices)
  func `a route responds to a preflight as its access says`(index: Int) throws {
    let route = SignUpService.table[index]
    let path = try path(of: route)
    let isShared = route.access == .allowedOrigins
    let isOpen = route.access == .everySite
    let preflight = send(.options, path, origin: Self.site)
    #expect(preflight.status == (isShared || isOpen ? 204 : 405))
    #expect((preflight["Access-Control-Allow-Methods"] != nil) == (isShared || isOpen))
    let other = send(.options, path, origin: "https://evil.example")
    #expect(other.status == (isOpen ? 204 : isShared ? 403 : 405))
    for method in [route.method, .options, .delete] {
      let response = send(method, path, origin: Self.site)
      let origin = isShared ? Self.site : isOpen ? "*" : nil
      #expect(response["Access-Control-Allow-Origin"] == origin)
      #expect(response["Cross-Origin-Resource-Policy"] == (isOpen ? "cross-origin" : nil))
      #expect((response["Vary"]?.contains("Origin") == true) == isShared)
    }
  }

  @Test(arguments: SignUpService.table.indices)
  func `a route is served for another host as its access says`(index: Int) throws {
    let route = SignUpService.table[index]
    let response = send(route.method, try path(of: route), host: "10.0.0.1")
    #expect((response.status == 421) == (route.access != .everyHost))
  }

  @Test func `a page may read every response below a shared pattern`() {
    for path in ["/executions/", "/executions/none", "/executions/a/b/c"] {
      let response = send(.get, path, origin: Self.site)
      #expect(response.status == 404)
      #expect(response["Access-Control-Allow-Origin"] == Self.site)
    }
    #expect(send(.get, "/executions", origin: Self.site)["Access-Control-Allow-Origin"] == nil)
  }
}

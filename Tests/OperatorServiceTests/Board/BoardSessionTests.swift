import HTTPSignals
import HTTPTypes
import Signals
import MailingList
import Security
import TestSupport
import Testing

@testable import Services

@Suite struct BoardSessionTests {
  private let service = OperatorUnderTest()
  private let host = "127.0.0.1:8081"

  private func open(_ path: String = "/board", cookie: String? = nil) throws -> Response {
    var fields: KeyValuePairs = ["Host": host, "Accept": "text/html"]
    if let cookie { fields = ["Host": host, "Accept": "text/html", "Cookie": cookie] }
    return try #require(service.send(.get, path, fields: fields))
  }

  private func logIn(
    _ key: String, origin: String = "http://127.0.0.1:8081", accept: String = "text/html"
  ) throws -> Response {
    let fields: KeyValuePairs = ["Host": host, "Origin": origin, "Accept": accept]
    return try #require(
      service.send(.post, "/board/session", fields: fields, form: "username=board&key=+\(key)"))
  }

  /// Logs in, and returns the cookie.
  private func session(_ key: APIKey) throws -> String {
    let response = try logIn(key.text)
    #expect(response.status == .seeOther)
    let cookie = try #require(response.fields[.setCookie])
    return String(try #require(cookie.split(separator: ";").first))
  }

  private func isBoard(_ response: Response) -> Bool {
    response.status == .ok && response.text.contains("id=\"well\"")
  }

  private func isForm(_ response: Response) -> Bool {
    response.status == .ok && response.text.contains("name=\"key\"")
  }

  @Test func `a key with the scope opens the board, under strict policies`() throws {
    let cookie = try session(service.makeKey([.board]))
    let board = try open(cookie: cookie)
    #expect(isBoard(board))
    #expect(board.fields[.cacheControl] == "no-store, no-transform")
    #expect(board.fields[.crossOriginOpenerPolicy] == "same-origin")
    #expect(board.fields[.crossOriginResourcePolicy] == "same-origin")
    #expect(board.fields[.referrerPolicy] == "same-origin")
    #expect(
      board.fields[.contentSecurityPolicy] == """
        default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
        connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'
        """
    )
    #expect(isForm(try open()))
  }

  @Test func `a session opens the board only, and a key does not open it`() throws {
    let key = service.makeKey([.board, .read, .metrics])
    let cookie = try session(key)
    for path in ["/metrics", "/api/counts", "/api/subscribers"] {
      #expect(try open(path, cookie: cookie).problem == "unauthorized", "\(path)")
    }
    let board = service.send(.get, "/board", key: key.text, fields: ["Host": "localhost"])
    #expect(isForm(try #require(board)))
  }

  @Test func `a session ends with its key, and after eight hours`() throws {
    let revoked = service.makeKey([.board])
    let other = service.makeKey([.board])
    let (first, second) = (try session(revoked), try session(other))
    service.revoke(revoked)
    #expect(isForm(try open(cookie: first)))
    #expect(isBoard(try open(cookie: second)))
    service.advance(seconds: 8 * 3600 - 1)
    #expect(isBoard(try open(cookie: second)))
    service.advance(seconds: 1)
    #expect(isForm(try open(cookie: second)))
    let brief = service.makeKey([.board], expiresIn: 60)
    let third = try session(brief)
    service.advance(seconds: 60)
    #expect(isForm(try open(cookie: third)))
  }

  @Test func `logging out deletes the cookie`() throws {
    let fields: KeyValuePairs = ["Host": host, "Origin": "http://127.0.0.1:8081"]
    let response = try #require(service.send(.post, "/board/session/end", fields: fields))
    #expect(response.status == .seeOther)
    #expect(response.fields[.location] == "/board")
    #expect(response.fields[.setCookie]?.contains("Max-Age=0") == true)
  }

  @Test func `a wrong key is explained, and counts against its client`() throws {
    #expect(try logIn(service.makeKey([.read]).text).status == .forbidden)
    let key = service.makeKey([.board])
    #expect(try logIn(key.text).status == .seeOther)
    let changed = String(key.text.dropLast()) + "!"
    for _ in 0..<10 {
      let response = try logIn(changed)
      #expect(response.status == .unauthorized)
      #expect(
        response.text.contains("role=\"alert\">The key is unknown, revoked, or expired.<"))
      #expect(response.fields[.setCookie] == nil)
    }
    let limited = try logIn(changed)
    #expect(limited.status == .tooManyRequests)
    #expect(limited.fields[.retryAfter] == "6")
    #expect(try logIn(changed, accept: "application/json").problem == "too-many-failures")
    // The limit is that of the keys of the API.
    #expect(service.send(key: "x")?.problem == "too-many-failures")
    #expect(try logIn(key.text).status == .seeOther)
  }

  @Test func `only the form of the board logs in and out`() throws {
    let key = service.makeKey([.board]).text
    for path in ["/board/session", "/board/session/end"] {
      for origin in ["https://example.org", "http://127.0.0.1:8080", "null"] {
        let fields: KeyValuePairs = ["Host": host, "Origin": origin]
        let response = service.send(.post, path, fields: fields, form: "key=\(key)")
        #expect(response?.problem == "form-not-allowed", "\(path) \(origin)")
      }
      let response = service.send(.post, path, fields: ["Host": host], form: "key=\(key)")
      #expect(response?.problem == "form-not-allowed")
    }
    let proxied = try logIn(key, origin: "https://board.example.org")
    #expect(proxied.fields[.setCookie]?.hasPrefix("__Host-enlist_session=") == true)
  }

  @Test(arguments: Operator.table.filter { $0.pattern.hasPrefix("/board") }.indices)
  func `no part of the board is shown under another host`(index: Int) throws {
    let route = Operator.table.filter { $0.pattern.hasPrefix("/board") }[index]
    let fields: KeyValuePairs = ["Host": "evil.example", "Origin": "http://evil.example"]
    let response = try #require(service.send(route.method, route.pattern, fields: fields))
    #expect(response.status == .forbidden)
    #expect(response.problem == "host-not-allowed")
    let page = try #require(
      service.send(
        route.method, route.pattern, fields: ["Host": "evil.example", "Accept": "text/html"]))
    #expect(page.status == .forbidden)
    #expect(page.text.contains("The board is shown under an IP address, localhost, or the host"))
  }

  @Test func `the root leads to the board`() throws {
    let response = try #require(service.send(.get, "/"))
    #expect(response.status == .seeOther)
    #expect(response.fields[.location] == "/board")
  }

  @Test func `the page is shown without the store, for a key that was valid`() throws {
    let cookie = try session(service.makeKey([.board]))
    #expect(isBoard(try open(cookie: cookie)))
    service.store.base.failure = .unreachable
    let board = try open(cookie: cookie)
    let since = try #require(service.signUpService.storage.failingSince).spoken(at: service.now)
    #expect(board.text.contains("Sign-ups have not been stored since \(since)."))
    #expect(board.text.contains("This could not be read in time."))
  }
}

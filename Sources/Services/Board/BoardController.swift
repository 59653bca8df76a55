internal import CResources
internal import HTTPSignals
internal import HTTPTypes
internal import Logging
internal import MailingList
internal import Platform
internal import Security
internal import Signals

/// The handlers of the board: one page that only reads, and the session that it needs.
///
/// A session opens nothing else, whatever its key may do, so a stolen one shows no list.
final class BoardController: Sendable {
  private let gate: KeyGate
  private let reader: BoardReader
  private let keyring: Keyring
  private let url: WebOrigin?
  private let wording: ProblemWording
  private let logger: Logger
  private let now: @Sendable () -> Timestamp

  init(_ dependencies: OperatorDependencies, gate: KeyGate, reader: BoardReader) {
    self.gate = gate
    self.reader = reader
    keyring = dependencies.keyring
    url = dependencies.operatorURL
    wording = dependencies.responsePolicy.wording
    logger = dependencies.logger
    now = dependencies.now
  }

  /// Responds to `GET /`.
  static func leadToBoard(_ routed: RoutedExchange) {
    routed.exchange.respond(.redirect(to: "/board"))
  }

  /// Returns a handler that is reached only under a host of the board, and adds the policies of a
  /// page to its responses.
  func guarding(
    _ handler: @escaping @Sendable (Exchange) -> Void
  )
    -> @Sendable (RoutedExchange) -> Void
  {
    { [self] routed in
      guard routed.exchange.request.isForBoard(at: url) else {
        respond(routed.exchange, .hostNotAllowed)
        return
      }
      handler(routed.exchange)
    }
  }

  /// Responds to `GET /board`.
  var show: @Sendable (RoutedExchange) -> Void {
    guarding { [self] exchange in
      open(exchange) {
        self.respond(exchange, BoardPage.logIn())
      } with: {
        self.respond(exchange, BoardPage.response($0))
      }
    }
  }

  /// Responds to `POST /board/session`.
  var logIn: @Sendable (RoutedExchange) -> Void {
    guarding { [self] exchange in
      guard let origin = exchange.request.boardOrigin(at: url) else {
        respond(exchange, .formNotAllowed)
        return
      }
      var key = ""
      do throws(BodyError) {
        let value = try BodyFields.decode(exchange.request).value("key")
        if case .text(let text)? = value { key = text.filter { !$0.isWhitespace } }
      } catch {
        respond(exchange, error.problem)
        return
      }
      gate.logIn(exchange.request, with: key) { [self] id in
        logger.info("a session of the board began", metadata: ["key": "\(id)"])
        var response = Response.redirect(to: "/board")
        response.fields[.setCookie] = SessionCookie(for: origin).field(
          SessionToken(keyID: id, at: now().seconds).text(keyring), seconds: SessionToken.seconds)
        respond(exchange, response)
      } rejected: { [self] problem in
        guard exchange.request.prefersHTML else {
          exchange.respond(problem)
          return
        }
        respond(exchange, BoardPage.logIn(wording.detail(problem.text)), to: problem)
      }
    }
  }

  /// Responds to `POST /board/session/end`.
  var logOut: @Sendable (RoutedExchange) -> Void {
    guarding { [self] exchange in
      guard let origin = exchange.request.boardOrigin(at: url) else {
        respond(exchange, .formNotAllowed)
        return
      }
      var response = Response.redirect(to: "/board")
      response.fields[.setCookie] = SessionCookie(for: origin).field("", seconds: 0)
      respond(exchange, response)
    }
  }

  /// Returns the handler of a file of the board.
  func file(_ asset: Asset) -> @Sendable (RoutedExchange) -> Void {
    guarding { [self] exchange in respond(exchange, asset.response(to: exchange.request)) }
  }

  static let style = Asset(
    resource_base_css().bytes + resource_board_css().bytes, mediaType: "text/css; charset=utf-8")
  static let script = Asset(resource_board_js().bytes, mediaType: "text/javascript; charset=utf-8")
  static let icon = Asset(resource_icon_svg().bytes, mediaType: "image/svg+xml")

  /// Reads the numbers for a request with a session, and calls `closed` for any other.
  private func open(
    _ exchange: Exchange, closed: @escaping @Sendable () -> Void,
    with shown: @escaping @Sendable (BoardNumbers) -> Void
  ) {
    guard let session = exchange.request.session(keyring, at: now()) else { return closed() }
    let period = exchange.request.query.first(HTTPField.Name(literal: "period"))
      .flatMap(BoardNumbers.Period.init(rawValue:))
    gate.allows(session).subscribe(
      next: { [self] isAllowed in
        guard isAllowed else { return closed() }
        reader.numbers(of: period ?? .hours).subscribe(next: shown)
      },
      failed: { [self] _ in respond(exchange, .storageUnavailable) }
    )
  }

  /// Responds with a problem, as a page to a browser.
  private func respond(_ exchange: Exchange, _ problem: ProblemDetails) {
    guard exchange.request.prefersHTML else {
      exchange.respond(problem)
      return
    }
    let page = BoardPage.problem(wording.title(problem), wording.detail(problem.text))
    respond(exchange, page, to: problem)
  }

  /// Responds with a page or a file under the policies of the board, and the status of a problem.
  private func respond(_ exchange: Exchange, _ page: Response, to problem: ProblemDetails? = nil) {
    var response = page
    if let problem {
      response.status = problem.status
      response.fields.append(contentsOf: problem.fields)
    }
    response.fields[.contentSecurityPolicy] = """
      default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
      connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'
      """
    response.fields[.crossOriginOpenerPolicy] = "same-origin"
    // Not `no-referrer`, with which browsers send the form with the origin `null`.
    response.fields[.referrerPolicy] = "same-origin"
    exchange.respond(response)
  }
}

// The rules of the board for hosts, origins and cookies.

extension Request {
  /// Whether the requested host is an IP address, `localhost`, or that of `--operator-url`.
  ///
  /// A page that rebinds a name of its own to this address could otherwise read the board.
  func isForBoard(at url: WebOrigin?) -> Bool {
    guard fields.count(of: .hostField) == 1,
      let host = fields.first(.hostField).flatMap({ WebOrigin.hostAndPort($0, "http")?.host })
    else { return false }
    if host == "localhost" || host == url?.host { return true }
    let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
    return IPAddress(isBracketed ? String(host.dropFirst().dropLast()) : host) != nil
  }

  /// The origin of the form that has sent the request; `nil` if it is not the board's.
  ///
  /// Host *and port*: cookies do not distinguish ports, and the public pages may be on the same
  /// host.
  func boardOrigin(at url: WebOrigin?) -> WebOrigin? {
    guard fields.count(of: .origin) == 1,
      let origin = fields.first(.origin).flatMap({ WebOrigin($0) })
    else { return nil }
    if origin == url { return origin }
    guard let host = fields.first(.hostField),
      let own = WebOrigin.hostAndPort(host, origin.scheme),
      own.host == origin.host, own.port == origin.port
    else { return nil }
    return origin
  }

  /// The session in the cookie; `nil` without one that is genuine and has not ended.
  func session(_ keyring: Keyring, at now: Timestamp) -> SessionToken? {
    let pairs = fields.values(of: .cookie).flatMap { $0.split(separator: ";") }
    let cookies = pairs.compactMap { pair -> (name: Substring, value: Substring)? in
      let parts = pair.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
      return parts.count == 2 ? (parts[0], parts[1]) : nil
    }
    return SessionCookie.allCases.lazy
      .compactMap { cookie in cookies.first { $0.name == cookie.rawValue }?.value }
      .compactMap { SessionToken($0, keyring, at: now.seconds) }
      .first
  }
}

/// The cookie of a session, which only this listener can set over https.
enum SessionCookie: String, CaseIterable {
  case secure = "__Host-enlist_session"
  /// Over http, where browsers disagree about `Secure`.
  case plain = "enlist_session"

  /// Creates the cookie for a form of an origin.
  init(for origin: WebOrigin) {
    self = origin.scheme == "https" ? .secure : .plain
  }

  /// Returns the value of `Set-Cookie`; no seconds delete the cookie.
  func field(_ value: String, seconds: Int64) -> String {
    let secure = self == .secure ? "; Secure" : ""
    return "\(rawValue)=\(value); HttpOnly; SameSite=Strict; Path=/; Max-Age=\(seconds)\(secure)"
  }
}

extension Timestamp {
  /// The whole seconds since 1970.
  var seconds: Int64 { millisecondsSince1970 / 1000 }
}

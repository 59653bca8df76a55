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
extension Operator {
  /// `GET /board`: the numbers for a request with a session, the form for any other.
  func showBoard(_ exchange: Exchange) {
    guard let session = exchange.request.session(list.keyring, at: now()) else {
      return respond(to: exchange, with: BoardPage.logIn())
    }
    let period = exchange.request.query.first(HTTPField.Name(literal: "period"))
      .flatMap(BoardNumbers.Period.init(rawValue:))
    gate.allows(session).subscribe(
      next: { [self] isAllowed in
        guard isAllowed else { return respond(to: exchange, with: BoardPage.logIn()) }
        numbers(of: period ?? .hours).subscribe(next: { numbers in
          self.respond(to: exchange, with: BoardPage.response(numbers))
        })
      },
      failed: { [self] _ in showProblem(.storageUnavailable, to: exchange) }
    )
  }

  /// `POST /board/session`.
  func logIn(_ exchange: Exchange) throws(ProblemDetails) {
    let request = exchange.request
    guard let origin = request.boardOrigin(at: settings.url) else {
      throw ProblemDetails(KeyProblem.formNotAllowed)
    }
    var key = ""
    do throws(BodyError) {
      let value = try BodyFields.decode(request).value("key")
      if case .text(let text)? = value { key = text.filter { !$0.isWhitespace } }
    } catch {
      throw error.problem
    }
    gate.logIn(request, with: key).subscribe(
      next: { [self] id in
        service.dependencies.logger.info(
          "a session of the board began", metadata: ["key": "\(id)"])
        var response = Response.redirect(to: "/board")
        response.fields[.setCookie] = SessionCookie(for: origin).field(
          SessionToken(keyID: id, at: now().seconds).text(list.keyring),
          seconds: SessionToken.seconds)
        respond(to: exchange, with: response)
      },
      failed: { [self] problem in
        guard request.prefersHTML else {
          exchange.respond(problem)
          return
        }
        let page = BoardPage.logIn(Texts.english[problem.text])
        respond(to: exchange, with: page, because: problem)
      })
  }

  /// `POST /board/session/end`.
  func logOut(_ exchange: Exchange) throws(ProblemDetails) {
    guard let origin = exchange.request.boardOrigin(at: settings.url) else {
      throw ProblemDetails(KeyProblem.formNotAllowed)
    }
    var response = Response.redirect(to: "/board")
    response.fields[.setCookie] = SessionCookie(for: origin).field("", seconds: 0)
    respond(to: exchange, with: response)
  }

  /// Returns the handler of a file of the board.
  func file(_ asset: Asset) -> @Sendable (Exchange) -> Void {
    { exchange in self.respond(to: exchange, with: asset.response(to: exchange.request)) }
  }

  static let boardStyle = Asset(
    resource_base_css().bytes + resource_board_css().bytes, mediaType: "text/css; charset=utf-8")
  static let boardScript = Asset(
    resource_board_js().bytes, mediaType: "text/javascript; charset=utf-8")
  static let boardIcon = Asset(resource_icon_svg().bytes, mediaType: "image/svg+xml")

  /// Responds with a problem, as a page to a browser.
  func showProblem(_ problem: ProblemDetails, to exchange: Exchange) {
    guard exchange.request.prefersHTML else {
      exchange.respond(problem)
      return
    }
    let texts = Texts.english
    let page = BoardPage.problem(texts.title(of: problem), texts[problem.text])
    respond(to: exchange, with: page, because: problem)
  }

  /// Responds with a page or a file under the policies of the board, and the status of a problem.
  private func respond(
    to exchange: Exchange, with page: Response, because problem: ProblemDetails? = nil
  ) {
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

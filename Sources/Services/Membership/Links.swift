internal import HTTPSignals
internal import HTTPTypes
internal import MailingList
internal import Platform
internal import Security
internal import Signals

/// The handlers of links in mails: a page with one button that changes nothing, and the change.
///
/// The token of a link is the only credential: neither the origin nor the body of a request
/// matters, and no rate limit applies, except to requests for a new link. The response policy keeps
/// the URLs secret, also in the pages of problems.
extension SignUpService {
  // MARK: Confirming

  /// `GET /confirm/{token}`: the page with the button that confirms.
  func showConfirmation(_ routed: RoutedExchange) throws(ProblemDetails) {
    let token = try token(in: routed)
    let request = routed.exchange.request
    let texts = texts(of: request)
    let time = dependencies.now()
    let status = read { list throws(StoreError) in
      try list.link(token.hash, for: .confirm, at: time)
    }
    routed.exchange.respond(
      with: status.tryMap { [self] status throws(ProblemDetails) in
        switch status {
        case .unknown: throw .notFound
        case .usable: return pages.confirmation(in: texts)
        case .done: return pages.subscribed(.confirmAlready, in: texts)
        case .gone: return try expired(token, to: request)
        }
      })
  }

  /// `POST /confirm/{token}`: confirms; the request can be repeated.
  func confirm(_ routed: RoutedExchange) throws(ProblemDetails) {
    let token = try token(in: routed)
    let request = routed.exchange.request
    let time = dependencies.now()
    let evidence = evidence(of: request, at: time)
    let result = change { list throws(StoreError) in try list.confirm(token.hash, evidence) }
    routed.exchange.respond(
      with: result.tryMap { [self] result throws(ProblemDetails) in
        switch result {
        case .confirmed(let subscriber):
          confirmations.confirmed(subscriber.id, at: time)
          return subscribed(subscriber, to: request, .confirmDone)
        case .already(let subscriber):
          return subscribed(subscriber, to: request, .confirmAlready)
        case .refused: return try expired(token, to: request)
        case .unknown: throw .notFound
        }
      })
  }

  /// `POST /confirm/{token}/mail`: requests a new link; the response does not reveal whether a mail
  /// follows.
  func renewLink(_ routed: RoutedExchange) throws(ProblemDetails) {
    let request = routed.exchange.request
    let time = dependencies.now()
    // Before the link, so that the response does not depend on it.
    let client = request.source.limitedClient
    if let seconds = signUpLimiter.secondsToWait(of: client, at: time) {
      throw .tooManyRequests(.signUp, secondsToWait: seconds)
    }
    let token = try token(in: routed)
    let evidence = evidence(of: request, at: time)
    let result = change { list throws(StoreError) in try list.renew(token.hash, evidence) }
    routed.exchange.respond(
      with: result.tryMap { [self] isKnown throws(ProblemDetails) in
        guard isKnown else { throw .notFound }
        let texts = texts(of: request)
        return request.prefersHTML
          ? pages.renewed(in: texts) : .json("message", texts[.confirmRenewed])
      })
  }

  /// Creates the response to a confirmation: a state for programs; for browsers the page in the
  /// sign-up, if it is still allowed, otherwise a page of the service.
  private func subscribed(
    _ subscriber: ConfirmedSubscriber, to request: Request, _ title: PageText
  ) -> Response {
    guard request.prefersHTML else { return .json("state", "subscribed") }
    guard let next = subscriber.next, origins.permitsRedirect(to: next) else {
      return pages.subscribed(title, in: texts(of: request))
    }
    var response = Response.redirect(to: next)
    response.fields[.referrerPolicy] = "no-referrer"
    return response
  }

  /// Creates the page of an expired link, with a button for a new one; a program gets the problem.
  private func expired(_ token: MailToken, to request: Request) throws(ProblemDetails) -> Response {
    guard request.prefersHTML else { throw .tokenExpired }
    return pages.expired(renewingAt: "/confirm/\(token.text)/mail", in: texts(of: request))
  }

  // MARK: Leaving

  /// `GET /unsubscribe/{token}`: the page with the button that removes the person from the list, in
  /// every state.
  func showLeaving(_ routed: RoutedExchange) throws(ProblemDetails) {
    let token = try token(in: routed)
    let page = pages.leaving(in: texts(of: routed.exchange.request))
    switch proof(of: token) {
    case .subscriber: routed.exchange.respond(page)
    case .link(let hash):
      let time = dependencies.now()
      let status = read { list throws(StoreError) in
        try list.link(hash, for: .unsubscribe, at: time)
      }
      routed.exchange.respond(
        with: status.tryMap { status throws(ProblemDetails) in
          guard status != .unknown else { throw .notFound }
          return page
        })
    }
  }

  /// `POST /unsubscribe/{token}`: removes the person from the list; the request can be repeated.
  ///
  /// Mail programs send it themselves (RFC 8058), with a form, a multipart form, or no body, and
  /// without cookies. They do not follow redirects.
  func leave(_ routed: RoutedExchange) throws(ProblemDetails) {
    let token = try token(in: routed)
    let request = routed.exchange.request
    let means: ConsentMeans = request.isOneClick ? .oneClick : .link
    let (proof, evidence) = (proof(of: token), evidence(of: request, at: dependencies.now()))
    let result = change { list throws(StoreError) in
      try list.leave(proof, by: means, evidence)
    }
    routed.exchange.respond(
      with: result.tryMap { [self] result throws(ProblemDetails) in
        switch result {
        case .left, .already:
          return request.prefersHTML
            ? pages.left(in: texts(of: request)) : .json("state", "unsubscribed")
        case .unknown: throw .notFound
        }
      })
  }

  /// Returns the proof of a link to leave, which is from an export or from a mail.
  private func proof(of token: MailToken) -> LeaveProof {
    guard let subscriber = dependencies.mailKeys?.subscriber(of: token) else {
      return .link(token.hash)
    }
    let createdAt = Timestamp(millisecondsSince1970: subscriber.createdAt)
    return .subscriber(subscriber.id, createdAt: createdAt)
  }

  // MARK: What both need

  /// Returns the token in the path, without the punctuation that a mail program has taken into the
  /// link.
  private func token(in routed: RoutedExchange) throws(ProblemDetails) -> MailToken {
    guard let text = routed["token"], let token = MailToken(text.prefix(MailToken.characterCount)),
      let rest = text.dropFirst(MailToken.characterCount).percentDecoded,
      rest.allSatisfy(\.followsLinks)
    else { throw .notFound }
    return token
  }
}

extension Character {
  /// Whether a text may have the character after a link, and base64url cannot.
  fileprivate var followsLinks: Bool {
    isWhitespace || (isPunctuation || isSymbol) && !"-_=".contains(self)
  }
}

extension Response {
  /// Creates a response to a program: one member.
  static func json(_ name: StaticString, _ text: String) -> Response {
    .json { $0.member(name, text) }
  }
}

extension Request {
  /// Whether a mail program sends the request on a click (RFC 8058 §3.1).
  fileprivate var isOneClick: Bool {
    guard let fields = try? BodyFields.decode(self),
      let value = try? fields.value("List-Unsubscribe")
    else { return false }
    return value == .text("One-Click")
  }
}

/// The handler of the code of a mail.
extension SignUpService {
  /// `POST /executions/{id}/code`: confirms by the code of a mail.
  ///
  /// The response to a wrong code, an expired code, and a code for an address that gets no mail is
  /// the same, so it does not depend on the state of the list.
  func confirmByCode(_ routed: RoutedExchange) throws(ProblemDetails) {
    let exchange = routed.exchange
    let request = exchange.request
    try origins.check(request)
    let time = dependencies.now()
    guard pages.nextStep == .code, let keys = dependencies.mailKeys,
      let id = routed["id"].flatMap({ ExecutionID($0) }), id.isKnown(at: time)
    else { throw .notFound }
    let code: ConfirmationCode
    do throws(ProblemDetails) {
      code = try SentFields(request, with: nil).code()
    } catch {
      return reject(error, of: id, to: exchange)
    }
    // Counted before the code is compared, so that all concurrent attempts count.
    let room = codeTries.withLock { Int($0.take(id, at: time.millisecondsSince1970).room) }
    guard room > 0 else { return reject(.wrongCode(triesLeft: 0), of: id, to: exchange) }
    let evidence = evidence(of: request, at: time)
    change { list throws(StoreError) in
      try list.confirm(
        code: { hash, subscriber in keys.matches(code, hash: hash, of: subscriber) }, of: id,
        evidence)
    }
    .subscribe(
      next: { [self] result in
        if result == .refused {
          return reject(.wrongCode(triesLeft: room - 1), of: id, to: exchange)
        }
        cancelTry(of: id)
        switch result {
        case .confirmed(let subscriber):
          confirmations.confirmed(subscriber.id, at: time)
          respondConfirmed(to: exchange)
        case .already: respondConfirmed(to: exchange)
        case .unknown, .refused: exchange.respond(.notFound)
        }
      },
      failed: { [self] problem in
        cancelTry(of: id)
        exchange.respond(problem)
      }
    )
  }

  /// Cancels an attempt, because the code was not wrong, or was not compared.
  private func cancelTry(of id: ExecutionID) {
    codeTries.withLock { $0.cancel(id) }
  }

  private func respondConfirmed(to exchange: Exchange) {
    exchange.respond(
      exchange.request.prefersHTML
        ? pages.confirmedByCode(in: texts(of: exchange.request)) : .json("state", "subscribed"))
  }

  /// Rejects a code; a browser gets the form again.
  private func reject(_ problem: ProblemDetails, of id: ExecutionID, to exchange: Exchange) {
    guard exchange.request.prefersHTML, problem.status == .unprocessableContent else {
      exchange.respond(problem)
      return
    }
    exchange.respond(
      pages.thanks(
        for: id, after: .completed, rejecting: problem, in: texts(of: exchange.request)))
  }
}

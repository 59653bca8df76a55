internal import HTTPSignals
internal import HTTPTypes
internal import MailingList
internal import Security
internal import Signals

/// The shared part of the handlers of links in mails.
///
/// The token of a link is the only credential: neither the origin nor the body of a request
/// matters, and no rate limit applies, except to requests for a new link.
struct LinkResponses: Sendable {
  let store: any SubscriberStore
  let pages: Pages
  private let keys: MailKeys?
  private let storage: StorageHealth
  private let now: @Sendable () -> Timestamp
  private let consentAddress: ConsentAddress

  init(_ dependencies: Dependencies, pages: Pages, storage: StorageHealth) {
    store = dependencies.store
    keys = dependencies.mailKeys
    self.pages = pages
    self.storage = storage
    now = dependencies.now
    consentAddress = dependencies.consentAddress
  }

  /// Reads the status of the link in the path of a request, and responds; changes nothing.
  ///
  /// - Parameter respond: Returns the response for the status of the link and its token; `nil` if
  ///   the link is unknown.
  func look(
    _ routed: RoutedExchange, for purpose: LinkPurpose,
    _ respond: @escaping @Sendable (LinkStatus, MailToken, Texts) -> Response?
  ) {
    let exchange = routed.exchange
    guard let token = token(of: routed) else { return }
    status(of: token, for: purpose).subscribe(
      next: { status in
        let texts = pages.texts.preferred(by: exchange.request)
        self.respond(respond(status, token, texts), to: exchange)
      },
      failed: { error in
        storage.readingFailed(error)
        self.respond(error.problem, to: exchange)
      }
    )
  }

  /// Reads the status of a link; that of an export is usable in every state.
  private func status(
    of token: MailToken, for purpose: LinkPurpose
  ) -> Signal<LinkStatus, StoreError> {
    switch purpose {
    case .unsubscribe:
      if case .subscriber = leaveProof(of: token) { return .just(.usable) }
    case .confirm: break
    }
    return store.lookUp(token.hash, for: purpose, at: now())
  }

  /// Returns the proof of a link to leave, which is from an export or from a mail.
  func leaveProof(of token: MailToken) -> LeaveProof {
    guard let subscriber = keys?.subscriber(of: token) else { return .link(token.hash) }
    let createdAt = Timestamp(millisecondsSince1970: subscriber.createdAt)
    return .subscriber(subscriber.id, createdAt: createdAt)
  }

  /// Applies a change by the link in the path of a request, and responds.
  ///
  /// - Parameter respond: Returns the response for the result, from the token and the time of the
  ///   request; `nil` if the link is unknown.
  func change<Result: Sendable>(
    _ routed: RoutedExchange,
    by change: (MailToken, MembershipRequest) -> Signal<Result, StoreError>,
    _ respond: @escaping @Sendable (Result, MailToken, Timestamp, Texts) -> Response?
  ) {
    let exchange = routed.exchange
    guard let token = token(of: routed) else { return }
    let time = now()
    let request = MembershipRequest(
      at: time, of: exchange.request, keeping: consentAddress, pages.texts)
    change(token, request).subscribe(
      next: { result in
        storage.succeeded()
        let texts = pages.texts.preferred(by: exchange.request)
        self.respond(respond(result, token, time, texts), to: exchange)
      },
      failed: { error in
        storage.failed(error)
        self.respond(error.problem, to: exchange)
      }
    )
  }

  /// Counts a request if the rate of its client allows it, or rejects it.
  func permits(_ exchange: Exchange, _ limiter: ClientRateLimiter) -> Bool {
    let client = exchange.request.source.limitedClient
    guard let seconds = limiter.secondsToWait(of: client, at: now()) else { return true }
    respond(.tooManyRequests(.signUp, secondsToWait: seconds), to: exchange)
    return false
  }

  /// Responds; `nil` stands for the response to an unknown link.
  private func respond(_ response: Response?, to exchange: Exchange) {
    if let response {
      exchange.respond(response)
    } else {
      respond(.notFound, to: exchange)
    }
  }

  /// Responds with a problem, whose page does not reveal the URL.
  private func respond(_ problem: ProblemDetails, to exchange: Exchange) {
    exchange.respond(pages.response(for: problem, to: exchange.request, as: .secret))
  }

  /// Returns the token in the path, or responds with 404.
  private func token(of routed: RoutedExchange) -> MailToken? {
    guard let token = routed["token"].flatMap({ MailToken($0) }) else {
      respond(.notFound, to: routed.exchange)
      return nil
    }
    return token
  }
}

extension Response {
  /// Creates the response to a program with the state that its link has led to.
  static func state(_ state: String) -> Response {
    var json = JSONText()
    json.object { $0.member("state", state) }
    return .json(.ok, json)
  }
}

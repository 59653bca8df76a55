internal import HTTPSignals
internal import HTTPTypes
internal import MailingList
internal import Signals

/// The handler of `POST /subscribers`: executes the command of the address in the body.
final class SignUpController: Sendable {
  private let commands: SubscribeCommands
  private let limiter: ClientRateLimiter
  private let origins: OriginPolicy
  private let responses: SignUpResponses
  private let storage: StorageHealth
  private let now: @Sendable () -> Timestamp
  private let makeID: @Sendable (Timestamp) -> ExecutionID

  init(_ dependencies: Dependencies, pages: Pages, origins: OriginPolicy, storage: StorageHealth) {
    commands = dependencies.commands
    self.storage = storage
    self.origins = origins
    responses = SignUpResponses(pages: pages, origins: origins, level: commands.level)
    limiter = ClientRateLimiter(rate: dependencies.signUpRate)
    now = dependencies.now
    makeID = dependencies.makeID
  }

  @Sendable
  func handle(_ routed: RoutedExchange) {
    let exchange = routed.exchange
    guard origins.permits(exchange.request) else {
      exchange.respond(.originNotAllowed)
      return
    }
    let time = now()
    // Before reading the body, so the response does not depend on its contents.
    let client = exchange.request.source.limitedClient
    if let seconds = limiter.secondsToWait(of: client, at: time) {
      responses.limited(secondsToWait: seconds, to: exchange)
      return
    }
    let form: SignUpForm
    switch SignUpForm.read(exchange.request) {
    case .success(let read): form = read
    case .failure(let error):
      exchange.respond(error.problem)
      return
    }
    let request = SignUpRequest(
      id: makeID(time),
      email: form.email,
      level: commands.level,
      time: time,
      consent: form.consent
    )
    let attempt = SignUpAttempt(
      id: request.id,
      form: form,
      exchange: exchange,
      start: prefersAsynchronousResponse(exchange.request)
        ? respondAtStart(of: request, exchange) : nil,
      responses: responses,
      storage: storage
    )
    commands.execute(request) { attempt.ended($0) }
  }

  /// Responds when the execution starts: its first message has been sent, so the client can
  /// already request the execution.
  private func respondAtStart(
    of request: SignUpRequest,
    _ exchange: Exchange
  ) -> any Disposable {
    commands.statusFeed.events.filter { $0.execution == request.id }.take(1).subscribe(next: { _ in
      var response = Response.accepted(request.id, after: .started)
      response.fields.append(.preferenceApplied, "respond-async")
      exchange.respond(response)
    })
  }

  /// Returns whether the client prefers a response as soon as the execution starts (RFC 7240 §4.1).
  ///
  /// The preference can be one of several, and can have parameters.
  private func prefersAsynchronousResponse(_ request: Request) -> Bool {
    request.fields.list(.prefer, contains: "respond-async")
  }
}

extension Response {
  /// Makes the response to an accepted sign-up.
  ///
  /// It is the same in every state of the list, so it does not reveal who is on it.
  static func accepted(_ id: ExecutionID, after message: StatusMessage) -> Response {
    let id = id.description
    var response = Response.json(.accepted, .snapshot(of: id, after: message))
    response.fields.append(.location, "/executions/", id)
    response.fields.append(
      .link,
      "</executions/",
      id,
      "/events>; rel=\"monitor\"; type=\"text/event-stream\""
    )
    return response
  }
}

internal import EmailAddresses
internal import HTTPSignals
internal import HTTPTypes
internal import MailingList
internal import Signals

extension SignUpService {
  /// The maximum number of sign-ups whose clients do not wait for the end: with any number of them,
  /// one connection could fill the queue of the store.
  private static let maximumAsynchronous = 64

  /// `POST /subscribers`: executes the command of the address in the body.
  func signUp(_ routed: RoutedExchange) throws(ProblemDetails) {
    let exchange = routed.exchange
    let request = exchange.request
    try origins.check(request)
    let time = dependencies.now()
    // Before the body is read, so that the response does not depend on its content.
    let client = request.source.limitedClient
    if let seconds = signUpLimiter.secondsToWait(of: client, at: time) {
      let form = request.prefersHTML ? try? SignUpForm(request, to: self) : nil
      return reject(.tooManyRequests(.signUp, secondsToWait: seconds), form, to: exchange)
    }
    let form = try SignUpForm(request, to: self)
    if let problem = form.problem { return reject(problem, form, to: exchange) }
    let signUp = form.request(id: dependencies.makeID(time), at: time, to: self)
    let respondsAtStart = prefersAsynchronousResponse(request)
    // The context of this closure, one allocation, contains all objects that wait for the outcome.
    commands.execute(signUp) { [self] end in
      respond(with: end, of: signUp, from: form, to: exchange)
    }
    // An execution whose first message has been sent can already be requested. One that has ended or
    // was rejected has its response, and a client that comes first waits for the end.
    guard respondsAtStart, executions.history(of: signUp.id)?.last?.message == .started else {
      return
    }
    var response = Response.accepted(signUp.id, after: .started)
    response.fields.append(.preferenceApplied, "respond-async")
    exchange.respond(response)
  }

  /// Returns whether the client prefers a response as soon as the execution starts, and may have it:
  /// a server may ignore a preference (RFC 7240 §2, §4.1).
  ///
  /// The preference may be one of several, and may have parameters.
  private func prefersAsynchronousResponse(_ request: Request) -> Bool {
    request.fields.list(.prefer, contains: "respond-async")
      && executions.executingCount < Self.maximumAsynchronous
  }

  private func respond(
    with end: End<SignUpError>, of request: SignUpRequest, from form: SignUpForm,
    to exchange: Exchange
  ) {
    switch end {
    case .completed:
      storage.succeeded()
      exchange.respond(accepted(request.id, form, to: exchange.request))
    case .failed(let error):
      var problem = error.problem
      switch error {
      case .invalidAddress, .undeliverable:
        problem.suggestion = EmailSuggestion.forValidated(
          form.email, request.email, level: dependencies.emailLevel)
      case .store(let error): storage.failed(error)
      case .executing, .draining: break
      }
      reject(problem, form, to: exchange)
    }
  }

  /// Creates the response to a stored sign-up, which is the same in every state of the list.
  private func accepted(_ id: ExecutionID, _ form: SignUpForm, to request: Request) -> Response {
    guard request.prefersHTML else { return .accepted(id, after: .completed) }
    let next = form.next.flatMap { origins.permitsRedirect(to: $0) ? $0 : nil }
    return .redirect(to: next ?? "/thanks/\(id)")
  }

  /// Responds with a problem; a browser gets the form again, with the typed text.
  ///
  /// - Parameter form: `nil` if it could not be read.
  private func reject(_ problem: ProblemDetails, _ form: SignUpForm?, to exchange: Exchange) {
    guard exchange.request.prefersHTML, let form else {
      exchange.respond(problem)
      return
    }
    let texts = texts(of: exchange.request)
    // Of the others, the text is for programs.
    let message =
      problem.status == .serviceUnavailable ? texts[VisitorText.wait] : texts[problem.text]
    exchange.respond(pages.rejection(problem, message, of: form, in: texts))
  }

  /// `GET /commands/subscribe`: the state of the command across all addresses.
  func showCommand(_ routed: RoutedExchange) {
    routed.exchange.respond(
      .json { object in
        object.member("enabled", commands.isEnabled.value)
        object.member("executing", executions.executingCount)
        object.member("allowsConcurrentExecution", SubscribeCommand.allowsConcurrentExecution)
      })
  }
}

extension Response {
  /// Creates the response to an accepted sign-up.
  ///
  /// The response is the same in every state of the list, so it does not reveal whether the address
  /// is on it.
  fileprivate static func accepted(_ id: ExecutionID, after message: StatusMessage) -> Response {
    let id = id.description
    var response = Response.json(.accepted, .snapshot(of: id, after: message))
    response.fields.append(.location, "/executions/", id)
    response.fields.append(
      .link, "</executions/", id, "/events>; rel=\"monitor\"; type=\"text/event-stream\"")
    return response
  }

  /// Creates the response to a form that sends a browser on.
  static func redirect(to url: String) -> Response {
    var response = Response(status: .seeOther)
    response.fields[.location] = url
    response.fields[.cacheControl] = "no-store"
    return response
  }
}

extension JSONText {
  /// Creates the snapshot of an execution: the body of the 202, and of `GET /executions/{id}`.
  static func snapshot(of id: String, after message: StatusMessage) -> JSONText {
    var json = JSONText()
    json.object { object in
      object.object("execution") { execution in
        execution.member("id", id)
        execution.member("state", message.state)
        execution.member("message", message.rawValue)
      }
    }
    return json
  }
}

internal import EmailAddresses
internal import HTTPSignals
internal import HTTPTypes
internal import MailingList
internal import Signals

/// The handler of `POST /subscribers`: executes the command of the address in the body.
final class SignUpController: Sendable {
  /// The maximum number of sign-ups whose clients do not wait for the end: with any number of them,
  /// one connection could fill the queue of the store.
  private static let maximumAsynchronous = 64

  private let commands: SubscribeCommands
  private let directory: ExecutionDirectory
  private let limiter: ClientRateLimiter
  private let origins: OriginPolicy
  private let responses: SignUpResponses
  private let level: EmailLevel
  private let validate: @Sendable (String, EmailLevel) throws(EmailAddressError) -> EmailAddress
  private let now: @Sendable () -> Timestamp
  private let makeID: @Sendable (Timestamp) -> ExecutionID
  private let consentAddress: ConsentAddress
  private let fields: [FormField]
  /// `nil` in a service without mail.
  private let mailDetails: MailDetails?

  init(
    _ dependencies: Dependencies, commands: SubscribeCommands, directory: ExecutionDirectory,
    pages: Pages, origins: OriginPolicy, limiter: ClientRateLimiter, storage: StorageHealth
  ) {
    self.commands = commands
    self.directory = directory
    self.origins = origins
    level = dependencies.emailLevel
    validate = dependencies.validate
    responses = SignUpResponses(pages: pages, origins: origins, level: level, storage: storage)
    self.limiter = limiter
    now = dependencies.now
    makeID = dependencies.makeID
    consentAddress = dependencies.consentAddress
    fields = pages.frame.profile.fields
    mailDetails = MailDetails(
      dependencies.optIn, keys: dependencies.mailKeys, origins: origins, texts: pages.texts)
  }

  @Sendable
  func handle(_ routed: RoutedExchange) {
    let exchange = routed.exchange
    guard origins.admits(exchange) else { return }
    let time = now()
    // Check the rate before the body is read, so that the response does not depend on its content.
    let client = exchange.request.source.limitedClient
    if let seconds = limiter.secondsToWait(of: client, at: time) {
      responses.limited(secondsToWait: seconds, to: exchange)
      return
    }
    let form: SignUpForm
    do throws(SignUpFormError) {
      form = try SignUpForm(exchange.request, keeping: consentAddress, with: fields, mailDetails)
    } catch {
      exchange.respond(error.problem)
      return
    }
    let request = form.request(id: makeID(time), time: time, hashing: mailDetails) {
      typed throws(EmailAddressError) in
      try validate(typed, level)
    }
    let start =
      prefersAsynchronousResponse(exchange.request) ? respondAtStart(of: request, exchange) : nil
    // The context of this closure, one allocation, contains all objects that wait for the outcome.
    commands.execute(request) { [responses] end in
      // A rejected sign-up never starts, so nothing else would end this subscription.
      if case .failed = end { start?.dispose() }
      responses.respond(with: end, of: request, from: form, to: exchange)
    }
  }

  /// Responds when the execution starts: its first message has been sent, so the client can
  /// already request the execution.
  private func respondAtStart(of request: SignUpRequest, _ exchange: Exchange) -> any Disposable {
    commands.statusFeed.events.filter { $0.execution == request.id }.take(1).subscribe(next: { _ in
      var response = Response.accepted(request.id, after: .started)
      response.fields.append(.preferenceApplied, "respond-async")
      exchange.respond(response)
    })
  }

  /// Returns whether the client prefers a response as soon as the execution starts, and may have it:
  /// a server may ignore a preference (RFC 7240 §2, §4.1).
  ///
  /// The preference may be one of several, and may have parameters.
  private func prefersAsynchronousResponse(_ request: Request) -> Bool {
    request.fields.list(.prefer, contains: "respond-async")
      && directory.executingCount < Self.maximumAsynchronous
  }
}

extension Response {
  /// Creates the response to an accepted sign-up.
  ///
  /// The response is the same in every state of the list, so it does not reveal whether the address
  /// is on it.
  static func accepted(_ id: ExecutionID, after message: StatusMessage) -> Response {
    let id = id.description
    var response = Response.json(.accepted, .snapshot(of: id, after: message))
    response.fields.append(.location, "/executions/", id)
    response.fields.append(
      .link, "</executions/", id, "/events>; rel=\"monitor\"; type=\"text/event-stream\"")
    return response
  }
}

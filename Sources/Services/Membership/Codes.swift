internal import HTTPSignals
internal import HTTPTypes
internal import MailingList
internal import Security
internal import Signals

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

internal import HTTPSignals
internal import HTTPTypes
internal import Signals
internal import MailingList
internal import Security

/// The handler of `POST /executions/{id}/code`: confirms by the code of a mail.
///
/// The response to a wrong code, an expired code, and a code for an address that gets no mail is
/// the same, so it does not depend on the state of the list.
final class CodeController: Sendable {
  private let store: any SubscriberStore
  /// `nil` in a service whose mails have no code.
  private let keys: MailKeys?
  private let pages: Pages
  private let origins: OriginPolicy
  private let watch: ConfirmationWatch
  private let storage: StorageHealth
  private let now: @Sendable () -> Timestamp
  private let consentAddress: ConsentAddress
  /// The attempts at the code of each execution, as many as those at each mail, which the store
  /// counts.
  ///
  /// An attempt is remembered for as long as an execution is known.
  private let tries = Lock(
    LeakyBucketTable(
      count: ConfirmationLimits.codeTries, per: ExecutionID.lifetime * ConfirmationLimits.codeTries)
  )

  init(
    _ dependencies: Dependencies, pages: Pages, origins: OriginPolicy, watch: ConfirmationWatch,
    storage: StorageHealth
  ) {
    store = dependencies.store
    keys =
      switch NextStep(dependencies.optIn, sendsCode: dependencies.sendsCode) {
      case .none, .link: nil
      case .code: dependencies.mailKeys
      }
    self.pages = pages
    self.origins = origins
    self.watch = watch
    self.storage = storage
    now = dependencies.now
    consentAddress = dependencies.consentAddress
  }

  @Sendable
  func confirm(_ routed: RoutedExchange) {
    let exchange = routed.exchange
    guard origins.admits(exchange) else { return }
    let time = now()
    guard let keys, let id = routed["id"].flatMap({ ExecutionID($0) }), id.isKnown(at: time) else {
      exchange.respond(.notFound)
      return
    }
    do throws(CodeFormError) {
      compare(try CodeForm(exchange.request).code, with: keys, of: id, at: time, exchange)
    } catch {
      reject(error.problem, of: id, to: exchange)
    }
  }

  private func compare(
    _ code: ConfirmationCode, with keys: MailKeys, of id: ExecutionID, at time: Timestamp,
    _ exchange: Exchange
  ) {
    // Counted before the code is compared, so that all concurrent attempts count.
    let room = tries.withLock { Int($0.take(id, at: time.millisecondsSince1970).room) }
    guard room > 0 else {
      reject(.wrongCode(triesLeft: 0), of: id, to: exchange)
      return
    }
    store.confirm(
      code: { hash, subscriber in keys.matches(code, hash: hash, of: subscriber) }, of: id,
      MembershipRequest(at: time, of: exchange.request, keeping: consentAddress, pages.texts)
    ).subscribe(
      next: { [self] result in
        storage.succeeded()
        switch result {
        case .confirmed(let subscriber):
          cancelTry(of: id)
          watch.confirmed(subscriber.id, at: time)
          respondConfirmed(to: exchange)
        case .already:
          cancelTry(of: id)
          respondConfirmed(to: exchange)
        case .wrong:
          reject(.wrongCode(triesLeft: room - 1), of: id, to: exchange)
        case .unknown:
          cancelTry(of: id)
          exchange.respond(.notFound)
        }
      },
      failed: { [self] error in
        cancelTry(of: id)
        storage.failed(error)
        exchange.respond(error.problem)
      }
    )
  }

  /// Cancels an attempt, because the code was not wrong, or was not compared.
  private func cancelTry(of id: ExecutionID) {
    tries.withLock { $0.cancel(id) }
  }

  private func respondConfirmed(to exchange: Exchange) {
    exchange.respond(
      exchange.request.prefersHTML
        ? pages.thanks.confirmed(in: pages.texts.preferred(by: exchange.request))
        : .state("subscribed")
    )
  }

  /// Rejects a code; a browser gets the form again.
  private func reject(_ problem: ProblemDetails, of id: ExecutionID, to exchange: Exchange) {
    guard exchange.request.prefersHTML, problem.status == .unprocessableContent else {
      exchange.respond(problem)
      return
    }
    pages.metrics.count(problem)
    exchange.respond(
      pages.thanks.response(
        for: id, after: .completed, rejecting: problem,
        in: pages.texts.preferred(by: exchange.request)))
  }
}

internal import HTTPSignals
internal import MailingList
internal import Signals

/// One sign-up on its way to its answer.
///
/// An object, since whoever waits for the outcome holds this and nothing else, and so allocates
/// nothing.
final class SignUpAttempt: Sendable {
  private let id: ExecutionID
  private let form: SignUpForm
  private let exchange: Exchange
  /// What answers as soon as the execution has started, if that is wanted.
  private let start: (any Disposable)?
  private let responses: SignUpResponses
  private let storage: StorageHealth

  init(
    id: ExecutionID,
    form: SignUpForm,
    exchange: Exchange,
    start: (any Disposable)?,
    responses: SignUpResponses,
    storage: StorageHealth
  ) {
    self.id = id
    self.form = form
    self.exchange = exchange
    self.start = start
    self.responses = responses
    self.storage = storage
  }

  /// Answers whether it was stored.
  func ended(_ end: End<SignUpError>) {
    switch end {
    case .completed:
      storage.succeeded()
      exchange.respond(responses.accepted(id, form, to: exchange.request))
    case .failed(let error):
      start?.dispose()
      if case .store(let error) = error { storage.failed(error) }
      responses.rejected(error, form, to: exchange)
    }
  }
}

internal import HTTPSignals
internal import MailingList
internal import Signals

/// One sign-up that is waiting for its response.
///
/// A class: the closure that waits for the outcome captures this one reference, so it allocates
/// nothing more.
final class SignUpAttempt: Sendable {
  private let id: ExecutionID
  private let form: SignUpForm
  private let exchange: Exchange
  /// The subscription that responds when the execution starts; `nil` if the client does not
  /// prefer that.
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

  /// Responds with the outcome of the execution.
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

internal import HTTPSignals
internal import MailingList
internal import Signals

/// One sign-up on its way to its answer.
///
/// An object, since whoever waits for the outcome holds this and nothing else, and so allocates
/// nothing.
final class SignUpAttempt: Sendable {
  private let id: SignUpID
  private let form: SubscribeForm
  private let exchange: Exchange
  /// What answers as soon as the execution has started, if that is wanted.
  private let start: (any Disposable)?
  private let answers: SignUpAnswers
  private let storage: StorageWatch

  init(
    id: SignUpID,
    form: SubscribeForm,
    exchange: Exchange,
    start: (any Disposable)?,
    answers: SignUpAnswers,
    storage: StorageWatch
  ) {
    self.id = id
    self.form = form
    self.exchange = exchange
    self.start = start
    self.answers = answers
    self.storage = storage
  }

  /// Answers whether it was stored.
  func ended(_ end: End<SubscribeError>) {
    switch end {
    case .completed:
      storage.succeeded()
      exchange.respond(answers.accepted(id, form, to: exchange.request))
    case .failed(let error):
      start?.dispose()
      if case .store(let error) = error { storage.failed(error) }
      answers.refused(error, form, to: exchange)
    }
  }
}

import MailingList
import Signals

extension SubscribeCommands {
  /// Executes a request and replays its outcome.
  func outcome(of request: SignUpRequest) -> Signal<Never, SignUpError> {
    let outcome = ReplaySubject<Never, SignUpError>()
    execute(request) { end in
      switch end {
      case .completed: outcome.complete()
      case .failed(let error): outcome.fail(error)
      }
    }
    return outcome.signal
  }
}

import MailingList
import Signals

extension SubscribeCommands {
  /// Executes, and replays how it ended.
  func outcome(of request: SubscribeRequest) -> Signal<Never, SubscribeError> {
    let outcome = ReplaySubject<Never, SubscribeError>()
    execute(request) { end in
      switch end {
      case .completed: outcome.complete()
      case .failed(let error): outcome.fail(error)
      }
    }
    return outcome.signal
  }
}

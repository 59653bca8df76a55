import MailingList
import Signals

extension SubscribeCommands {
  /// Creates commands whose status messages are not recorded.
  convenience init(store: any ListStore, scope: Scope = .address) {
    self.init(store: store, statusFeed: StatusFeed(recordingWith: { _ in }), scope: scope)
  }

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

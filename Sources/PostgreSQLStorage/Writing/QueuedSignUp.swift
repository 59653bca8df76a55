internal import MailingList
internal import Signals

/// A sign-up that waits for its batch.
///
/// A class: moving the values of a sign-up whenever a batch grows costs more than one allocation.
final class QueuedSignUp: Sendable {
  /// The sign-up.
  let signUp: SignUp
  /// The observer of its outcome.
  let observer: Observer<Never, StoreError>
  /// The end of its wait for a batch.
  let deadline: ContinuousClock.Instant

  /// Creates a sign-up that waits.
  ///
  /// - Parameter deadline: Until when it waits for a batch.
  init(
    _ signUp: SignUp,
    _ observer: Observer<Never, StoreError>,
    until deadline: ContinuousClock.Instant
  ) {
    self.signUp = signUp
    self.observer = observer
    self.deadline = deadline
  }

  /// Sends the outcome.
  ///
  /// - Parameter error: Why it was not stored; `nil` when it is durable.
  func end(_ error: StoreError?) {
    if let error { observer.fail(error) } else { observer.complete() }
  }
}

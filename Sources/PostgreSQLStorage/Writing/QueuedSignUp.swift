internal import MailingList
internal import Signals

/// A sign-up that is waiting for its batch.
///
/// It is a class because moving its values whenever a batch grows would cost more than one
/// allocation.
final class QueuedSignUp: Sendable {
  let signUp: SignUp
  let observer: Observer<Never, StoreError>
  /// The end of its wait for a batch.
  let deadline: ContinuousClock.Instant

  init(
    _ signUp: SignUp, _ observer: Observer<Never, StoreError>,
    until deadline: ContinuousClock.Instant
  ) {
    self.signUp = signUp
    self.observer = observer
    self.deadline = deadline
  }

  /// Sends the outcome.
  ///
  /// - Parameter error: The reason why the sign-up was not stored; `nil` when it is durable.
  func end(_ error: StoreError?) {
    if let error { observer.fail(error) } else { observer.complete() }
  }
}

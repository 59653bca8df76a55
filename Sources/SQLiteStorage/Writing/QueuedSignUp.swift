internal import MailingList
internal import Signals

/// A sign-up that is waiting for its transaction, with the observer of its outcome.
///
/// A class: moving the values of a sign-up whenever a batch grows cost more than one allocation.
final class QueuedSignUp: Sendable {
  let signUp: SignUp
  let observer: Observer<Never, StoreError>

  init(signUp: SignUp, observer: Observer<Never, StoreError>) {
    self.signUp = signUp
    self.observer = observer
  }
}

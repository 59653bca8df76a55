internal import MailingList
internal import Signals

/// A sign-up that waits for its transaction, and who is told.
///
/// A class, since a sign-up is large, and moving it whenever a batch grows cost more than storing it
/// away once.
final class QueuedSignUp: Sendable {
  let signUp: SignUp
  let observer: Observer<Receipt, StoreError>

  init(signUp: SignUp, observer: Observer<Receipt, StoreError>) {
    self.signUp = signUp
    self.observer = observer
  }
}

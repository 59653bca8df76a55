internal import MailingList
internal import Signals

/// The sign-ups or changes that the writer stores in one turn.
struct WriteBatch: Sendable {
  /// The sign-ups, which are stored first, with one statement.
  let signUps: [QueuedSignUp]
  /// The changes of memberships and of the outbox.
  let changes: [QueuedChange]
  /// The observers of whether the store accepts writes.
  let probes: [Observer<Never, StoreError>]

  /// Whether there is nothing to store.
  var isEmpty: Bool { signUps.isEmpty && changes.isEmpty && probes.isEmpty }

  /// Sends an error to all observers.
  func fail(_ error: StoreError) {
    for member in signUps { member.end(error) }
    for change in changes { change.fail(error) }
    for probe in probes { probe.fail(error) }
  }
}

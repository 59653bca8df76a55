internal import MailingList
internal import Signals

/// The sign-ups and changes that the writer stores in one turn.
struct WriteBatch: Sendable {
  /// The sign-ups, which precede the changes, in one statement.
  let signUps: [QueuedSignUp]
  /// The changes other than sign-ups.
  let changes: [QueuedChange]
  /// The observers of a probe.
  let probes: [Observer<Never, StoreError>]

  /// Whether there is nothing to store.
  var isEmpty: Bool { signUps.isEmpty && changes.isEmpty && probes.isEmpty }

  func fail(_ error: StoreError) {
    for member in signUps { member.end(error) }
    for change in changes { change.fail(error) }
    for probe in probes { probe.fail(error) }
  }
}

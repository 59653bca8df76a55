/// The contents of one transaction.
struct WriteBatch: Sendable {
  /// The sign-ups, which are stored before the changes.
  let signUps: [QueuedSignUp]
  /// All other changes: memberships, the outbox, keys and the purge.
  let changes: [any QueuedChange]
}

/// What the writer stores in one transaction.
struct WriteBatch: Sendable {
  /// The sign-ups, which are stored first.
  let signUps: [QueuedSignUp]
  /// The changes of memberships and of the outbox.
  let changes: [any QueuedChange]
}

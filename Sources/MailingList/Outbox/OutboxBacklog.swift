/// The number of mails that wait in an outbox.
package struct OutboxBacklog: Hashable, Sendable {
  /// The number up to which mails are counted.
  package static let maximumCount = 10_000

  /// The number of mails that wait or are being delivered, at most ``maximumCount``.
  package let waiting: Int
  /// The time of the oldest sign-up whose mail was counted; `nil` if no mail waits.
  package let oldest: Timestamp?
  /// Whether another process delivers the mails.
  package let isServedElsewhere: Bool

  package init(waiting: Int, oldest: Timestamp?, isServedElsewhere: Bool) {
    self.waiting = waiting
    self.oldest = oldest
    self.isServedElsewhere = isServedElsewhere
  }
}

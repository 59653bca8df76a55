/// The number of mails that wait in an outbox.
package struct OutboxBacklog: Hashable, Sendable {
  /// The number up to which mails are counted.
  package static let maximumCount = 10_000

  /// The number of mails that wait or are being delivered, without held ones, at most
  /// ``maximumCount``.
  package let waiting: Int
  /// The time of the oldest sign-up whose mail was counted; `nil` if no mail waits.
  package let oldest: Timestamp?
  /// The number of mails that are held, at most ``maximumCount``.
  package let held: Int
  /// Whether another process delivers the mails.
  package let isServedElsewhere: Bool

  package init(waiting: Int, oldest: Timestamp?, held: Int = 0, isServedElsewhere: Bool) {
    self.waiting = waiting
    self.oldest = oldest
    self.held = held
    self.isServedElsewhere = isServedElsewhere
  }
}

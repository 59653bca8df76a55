/// What a confirmation by a link has led to.
package enum ConfirmationResult: Hashable, Sendable {
  /// The person is a subscriber from now on.
  case confirmed(ConfirmedSubscriber)
  /// The person was a subscriber already; nothing has changed.
  case already(ConfirmedSubscriber)
  /// The link has expired, or the person has left or was suppressed since; nothing has changed.
  case gone
  /// The link is unknown.
  case unknown
}

/// What a confirmation by a code has led to.
package enum CodeResult: Hashable, Sendable {
  /// The person is a subscriber from now on.
  case confirmed(ConfirmedSubscriber)
  /// The person was a subscriber already; nothing has changed.
  case already(ConfirmedSubscriber)
  /// The code is not that of the last mail, has expired, or has been tried too often. Nothing tells
  /// these apart, nor whether there is a code at all.
  case wrong
  /// The execution is unknown, or older than ``ExecutionID/lifetime``.
  case unknown
}

/// A person who has proved to own an address.
package struct ConfirmedSubscriber: Hashable, Sendable {
  /// The store's number of the subscriber.
  package let id: Int64
  /// The page to which the sign-up leads on, if any, to be checked again.
  package let next: String?

  /// Creates a subscriber.
  ///
  /// - Parameter next: The page to which the sign-up leads on, if any.
  package init(id: Int64, next: String?) {
    self.id = id
    self.next = next
  }
}

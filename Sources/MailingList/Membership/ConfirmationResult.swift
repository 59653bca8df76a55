/// The result of a confirmation by a link.
package enum ConfirmationResult: Hashable, Sendable {
  /// The person is a subscriber from now on.
  case confirmed(ConfirmedSubscriber)
  /// The person was already a subscriber; nothing has changed.
  case already(ConfirmedSubscriber)
  /// The link has expired, or the person has left or was suppressed since; nothing has changed.
  case gone
  /// The link is unknown.
  case unknown
}

/// The result of a confirmation by a code.
package enum CodeResult: Hashable, Sendable {
  /// The person is a subscriber from now on.
  case confirmed(ConfirmedSubscriber)
  /// The person was already a subscriber; nothing has changed.
  case already(ConfirmedSubscriber)
  /// The code is not that of the last mail, has expired, or has been tried too often.
  ///
  /// These cases, and the absence of a code, are deliberately indistinguishable.
  case wrong
  /// The execution is unknown, or older than ``ExecutionID/lifetime``.
  case unknown
}

/// A person who has proved ownership of an address.
package struct ConfirmedSubscriber: Hashable, Sendable {
  /// The store's number of the subscriber.
  package let id: Int64
  /// The page to which the sign-up redirects, if any; it must be checked again.
  package let next: String?

  package init(id: Int64, next: String?) {
    self.id = id
    self.next = next
  }
}

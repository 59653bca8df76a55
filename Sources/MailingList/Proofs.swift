/// A request by the owner of an address, proved with a link or a code, to be recorded.
package struct MembershipRequest: Sendable {
  package let time: Timestamp
  /// The origin of the request.
  ///
  /// Its language is that of the mail that the request causes, if any.
  package let consent: Consent

  package init(at time: Timestamp, consent: Consent = Consent()) {
    self.time = time
    self.consent = consent
  }
}

/// The means by which a person changed a membership; the raw value is the stored one.
package enum ConsentMeans: String, Hashable, Sendable, CaseIterable {
  /// A link in a mail, and the button on its page.
  case link
  /// A code in a mail.
  case code
  /// The button of a mail program (RFC 8058).
  case oneClick = "one-click"
  /// A request for a new link by means of an old one.
  case renewal
  /// A change by the operator.
  case `operator`
}

/// The purpose of a link in a mail; the raw value is the stored one.
package enum LinkPurpose: Int64, Hashable, Sendable, CaseIterable {
  /// Confirm the subscription.
  case confirm = 0
  /// Leave the list.
  case unsubscribe = 1
}

/// The effect that a link in a mail would have.
package enum LinkStatus: Hashable, Sendable {
  /// The link is unknown, or its subscriber has been erased.
  case unknown
  /// Pressing the button changes the membership: the person confirms, or leaves.
  case usable
  /// The link has no effect: the person is already a subscriber, or is not on the list.
  case done
  /// The link to confirm has expired, or the person has left or was suppressed since.
  ///
  /// A link to leave never has this status.
  case gone
}

/// How long a person can confirm with a mail, and how often they may mistype its code.
package enum ConfirmationLimits {
  /// The time after which the link of a mail expires, from the last attempt to send the mail.
  package static let linkLifetime: Duration = .seconds(7 * 86_400)
  /// The time after which the code of a mail expires, from the same.
  package static let codeLifetime: Duration = .seconds(1800)
  /// The maximum number of attempts at the code of a mail, and of codes for an execution.
  package static let codeTries = 5
}

/// The result of a confirmation by a link or a code.
package enum ConfirmationResult: Hashable, Sendable {
  /// The person is a subscriber from now on.
  case confirmed(ConfirmedSubscriber)
  /// The person was already a subscriber; nothing has changed.
  case already(ConfirmedSubscriber)
  /// The link has expired, or the person has left or was suppressed since; nothing has changed.
  ///
  /// For a code, also one that is not that of the last mail, or has been tried too often: these
  /// cases, and the absence of a code, are deliberately indistinguishable.
  case refused
  /// The link is unknown; the execution is, or it is older than ``ExecutionID/lifetime``.
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

/// The proof that a person may leave the list.
package enum LeaveProof: Sendable {
  /// The link of a mail, by the hash of its token.
  case link([UInt8])
  /// The link of an export, by the id of the subscriber and the time of the first sign-up.
  case subscriber(Int64, createdAt: Timestamp)
}

/// The result of leaving by a link.
package enum LeaveResult: Hashable, Sendable {
  /// The person has left the list.
  case left
  /// The person was not on the list; nothing has changed.
  case already
  /// The link is unknown.
  case unknown
}

/// The membership of the subscriber who made a sign-up.
package struct ExecutionMembership: Hashable, Sendable {
  /// The store's number of the subscriber.
  package let subscriberID: Int64
  /// The last confirmation; `nil` while the person is not a subscriber.
  package let confirmedAt: Timestamp?

  package init(subscriberID: Int64, confirmedAt: Timestamp?) {
    self.subscriberID = subscriberID
    self.confirmedAt = confirmedAt
  }
}

/// The keyed hashes of an address, by which a store counts its mails and finds its suppression.
///
/// The hashes are computed outside the store's thread, with keys that the store need not have.
package struct AddressHashes: Hashable, Sendable {
  /// The hash of the mailbox, which the addresses of one person share; 32 bytes, and one more for
  /// an address with a subaddress.
  package let mailbox: [UInt8]
  /// The hash of the comparison key, computed with the secret in use; 32 bytes.
  package let suppression: [UInt8]
  /// The same with the previous secret, if there is one.
  package let previousSuppression: [UInt8]?

  /// Creates hashes from those of the comparison key for each secret; the one in use is the first.
  init(mailbox: [UInt8], suppressions: [[UInt8]]) {
    self.mailbox = mailbox
    suppression = suppressions.first ?? []
    previousSuppression = suppressions.dropFirst().first
  }
}

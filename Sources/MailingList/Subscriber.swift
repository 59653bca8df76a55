package import EmailAddresses

/// A person on the list, in the form that the operator exports.
package struct Subscriber: Hashable, Sendable {
  /// The state of a subscriber; `docs/decisions/` describes the transitions.
  package enum State: Int64, Hashable, Sendable, CaseIterable {
    /// The address was signed up, but is not confirmed.
    case pending = 0
    /// The address is on the list.
    case subscribed = 1
    /// The person has left the list.
    case unsubscribed = 2
    /// The address must never receive mail.
    case suppressed = 3

    package var name: String {
      switch self {
      case .pending: "pending"
      case .subscribed: "subscribed"
      case .unsubscribed: "unsubscribed"
      case .suppressed: "suppressed"
      }
    }
  }

  /// The store's own number, which increases in the order of first sign-ups.
  package let id: Int64
  /// The address of the first sign-up, not of a later one; mail goes to it.
  package let address: String
  package let state: State
  /// The requested language (BCP 47), if any.
  package let locale: String?
  /// The time of the first sign-up.
  package let createdAt: Timestamp
  /// The time of the confirmation; with single opt-in, of the sign-up.
  package let confirmedAt: Timestamp?
  package let unsubscribedAt: Timestamp?
  /// The reason for the state ``State/suppressed``; `nil` in any other state.
  package let suppression: Suppression?
  /// The owner's fields from the sign-up that was confirmed, a JSON object whose values are strings.
  package let fields: String?
}

/// A stored consent: the agreement or its withdrawal, its time, and its means.
///
/// A class: passing it copies one reference instead of a dozen strings.
package final class RecordedConsent: Sendable {
  package let subscriberID: Int64
  /// The id of the record; for a sign-up, the id of its execution.
  package let id: ExecutionID
  /// `requested`, `confirmed`, `withdrawn` or `imported`.
  package let kind: String
  package let time: Timestamp
  /// The means of a confirmation or a withdrawal, such as `link` or `code`.
  package let means: String?
  /// The sign-up whose mail led to a confirmation or a withdrawal.
  package let requestID: ExecutionID?
  /// The Message-ID of that mail.
  package let messageID: String?
  /// The wording of that mail.
  package let wording: Wording?
  package let consent: Consent

  /// The text of a mail, without links and code.
  package struct Wording: Hashable, Sendable {
    /// The language (BCP 47).
    package let language: String
    package let subject: String
    package let text: String

    package init(language: String, subject: String, text: String) {
      self.language = language
      self.subject = subject
      self.text = text
    }
  }

  package init(
    subscriberID: Int64, id: ExecutionID, kind: String, time: Timestamp, means: String?,
    requestID: ExecutionID?, messageID: String?, wording: Wording?, consent: Consent
  ) {
    self.subscriberID = subscriberID
    self.id = id
    self.kind = kind
    self.time = time
    self.means = means
    self.requestID = requestID
    self.messageID = messageID
    self.wording = wording
    self.consent = consent
  }
}

/// The subscriber of an address, and its suppression.
package struct AddressStatus: Hashable, Sendable {
  /// `nil` if the address is not on the list.
  package let subscriber: Subscriber?
  /// The reason why the address gets no mail, also if it is not on the list.
  package let suppression: Suppression?

  package init(subscriber: Subscriber?, suppression: Suppression?) {
    self.subscriber = subscriber
    self.suppression = suppression
  }
}

/// A person of another list, as a file describes them.
package struct ImportedPerson: Sendable {
  package let address: EmailAddress
  package let membership: Membership
  /// The time at which the person left the other list, if the file says so.
  package let leftAt: Timestamp?
  package let locale: String?
  package let createdAt: Timestamp
  /// The owner's fields, a JSON object whose values are strings.
  package let fields: String?
  /// The evidence; its subscriber is the person, whatever the ids in it.
  package let consents: [RecordedConsent]

  package init(
    address: EmailAddress, membership: Membership, leftAt: Timestamp?, locale: String?,
    createdAt: Timestamp, fields: String?, consents: [RecordedConsent]
  ) {
    self.address = address
    self.membership = membership
    self.leftAt = leftAt
    self.locale = locale
    self.createdAt = createdAt
    self.fields = fields
    self.consents = consents
  }
}

/// The effect of an import on one person.
package enum ImportResult: Hashable, Sendable {
  /// The person was not on the list.
  case new
  /// The person was on the list, with another state.
  case changed
  /// The person's state on the list holds.
  case known
  /// The person is not on the list, and the address is suppressed.
  case suppressed
}

/// The numbers of subscribers and consents that an erasure affects, and of remaining suppressions.
package struct ErasedCounts: Hashable, Sendable {
  package let subscribers: Int
  package let consents: Int

  /// The number of addresses whose suppression remains as a keyed hash.
  package let suppressions: Int

  package init(subscribers: Int, consents: Int, suppressions: Int = 0) {
    self.subscribers = subscribers
    self.consents = consents
    self.suppressions = suppressions
  }
}

/// What the keyed hash that an erasure leaves prevents; a stronger suppression of the address stays,
/// unless nothing is left.
package enum ErasureTrace: String, CaseIterable, Sendable {
  /// Imports and programs do not add the address again; the person may sign up.
  case imports
  /// The address never gets mail again.
  case everything
  /// No hash is left.
  case nothing
}

/// The reason why an erasure failed or is incomplete.
package enum ErasureError: Error, Hashable, Sendable {
  /// Nothing was erased.
  case notErased(StoreError)
  /// The rows are erased, but the files may still contain their bytes.
  case bytesRemain(StoreError)
}

extension ErasureError: CustomStringConvertible {
  /// One sentence for the operator.
  package var description: String {
    switch self {
    case .notErased(let error):
      "nothing was erased: \(error)"
    case .bytesRemain(let error):
      """
      the rows are erased, but the database or its log may still contain their bytes: \(error); \
      run the same command again
      """
    }
  }
}

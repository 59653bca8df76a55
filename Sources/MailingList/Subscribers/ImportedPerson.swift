package import EmailAddresses

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

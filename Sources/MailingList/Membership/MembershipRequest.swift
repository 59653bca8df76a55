/// A request by the owner of an address, who proves it with a link or a code, to be recorded.
package struct MembershipRequest: Sendable {
  /// The time of the request.
  package let time: Timestamp
  /// Where the request came from.
  ///
  /// Its language is that of the mail that the request causes, if any.
  package let consent: Consent

  /// Creates a request.
  package init(at time: Timestamp, consent: Consent = Consent()) {
    self.time = time
    self.consent = consent
  }
}

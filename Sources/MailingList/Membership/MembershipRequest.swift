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

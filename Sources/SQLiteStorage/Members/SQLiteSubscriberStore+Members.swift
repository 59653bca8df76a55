package import EmailAddresses
package import MailingList
package import Signals

/// Reads do not wait for the writer; changes share the transactions of sign-ups and run after them.
extension SQLiteSubscriberStore {
  /// Reads the membership of the subscriber who made this sign-up.
  package func membership(
    of id: ExecutionID
  ) -> Signal<ExecutionMembership?, StoreError> {
    reads.read { [now] in try Queries.membership(of: id, at: now(), in: $0) }
  }

  /// Reads the status of a link in a mail.
  package func lookUp(
    _ token: [UInt8],
    for purpose: LinkPurpose,
    at time: Timestamp
  ) -> Signal<LinkStatus, StoreError> {
    reads.read { try Queries.link(token, for: purpose, at: time, in: $0) }
  }

  package func confirm(
    _ token: [UInt8],
    _ request: MembershipRequest
  ) -> Signal<ConfirmationResult, StoreError> {
    queue.change { (writer) throws(StoreError) in try writer.confirm(token, request) }
  }

  package func confirm(
    code isCode: @escaping @Sendable (_ hash: [UInt8], _ subscriber: Int64) -> Bool,
    of id: ExecutionID,
    _ request: MembershipRequest
  ) -> Signal<CodeResult, StoreError> {
    queue.change { (writer) throws(StoreError) in
      try writer.confirm(code: isCode, of: id, request)
    }
  }

  /// Unsubscribes the subscriber of a link.
  package func leave(
    _ token: [UInt8],
    by means: ConsentMeans,
    _ request: MembershipRequest
  ) -> Signal<LeaveResult, StoreError> {
    queue.change { (writer) throws(StoreError) in try writer.leave(token, by: means, request) }
  }

  /// Requests a new confirmation link by means of an old one.
  package func renew(
    _ token: [UInt8],
    _ request: MembershipRequest
  ) -> Signal<RenewalResult, StoreError> {
    queue.change { (writer) throws(StoreError) in try writer.renew(token, request) }
  }

  /// Suppresses an address, whether or not it is on the list.
  package func suppress(
    _ address: EmailAddress,
    _ reason: Suppression,
    at time: Timestamp
  ) -> Signal<SuppressionResult, StoreError> {
    queue.change { (writer) throws(StoreError) in try writer.suppress(address, reason, at: time) }
  }
}

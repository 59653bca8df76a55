package import EmailAddresses
package import MailingList
package import Signals

/// Reads do not wait for the writer; changes follow the sign-ups that are queued.
extension PostgreSQLSubscriberStore {
  /// Reads whether a sign-up with this execution id was stored, by any replica.
  ///
  /// While the service follows the log, it waits up to two seconds for one that another replica may
  /// just be storing.
  package func hasStored(_ id: ExecutionID) -> Signal<Bool, StoreError> {
    if let log, log.isFollowed { return log.hasStored(id) }
    return reads.read { [now] (session) throws(PostgreSQLError) in
      try Queries.hasStored(id, at: now(), in: session)
    }
  }

  /// Reads subscribers in the order of their ids; each call sees its own snapshot of the list.
  package func subscribers(after id: Int64?, limit: Int) -> Signal<[Subscriber], StoreError> {
    reads.read { (session) throws(PostgreSQLError) in
      try Queries.subscribers(after: id, limit: limit, in: session)
    }
  }

  /// Reads what has become of the person of an execution.
  package func membership(of id: ExecutionID) -> Signal<ExecutionMembership?, StoreError> {
    reads.read { [now] (session) throws(PostgreSQLError) in
      try Queries.membership(of: id, at: now(), in: session)
    }
  }

  /// Reads what a link in a mail leads to.
  package func lookUp(
    _ token: [UInt8],
    for purpose: LinkPurpose,
    at time: Timestamp
  ) -> Signal<LinkStatus, StoreError> {
    reads.read { (session) throws(PostgreSQLError) in
      try Queries.link(token, for: purpose, at: time, in: session)
    }
  }

  /// Confirms a subscription by a link.
  package func confirm(
    _ token: [UInt8],
    _ request: MembershipRequest
  ) -> Signal<ConfirmationResult, StoreError> {
    queue.change { (writer) throws(PostgreSQLError) in try writer.confirm(token, request) }
  }

  /// Confirms a subscription by a code; the try is counted for all replicas.
  package func confirm(
    code isCode: @escaping @Sendable (_ hash: [UInt8], _ subscriber: Int64) -> Bool,
    of id: ExecutionID,
    _ request: MembershipRequest
  ) -> Signal<CodeResult, StoreError> {
    queue.change { (writer) throws(PostgreSQLError) in
      try writer.confirm(code: isCode, of: id, request)
    }
  }

  /// Takes a person off the list by a link.
  package func leave(
    _ token: [UInt8],
    by means: ConsentMeans,
    _ request: MembershipRequest
  ) -> Signal<LeaveResult, StoreError> {
    queue.change { (writer) throws(PostgreSQLError) in
      try writer.leave(token, by: means, request)
    }
  }

  /// Requests a new link to confirm by means of an old one.
  package func renew(
    _ token: [UInt8],
    _ request: MembershipRequest
  ) -> Signal<RenewalResult, StoreError> {
    queue.change { (writer) throws(PostgreSQLError) in try writer.renew(token, request) }
  }

  /// Suppresses an address, also one that is not on the list.
  package func suppress(
    _ address: EmailAddress,
    _ reason: Suppression,
    at time: Timestamp
  ) -> Signal<SuppressionResult, StoreError> {
    queue.change { (writer) throws(PostgreSQLError) in
      try writer.suppress(address, reason, at: time)
    }
  }
}

package import EmailAddresses
package import MailingList
package import Signals

extension InMemorySubscriberStore {
  package func membership(
    of id: ExecutionID
  ) -> Signal<ExecutionMembership?, StoreError> {
    read { list in list.membership(of: id, at: self.time) }
  }

  package func lookUp(
    _ token: [UInt8],
    for purpose: LinkPurpose,
    at time: Timestamp
  ) -> Signal<LinkStatus, StoreError> {
    read { list in list.lookUp(token, for: purpose, at: time) }
  }

  package func confirm(
    _ token: [UInt8],
    _ request: MembershipRequest
  ) -> Signal<ConfirmationResult, StoreError> {
    change { (list) throws(StoreError) in list.confirm(token, request) }
  }

  package func confirm(
    code isCode: @escaping @Sendable (_ hash: [UInt8], _ subscriber: Int64) -> Bool,
    of id: ExecutionID,
    _ request: MembershipRequest
  ) -> Signal<CodeResult, StoreError> {
    change { (list) throws(StoreError) in list.confirm(code: isCode, of: id, request) }
  }

  package func leave(
    _ proof: LeaveProof,
    by means: ConsentMeans,
    _ request: MembershipRequest
  ) -> Signal<LeaveResult, StoreError> {
    change { (list) throws(StoreError) in list.leave(proof, request) }
  }

  package func renew(
    _ token: [UInt8],
    _ request: MembershipRequest
  ) -> Signal<RenewalResult, StoreError> {
    change { (list) throws(StoreError) in list.renew(token, request) }
      .map { [mails] result in
        mails.announce()
        return result
      }
  }

  package func suppress(
    _ address: EmailAddress,
    _ reason: Suppression,
    by actor: EventActor,
    at time: Timestamp
  ) -> Signal<SuppressionResult, StoreError> {
    change { (list) throws(StoreError) in list.suppress(address, reason, at: time) }
  }
}

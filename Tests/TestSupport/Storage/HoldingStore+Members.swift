package import EmailAddresses
package import MailingList
package import Signals

extension HoldingStore {
  package var outbox: any Outbox { memory.outbox }

  package func membership(
    of id: ExecutionID
  ) -> Signal<ExecutionMembership?, StoreError> {
    memory.membership(of: id)
  }

  package func lookUp(
    _ token: [UInt8],
    for purpose: LinkPurpose,
    at time: Timestamp
  ) -> Signal<LinkStatus, StoreError> {
    memory.lookUp(token, for: purpose, at: time)
  }

  package func confirm(
    _ token: [UInt8],
    _ request: MembershipRequest
  ) -> Signal<ConfirmationResult, StoreError> {
    memory.confirm(token, request)
  }

  package func confirm(
    code isCode: @escaping @Sendable (_ hash: [UInt8], _ subscriber: Int64) -> Bool,
    of id: ExecutionID,
    _ request: MembershipRequest
  ) -> Signal<CodeResult, StoreError> {
    memory.confirm(code: isCode, of: id, request)
  }

  package func leave(
    _ proof: LeaveProof,
    by means: ConsentMeans,
    _ request: MembershipRequest
  ) -> Signal<LeaveResult, StoreError> {
    memory.leave(proof, by: means, request)
  }

  package func renew(
    _ token: [UInt8],
    _ request: MembershipRequest
  ) -> Signal<RenewalResult, StoreError> {
    memory.renew(token, request)
  }

  package func suppress(
    _ address: EmailAddress,
    _ reason: Suppression,
    by actor: EventActor,
    at time: Timestamp
  ) -> Signal<SuppressionResult, StoreError> {
    memory.suppress(address, reason, by: actor, at: time)
  }
}

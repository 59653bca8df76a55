package import EmailAddresses
package import MailingList
package import Security
package import Signals

/// A store whose rules and statements are those of this module.
package protocol ListStore: SubscriberStore, OperatorStore, KeyStore, WebhookStore, ReadableList {
  associatedtype Access: ListAccess

  var access: Access { get }
  /// The secrets of the list.
  var keyring: Keyring { get }
  /// Returns the current time, by which executions become unknown.
  var now: @Sendable () -> Timestamp { get }
}

extension ListStore {
  package func read<Value: Sendable>(
    _ body: @escaping @Sendable (ListReader) throws(StoreError) -> Value
  ) -> Signal<Value, StoreError> {
    access.read(body)
  }

  package func hasStored(_ id: ExecutionID) -> Signal<Bool, StoreError> {
    access.read { [now] (list) throws(StoreError) in try list.hasStored(id, at: now()) }
  }

  package func membership(of id: ExecutionID) -> Signal<ExecutionMembership?, StoreError> {
    access.read { [now] (list) throws(StoreError) in try list.membership(of: id, at: now()) }
  }

  package func lookUp(
    _ token: [UInt8], for purpose: LinkPurpose, at time: Timestamp
  ) -> Signal<LinkStatus, StoreError> {
    access.read { (list) throws(StoreError) in try list.link(token, for: purpose, at: time) }
  }

  package func confirm(
    _ token: [UInt8], _ request: MembershipRequest
  ) -> Signal<ConfirmationResult, StoreError> {
    access.change { (list) throws(StoreError) in try list.confirm(token, request) }
  }

  package func confirm(
    code isCode: @escaping @Sendable (_ hash: [UInt8], _ subscriber: Int64) -> Bool,
    of id: ExecutionID, _ request: MembershipRequest
  ) -> Signal<CodeResult, StoreError> {
    access.change { (list) throws(StoreError) in try list.confirm(code: isCode, of: id, request) }
  }

  package func leave(
    _ proof: LeaveProof, by means: ConsentMeans, _ request: MembershipRequest
  ) -> Signal<LeaveResult, StoreError> {
    access.change { (list) throws(StoreError) in try list.leave(proof, by: means, request) }
  }

  package func renew(
    _ token: [UInt8], _ request: MembershipRequest
  ) -> Signal<RenewalResult, StoreError> {
    access.change { (list) throws(StoreError) in try list.renew(token, request) }
  }

  package func suppress(
    _ address: EmailAddress, _ reason: Suppression, by actor: EventActor, at time: Timestamp
  ) -> Signal<SuppressionResult, StoreError> {
    access.change { (list) throws(StoreError) in
      try list.suppress([address], reason, by: actor, at: time).first ?? .already
    }
  }

  package func key(_ id: String) -> Signal<StoredKey?, StoreError> {
    access.read { (list) throws(StoreError) in try KeyTable(list.session).key(id) }
  }

  package func keys() -> Signal<[StoredKey], StoreError> {
    access.read { (list) throws(StoreError) in try KeyTable(list.session).readableKeys() }
  }

  package func record(_ use: KeyUse) -> Signal<Never, StoreError> {
    access.change { (list) throws(StoreError) in try KeyTable(list.session).record(use) }
      .ignoreValues(as: Never.self)
  }
}

package import EmailAddresses
package import MailingList
internal import Security
package import Signals

// What many tests read from a list, or change.

extension ReadableList {
  package func subscribers(after id: Int64?, limit: Int) -> Signal<[Subscriber], StoreError> {
    read { list throws(StoreError) in try list.subscribers(after: id, limit: limit) }
  }

  package func consents(
    ofSubscribers subscribers: ClosedRange<Int64>, after last: RecordedConsent?, limit: Int
  ) -> Signal<[RecordedConsent], StoreError> {
    read { list throws(StoreError) in
      try list.consents(ofSubscribers: subscribers, after: last, limit: limit)
    }
  }

  package func events(after position: Int64, limit: Int) -> Signal<EventPage, StoreError> {
    read { list throws(StoreError) in try list.events(after: position, limit: limit) }
  }

  package func subscriber(_ id: Int64) -> Signal<Subscriber?, StoreError> {
    read { list throws(StoreError) in try list.subscriber(id) }
  }

  package func membership(of id: ExecutionID) -> Signal<ExecutionMembership?, StoreError> {
    read { list throws(StoreError) in try list.membership(of: id, at: .now) }
  }

  package func link(
    _ token: [UInt8], for purpose: LinkPurpose, at time: Timestamp
  ) -> Signal<LinkStatus, StoreError> {
    read { list throws(StoreError) in try list.link(token, for: purpose, at: time) }
  }

  package func attempts(ofWebhook id: String) -> Signal<[WebhookAttempt], StoreError> {
    read { list throws(StoreError) in try list.webhookTable.attempts(ofWebhook: id) }
  }

  package func pendingEvents(ofWebhook id: String) -> Signal<[PendingEvent], StoreError> {
    read { list throws(StoreError) in try list.webhookTable.pendingEvents(ofWebhook: id) }
  }
}

extension ListStore {
  package func lookUp(_ addresses: [EmailAddress]) -> Signal<[AddressStatus], StoreError> {
    read { [keyring] list throws(StoreError) in try list.lookUp(addresses, MailKeys(keyring)) }
  }
}

extension ListAccess {
  package func confirm(
    _ token: [UInt8], _ request: MembershipRequest
  ) -> Signal<ConfirmationResult, StoreError> {
    change { list throws(StoreError) in try list.confirm(token, request) }
  }

  package func leave(
    _ proof: LeaveProof, by means: ConsentMeans, _ request: MembershipRequest
  ) -> Signal<LeaveResult, StoreError> {
    change { list throws(StoreError) in try list.leave(proof, by: means, request) }
  }

  package func suppress(
    _ address: EmailAddress, _ reason: Suppression, by actor: EventActor, at time: Timestamp
  ) -> Signal<SuppressionResult, StoreError> {
    change { list throws(StoreError) in try list.suppress(address, reason, by: actor, at: time) }
  }

  package func add(
    _ people: [ImportedPerson], by actor: EventActor, at time: Timestamp
  ) -> Signal<[ImportResult], StoreError> {
    change { list throws(StoreError) in try list.store(people, by: actor, at: time) }
  }

  package func change(
    _ change: StateChange, of id: Int64, by actor: EventActor, at time: Timestamp,
    if isExpected: @escaping @Sendable (Subscriber) -> Bool
  ) -> Signal<StateChangeResult, StoreError> {
    self.change { list throws(StoreError) in
      try list.change(change, of: id, by: actor, at: time, if: isExpected)
    }
  }

  package func requestConfirmation(
    of id: Int64, at time: Timestamp
  ) -> Signal<StateChangeResult, StoreError> {
    change { list throws(StoreError) in try list.requestConfirmation(of: id, at: time) }
  }

  package func erase(
    _ id: Int64, leaving trace: ErasureTrace, by actor: EventActor, at time: Timestamp,
    if isExpected: @escaping @Sendable (Subscriber) -> Bool = { _ in true }
  ) -> Signal<StateChangeResult, StoreError> {
    change { list throws(StoreError) in
      try list.erase(id, leaving: trace, by: actor, at: time, if: isExpected)
    }
  }

  package func change(
    _ change: WebhookChange, at time: Timestamp
  ) -> Signal<WebhookChangeResult, StoreError> {
    self.change { list throws(StoreError) in try list.webhookTable.change(change, at: time) }
  }

  package func lease(
    _ ids: [String], _ lease: Webhook.Lease, at time: Timestamp
  ) -> Signal<Void, StoreError> {
    change { list throws(StoreError) in try list.webhookTable.lease(ids, lease, at: time) }
  }
}

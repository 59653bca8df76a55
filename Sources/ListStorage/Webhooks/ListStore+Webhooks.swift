package import MailingList
package import Signals

extension ListStore {
  package func webhooks() -> Signal<WebhookList, StoreError> {
    access.read { (list) throws(StoreError) in try WebhookTable(list.session).webhooks() }
  }

  package func attempts(ofWebhook id: String) -> Signal<[WebhookAttempt], StoreError> {
    access.read { (list) throws(StoreError) in
      try WebhookTable(list.session).attempts(ofWebhook: id)
    }
  }

  package func pendingEvents(ofWebhook id: String) -> Signal<[PendingEvent], StoreError> {
    access.read { (list) throws(StoreError) in
      try WebhookTable(list.session).pendingEvents(ofWebhook: id)
    }
  }

  package func change(
    _ change: WebhookChange, at time: Timestamp
  ) -> Signal<WebhookChangeResult, StoreError> {
    changeWebhooks { (table) throws(StoreError) in try table.change(change, at: time) }
  }

  package func lease(
    _ ids: [String], _ lease: Webhook.Lease, at time: Timestamp
  ) -> Signal<Void, StoreError> {
    changeWebhooks { (table) throws(StoreError) in try table.lease(ids, lease, at: time) }
  }

  package func endLeases(of owner: String) -> Signal<Void, StoreError> {
    changeWebhooks { (table) throws(StoreError) in try table.endLeases(of: owner) }
  }

  package func store(_ progress: WebhookProgress) -> Signal<Bool, StoreError> {
    changeWebhooks { (table) throws(StoreError) in try table.store(progress) }
  }

  private func changeWebhooks<Value: Sendable>(
    _ body: @escaping @Sendable (WebhookTable) throws(StoreError) -> Value
  ) -> Signal<Value, StoreError> {
    access.change { (list) throws(StoreError) in try body(WebhookTable(list.session)) }
  }
}

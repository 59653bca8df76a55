package import Signals

/// The service's access to webhooks.
///
/// All functions may be called from any thread and do not block. The signals are cold, send one
/// value, and fail with `StoreError`.
package protocol WebhookStore: EventReader {
  /// Reads all webhooks.
  func webhooks() -> Signal<WebhookList, StoreError>

  /// Makes a change of the operator, which also ends the lease of the webhook.
  func change(
    _ change: WebhookChange, at time: Timestamp
  ) -> Signal<WebhookChangeResult, StoreError>

  /// Reads the latest attempts, the newest first.
  func attempts(ofWebhook id: String) -> Signal<[WebhookAttempt], StoreError>

  /// Extends all leases of an owner, and takes those of webhooks that no one has.
  ///
  /// A lease that the operator has ended is not extended: its owner must first read the change.
  func lease(
    _ ids: [String], _ lease: Webhook.Lease, at time: Timestamp
  ) -> Signal<Void, StoreError>

  /// Ends all leases of an owner.
  func endLeases(of owner: String) -> Signal<Void, StoreError>

  /// Reads the pending events of a webhook in the order of their positions.
  func pendingEvents(ofWebhook id: String) -> Signal<[PendingEvent], StoreError>

  /// Stores the progress of a webhook together; sends `false`, and stores nothing, if the lease
  /// belongs to another owner, or if the log has another epoch.
  func store(_ progress: WebhookProgress) -> Signal<Bool, StoreError>
}

/// The work of a worker since its last progress.
package struct WebhookProgress: Hashable, Sendable {
  package let id: String
  package let owner: String
  /// The epoch of all positions.
  package let epoch: String
  package let position: Int64
  package let health: Webhook.Health
  /// New and changed pending events.
  package let pending: [PendingEvent]
  /// The positions of pending events that are accepted or given up.
  package let settled: [Int64]
  package let attempts: [WebhookAttempt]

  package init(
    id: String, owner: String, epoch: String, position: Int64, health: Webhook.Health,
    pending: [PendingEvent], settled: [Int64], attempts: [WebhookAttempt]
  ) {
    self.id = id
    self.owner = owner
    self.epoch = epoch
    self.position = position
    self.health = health
    self.pending = pending
    self.settled = settled
    self.attempts = attempts
  }
}

/// The event with which a webhook begins.
package enum WebhookStart: Hashable, Sendable {
  /// The next one.
  case now
  /// The oldest one that is stored.
  case earliest
  /// The one after an event.
  case after(EventID)

  /// Parses `now`, `earliest` or the id of an event.
  package init?(_ text: String) {
    switch text {
    case "now": self = .now
    case "earliest": self = .earliest
    default:
      guard let id = EventID(text) else { return nil }
      self = .after(id)
    }
  }
}

/// A change of the webhooks by the operator.
package enum WebhookChange: Hashable, Sendable {
  case create(Webhook, from: WebhookStart)
  /// Changes the URL, the types, or both.
  case update(id: String, url: String?, types: EventTypes?)
  /// Replaces the secret; the previous one also signs for a while.
  case rotate(id: String, overlap: Duration)
  /// Sends events again, from where the webhook has stopped or from another place.
  case enable(id: String, from: WebhookStart?)
  case disable(id: String)
  case delete(id: String)

  package var id: String {
    switch self {
    case .create(let webhook, _): webhook.id
    case .update(let id, _, _), .rotate(let id, _), .enable(let id, _), .disable(let id),
      .delete(let id):
      id
    }
  }
}

/// The result of a change of the webhooks.
package enum WebhookChangeResult: Hashable, Sendable {
  /// The webhook afterwards, and the epoch of its position; the deleted one as it was.
  case changed(Webhook, epoch: String)
  case unknown
  /// There are ``Webhook/maximumCount`` webhooks.
  case tooMany
  /// Events that would follow are no longer stored; their number, `nil` if they belong to another
  /// epoch.
  case expired(Int64?)
}

internal import Security

/// A URL to which the events of the list are sent.
package struct Webhook: Hashable, Sendable {
  /// The maximum number of webhooks of a list.
  package static let maximumCount = 20
  /// The time for which the previous secret signs after a rotation, unless stated otherwise.
  package static let overlap = Duration.seconds(86_400)

  /// Whether events are sent; the raw value is the stored one.
  package enum Status: Int64, Hashable, Sendable, CaseIterable {
    case active = 0
    /// Only the oldest events are tried, one at a time, because several in a row have failed.
    case failing = 1
    /// Nothing is sent until the operator enables the webhook.
    case disabled = 2

    /// The name in the API and on the command line.
    package var name: String {
      switch self {
      case .active: "active"
      case .failing: "failing"
      case .disabled: "disabled"
      }
    }
  }

  /// The success of the latest requests, which decides about the status.
  package struct Health: Hashable, Sendable {
    package var status: Status
    /// The number of events that have failed at their first attempt since the last success.
    package var failures: Int
    /// The first failure since the last success.
    package var failingSince: Timestamp?

    package init(status: Status = .active, failures: Int = 0, failingSince: Timestamp? = nil) {
      self.status = status
      self.failures = failures
      self.failingSince = failingSince
    }
  }

  /// Random, so that no secret is derived twice.
  package let id: String
  package var url: String
  package var types: EventTypes
  /// The number of secrets so far; each is derived from the id and its number.
  package var generation: Int64
  /// Until then, the previous secret signs as well.
  package var previousUntil: Timestamp?
  package let createdAt: Timestamp
  package var health: Health
  /// Every event up to here has been sent, has been given up, or is pending.
  package var position: Int64
  /// The number of events that have failed, or wait for one that has.
  package var pendingCount: Int
  package var lease: Lease?

  /// The right of one process to send the events.
  package struct Lease: Hashable, Sendable {
    package let owner: String
    package let until: Timestamp

    package init(owner: String, until: Timestamp) {
      self.owner = owner
      self.until = until
    }

    /// Returns whether other processes may take the webhook.
    package func hasEnded(at now: Timestamp) -> Bool {
      until <= now || until > Self.latestEnd(at: now)
    }

    /// The latest end of a lease; a later one is that of a clock that was ahead.
    package static func latestEnd(at now: Timestamp) -> Timestamp { now.adding(.seconds(600)) }
  }

  package init(
    id: String = RandomName.make(), url: String, types: EventTypes = .subscribers,
    generation: Int64 = 1, previousUntil: Timestamp? = nil, createdAt: Timestamp,
    health: Health = Health(), position: Int64 = 0, pendingCount: Int = 0, lease: Lease? = nil
  ) {
    self.id = id
    self.url = url
    self.types = types
    self.generation = generation
    self.previousUntil = previousUntil
    self.createdAt = createdAt
    self.health = health
    self.position = position
    self.pendingCount = pendingCount
    self.lease = lease
  }

  /// The numbers of the secrets that sign at a time, the newest first.
  package func generations(at now: Timestamp) -> [Int64] {
    guard let previousUntil, now < previousUntil, generation > 1 else { return [generation] }
    return [generation, generation - 1]
  }
}

/// All webhooks, and where the event log ends.
package struct WebhookList: Hashable, Sendable {
  package let epoch: String
  package let newest: Int64
  /// In the order of their creation.
  package let webhooks: [Webhook]
}

/// An event that was not accepted yet, although the cursor of the webhook has passed it.
package struct PendingEvent: Hashable, Sendable {
  package let position: Int64
  package let subscriberID: Int64
  package var attempts: Int
  /// The time of the first attempt that failed; `nil` if there was none.
  package var failingSince: Timestamp?
  package var nextAttempt: Timestamp

  package init(
    position: Int64, subscriberID: Int64, attempts: Int = 0, failingSince: Timestamp? = nil,
    nextAttempt: Timestamp = Timestamp(millisecondsSince1970: 0)
  ) {
    self.position = position
    self.subscriberID = subscriberID
    self.attempts = attempts
    self.failingSince = failingSince
    self.nextAttempt = nextAttempt
  }
}

/// A request that was sent, or that could not be sent, to a webhook.
package struct WebhookAttempt: Hashable, Sendable {
  /// The number of attempts that are kept for each webhook.
  package static let maximumCount = 1_000
  /// The time for which an attempt is kept.
  package static let lifetime = Duration.seconds(7 * 86_400)
  /// The length of the stored part of a response.
  package static let responseBytes = 256

  /// The outcome of a request; the raw value is stored and shown.
  package enum Result: String, Hashable, Sendable, CaseIterable {
    /// The response had a status of 2xx.
    case delivered
    /// The response had another status.
    case status
    /// There was no response in time.
    case timeout
    /// There was no connection, or it ended without a response.
    case connect
    /// The certificate could not be verified, or TLS failed.
    case tls
    /// The address is not allowed.
    case blocked
  }

  package let position: Int64
  package let subscriberID: Int64
  package let time: Timestamp
  package let duration: Duration
  package let result: Result
  package let status: Int?
  /// The beginning of a response other than 2xx.
  package let response: String?
  /// The time of the next attempt; `nil` if there will be none.
  package let next: Timestamp?

  package init(
    position: Int64, subscriberID: Int64, time: Timestamp, duration: Duration, result: Result,
    status: Int? = nil, response: String? = nil, next: Timestamp? = nil
  ) {
    self.position = position
    self.subscriberID = subscriberID
    self.time = time
    self.duration = duration
    self.result = result
    self.status = status
    self.response = response
    self.next = next
  }
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

extension ListReader {
  package var webhookTable: WebhookTable { WebhookTable(session) }
}

extension ListWriter {
  package var webhookTable: WebhookTable { WebhookTable(session) }
}

/// The stored webhooks with their pending events and attempts.
// Not Sendable: one thread at a time uses it.
package struct WebhookTable {
  private let session: any ListSession

  package init(_ session: any ListSession) {
    self.session = session
  }

  /// Reads all webhooks, except rows that no known release could have written.
  package func webhooks() throws(StoreError) -> WebhookList {
    let webhooks = try session.rows(Self.list()) { try? Self.webhook($0) }.compactMap(\.self)
    let log = try ListReader(session).events(after: .max, limit: 0)
    return WebhookList(epoch: log.epoch, newest: log.newest, webhooks: webhooks)
  }

  /// Reads the latest attempts, the newest first.
  package func attempts(ofWebhook id: String) throws(StoreError) -> [WebhookAttempt] {
    try session.rows(Self.listAttempts(.text(id))) { (row) throws(StoreError) in
      WebhookAttempt(
        position: try row.required(row.number(0)), subscriberID: try row.required(row.number(1)),
        time: try row.required(row.time(2)), duration: .milliseconds(row.number(3) ?? 0),
        result: try row.required(row.text(4).flatMap(WebhookAttempt.Result.init(rawValue:))),
        status: row.number(5).map { Int(truncatingIfNeeded: $0) }, response: row.text(6),
        next: row.time(7))
    }
  }

  // MARK: Changes by the operator

  /// Makes a change of the operator, which also ends the lease of the webhook.
  package func change(
    _ change: WebhookChange, at now: Timestamp
  ) throws(StoreError) -> WebhookChangeResult {
    var changes = [Self.lock()]
    switch change {
    case .create(let webhook, let from):
      guard let position = try position(from) else { return .expired(nil) }
      guard position.missing == 0 else { return .expired(position.missing) }
      changes.append(
        Self.insert(
          .text(webhook.id), .text(webhook.url), .text(webhook.types.text),
          .time(webhook.createdAt), .number(position.value), .number(Int64(Webhook.maximumCount))
        )
        .required
      )
    case .update(let id, let url, let types):
      changes.append(Self.update(.text(id), .text(url), .text(types?.text)).required)
    case .rotate(let id, let overlap):
      changes.append(Self.rotate(.text(id), .time(now.adding(overlap))).required)
    case .enable(let id, let from):
      guard let webhook = try webhook(id) else { return .unknown }
      if let from {
        guard let position = try position(from) else { return .expired(nil) }
        guard position.missing == 0 else { return .expired(position.missing) }
        changes.append(Self.enable(.text(id), .number(position.value)).required)
        changes.append(Self.deletePending(.text(id)))
      } else {
        let missing = try missing(after: webhook)
        guard missing == 0 else { return .expired(missing) }
        changes.append(Self.enable(.text(id), .number(nil)).required)
        changes.append(Self.retryPending(.text(id), .time(now)))
      }
    case .disable(let id):
      changes.append(Self.disable(.text(id)).required)
    case .delete(let id):
      guard let webhook = try webhook(id) else { return .unknown }
      let deletes = [Self.deletePending, Self.deleteAttempts, Self.delete].map { $0(.text(id)) }
      guard try session.change(changes + deletes) else { return .unknown }
      return .changed(webhook, epoch: try webhooks().epoch)
    }
    let isMade = try session.change(changes)
    let list = try webhooks()
    guard isMade, let webhook = list.webhooks.first(where: { $0.id == change.id }) else {
      if case .create = change { return .tooMany }
      return .unknown
    }
    return .changed(webhook, epoch: list.epoch)
  }

  private func webhook(_ id: String) throws(StoreError) -> Webhook? {
    try webhooks().webhooks.first { $0.id == id }
  }

  /// Finds the position before the first event to send, and how many are missing after it; `nil`
  /// for an event of another epoch, or one that has not happened.
  private func position(_ start: WebhookStart) throws(StoreError) -> (value: Int64, missing: Int64)?
  {
    let log = try ListReader(session).events(after: 0, limit: 1)
    let oldest = log.events.first?.position ?? 1
    switch start {
    case .now: return (log.newest, 0)
    case .earliest: return (oldest - 1, 0)
    case .after(let id):
      guard id.epoch == log.epoch, id.position <= log.newest else { return nil }
      return (id.position, max(oldest - 1 - id.position, 0))
    }
  }

  /// Counts the events that the webhook has not sent and that are no longer stored.
  private func missing(after webhook: Webhook) throws(StoreError) -> Int64 {
    let log = try ListReader(session).events(after: 0, limit: 1)
    let oldest = log.events.first?.position ?? 1
    let pending = try pendingEvents(ofWebhook: webhook.id).count { $0.position < oldest }
    return max(oldest - 1 - webhook.position, 0) + Int64(pending)
  }

  // MARK: The worker

  /// Reads the pending events of a webhook in the order of their positions.
  package func pendingEvents(ofWebhook id: String) throws(StoreError) -> [PendingEvent] {
    try session.rows(Self.listPending(.text(id))) { (row) throws(StoreError) in
      PendingEvent(
        position: try row.required(row.position(0, atLeast: 1)),
        subscriberID: try row.required(row.number(1)),
        attempts: Int(Int32(clamping: row.number(2) ?? 0)), failingSince: row.time(3),
        nextAttempt: try row.required(row.time(4)))
    }
  }

  /// Extends all leases of an owner, and takes those of webhooks that no one has.
  ///
  /// A lease that the operator has ended is not extended: its owner must first read the change.
  package func lease(
    _ ids: [String], _ lease: Webhook.Lease, at now: Timestamp
  ) throws(StoreError) {
    let until = ListValue.time(lease.until)
    let latest = ListValue.time(Webhook.Lease.latestEnd(at: now))
    _ = try session.change(
      [Self.extend(.text(lease.owner), until)]
        + ids.map { Self.lease(.text($0), .text(lease.owner), until, .time(now), latest) }
    )
  }

  package func endLeases(of owner: String) throws(StoreError) {
    _ = try session.change([Self.endLeases(.text(owner))])
  }

  /// Stores the progress of a webhook together; returns `false`, and stores nothing, if the lease
  /// belongs to another owner, or if the log has another epoch.
  package func store(_ progress: WebhookProgress) throws(StoreError) -> Bool {
    let id = ListValue.text(progress.id)
    let health = progress.health
    var changes = [
      Self.advance(
        id, .text(progress.owner), .number(progress.position), .number(health.status.rawValue),
        .number(Int64(health.failures)), .time(health.failingSince), .text(progress.epoch)
      )
      .required
    ]
    changes += progress.settled.map { Self.settle(id, .number($0)) }
    changes += progress.pending.map { event in
      Self.addPending(
        id, .number(event.position), .number(event.subscriberID), .number(Int64(event.attempts)),
        .time(event.failingSince), .time(event.nextAttempt))
    }
    changes += progress.attempts.map { attempt in
      Self.addAttempt(
        id, .number(attempt.position), .number(attempt.subscriberID), .time(attempt.time),
        .number(Int64(attempt.duration / .milliseconds(1))), .text(attempt.result.rawValue),
        .number(attempt.status.map(Int64.init)), .text(attempt.response), .time(attempt.next))
    }
    if let latest = progress.attempts.last?.time {
      let oldest = latest.adding(.zero - WebhookAttempt.lifetime)
      let count = Int64(WebhookAttempt.maximumCount)
      changes.append(Self.trimAttempts(id, .number(count), .time(oldest)))
    }
    return try session.change(changes)
  }

  private static func webhook(_ row: any ListRow) throws(StoreError) -> Webhook {
    let owner = row.text(10)
    let until = row.time(11)
    return Webhook(
      id: try row.required(row.text(0)), url: try row.required(row.text(1)),
      types: try row.required(row.text(2).flatMap { EventTypes($0) }),
      generation: try row.required(row.number(3)), previousUntil: row.time(4),
      createdAt: try row.required(row.time(5)),
      health: Webhook.Health(
        status: try row.required(row.number(6).flatMap(Webhook.Status.init(rawValue:))),
        failures: Int(Int32(clamping: row.number(7) ?? 0)), failingSince: row.time(8)),
      position: try row.required(row.position(9, atLeast: 0)),
      pendingCount: Int(Int32(clamping: row.number(12) ?? 0)),
      lease: owner.flatMap { owner in until.map { Webhook.Lease(owner: owner, until: $0) } })
  }

  private static let list = Statement(
    """
    SELECT id, url, types, generation, previous_until, created_at, status, failures, failing_since,
      position, lease_owner, lease_until,
      (SELECT count(*) FROM enlist.webhook_pending p WHERE p.webhook_id = w.id)
      FROM enlist.webhooks w ORDER BY created_at, id
    """
  )
  /// One change at a time, so that each creation counts the webhooks of the others.
  private static let lock = Statement("UPDATE enlist.store_probe SET id = id WHERE id = 1")
  private static let insert = Statement(
    """
    INSERT INTO enlist.webhooks(id, url, types, created_at, position)
      SELECT ?1, ?2, ?3, ?4, ?5 WHERE ?6 > (SELECT count(*) FROM enlist.webhooks)
      ON CONFLICT (id) DO NOTHING
    """
  )
  private static let update = change("url = coalesce(?2, url), types = coalesce(?3, types)")
  private static let rotate = change("generation = generation + 1, previous_until = ?2")
  private static let enable = change(
    "status = 0, failures = 0, failing_since = NULL, position = coalesce(?2, position)")
  private static let disable = change("status = 2")

  /// The end of the lease makes a worker read the webhook again.
  private static func change(_ assignments: String) -> Statement {
    Statement(
      """
      UPDATE enlist.webhooks SET \(assignments), lease_owner = NULL, lease_until = NULL
        WHERE id = ?1
      """
    )
  }

  private static let delete = Statement("DELETE FROM enlist.webhooks WHERE id = ?1")
  private static let deletePending = Statement(
    "DELETE FROM enlist.webhook_pending WHERE webhook_id = ?1")
  private static let deleteAttempts = Statement(
    "DELETE FROM enlist.webhook_attempts WHERE webhook_id = ?1")
  private static let retryPending = Statement(
    """
    UPDATE enlist.webhook_pending SET attempts = 0, failing_since = NULL, next_at = ?2
      WHERE webhook_id = ?1
    """
  )
  private static let listPending = Statement(
    """
    SELECT position, subscriber_id, attempts, failing_since, next_at FROM enlist.webhook_pending
      WHERE webhook_id = ?1 ORDER BY position
    """
  )
  private static let listAttempts = Statement(
    """
    SELECT position, subscriber_id, at, duration, result, status, response, next_at
      FROM enlist.webhook_attempts WHERE webhook_id = ?1 ORDER BY n DESC
    """
  )
  private static let lease = Statement(
    """
    UPDATE enlist.webhooks SET lease_owner = ?2, lease_until = ?3
      WHERE id = ?1 AND status < 2
        AND (lease_until IS NULL OR lease_until <= ?4 OR lease_until > ?5)
    """
  )
  private static let extend = Statement(
    "UPDATE enlist.webhooks SET lease_until = ?2 WHERE lease_owner = ?1")
  private static let endLeases = Statement(
    "UPDATE enlist.webhooks SET lease_owner = NULL, lease_until = NULL WHERE lease_owner = ?1")
  private static let advance = Statement(
    """
    UPDATE enlist.webhooks SET position = ?3, status = ?4, failures = ?5, failing_since = ?6
      WHERE id = ?1 AND lease_owner = ?2
        AND ?7 = (SELECT epoch FROM enlist.log_epoch ORDER BY since DESC LIMIT 1)
    """
  )
  private static let settle = Statement(
    "DELETE FROM enlist.webhook_pending WHERE webhook_id = ?1 AND position = ?2")
  private static let addPending = Statement(
    """
    INSERT INTO enlist.webhook_pending(
      webhook_id, position, subscriber_id, attempts, failing_since, next_at
    ) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
      ON CONFLICT (webhook_id, position) DO UPDATE SET attempts = excluded.attempts,
        failing_since = excluded.failing_since, next_at = excluded.next_at
    """
  )
  private static let addAttempt = Statement(
    """
    INSERT INTO enlist.webhook_attempts(
      webhook_id, n, position, subscriber_id, at, duration, result, status, response, next_at
    ) VALUES (
      ?1,
      (SELECT coalesce(max(a.n), 0) + 1 FROM enlist.webhook_attempts a WHERE a.webhook_id = ?1),
      ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9
    )
    """
  )
  private static let trimAttempts = Statement(
    """
    DELETE FROM enlist.webhook_attempts WHERE webhook_id = ?1 AND (
      at <= ?3 OR n <= (
        SELECT max(a.n) - ?2 FROM enlist.webhook_attempts a WHERE a.webhook_id = ?1
      )
    )
    """
  )
}

extension ListRow {
  /// Reads a position of the event log; `nil` if it is less than the first one.
  fileprivate func position(_ column: Int32, atLeast first: Int64) -> Int64? {
    number(column).flatMap { $0 >= first ? $0 : nil }
  }
}

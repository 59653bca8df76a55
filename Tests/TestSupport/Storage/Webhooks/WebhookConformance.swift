package import MailingList
internal import Signals
internal import Testing

/// The promises of every store of webhooks; each promise is checked on an empty store of its own.
package enum WebhookConformance {
  /// A store, and a function that makes a sign-up, which is an event of its log.
  package struct Subject {
    let store: any ListAccess
    let signUp: (String) async throws -> Void

    package init(_ store: any ListAccess, signUp: @escaping (String) async throws -> Void) {
      self.store = store
      self.signUp = signUp
    }
  }

  package typealias Promise = ConformancePromise<Subject>

  /// All promises.
  package static let promises: [Promise] = [
    Promise("a webhook is read as it was created, from the end of the log") { test in
      try await test.signUp("ana@example.com")
      let newest = try await test.list().newest
      #expect(newest == 1)
      let webhook = try await test.make()
      #expect(try await test.list().webhooks == [webhook])
      #expect(webhook.position == newest)
      #expect(webhook.url == "https://example.org/hook")
      #expect(webhook.types == .subscribers)
      #expect(webhook.health == .init())
      #expect(webhook.lease == nil)
      #expect(try await test.make(from: .earliest).position == 0)
      let id = EventID(epoch: try await test.list().epoch, position: 0)
      #expect(try await test.make(from: .after(id)).position == 0)
    },
    Promise("an event of another log, or of the future, is not a beginning") { test in
      let epoch = try await test.list().epoch
      for id in [EventID(epoch: "other", position: 0), EventID(epoch: epoch, position: 1)] {
        let result = try await test.change(.create(.sample(), from: .after(id)))
        #expect(result == .expired(nil))
      }
      #expect(try await test.list().webhooks.isEmpty)
    },
    Promise("there are at most twenty webhooks") { test in
      var last = ""
      for _ in 0..<Webhook.maximumCount { last = try await test.make().id }
      #expect(try await test.change(.create(.sample(), from: .now)) == .tooMany)
      guard case .changed = try await test.change(.delete(id: last)) else {
        Issue.record("not deleted")
        return
      }
      _ = try await test.make()
      #expect(try await test.list().webhooks.count == Webhook.maximumCount)
    },
    Promise("a change of a webhook that does not exist is reported") { test in
      let changes: [WebhookChange] = [
        .update(id: "x", url: nil, types: nil), .rotate(id: "x", overlap: .zero),
        .enable(id: "x", from: nil), .disable(id: "x"), .delete(id: "x"),
      ]
      for change in changes {
        let result = try await test.change(change)
        #expect(result == .unknown)
      }
    },
    Promise("a rotation keeps the previous secret for a while") { test in
      let webhook = try await test.make()
      let rotated = try await test.changed(.rotate(id: webhook.id, overlap: .seconds(60)))
      #expect(rotated.generation == 2)
      #expect(rotated.generations(at: start) == [2, 1])
      #expect(rotated.generations(at: start.adding(.seconds(60))) == [2])
    },
    Promise("one owner at a time has the lease") { test in
      let webhook = try await test.make()
      let lease = Webhook.Lease(owner: "a", until: start.adding(.seconds(30)))
      _ = try await test.store.lease([webhook.id], lease, at: start).values()
      #expect(try await test.webhook(webhook.id).lease == lease)
      let later = start.adding(.seconds(29))
      let other = Webhook.Lease(owner: "b", until: later.adding(.seconds(30)))
      _ = try await test.store.lease([webhook.id], other, at: later).values()
      #expect(try await test.webhook(webhook.id).lease == lease)
      // The owner extends it without asking for it.
      let longer = Webhook.Lease(owner: "a", until: start.adding(.seconds(40)))
      _ = try await test.store.lease([], longer, at: later).values()
      #expect(try await test.webhook(webhook.id).lease == longer)
      _ = try await test.store.lease([webhook.id], other, at: longer.until).values()
      #expect(try await test.webhook(webhook.id).lease == other)
      #expect(try await test.store(.sample(webhook.id, by: "a")) == false)
      #expect(try await test.store(.sample(webhook.id, by: "b")) == true)
      #expect(try await test.store(.sample(webhook.id, by: "b"), in: "other") == false)
      _ = try await test.store.change { list throws(StoreError) in
        try list.webhookTable.endLeases(of: "b")
      }.values()
      #expect(try await test.webhook(webhook.id).lease == nil)
    },
    Promise("a lease that a clock far ahead has made keeps no other owner away") { test in
      let webhook = try await test.make()
      let ahead = Webhook.Lease(owner: "a", until: start.adding(.seconds(86_400)))
      _ = try await test.store.lease([webhook.id], ahead, at: start.adding(.seconds(86_370)))
        .values()
      let lease = Webhook.Lease(owner: "b", until: start.adding(.seconds(30)))
      _ = try await test.store.lease([webhook.id], lease, at: start).values()
      #expect(try await test.webhook(webhook.id).lease == lease)
    },
    Promise("a change by the operator ends the lease, which its owner cannot extend") { test in
      let webhook = try await test.make()
      let lease = Webhook.Lease(owner: "a", until: start.adding(.seconds(30)))
      for change in [
        .update(id: webhook.id, url: "https://example.com/", types: EventTypes("mail.*")),
        .rotate(id: webhook.id, overlap: .zero), .enable(id: webhook.id, from: .now),
        .disable(id: webhook.id),
      ] as [WebhookChange] {
        _ = try await test.store.lease([webhook.id], lease, at: start).values()
        #expect(try await test.webhook(webhook.id).lease == lease)
        #expect(try await test.changed(change).lease == nil)
        _ = try await test.store.lease([], lease, at: start).values()
        #expect(try await test.webhook(webhook.id).lease == nil)
        #expect(try await test.store(.sample(webhook.id, by: "a")) == false)
      }
      let changed = try await test.webhook(webhook.id)
      #expect(changed.url == "https://example.com/")
      #expect(changed.types.text == "mail.*")
      #expect(changed.health.status == .disabled)
      // Nobody works for a webhook that is disabled.
      _ = try await test.store.lease([webhook.id], lease, at: start).values()
      #expect(try await test.webhook(webhook.id).lease == nil)
    },
    Promise("progress is stored together, and read again") { test in
      let webhook = try await test.make()
      let lease = Webhook.Lease(owner: "a", until: start.adding(.seconds(30)))
      _ = try await test.store.lease([webhook.id], lease, at: start).values()
      let first = PendingEvent(position: 3, subscriberID: 1, nextAttempt: start)
      let second = PendingEvent(
        position: 5, subscriberID: 1, attempts: 2, failingSince: start,
        nextAttempt: start.adding(.seconds(9)))
      let health = Webhook.Health(status: .failing, failures: 5, failingSince: start)
      let attempt = WebhookAttempt(
        position: 5, subscriberID: 1, time: start, duration: .milliseconds(12), result: .status,
        status: 500, response: "no", next: start.adding(.seconds(9)))
      let progress = WebhookProgress(
        id: webhook.id, owner: "a", epoch: "", position: 7, health: health,
        pending: [second, first], settled: [], attempts: [attempt])
      #expect(try await test.store(progress) == true)
      #expect(
        try await test.store.pendingEvents(ofWebhook: webhook.id).values() == [[first, second]])
      #expect(try await test.store.attempts(ofWebhook: webhook.id).values() == [[attempt]])
      let stored = try await test.webhook(webhook.id)
      #expect(stored.position == 7 && stored.health == health && stored.pendingCount == 2)
      // Enabled again, everything is tried at once; from another event, nothing is pending.
      let enabled = try await test.changed(.enable(id: webhook.id, from: nil))
      #expect(enabled.health == .init() && enabled.position == 7)
      let pending = try await test.store.pendingEvents(ofWebhook: webhook.id).values()
      #expect(pending.joined().allSatisfy { $0.attempts == 0 && $0.failingSince == nil })
      #expect(pending.joined().count == 2)
      #expect(try await test.changed(.enable(id: webhook.id, from: .now)).pendingCount == 0)
      _ = try await test.change(.delete(id: webhook.id))
      #expect(try await test.store.attempts(ofWebhook: webhook.id).values() == [[]])
    },
    Promise("a thousand attempts are kept, for seven days") { test in
      let webhook = try await test.make()
      let lease = Webhook.Lease(owner: "a", until: start.adding(.seconds(30)))
      _ = try await test.store.lease([webhook.id], lease, at: start).values()
      func store(_ attempts: [WebhookAttempt]) async throws -> [WebhookAttempt] {
        let progress = WebhookProgress.sample(webhook.id, by: "a", attempts)
        #expect(try await test.store(progress) == true)
        return try await test.store.attempts(ofWebhook: webhook.id).values().flatMap(\.self)
      }
      let many = try await store((1...1_003).map { .sample($0, at: start) })
      #expect(many.map(\.position) == (4...1_003).reversed().map(Int64.init))
      let later = try await store([.sample(2_000, at: start.adding(WebhookAttempt.lifetime))])
      #expect(later.map(\.position) == [2_000])
    },
  ]

  fileprivate static let start = Timestamp(millisecondsSince1970: 1_800_000_000_000)
}

extension WebhookConformance.Subject {
  func list() async throws -> WebhookList {
    let list = store.read { list throws(StoreError) in try list.webhookTable.webhooks() }
    return try #require(try await list.values().first)
  }

  func webhook(_ id: String) async throws -> Webhook {
    try #require(try await list().webhooks.first { $0.id == id })
  }

  func change(_ change: WebhookChange) async throws -> WebhookChangeResult {
    try #require(try await store.change(change, at: WebhookConformance.start).values().first)
  }

  func changed(_ change: WebhookChange) async throws -> Webhook {
    guard case .changed(let webhook, _) = try await self.change(change) else {
      throw TestSystemError.malformed("not changed")
    }
    return webhook
  }

  /// Stores progress in the epoch of the log, or in another one.
  func store(_ progress: WebhookProgress, in epoch: String? = nil) async throws -> Bool? {
    let current = try await list().epoch
    let progress = WebhookProgress(
      id: progress.id, owner: progress.owner, epoch: epoch ?? current, position: progress.position,
      health: progress.health, pending: progress.pending, settled: progress.settled,
      attempts: progress.attempts)
    return try await store.change { list throws(StoreError) in
      try list.webhookTable.store(progress)
    }.values().first
  }

  func make(from start: WebhookStart = .now) async throws -> Webhook {
    try await changed(.create(.sample(), from: start))
  }
}

extension Webhook {
  fileprivate static func sample() -> Webhook {
    Webhook(url: "https://example.org/hook", createdAt: WebhookConformance.start)
  }
}

extension WebhookProgress {
  fileprivate static func sample(
    _ id: String, by owner: String, _ attempts: [WebhookAttempt] = []
  ) -> WebhookProgress {
    WebhookProgress(
      id: id, owner: owner, epoch: "", position: 0, health: .init(), pending: [], settled: [],
      attempts: attempts)
  }
}

extension WebhookAttempt {
  fileprivate static func sample(_ position: Int, at time: Timestamp) -> WebhookAttempt {
    WebhookAttempt(
      position: Int64(position), subscriberID: 1, time: time, duration: .zero, result: .delivered)
  }
}

package import MailingList

/// The events that one webhook has not accepted yet: which is sent next, and what a response means.
///
/// Events of one subscriber are sent one after the other. Those of other subscribers overtake an
/// event that must be tried again.
package struct WebhookQueue: Sendable {
  /// The maximum number of concurrent requests.
  package static let concurrency = 4
  /// The maximum number of events, pending or just read.
  package static let maximumCount = 1_000
  /// The maximum number of events that are read, and neither sent nor pending.
  static let readAhead = 100
  /// The number of events in a row whose first attempt fails at which a webhook is failing.
  static let maximumFailures = 5
  /// How many of the oldest events a failing webhook is tried with, so that an event that it never
  /// accepts does not hide that it accepts others.
  static let probeCount = 5
  /// The time for which requests are sent one at a time to a receiver that has too much to do.
  static let slowTime = Duration.seconds(60)
  static let maximumRetryAfter = Duration.seconds(3600)
  /// The times of further attempts, and how long an event is tried.
  static let policy = RetryPolicy(firstDelay: .seconds(5))

  /// The outcome of an event.
  package enum Outcome: Hashable, Sendable {
    case accepted
    case tryLater(Timestamp)
    /// The event has been tried for three days while others were accepted.
    case gaveUp
    /// The webhook is now disabled, and the event is pending.
    case disabled
  }

  private struct Entry {
    var event: PendingEvent
    var isSending = false
    /// Whether the store has the event as pending, and as it is.
    var isStored = false
    var hasChanged = false
  }

  package private(set) var health: Webhook.Health
  /// The position of the last event that was read.
  package private(set) var last: Int64
  /// In the order of positions.
  private var entries: [Entry]
  private var settled: [Int64] = []
  private var stored: (health: Webhook.Health, position: Int64)
  private var slowUntil = Timestamp.distantPast

  package init(_ webhook: Webhook, pending: [PendingEvent]) {
    health = webhook.health
    last = webhook.position
    entries = pending.map { Entry(event: $0, isStored: true) }
    stored = (webhook.health, webhook.position)
  }

  /// The number of events that may be read; 0 while enough wait, or the webhook is failing.
  package var room: Int {
    guard health.status == .active else {
      // All events that have failed were given up, so only a new one shows whether it still fails.
      return health.status == .failing && entries.isEmpty ? 1 : 0
    }
    let waiting = entries.count { !$0.isStored }
    return max(min(Self.readAhead - waiting, Self.maximumCount - entries.count), 0)
  }

  package var sendingCount: Int { entries.count { $0.isSending } }

  /// Adds the events of a page that the webhook wants.
  package mutating func add(_ events: [ListEvent], _ types: EventTypes) {
    for event in events where event.position > last {
      last = event.position
      // After a restart, pending events may be behind the cursor.
      guard types.includes(event.kind), index(of: event.position) == nil else { continue }
      entries.append(
        Entry(event: PendingEvent(position: event.position, subscriberID: event.subscriberID)))
    }
    entries.sort { $0.event.position < $1.event.position }
  }

  /// Returns the next event to send now; `nil` if none is due, or if enough are being sent.
  package mutating func next(at now: Timestamp) -> PendingEvent? {
    // A time after the longest delay is that of a clock that was ahead.
    let latest = now.adding(RetryPolicy.maximumDelay)
    let due = candidates(at: now).first { index in
      let time = entries[index].event.nextAttempt
      return time <= now || time > latest
    }
    guard let index = due else { return nil }
    entries[index].isSending = true
    return entries[index].event
  }

  /// Finds the oldest event of each subscriber that may be sent, whether or not it is due.
  private func candidates(at now: Timestamp) -> [Int] {
    let isSlow = now < slowUntil || health.status != .active
    guard health.status != .disabled, sendingCount < (isSlow ? 1 : Self.concurrency) else {
      return []
    }
    var subscribers: Set<Int64> = []
    var found: [Int] = []
    for index in entries.indices
    where subscribers.insert(entries[index].event.subscriberID).inserted {
      if entries[index].isSending { continue }
      found.append(index)
      if health.status == .failing, found.count == Self.probeCount { break }
    }
    return found
  }

  /// Handles the response to an event.
  ///
  /// - Parameter jitter: 0 to 1, the fraction of the longest delay.
  package mutating func ended(
    _ position: Int64, _ response: WebhookResponse, at now: Timestamp, jitter: Double
  ) -> Outcome {
    if [429, 502, 504].contains(response.status) || response.result == .timeout {
      slowUntil = now.adding(Self.slowTime)
    }
    guard response.result != .delivered else {
      settle(position)
      if health.status != .disabled { health = Webhook.Health() }
      return .accepted
    }
    guard let index = index(of: position) else { return .accepted }
    entries[index].isSending = false
    entries[index].hasChanged = true
    var event = entries[index].event
    let since = event.failingSince ?? now
    if event.attempts == 0 { health.failures += 1 }
    health.failingSince = health.failingSince ?? now
    let delay = Self.policy.delay(after: event.attempts, jitter: jitter)
    let pause = min(response.retryAfter ?? .zero, Self.maximumRetryAfter)
    event.attempts += 1
    event.failingSince = since
    event.nextAttempt = now.adding(max(delay, pause))
    entries[index].event = event
    if response.status == 410 || isOver(health.failingSince, at: now) {
      health.status = .disabled
      return .disabled
    }
    if isOver(since, at: now) {
      settle(position)
      return .gaveUp
    }
    if health.failures >= Self.maximumFailures || entries.count >= Self.maximumCount {
      health.status = .failing
    }
    return .tryLater(event.nextAttempt)
  }

  /// Removes an event that is no longer stored.
  package mutating func expired(_ position: Int64) {
    settle(position)
  }

  /// Returns an event to the queue that could not be sent because of the store.
  package mutating func returned(_ position: Int64) {
    if let index = index(of: position) { entries[index].isSending = false }
  }

  /// Disables the webhook because events that it has not got are no longer stored.
  package mutating func disable() {
    health.status = .disabled
  }

  private func isOver(_ since: Timestamp?, at now: Timestamp) -> Bool {
    since.map { now >= $0.adding(RetryPolicy.lifetime) } ?? false
  }

  private mutating func settle(_ position: Int64) {
    guard let index = index(of: position) else { return }
    if entries[index].isStored { settled.append(position) }
    entries.remove(at: index)
  }

  private func index(of position: Int64) -> Int? {
    entries.firstIndex { $0.event.position == position }
  }

  // MARK: Progress

  /// Returns what must be stored since the last time; `nil` if nothing has changed.
  ///
  /// Events that wait for one that must be tried again become pending too, so that they do not
  /// keep the cursor where it is.
  package mutating func progress(
    of id: String, by owner: String, in epoch: String, _ attempts: [WebhookAttempt]
  ) -> WebhookProgress? {
    var blocked: Set<Int64> = []
    var pending: [PendingEvent] = []
    for index in entries.indices {
      let entry = entries[index]
      let isFirst = !blocked.contains(entry.event.subscriberID)
      guard entry.event.attempts > 0 || !isFirst else { continue }
      blocked.insert(entry.event.subscriberID)
      guard entry.hasChanged || !entry.isStored else { continue }
      pending.append(entry.event)
      entries[index].isStored = true
      entries[index].hasChanged = false
    }
    let position = entries.first { !$0.isStored }.map { $0.event.position - 1 } ?? last
    let hasChanged = position != stored.position || health != stored.health
    guard hasChanged || !pending.isEmpty || !settled.isEmpty || !attempts.isEmpty else {
      return nil
    }
    defer {
      settled = []
      stored = (health, position)
    }
    return WebhookProgress(
      id: id, owner: owner, epoch: epoch, position: position, health: health, pending: pending,
      settled: settled, attempts: attempts)
  }
}

import Testing

@testable import Delivery
@testable import MailingList

@Suite struct WebhookQueueTests {
  private static let start = Timestamp(millisecondsSince1970: 1_800_000_000_000)
  private static let failed = WebhookResponse(result: .status, status: 500)
  private static let accepted = WebhookResponse(result: .delivered, status: 204)

  /// Makes a queue with one event for each subscriber in an array, at positions from 1.
  private func queue(_ subscribers: [Int64]) -> WebhookQueue {
    var queue = WebhookQueue(.sample, pending: [])
    queue.add(subscribers.enumerated().map { .sample(Int64($0 + 1), of: $1) }, .subscribers)
    return queue
  }

  /// Takes all positions that may be sent.
  private func take(_ queue: inout WebhookQueue, at now: Timestamp = start) -> [Int64] {
    var positions: [Int64] = []
    while let event = queue.next(at: now) { positions.append(event.position) }
    return positions
  }

  private func end(
    _ queue: inout WebhookQueue, _ position: Int64, _ response: WebhookResponse,
    at now: Timestamp = start, jitter: Double = 1
  ) -> WebhookQueue.Outcome {
    queue.ended(position, response, at: now, jitter: jitter)
  }

  private func progress(_ queue: inout WebhookQueue) -> WebhookProgress? {
    queue.progress(of: "a", by: "b", in: "c", [])
  }

  @Test func `events of one subscriber wait for each other, those of others do not`() {
    var queue = queue([7, 7, 8, 7, 9, 10, 11])
    #expect(take(&queue) == [1, 3, 5, 6])
    #expect(end(&queue, 1, Self.accepted) == .accepted)
    #expect(take(&queue) == [2])
    #expect(end(&queue, 2, Self.failed) == .tryLater(Self.start.adding(.seconds(5))))
    #expect(take(&queue) == [7])
    #expect(end(&queue, 3, Self.accepted) == .accepted)
    #expect(take(&queue).isEmpty)
    #expect(take(&queue, at: Self.start.adding(.seconds(5))) == [2])
    #expect(end(&queue, 2, Self.accepted) == .accepted)
    #expect(take(&queue) == [4])
  }

  @Test func `pauses double up to four hours, with full jitter`() throws {
    var queue = queue([7])
    var now = Self.start
    for seconds in [5, 10, 20, 40, 80, 160, 320, 640, 1280, 2560, 5120, 10_240, 14_400, 14_400] {
      #expect(take(&queue, at: now) == [1])
      #expect(end(&queue, 1, Self.failed, at: now) == .tryLater(now.adding(.seconds(seconds))))
      now = now.adding(.seconds(seconds))
    }
    #expect(take(&queue, at: now) == [1])
    #expect(end(&queue, 1, Self.failed, at: now, jitter: 0) == .tryLater(now))
  }

  @Test func `a clock that is set back delays no attempt beyond the longest pause`() {
    var queue = queue([7])
    let ahead = Self.start.adding(.seconds(86_400))
    #expect(take(&queue, at: ahead) == [1])
    #expect(end(&queue, 1, Self.failed, at: ahead) == .tryLater(ahead.adding(.seconds(5))))
    #expect(take(&queue) == [1])
  }

  @Test(arguments: [(30, 30), (3600, 3600), (86_400, 3600), (1, 5)])
  func `the receiver can ask for a longer pause, up to an hour`(_ asked: Int, _ expected: Int) {
    var queue = queue([7])
    _ = take(&queue)
    let response = WebhookResponse(result: .status, status: 503, retryAfter: .seconds(asked))
    #expect(end(&queue, 1, response) == .tryLater(Self.start.adding(.seconds(expected))))
  }

  @Test(arguments: [429, 502, 504, nil] as [Int?])
  func `a receiver with too much to do gets one request at a time for a minute`(_ status: Int?) {
    var queue = queue([1, 2, 3, 4, 5, 6])
    #expect(take(&queue) == [1, 2, 3, 4])
    let result = status == nil ? WebhookAttempt.Result.timeout : .status
    _ = end(&queue, 1, WebhookResponse(result: result, status: status))
    for position in [2, 3] as [Int64] { _ = end(&queue, position, Self.accepted) }
    #expect(take(&queue).isEmpty)
    _ = end(&queue, 4, Self.accepted)
    #expect(take(&queue) == [5])
    #expect(take(&queue, at: Self.start.adding(.seconds(60))) == [1, 6])
  }

  @Test func `five events in a row that fail at first make a webhook failing`() {
    var queue = queue([1, 2, 3, 4, 5, 6, 7])
    for position in [1, 2, 3, 4] as [Int64] {
      _ = queue.next(at: Self.start)
      _ = end(&queue, position, Self.failed)
    }
    #expect(queue.health.status == .active)
    #expect(queue.room > 0)
    _ = queue.next(at: Self.start)
    _ = end(&queue, 5, Self.failed)
    #expect(queue.health == .init(status: .failing, failures: 5, failingSince: Self.start))
    #expect(queue.room == 0)
    // Only the oldest ones, and one at a time.
    #expect(take(&queue).isEmpty)
    let later = Self.start.adding(.seconds(5))
    #expect(take(&queue, at: later) == [1])
    _ = end(&queue, 1, Self.failed, at: later)
    #expect(take(&queue, at: later) == [2])
    #expect(end(&queue, 2, Self.accepted, at: later) == .accepted)
    #expect(queue.health == .init())
    #expect(take(&queue, at: later) == [3, 4, 5, 6])
  }

  @Test func `an event that always fails makes no webhook failing`() {
    var queue = queue([1])
    var now = Self.start
    for _ in 0..<10 {
      _ = queue.next(at: now)
      _ = end(&queue, 1, Self.failed, at: now)
      now = now.adding(.seconds(14_400))
    }
    #expect(queue.health.status == .active)
    queue.add([.sample(2, of: 2)], .subscribers)
    #expect(take(&queue, at: now) == [1, 2])
  }

  @Test func `an event is given up after three days, if others are accepted`() {
    var queue = queue([1, 2])
    #expect(take(&queue) == [1, 2])
    _ = end(&queue, 1, Self.failed)
    _ = end(&queue, 2, Self.accepted)
    let before = Self.start.adding(RetryPolicy.lifetime - .seconds(1))
    #expect(take(&queue, at: before) == [1])
    #expect(end(&queue, 1, Self.failed, at: before) != .gaveUp)
    let after = Self.start.adding(RetryPolicy.lifetime + .seconds(14_400))
    queue.add([.sample(3, of: 3)], .subscribers)
    #expect(take(&queue, at: after) == [1, 3])
    #expect(end(&queue, 3, Self.accepted, at: after) == .accepted)
    #expect(end(&queue, 1, Self.failed, at: after) == .gaveUp)
    #expect(take(&queue, at: after).isEmpty)
  }

  @Test func `a webhook without a success for three days is disabled, and loses nothing`() {
    var queue = queue([1])
    _ = take(&queue)
    _ = end(&queue, 1, Self.failed)
    let after = Self.start.adding(RetryPolicy.lifetime)
    #expect(take(&queue, at: after) == [1])
    #expect(end(&queue, 1, Self.failed, at: after) == .disabled)
    #expect(queue.health.status == .disabled)
    #expect(take(&queue, at: after.adding(.seconds(86_400))).isEmpty)
    #expect(progress(&queue)?.pending.map(\.position) == [1])
  }

  @Test func `410 disables a webhook, whatever else is being sent`() {
    var queue = queue([1, 2])
    #expect(take(&queue) == [1, 2])
    #expect(end(&queue, 1, WebhookResponse(result: .status, status: 410)) == .disabled)
    #expect(end(&queue, 2, Self.accepted) == .accepted)
    #expect(queue.health.status == .disabled)
  }

  @Test func `the cursor passes what is accepted or pending, and nothing else`() throws {
    var queue = queue([1, 2, 1, 3])
    #expect(progress(&queue) == nil)
    #expect(take(&queue) == [1, 2, 4])
    _ = end(&queue, 2, Self.accepted)
    #expect(progress(&queue) == nil)
    _ = end(&queue, 1, Self.failed)
    let progress1 = progress(&queue)
    let first = try #require(progress1)
    // The third event waits for the first one.
    #expect(first.pending.map(\.position) == [1, 3])
    #expect(first.position == 3)
    _ = end(&queue, 4, Self.accepted)
    let progress2 = progress(&queue)
    let second = try #require(progress2)
    #expect(second.position == 4)
    #expect(second.pending.isEmpty)
    let later = Self.start.adding(.seconds(5))
    #expect(take(&queue, at: later) == [1])
    _ = end(&queue, 1, Self.accepted, at: later)
    #expect(progress(&queue)?.settled == [1])
    #expect(progress(&queue) == nil)
  }

  @Test func `a restart reads again what is neither accepted nor pending, in order`() {
    let pending = PendingEvent(position: 3, subscriberID: 1, attempts: 1, failingSince: Self.start)
    var webhook = Webhook.sample
    webhook.position = 1
    var queue = WebhookQueue(webhook, pending: [pending])
    queue.add((1...4).map { .sample($0, of: 1) }, .subscribers)
    #expect(queue.last == 4)
    for position in [2, 3, 4] as [Int64] {
      #expect(take(&queue) == [position])
      _ = end(&queue, position, Self.accepted)
    }
  }

  @Test func `types that the webhook does not want are passed`() {
    var queue = WebhookQueue(.sample, pending: [])
    queue.add([.sample(1, .mailAccepted, of: 1), .sample(2, of: 1)], .subscribers)
    #expect(take(&queue) == [2])
    #expect(progress(&queue)?.position == 1)
  }

  @Test func `at most a hundred events are read ahead, and a thousand wait`() {
    var queue = WebhookQueue(.sample, pending: [])
    #expect(queue.room == 100)
    queue.add((1...100).map { .sample($0, of: 1) }, .subscribers)
    #expect(queue.room == 0)
    let pending = (1...995).map { PendingEvent(position: $0, subscriberID: 1, attempts: 1) }
    #expect(WebhookQueue(.sample, pending: pending).room == 5)
    var full = WebhookQueue(
      .sample,
      pending: (1...1_000).map { PendingEvent(position: $0, subscriberID: $0, attempts: 1) })
    #expect(full.room == 0)
    #expect(take(&full) == [1, 2, 3, 4])
    _ = end(&full, 1, Self.failed)
    #expect(full.health.status == .failing)
  }

  @Test func `a failing webhook whose events were given up tries a new one`() {
    var webhook = Webhook.sample
    webhook.health.status = .failing
    #expect(WebhookQueue(webhook, pending: []).room == 1)
  }

  @Test func `random responses keep the order of each subscriber, and lose nothing`() {
    var generator = SystemRandomNumberGenerator()
    let events = (1...600).map { ListEvent.sample($0, of: .random(in: 1...20)) }
    var queue = WebhookQueue(.sample, pending: [])
    var accepted: [ListEvent] = []
    var sending: [Int64] = []
    var now = Self.start
    var read = 0
    while accepted.count < events.count {
      let room = min(queue.room, events.count - read)
      queue.add(Array(events[read..<read + room]), .subscribers)
      read += room
      sending += take(&queue, at: now)
      now = now.adding(.seconds(1))
      guard let position = sending.randomElement(using: &generator) else { continue }
      sending.removeAll { $0 == position }
      let isAccepted = Int.random(in: 0..<3) > 0
      let response = isAccepted ? Self.accepted : Self.failed
      let outcome = queue.ended(position, response, at: now, jitter: .random(in: 0...1))
      if outcome == .accepted { accepted.append(events[Int(position) - 1]) }
      _ = queue.progress(of: "a", by: "b", in: "c", [])
    }
    for (_, events) in Dictionary(grouping: accepted, by: \.subscriberID) {
      let positions = events.map(\.position)
      #expect(positions == positions.sorted())
    }
    #expect(progress(&queue) == nil)
  }
}

extension Webhook {
  fileprivate static let sample = Webhook(
    url: "https://example.org/", createdAt: Timestamp(millisecondsSince1970: 1_800_000_000_000))
}

extension ListEvent {
  fileprivate static func sample(
    _ position: Int64, _ kind: Kind = .confirmed, of subscriber: Int64
  ) -> ListEvent {
    ListEvent(
      position: position, time: Timestamp(millisecondsSince1970: 1_800_000_000_000), kind: kind,
      subscriberID: subscriber, state: .subscribed, previous: .pending, actor: .owner, detail: nil,
      subscriber: nil)
  }
}

internal import Signals
internal import MailingList

/// The delivery of the events of one webhook, while the process owns its lease.
///
/// Everything runs on the relay's scheduler, so nothing overlaps.
final class WebhookWorker: Sendable {
  enum Event: Sendable {
    case report(WebhookRelayEvent)
    case storeFailed(StoreError)
    /// The worker has ended, and nothing of it is running.
    case ended
  }

  fileprivate struct State {
    var webhook: Webhook
    let epoch: String
    /// The end of the log.
    var newest: Int64
    /// `nil` until the pending events have been read.
    var queue: WebhookQueue?
    /// The results that are not stored yet.
    var attempts: [WebhookAttempt] = []
    /// The progress that the store has failed to store, or is storing.
    var progress: WebhookProgress?
    var isStoring = false
    var isReading = false
    /// Whether the store has failed since the last update.
    var isPaused = false
    var isStopping = false
    var hasEnded = false
  }

  /// The work that may begin at one moment.
  fileprivate struct Work {
    var sends: [PendingEvent] = []
    var read: (position: Int64, limit: Int)?
    var progress: WebhookProgress?
    var hasEnded = false
  }

  private let relay: WebhookRelay
  private let id: String
  private let send: @Sendable (Event) -> Void
  private let state: Lock<State>

  init(
    _ webhook: Webhook, _ list: WebhookList, _ relay: WebhookRelay,
    _ send: @escaping @Sendable (Event) -> Void
  ) {
    self.relay = relay
    id = webhook.id
    self.send = send
    state = Lock(State(webhook: webhook, epoch: list.epoch, newest: list.newest))
  }

  func start() {
    relay.store
      .read { [id] list throws(StoreError) in try list.webhookTable.pendingEvents(ofWebhook: id) }
      .deliver(on: relay.scheduler)
      .subscribe(
        next: { pending in
          self.state.withLock { $0.queue = WebhookQueue($0.webhook, pending: pending) }
          self.proceed()
        },
        failed: { error in
          self.send(.storeFailed(error))
          self.state.withLock { $0.hasEnded = true }
          self.send(.ended)
        }
      )
  }

  /// Handles a look at the webhook, whose lease may be a new one, and at the end of the log.
  func update(_ webhook: Webhook, _ list: WebhookList) {
    state.withLock { state in
      state.webhook.lease = webhook.lease
      state.newest = list.newest
      // After a failover that has lost events, their positions are given again.
      if list.epoch != state.epoch { state.isStopping = true }
      state.isPaused = false
    }
    proceed()
  }

  /// Ends the worker after the running requests, whose results are stored.
  func stop() {
    state.withLock { state in
      state.isStopping = true
      state.isPaused = false
    }
    proceed()
  }

  private func proceed() {
    let now = relay.options.now()
    let work = state.withLock { $0.next(at: now, relay.options.owner) }
    if let progress = work.progress { store(progress) }
    if let read = work.read { self.read(after: read.position, limit: read.limit) }
    for event in work.sends { deliver(event) }
    if work.hasEnded { send(.ended) }
  }

  private func storeFailed(_ error: StoreError, _ change: (inout State) -> Void) {
    state.withLock { state in
      state.isPaused = true
      change(&state)
    }
    send(.storeFailed(error))
    // A worker that is stopping must end, although the store fails.
    proceed()
  }

  private func read(after position: Int64, limit: Int) {
    events(after: position, limit: limit)
      .subscribe(
        next: { page in
          let isComplete = page.continues(after: position)
          self.state.withLock { state in
            state.isReading = false
            state.newest = page.events.isEmpty ? position : page.newest
            if isComplete {
              state.queue?.add(page.events, state.webhook.types)
            } else {
              state.queue?.disable()
            }
          }
          if !isComplete { self.send(.report(.disabled(webhook: self.id, .expired))) }
          self.proceed()
        },
        failed: { self.storeFailed($0) { $0.isReading = false } }
      )
  }

  private func events(after position: Int64, limit: Int) -> Signal<EventPage, StoreError> {
    relay.store
      .read { list throws(StoreError) in try list.events(after: position, limit: limit) }
      .deliver(on: relay.scheduler)
  }

  private func store(_ progress: WebhookProgress) {
    relay.store.change { list throws(StoreError) in try list.webhookTable.store(progress) }
      .deliver(on: relay.scheduler)
      .subscribe(
        next: { isStored in
          self.state.withLock { state in
            state.isStoring = false
            state.progress = nil
            // Another process owns the lease now, or the operator has changed the webhook.
            if !isStored { state.isStopping = true }
          }
          self.proceed()
        },
        failed: { self.storeFailed($0) { $0.isStoring = false } }
      )
  }

  /// Reads an event as it is now, so that no address is sent that has been erased, and sends it.
  private func deliver(_ pending: PendingEvent) {
    events(after: pending.position - 1, limit: 1)
      .subscribe(
        next: { page in
          if let event = page.events.first, event.position == pending.position {
            self.deliver(pending, event, page.epoch)
          } else {
            self.state.withLock { $0.queue?.expired(pending.position) }
            self.send(.report(.gaveUp(webhook: self.id, position: pending.position)))
            self.proceed()
          }
        },
        failed: { self.storeFailed($0) { $0.queue?.returned(pending.position) } }
      )
  }

  private func deliver(_ pending: PendingEvent, _ event: ListEvent, _ epoch: String) {
    let time = relay.options.now()
    let request = WebhookRequest(
      to: state.withLock { $0.webhook }, id: "\(EventID(epoch: epoch, position: event.position))",
      body: relay.body(event, epoch), at: time, relay.secrets)
    relay.client.send(request).deliver(on: relay.scheduler)
      .subscribe(next: { self.ended(pending, $0, began: time) })
  }

  private func ended(_ pending: PendingEvent, _ response: WebhookResponse, began: Timestamp) {
    let now = relay.options.now()
    let jitter = relay.options.jitter()
    let reports = state.withLock { state -> [WebhookRelayEvent] in
      guard let before = state.queue?.health.status,
        let outcome = state.queue?.ended(pending.position, response, at: now, jitter: jitter),
        let after = state.queue?.health.status
      else { return [] }
      var reports = [WebhookRelayEvent.attempted(webhook: id, response.result)]
      var next: Timestamp?
      switch outcome {
      case .accepted: break
      case .tryLater(let time): next = time
      case .gaveUp: reports.append(.gaveUp(webhook: id, position: pending.position))
      case .disabled where before != .disabled:
        reports.append(.disabled(webhook: id, response.status == 410 ? .gone : .failing))
      case .disabled: break
      }
      switch (before, after) {
      case (.active, .failing): reports.append(.failing(webhook: id))
      case (.failing, .active): reports.append(.recovered(webhook: id))
      case (.active, _), (.failing, _), (.disabled, _): break
      }
      state.attempts.append(
        WebhookAttempt(
          position: pending.position, subscriberID: pending.subscriberID, time: began,
          duration: response.duration, result: response.result, status: response.status,
          response: response.result == .delivered ? nil : response.text, next: next))
      return reports
    }
    for report in reports { send(.report(report)) }
    proceed()
  }
}

extension WebhookWorker.State {
  /// Decides what may begin now.
  fileprivate mutating func next(at now: Timestamp, _ owner: String) -> WebhookWorker.Work {
    var work = WebhookWorker.Work()
    guard !hasEnded, var queue else { return work }
    defer { self.queue = queue }
    let isOver = isStopping || queue.health.status == .disabled
    // A request must have ended when another process may take over.
    let hasTime = webhook.lease.map { now.adding(WebhookClient.timeout) < $0.until } ?? false
    if !isPaused, !isOver, hasTime {
      while let event = queue.next(at: now) { work.sends.append(event) }
      let room = queue.room
      if !isReading, room > 0, queue.last < newest {
        isReading = true
        work.read = (queue.last, room)
      }
    }
    if !isPaused, !isStoring {
      if progress == nil {
        progress = queue.progress(of: webhook.id, by: owner, in: epoch, attempts)
        attempts = []
      }
      isStoring = progress != nil
      work.progress = progress
    }
    if isOver, !isStoring, !isReading, queue.sendingCount == 0 {
      hasEnded = true
      work.hasEnded = true
    }
    return work
  }
}

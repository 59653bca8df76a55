internal import Signals
internal import MailingList

/// One run of a webhook relay: it looks at the webhooks, holds the leases, and runs the workers.
///
/// Everything runs on the relay's scheduler, so nothing overlaps.
final class WebhookRelayRun: Sendable {
  private struct State {
    var workers: [String: WebhookWorker] = [:]
    var hasReportedStore = false
    var isDraining = false
    var isComplete = false
  }

  /// Stops the run when disposed.
  let subscriptions = CompositeDisposable()

  private let relay: WebhookRelay
  private let observer: Observer<WebhookRelayEvent, Never>
  private let state = Lock(State())
  private let reading = SerialDisposable()
  private let timer = SerialDisposable()

  init(_ relay: WebhookRelay, _ observer: Observer<WebhookRelayEvent, Never>) {
    self.relay = relay
    self.observer = observer
    subscriptions.add(reading)
    subscriptions.add(timer)
  }

  func start(until draining: Signal<Duration, Never>) {
    draining.take(1).deliver(on: relay.scheduler).subscribe(next: { self.drain(within: $0) })
      .store(in: subscriptions)
    schedule(after: .zero)
  }

  private func schedule(after delay: Duration) {
    if subscriptions.isDisposed || state.withLock({ $0.isDraining }) { return }
    timer.replace(with: relay.scheduler.schedule(after: delay) { self.look() })
  }

  /// Reads the webhooks, and does so again after the interval.
  private func look() {
    reading.replace(
      with: relay.store.read { list throws(StoreError) in try list.webhookTable.webhooks() }
        .deliver(on: relay.scheduler)
        .subscribe(
          next: { self.found($0) },
          failed: { error in
            self.storeFailed(error)
            self.schedule(after: self.relay.options.interval)
          }
        )
    )
  }

  private func found(_ list: WebhookList) {
    let now = relay.options.now()
    let owner = relay.options.owner
    let workers = state.withLock { state in
      state.hasReportedStore = false
      return state.workers
    }
    for (id, worker) in workers where !list.webhooks.contains(where: { $0.id == id }) {
      worker.stop()
    }
    var wanted: [String] = []
    var mustExtend = false
    var lags: [String: Int64] = [:]
    for webhook in list.webhooks {
      lags[webhook.id] = max(list.newest - webhook.position, 0) + Int64(webhook.pendingCount)
      let isMine = webhook.lease?.owner == owner
      let isEnabled = webhook.health.status != .disabled
      if let worker = workers[webhook.id] {
        if isMine, isEnabled { worker.update(webhook, list) } else { worker.stop() }
      } else if isMine, isEnabled {
        start(webhook, list)
      }
      guard isEnabled else { continue }
      if let lease = webhook.lease, isMine {
        let isShort = lease.until <= now.adding(relay.options.lease * 2 / 3)
        if isShort || lease.hasEnded(at: now) { mustExtend = true }
      } else if webhook.lease?.hasEnded(at: now) ?? true {
        wanted.append(webhook.id)
      }
    }
    observer.send(.lags(lags))
    if wanted.isEmpty, !mustExtend { return schedule(after: relay.options.interval) }
    lease(wanted, at: now)
  }

  private func lease(_ ids: [String], at now: Timestamp) {
    let lease = Webhook.Lease(owner: relay.options.owner, until: now.adding(relay.options.lease))
    reading.replace(
      with: relay.store
        .change { list throws(StoreError) in try list.webhookTable.lease(ids, lease, at: now) }
        .deliver(on: relay.scheduler)
        .subscribe(
          failed: { error in
            self.storeFailed(error)
            self.schedule(after: self.relay.options.interval)
          },
          completed: { self.schedule(after: ids.isEmpty ? self.relay.options.interval : .zero) }
        )
    )
  }

  private func start(_ webhook: Webhook, _ list: WebhookList) {
    if state.withLock({ $0.isDraining }) { return }
    let worker = WebhookWorker(webhook, list, relay) { event in
      switch event {
      case .report(let event): self.observer.send(event)
      case .storeFailed(let error): self.storeFailed(error)
      case .ended: self.ended(webhook.id)
      }
    }
    state.withLock { $0.workers[webhook.id] = worker }
    worker.start()
  }

  private func ended(_ id: String) {
    let isLast = state.withLock { state in
      state.workers[id] = nil
      return state.isDraining && state.workers.isEmpty
    }
    if isLast { finish() }
  }

  private func drain(within time: Duration) {
    let workers = state.withLock { state in
      state.isDraining = true
      return state.workers
    }
    timer.dispose()
    reading.dispose()
    relay.scheduler.schedule(after: time) { self.complete() }.store(in: subscriptions)
    for worker in workers.values { worker.stop() }
    if workers.isEmpty { finish() }
  }

  /// Lets other processes take over without waiting for the end of the leases.
  private func finish() {
    let owner = relay.options.owner
    relay.store.change { list throws(StoreError) in try list.webhookTable.endLeases(of: owner) }
      .deliver(on: relay.scheduler)
      .subscribe(failed: { _ in self.complete() }, completed: { self.complete() })
      .store(in: subscriptions)
  }

  private func complete() {
    let isFirst = state.withLock { state in
      defer { state.isComplete = true }
      return !state.isComplete
    }
    if isFirst { observer.complete() }
  }

  private func storeFailed(_ error: StoreError) {
    let isFirst = state.withLock { state in
      defer { state.hasReportedStore = true }
      return !state.hasReportedStore
    }
    if isFirst, error != .closed { observer.send(.storeFailed(error)) }
  }
}

internal import Signals

/// The supply of a stream that reads its events as fast as its client takes them.
///
/// ```text
/// client has read everything ──► next() ──► EventLog ──► client
/// ```
final class EventPump: Sendable {
  private enum State {
    case idle
    /// Whether the client wanted events while some were being read.
    case reading(isWanted: Bool)
  }

  private let next: @Sendable () -> Signal<EventSupply, Never>
  private let scheduler: any Scheduler
  private let state = Lock(State.idle)
  private let subscription = SerialDisposable()
  // nonisolated(unsafe) because it is set once, before the log has a client.
  nonisolated(unsafe) private weak var log: EventLog?

  init(on scheduler: any Scheduler, _ next: @escaping @Sendable () -> Signal<EventSupply, Never>) {
    self.scheduler = scheduler
    self.next = next
  }

  /// Fills a log, which keeps the pump.
  func fill(_ log: EventLog) -> any Disposable {
    self.log = log
    return subscription
  }

  /// Reads events unless that is being done.
  func want() {
    let begins = state.withLock { state in
      switch state {
      case .idle:
        state = .reading(isWanted: false)
        return true
      case .reading:
        state = .reading(isWanted: true)
        return false
      }
    }
    if begins { read() }
  }

  private func read() {
    // A slot of its own: the next reading may begin before `subscribe` returns.
    let slot = SerialDisposable()
    subscription.replace(with: slot)
    slot.replace(with: next().subscribe(next: { self.take($0) }))
  }

  private func take(_ supply: EventSupply) {
    switch supply {
    case .events(let events):
      // The client may want more before all of these are appended; then one more part is read, so
      // that no want is lost.
      state.withLock { $0 = .reading(isWanted: false) }
      log?.append(events)
      let isWanted = state.withLock { state in
        if case .reading(isWanted: true) = state {
          state = .reading(isWanted: false)
          return true
        }
        state = .idle
        return false
      }
      if isWanted { read() }
    case .later(let delay):
      subscription.replace(with: scheduler.schedule(after: delay) { self.read() })
    case .end: log?.finish()
    }
  }
}

/// The events that the source of a stream has for its client.
package enum EventSupply: Sendable {
  case events([ServerSentEvent])
  /// Nothing yet; the source is asked again after a time.
  case later(Duration)
  /// Nothing any more; the stream ends.
  case end
}

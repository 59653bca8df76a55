internal import Signals

/// A relay of mails or webhooks while the service runs: it starts once, drains, and is closed.
final class RunningRelay<Event: Sendable>: Sendable {
  private let events: Signal<Event, Never>
  private let draining = ReplaySubject<Duration, Never>(capacity: 1)
  private let ended = ReplaySubject<Never, Never>()
  private let subscription = SerialDisposable()

  /// - Parameter run: Lasts until its argument sends the time to drain.
  init(_ run: (Signal<Duration, Never>) -> Signal<Event, Never>) { events = run(draining.signal) }

  /// Starts the relay, which retains the receiver until it ends; call this once.
  func start(_ receive: @escaping @Sendable (Event) -> Void) {
    subscription.replace(
      with: events.subscribe(next: receive, completed: { self.ended.complete() }))
  }

  /// Begins nothing more; what is running may end within a time.
  func drain(within time: Duration) { draining.send(time) }

  /// Completes when the results of all that was running are stored, after ``drain(within:)``.
  var end: Signal<Never, Never> { ended.signal }

  func close() { subscription.dispose() }
}

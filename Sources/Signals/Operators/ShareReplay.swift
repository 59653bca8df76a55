internal import Locks

extension Signal {
  /// Shares one subscription among those who are subscribed at the same time, and hands the last
  /// values to those who come late.
  ///
  /// The signal is subscribed for the first subscriber, and disposed when the last one has gone.
  /// Whoever comes after that, or after the end, begins anew: neither values nor end are kept.
  /// RxSwift calls this `share(replay:scope:)` with the scope `whileConnected`; what is kept for
  /// good is ``replayLazily()``.
  ///
  /// ```text
  /// source:  a-b|
  /// result:  a-b|
  /// source.share(replay: 1)
  /// ```
  ///
  /// - Parameter count: How many values are handed on at the most, 0 or more.
  /// - Returns: A signal that runs its source once at a time.
  public func share(replay count: Int) -> Signal {
    let sharing = ReplaySharing(self, count)
    return Signal(attaching: { observer, subscription in
      let shared = sharing.enter()
      subscription.add(AnyDisposable { sharing.leave(shared) })
      shared.signal.attach(observer, subscription)
      sharing.connect(shared)
    })
  }
}

/// The subscription that is shared at a time, and by how many.
private final class ReplaySharing<Value: Sendable, Failure: Error>: Sendable {
  /// One subscription to the source.
  final class Shared: Sendable {
    let signal: Signal<Value, Failure>
    let connection = CompositeDisposable()
    // The next two: nonisolated(unsafe) because they are touched only inside the lock of `state`.
    nonisolated(unsafe) var count = 0
    /// Keeps the subject until it is connected; from then on the source alone does.
    nonisolated(unsafe) var unconnected: Observer<Value, Failure>?

    init(capacity: Int) {
      let subject = ReplaySubject<Value, Failure>(capacity: capacity)
      signal = subject.signal
      unconnected = subject.observer
    }
  }

  private let source: Signal<Value, Failure>
  private let capacity: Int
  private let state = Lock<Shared?>(nil)

  init(_ source: Signal<Value, Failure>, _ capacity: Int) {
    self.source = source
    self.capacity = capacity
  }

  func enter() -> Shared {
    let fresh = Shared(capacity: capacity)
    return state.withLock { current in
      let shared = current ?? fresh
      shared.count += 1
      current = shared
      return shared
    }
  }

  func connect(_ shared: Shared) {
    let observer: Observer<Value, Failure>? = state.withLock { _ in shared.unconnected.take() }
    guard let observer else { return }
    source.attach(
      Observer(
        next: observer.onNext,
        end: { end in
          // Forgotten before the end is passed on: who subscribes again because of it begins anew.
          self.forget(shared)
          observer.onEnd(end)
          shared.connection.dispose()
        }
      ),
      shared.connection
    )
  }

  func leave(_ shared: Shared) {
    let isLast = state.withLock { current in
      shared.count -= 1
      guard shared.count == 0 else { return false }
      if current === shared { current = nil }
      return true
    }
    if isLast { shared.connection.dispose() }
  }

  private func forget(_ shared: Shared) {
    state.withLock { current in
      if current === shared { current = nil }
    }
  }
}

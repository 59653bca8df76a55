extension Signal {
  /// Follows the first of several signals that sends an event, and disposes the others.
  ///
  /// An end is an event, too: a signal that fails first wins. The signals are subscribed in their
  /// order; if one sends an event while it is subscribed, the ones after it are not subscribed.
  ///
  /// ```text
  /// source:  --a-b|
  /// other:   -x---y|
  /// result:  -x---y|
  /// Signal.race(source, other)
  /// ```
  ///
  /// - Parameter signals: The signals; a race of none completes immediately.
  /// - Returns: A signal of all events of the winner.
  @inlinable
  public static func race(_ signals: Signal...) -> Signal {
    race(signals)
  }

  /// Follows the first of several signals that sends an event, and disposes the others.
  ///
  /// ```text
  /// source:  --a-b|
  /// other:   -x---y|
  /// result:  -x---y|
  /// Signal.race([source, other])
  /// ```
  ///
  /// - Parameter signals: The signals; a race of none completes immediately.
  /// - Returns: The same as `race` of the signals as arguments.
  @inlinable
  public static func race(_ signals: [Signal]) -> Signal {
    if signals.isEmpty { return .empty }
    return Signal(attaching: { observer, subscription in
      let lanes = signals.map { _ in CompositeDisposable() }
      let join = SerialJoin(Racing<Value, Failure>(), to: observer, subscription)
      // Passed with each input: the logic cannot hold the lanes, which hold the observers that
      // submit to it.
      @Sendable func submit(_ event: Event<Value, Failure>, from index: Int) {
        join.submit(
          (
            event: event, from: index,
            win: {
              for (other, lane) in lanes.enumerated() where other != index {
                subscription.remove(lane)
                lane.dispose()
              }
              return !subscription.isDisposed
            }
          )
        )
      }
      for (lane, signal) in signals.enumerated() where !lanes[lane].isDisposed {
        signal.attach(
          Observer(
            next: { submit(.next($0), from: lane) }, end: { submit($0.event(), from: lane) }),
          into: join, as: lanes[lane])
      }
    })
  }

  /// Follows the first of two signals that sends an event, and disposes the other.
  ///
  /// ```text
  /// source:  --a-b-|
  /// other:   -x---y|
  /// result:  -x---y|
  /// source.race(with: other)
  /// ```
  ///
  /// - Parameter other: The second signal, subscribed after this one.
  /// - Returns: A signal of all events of the winner.
  @inlinable
  public func race(with other: Signal) -> Signal {
    .race([self, other])
  }
}

/// Passes on the events of the winner.
@usableFromInline
struct Racing<Value: Sendable, Failure: Error>: JoinLogic {
  /// An event, the index of its signal, and the closure that disposes all others, and returns
  /// whether the race goes on: their cleanup may dispose it.
  @usableFromInline
  typealias Input = (event: Event<Value, Failure>, from: Int, win: @Sendable () -> Bool)

  @usableFromInline var winner: Int?

  @inlinable
  init() {}

  @inlinable
  mutating func receive(_ input: Input, _ observer: Observer<Value, Failure>) -> End<Failure>? {
    if winner == nil {
      winner = input.from
      guard input.win() else { return nil }
    }
    guard winner == input.from else { return nil }
    switch input.event {
    case .next(let value):
      observer.onNext(value)
      return nil
    case .completed: return .completed
    case .failed(let error): return .failed(error)
    }
  }
}

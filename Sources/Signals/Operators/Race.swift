extension Signal {
  /// Sends what the first of several signals to send something sends, and disposes the others.
  ///
  /// An end counts, too: a signal that fails first has won. They are subscribed in their order, and
  /// those after a signal that sends at once not at all.
  ///
  /// ```text
  /// source:  --a-b|
  /// other:   -x---y|
  /// result:  -x---y|
  /// Signal.race(source, other)
  /// ```
  ///
  /// - Parameter signals: The signals; a race of none completes at once.
  /// - Returns: All events of the signal that was first.
  public static func race(_ signals: Signal...) -> Signal {
    race(signals)
  }

  /// Sends what the first of several signals to send something sends, and disposes the others.
  ///
  /// ```text
  /// source:  --a-b|
  /// other:   -x---y|
  /// result:  -x---y|
  /// Signal.race([source, other])
  /// ```
  ///
  /// - Parameter signals: The signals; a race of none completes at once.
  /// - Returns: What `race` of the same signals, one by one, returns.
  public static func race(_ signals: [Signal]) -> Signal {
    if signals.isEmpty { return .empty }
    return Signal(attaching: { observer, subscription in
      let lanes = signals.map { _ in CompositeDisposable() }
      let join = SerialJoin(Racing<Value, Failure>(), to: observer, subscription)
      // Told with each input: the logic cannot hold the lanes, which hold what sends to it.
      @Sendable func submit(_ event: Event<Value, Failure>, from index: Int) {
        join.submit(
          (
            event: event, from: index,
            win: {
              for (other, lane) in lanes.enumerated() where other != index {
                subscription.remove(lane)
                lane.dispose()
              }
            }
          )
        )
      }
      for (lane, signal) in signals.enumerated() where !lanes[lane].isDisposed {
        signal.attach(
          Observer(
            next: { submit(.next($0), from: lane) },
            end: { submit($0.event(), from: lane) }
          ),
          into: join,
          as: lanes[lane]
        )
      }
    })
  }

  /// Sends what the first of two signals to send something sends, and disposes the other.
  ///
  /// ```text
  /// source:  --a-b-|
  /// other:   -x---y|
  /// result:  -x---y|
  /// source.race(with: other)
  /// ```
  ///
  /// - Parameter other: The second signal, subscribed after this one.
  /// - Returns: All events of the signal that was first.
  public func race(with other: Signal) -> Signal {
    .race([self, other])
  }
}

/// Passes on what comes from the signal that was first.
private struct Racing<Value: Sendable, Failure: Error>: JoinLogic {
  /// An event, the number of the signal that it comes from, and what makes that one the winner.
  typealias Input = (event: Event<Value, Failure>, from: Int, win: @Sendable () -> Void)

  var winner: Int?

  mutating func receive(_ input: Input, _ observer: Observer<Value, Failure>) -> End<Failure>? {
    if winner == nil {
      winner = input.from
      input.win()
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

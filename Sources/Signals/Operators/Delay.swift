extension Signal {
  /// Sends values and completion later, and a failure immediately.
  ///
  /// A failure overtakes pending events, which are dropped.
  ///
  /// ```text
  /// source:  a-b|
  /// result:  --a-b|
  /// source.delay(.seconds(2), on: scheduler)
  /// ```
  ///
  /// - Parameters:
  ///   - delay: The delay of each event.
  ///   - scheduler: The scheduler that measures the time, and on which they are sent.
  /// - Returns: A signal with the same order.
  public func delay(_ delay: Duration, on scheduler: some Scheduler) -> Signal {
    Signal(attaching: { observer, subscription in
      let join = SerialJoin(Delaying<Value, Failure>(), to: observer, subscription)
      let submit: @Sendable (Event<Value, Failure>) -> Void = { event in
        join.submit(.arrived(event))
        subscription.schedule(after: delay, on: scheduler) { join.submit(.isDue) }
      }
      self.attach(
        Observer(
          next: { submit(.next($0)) },
          end: { end in
            if end.isCompleted { submit(.completed) } else { join.submit(.arrived(end.event())) }
          }
        ),
        into: join
      )
    })
  }
}

/// Holds events back until they are due.
///
/// A timer delivers the oldest pending event instead of its own, so events keep their order even if
/// timers for nearly the same moment fire out of order.
private struct Delaying<Value: Sendable, Failure: Error>: JoinLogic {
  enum Input: Sendable {
    case arrived(Event<Value, Failure>)
    case isDue
  }

  var waiting = FIFOQueue<Event<Value, Failure>>()

  mutating func receive(_ input: Input, _ observer: Observer<Value, Failure>) -> End<Failure>? {
    switch input {
    case .arrived(.failed(let error)):
      return .failed(error)
    case .arrived(let event):
      waiting.append(event)
    case .isDue:
      switch waiting.popFirst() {
      case .next(let value): observer.onNext(value)
      case .completed: return .completed
      case .failed, nil: break
      }
    }
    return nil
  }
}

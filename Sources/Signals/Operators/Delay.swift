extension Signal {
  /// Sends values and completion later; a failure at once.
  ///
  /// A failure overtakes what waits, and that is dropped.
  ///
  /// ```text
  /// source:  a-b|
  /// result:  --a-b|
  /// source.delay(.seconds(2), on: scheduler)
  /// ```
  ///
  /// - Parameters:
  ///   - delay: How much later each of them is sent.
  ///   - scheduler: Whose time it is, and where they are sent.
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

/// Keeps events until their time has come.
///
/// What is due is the first that waits, so the order stays when timers of nearly the same moment
/// come in another one.
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

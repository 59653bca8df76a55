extension Signal {
  /// Sends a signal for every so many values, which sends them as they come.
  ///
  /// ``buffer(count:)`` without the waiting. A window begins with its first value, so none is
  /// empty; whoever wants all its values subscribes it when it arrives. When this signal ends, the
  /// window that is open ends first, then the result.
  ///
  /// ```text
  /// source:  a-b-c-d|
  /// result:  w---w--|
  /// source.window(count: 2).map { _ in "w" }
  /// ```
  ///
  /// - Parameter count: How many values a window has, at least 1; the last one may have fewer.
  /// - Returns: A signal of windows; when it is disposed, they send no more.
  public func window(count: Int) -> Signal<Signal, Failure> {
    precondition(count >= 1, "window(count:) is \(count): it must be at least 1")
    return Signal<Signal, Failure>(attaching: { observer, subscription in
      let left = Box(0)
      let window = Box<Subject<Value, Failure>?>(nil)
      self.attach(
        Observer(
          next: { value in
            if left.value == 0 {
              left.value = count
              window.value = Subject()
              if let window = window.value { observer.onNext(window.signal) }
              if subscription.isDisposed { return }
            }
            left.value -= 1
            window.value?.send(value)
            if left.value == 0 { window.value.take()?.complete() }
          },
          end: { end in
            window.value.take()?.finish(end)
            if !subscription.isDisposed { observer.onEnd(end) }
          }
        ),
        subscription
      )
    })
  }

  /// Sends a signal for each stretch of time in which values come, which sends them as they come.
  ///
  /// ``buffer(for:on:)`` without the waiting. The time runs from the first value of each window, so
  /// none is empty. When this signal ends, the window that is open ends first, then the result.
  ///
  /// ```text
  /// source:  a-b--c-|
  /// result:  w----w-|
  /// source.window(for: .seconds(3), on: scheduler).map { _ in "w" }
  /// ```
  ///
  /// - Parameters:
  ///   - time: How long a window is open.
  ///   - scheduler: Whose time it is, and where windows complete.
  /// - Returns: A signal of windows; when it is disposed, they send no more.
  public func window(for time: Duration, on scheduler: some Scheduler) -> Signal<Signal, Failure> {
    Signal<Signal, Failure>(attaching: { observer, subscription in
      let join = SerialJoin(
        Windowing<Value, Failure>(isDisposed: { subscription.isDisposed }),
        to: observer,
        subscription
      )
      self.attach(into: join, gatheringFor: time, on: scheduler)
    })
  }
}

/// Keeps a window open until the time is over, which begins with its first value.
private struct Windowing<Value: Sendable, Failure: Error>: JoinLogic {
  var window: Subject<Value, Failure>?
  let isDisposed: @Sendable () -> Bool

  init(isDisposed: @escaping @Sendable () -> Bool) {
    self.isDisposed = isDisposed
  }

  mutating func receive(
    _ input: TimespanInput<Value, Failure>,
    _ observer: Observer<Signal<Value, Failure>, Failure>
  ) -> End<Failure>? {
    switch input {
    case .value(let value, let beginTime):
      let open = window ?? Subject()
      if window == nil {
        window = open
        beginTime()
        observer.onNext(open.signal)
      }
      // Nothing is sent after disposal, which may come when the window arrives.
      if !isDisposed() { open.send(value) }
    case .timeIsOver:
      window.take()?.complete()
    case .end(let end):
      window.take()?.finish(end)
      return end
    }
    return nil
  }
}

extension Subject {
  /// Ends the subject as another signal ended.
  fileprivate func finish(_ end: End<Failure>) {
    switch end {
    case .completed: complete()
    case .failed(let error): fail(error)
    }
  }
}

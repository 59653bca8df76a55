extension Signal {
  /// Splits the values into windows of a given count: signals that send them as they arrive.
  ///
  /// Like ``buffer(count:)``, but without the delay. A window begins with its first value, so no
  /// window is empty; to get all its values, subscribe it when it arrives. When this signal ends,
  /// the open window ends first, and then the result.
  ///
  /// ```text
  /// source:  a-b-c-d|
  /// result:  w---w--|
  /// source.window(count: 2).map { _ in "w" }
  /// ```
  ///
  /// - Parameter count: The number of values in a window, at least 1; the last window may have
  ///   fewer.
  /// - Returns: A signal of windows; once it is disposed, they send nothing.
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

  /// Splits the values into windows of a given timespan: signals that send them as they arrive.
  ///
  /// Like ``buffer(for:on:)``, but without the delay. The timespan begins with the first value of
  /// each window, so no window is empty. When this signal ends, the open window ends first, and
  /// then the result.
  ///
  /// ```text
  /// source:  a-b--c-|
  /// result:  w----w-|
  /// source.window(for: .seconds(3), on: scheduler).map { _ in "w" }
  /// ```
  ///
  /// - Parameters:
  ///   - time: The length of the timespan.
  ///   - scheduler: The scheduler that measures the time, and on which windows complete.
  /// - Returns: A signal of windows; once it is disposed, they send nothing.
  public func window(for time: Duration, on scheduler: some Scheduler) -> Signal<Signal, Failure> {
    Signal<Signal, Failure>(attaching: { observer, subscription in
      let join = SerialJoin(
        Windowing<Value, Failure>(isDisposed: { subscription.isDisposed }), to: observer,
        subscription)
      self.attach(into: join, gatheringFor: time, on: scheduler)
    })
  }
}

/// Keeps a window open for a timespan that begins with its first value.
private struct Windowing<Value: Sendable, Failure: Error>: JoinLogic {
  var window: Subject<Value, Failure>?
  let isDisposed: @Sendable () -> Bool

  init(isDisposed: @escaping @Sendable () -> Bool) {
    self.isDisposed = isDisposed
  }

  mutating func receive(
    _ input: TimespanInput<Value, Failure>, _ observer: Observer<Signal<Value, Failure>, Failure>
  ) -> End<Failure>? {
    switch input {
    case .value(let value, let beginTime):
      let open = window ?? Subject()
      if window == nil {
        window = open
        _ = beginTime(0)
        observer.onNext(open.signal)
      }
      // Nothing is sent after disposal, which may happen in the callback that receives the window.
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
  /// Ends the subject with the end of another signal.
  fileprivate func finish(_ end: End<Failure>) {
    switch end {
    case .completed: complete()
    case .failed(let error): fail(error)
    }
  }
}

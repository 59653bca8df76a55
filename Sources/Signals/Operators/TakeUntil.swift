extension Signal {
  /// Sends values until another signal sends its first value, or completes.
  ///
  /// The other signal is subscribed first: if it sends a value immediately, nothing of this signal
  /// is sent. Its failure is ignored.
  ///
  /// ```text
  /// source:  a-b-c|
  /// other:   ---x|
  /// result:  a-b|
  /// source.take(until: other)
  /// ```
  ///
  /// - Parameter trigger: The signal that ends the result.
  /// - Returns: A signal that completes with the trigger, or ends with this signal.
  @inlinable
  public func take<Other: Sendable, OtherFailure: Error>(
    until trigger: some SignalConvertible<Other, OtherFailure>
  ) -> Signal {
    Signal(attaching: { observer, subscription in
      let join = SerialJoin(Merging<Value, Failure>(), to: observer, subscription)
      trigger.signal.attach(
        Observer(
          next: { _ in join.submit(.completed) },
          end: { if $0.isCompleted { join.submit(.completed) } }), into: join)
      self.attach(
        Observer(next: { join.submit(.next($0)) }, end: { join.submit($0.event()) }), into: join)
    })
  }

  /// Leaves out values until another signal sends its first value, or completes.
  ///
  /// The other signal is subscribed first. If it fails, nothing is sent.
  ///
  /// ```text
  /// source:  a-b-c|
  /// other:   ---x|
  /// result:  ----c|
  /// source.skip(until: other)
  /// ```
  ///
  /// - Parameter trigger: The signal after whose first value, or completion, values are sent.
  /// - Returns: A signal that ends with this one.
  @inlinable
  public func skip<Other: Sendable, OtherFailure: Error>(
    until trigger: some SignalConvertible<Other, OtherFailure>
  ) -> Signal {
    Signal(attaching: { observer, subscription in
      let join = SerialJoin(Opening<Value, Failure>(), to: observer, subscription)
      let waiting = CompositeDisposable()
      trigger.signal.attach(
        Observer(
          next: { _ in
            join.submit(.open)
            waiting.dispose()
          },
          end: { if $0.isCompleted { join.submit(.open) } }
        ),
        into: join,
        as: waiting
      )
      self.attach(
        Observer(
          next: { join.submit(.event(.next($0))) }, end: { join.submit(.event($0.event())) }),
        into: join)
    })
  }
}

/// Drops values until the trigger has sent a value or completed.
@usableFromInline
struct Opening<Value: Sendable, Failure: Error>: JoinLogic {
  @usableFromInline
  enum Input: Sendable {
    case open
    case event(Event<Value, Failure>)
  }

  @usableFromInline var isOpen = false

  @inlinable
  init() {}

  @inlinable
  mutating func receive(_ input: Input, _ observer: Observer<Value, Failure>) -> End<Failure>? {
    switch input {
    case .open: isOpen = true
    case .event(.next(let value)): if isOpen { observer.onNext(value) }
    case .event(.completed): return .completed
    case .event(.failed(let error)): return .failed(error)
    }
    return nil
  }
}

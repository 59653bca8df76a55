extension Signal {
  /// Sends values until another signal sends its first value, or completes.
  ///
  /// The other signal is subscribed first, so when it has something to send at once nothing is
  /// sent here. Its failure is ignored.
  ///
  /// ```text
  /// source:  a-b-c|
  /// other:   ---x|
  /// result:  a-b|
  /// source.take(until: other)
  /// ```
  ///
  /// - Parameter trigger: What ends it.
  /// - Returns: Completes with the trigger, or ends with this signal.
  @inlinable
  public func take<Other: Sendable, OtherFailure: Error>(
    until trigger: Signal<Other, OtherFailure>
  ) -> Signal {
    Signal(attaching: { observer, subscription in
      let join = SerialJoin(Merging<Value, Failure>(), to: observer, subscription)
      trigger.attach(
        Observer(
          next: { _ in join.submit(.completed) },
          end: { if $0.isCompleted { join.submit(.completed) } }
        ),
        into: join
      )
      self.attach(
        Observer(next: { join.submit(.next($0)) }, end: { join.submit($0.event()) }),
        into: join
      )
    })
  }

  /// Leaves out values until another signal sends its first value, or completes.
  ///
  /// The other signal is subscribed first. Its failure is ignored: then nothing is sent.
  ///
  /// ```text
  /// source:  a-b-c|
  /// other:   ---x|
  /// result:  ----c|
  /// source.skip(until: other)
  /// ```
  ///
  /// - Parameter trigger: What opens it.
  /// - Returns: Ends with this signal.
  @inlinable
  public func skip<Other: Sendable, OtherFailure: Error>(
    until trigger: Signal<Other, OtherFailure>
  ) -> Signal {
    Signal(attaching: { observer, subscription in
      let join = SerialJoin(Opening<Value, Failure>(), to: observer, subscription)
      let waiting = CompositeDisposable()
      trigger.attach(
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
          next: { join.submit(.event(.next($0))) },
          end: { join.submit(.event($0.event())) }
        ),
        into: join
      )
    })
  }
}

/// Drops values until it is told to open.
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

extension Signal {
  /// Sends the latest value each time that another signal sends one.
  ///
  /// Nothing is sent before the first value; a value may be sent several times. The result ends
  /// with the signal that ends first.
  ///
  /// ```text
  /// source:  a--b----|
  /// other:   -x-x-x-|
  /// result:  -a-b-b-|
  /// source.sample(on: other)
  /// ```
  ///
  /// - Parameter sampler: The signal that triggers sending; subscribed after this one.
  /// - Returns: A signal of as many values as the sampler sends after the first value.
  @inlinable
  public func sample<Other: Sendable>(on sampler: Signal<Other, Failure>) -> Signal {
    Signal(attaching: { observer, subscription in
      let join = SerialJoin(Sampling<Value, Failure>(), to: observer, subscription)
      self.attach(
        Observer(next: { join.submit(.value($0)) }, end: { join.submit(.end($0)) }),
        into: join
      )
      sampler.attach(
        Observer(next: { _ in join.submit(.send) }, end: { join.submit(.end($0)) }),
        into: join
      )
    })
  }
}

/// Keeps the latest value, and sends it for each value of the sampler.
@usableFromInline
struct Sampling<Value: Sendable, Failure: Error>: JoinLogic {
  @usableFromInline
  enum Input: Sendable {
    case value(Value)
    case send
    case end(End<Failure>)
  }

  @usableFromInline var latest: Value?

  @inlinable
  init() {}

  @inlinable
  mutating func receive(_ input: Input, _ observer: Observer<Value, Failure>) -> End<Failure>? {
    switch input {
    case .value(let value): latest = value
    case .send: if let latest { observer.onNext(latest) }
    case .end(let end): return end
    }
    return nil
  }
}

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
    joined(self, sampler) { Sampling<Value, Other, Failure>() }
  }
}

/// Keeps the latest value, and sends it for each value of the sampler.
@usableFromInline
struct Sampling<Value: Sendable, Other: Sendable, Failure: Error>: JoinLogic {
  @usableFromInline typealias Input = PairInput<Value, Other, Failure>

  @usableFromInline var latest: Value?

  @inlinable
  init() {}

  @inlinable
  mutating func receive(_ input: Input, _ observer: Observer<Value, Failure>) -> End<Failure>? {
    switch input {
    case .first(let value): latest = value
    case .second: if let latest { observer.onNext(latest) }
    case .end(let end, _): return end
    }
    return nil
  }
}

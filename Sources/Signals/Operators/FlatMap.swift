extension Signal {
  /// Maps each value to a signal, and merges these signals.
  ///
  /// It completes when this signal and all inner signals have completed. The first failure of any
  /// of them ends all. A signal may continue itself this way endlessly without growing the stack or
  /// memory.
  ///
  /// ```text
  /// source:  a--a|
  /// other:   x-y-|
  /// result:  x-yx-y-|
  /// source.flatMap { _ in other }
  /// ```
  ///
  /// - Parameter transform: Returns the signal for a value, which is subscribed immediately.
  /// - Returns: A signal of all values in the order in which they are sent, whichever threads send
  ///   them.
  @inlinable
  public func flatMap<NewValue: Sendable>(
    _ transform: @escaping @Sendable (Value) -> Signal<NewValue, Failure>
  ) -> Signal<NewValue, Failure> {
    Signal<NewValue, Failure>(attaching: { observer, subscription in
      // A `flatMap` within another one merges into that one's sink, or a signal that continues
      // itself would nest sinks without end.
      if let outer = observer.target as? MergeSink<NewValue, Failure> {
        return self.attach(
          Observer(
            next: { value in
              outer.enter()
              outer.nest { outer.subscribe(transform(value)) }
            },
            end: observer.onEnd
          ),
          subscription
        )
      }
      let sink = MergeSink(active: 1, to: observer, subscription)
      self.attach(
        Observer(
          next: { value in
            sink.enter()
            sink.subscribe(transform(value))
          },
          end: { sink.end($0) }
        ),
        into: sink.join
      )
    })
  }
}

extension Signal {
  /// Makes a signal of each value, and sends what all of these send, as it comes.
  ///
  /// It completes when this signal and all that were made of it have completed. The first failure,
  /// whose ever it is, ends all of them. A signal that continues itself so, without end, grows
  /// neither the stack nor memory.
  ///
  /// ```text
  /// source:  a--a|
  /// other:   x-y-|
  /// result:  x-yx-y-|
  /// source.flatMap { _ in other }
  /// ```
  ///
  /// - Parameter transform: Makes the signal, which is subscribed at once.
  /// - Returns: The values of all in the order in which they are sent, whichever threads send them.
  @inlinable
  public func flatMap<NewValue: Sendable>(
    _ transform: @escaping @Sendable (Value) -> Signal<NewValue, Failure>
  ) -> Signal<NewValue, Failure> {
    Signal<NewValue, Failure>(attaching: { observer, subscription in
      // Within another one it flows into that: what is made here may be made of itself.
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

extension Signal {
  /// Sends the last values when the signal completes; none when it fails.
  ///
  /// ```text
  /// source:  a-b-c|
  /// result:  -----(bc|)
  /// source.takeLast(2)
  /// ```
  ///
  /// - Parameter count: The maximum number of values; with less than 1 only the end is sent.
  /// - Returns: A signal with the same end.
  public func takeLast(_ count: Int) -> Signal {
    if count < 1 { return ignoreValues() }
    return Signal(attaching: { observer, subscription in
      let last = Box(ReplayMemory<Value, Failure>(capacity: count))
      self.attach(
        Observer(
          next: { last.value.record($0) },
          end: { end in
            if end.isCompleted {
              last.value.replay(while: { !subscription.isDisposed }, to: observer.onNext)
            }
            if !subscription.isDisposed { observer.onEnd(end) }
          }
        ),
        subscription
      )
    })
  }
}

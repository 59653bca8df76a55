extension Signal {
  /// Collects a number of values, and sends them together.
  ///
  /// When the signal completes, the values collected so far are sent immediately; when it fails,
  /// they are dropped.
  ///
  /// ```text
  /// source:  a-b-cd--
  /// result:  --2--2
  /// source.buffer(count: 2).map(\.count)
  /// ```
  ///
  /// - Parameter count: The number of values in an array, at least 1; the last array may have
  ///   fewer.
  /// - Returns: A signal of arrays with the same end.
  @inlinable
  public func buffer(count: Int) -> Signal<[Value], Failure> {
    precondition(count >= 1, "buffer(count:) is \(count): it must be at least 1")
    return Signal<[Value], Failure>(attaching: { observer, subscription in
      let collected = Box<[Value]>([])
      self.attach(
        Observer(
          next: { value in
            // An array of unusual size grows as needed.
            if collected.value.isEmpty { collected.value.reserveCapacity(min(count, 256)) }
            collected.value.append(value)
            guard collected.value.count == count else { return }
            var full: [Value] = []
            swap(&full, &collected.value)
            observer.onNext(full)
          },
          end: { end in
            if end.isCompleted, !collected.value.isEmpty { observer.onNext(collected.value) }
            if !subscription.isDisposed { observer.onEnd(end) }
          }
        ),
        subscription
      )
    })
  }
}

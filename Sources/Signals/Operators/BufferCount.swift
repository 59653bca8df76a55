extension Signal {
  /// Collects so many values, and sends them together.
  ///
  /// When the signal completes, what was collected is sent at once; a failure overtakes it, and it
  /// is dropped.
  ///
  /// ```text
  /// source:  a-b-cd--
  /// result:  --2--2
  /// source.buffer(count: 2).map(\.count)
  /// ```
  ///
  /// - Parameter count: How many values an array has, at least 1; the last one may have fewer.
  /// - Returns: A signal of arrays with the same end.
  public func buffer(count: Int) -> Signal<[Value], Failure> {
    precondition(count >= 1, "buffer(count:) is \(count): it must be at least 1")
    return Signal<[Value], Failure>(attaching: { observer, subscription in
      let collected = Box<[Value]>([])
      self.attach(
        Observer(
          next: { value in
            collected.value.append(value)
            guard collected.value.count == count else { return }
            let full = collected.value
            collected.value = []
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

extension Signal {
  /// Sends whether any value passes a test, and completes.
  ///
  /// ```text
  /// source:  a-b-c|
  /// result:  --(T|)
  /// source.any { $0 == "b" }.map { $0 ? "T" : "F" }
  /// ```
  ///
  /// - Parameter isWanted: The test; by default, every value passes.
  /// - Returns: A signal of `true` as soon as a value passes, or of `false` when this one completes
  ///   or fails before.
  @inlinable
  public func any(
    _ isWanted: @escaping @Sendable (Value) -> Bool = { _ in true }
  ) -> Signal<Bool, Never> {
    decision(isWanted, onFound: true, onCompleted: false)
  }

  /// Sends whether all values pass a test, and completes.
  ///
  /// ```text
  /// source:  b-b-a|
  /// result:  ----(F|)
  /// source.all { $0 == "b" }.map { $0 ? "T" : "F" }
  /// ```
  ///
  /// - Parameter isWanted: The test.
  /// - Returns: A signal of `false` as soon as a value does not pass or this one fails, or of
  ///   `true` when it completes before.
  @inlinable
  public func all(_ isWanted: @escaping @Sendable (Value) -> Bool) -> Signal<Bool, Never> {
    decision({ !isWanted($0) }, onFound: false, onCompleted: true)
  }

  /// Decides at the first value that passes a test, or at the end.
  @usableFromInline
  func decision(
    _ decides: @escaping @Sendable (Value) -> Bool, onFound: Bool, onCompleted: Bool
  ) -> Signal<Bool, Never> {
    Signal<Bool, Never>(attaching: { observer, subscription in
      let say: @Sendable (Bool) -> Void = { decision in
        observer.onNext(decision)
        if !subscription.isDisposed { observer.onEnd(.completed) }
      }
      self.attach(
        Observer(
          next: { if decides($0) { say(onFound) } },
          end: { say($0.isCompleted ? onCompleted : false) }), subscription)
    })
  }
}

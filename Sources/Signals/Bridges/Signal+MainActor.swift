extension Signal {
  /// Subscribes closures on the main actor, such as those that update the user interface.
  ///
  /// ```swift
  /// results.subscribe(on: MainActor.shared, next: { label.text = $0 })
  /// ```
  ///
  /// The source may send on any thread; ``MainActorScheduler`` delivers the events on the main
  /// actor, in their order. After disposal on the main actor, nothing is delivered.
  ///
  /// - Parameters:
  ///   - actor: The main actor.
  ///   - next: Receives each value.
  ///   - failed: Receives the error, if the signal fails.
  ///   - completed: Called when the signal completes.
  /// - Returns: The subscription, as for ``subscribe(next:failed:completed:)``.
  @discardableResult
  public func subscribe(
    on actor: MainActor,
    next: @escaping @MainActor (Value) -> Void,
    failed: (@MainActor (Failure) -> Void)? = nil,
    completed: (@MainActor () -> Void)? = nil
  ) -> any Disposable {
    deliver(on: MainActorScheduler()).subscribe(
      next: { value in MainActor.assumeIsolated { next(value) } },
      failed: { error in MainActor.assumeIsolated { failed?(error) } },
      completed: { MainActor.assumeIsolated { completed?() } }
    )
  }
}

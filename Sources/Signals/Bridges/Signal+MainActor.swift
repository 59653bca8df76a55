extension Signal {
  /// Subscribes closures of the main actor: those that change what a screen shows.
  ///
  /// ```swift
  /// results.subscribe(on: MainActor.shared, next: { label.text = $0 })
  /// ```
  ///
  /// The source may send on any thread; events arrive on the main actor in their order, as
  /// ``MainActorScheduler`` runs them. When the subscription is disposed there, nothing follows.
  ///
  /// - Parameters:
  ///   - actor: The main actor.
  ///   - next: Receives each value.
  ///   - failed: Receives the error, if the signal fails.
  ///   - completed: Called when the signal completes.
  /// - Returns: The subscription, as ``subscribe(next:failed:completed:)`` returns it.
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

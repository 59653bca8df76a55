extension Signal {
  /// Subscribes closures that run on the actor of the caller, such as those that update the user
  /// interface.
  ///
  /// The closures need not be `@Sendable`: they may use what belongs to the actor. In a class of a
  /// global actor, whichever it is, or in a method of any class that is isolated to one:
  ///
  /// ```swift
  /// names.observe { [weak self] in self?.items.append($0) }
  /// ```
  ///
  /// The source may send on any thread; events arrive on the actor in their order. On the main
  /// actor, an event that is sent there while none is waiting arrives at once; on other actors, each
  /// event has to wait for its turn. After disposal on the actor, nothing is delivered.
  ///
  /// - Parameters:
  ///   - actor: The actor; omit it. Code without an actor cannot call this method: isolate it, or
  ///     use ``observe(on:next:failed:completed:)-(MainActor.Type,_,_,_)``.
  ///   - next: Receives each value.
  ///   - failed: Receives the error, if the signal fails.
  ///   - completed: Called when the signal completes.
  /// - Returns: The subscription, as for ``subscribe(next:failed:completed:)``.
  @discardableResult
  public func observe(
    isolation actor: isolated any Actor = #isolation, next: @escaping (Value) -> Void = { _ in },
    failed: ((Failure) -> Void)? = nil, completed: (() -> Void)? = nil
  ) -> any Disposable {
    // The next three: nonisolated(unsafe) because they are called on the actor alone.
    nonisolated(unsafe) let next = next
    nonisolated(unsafe) let failed = failed
    nonisolated(unsafe) let completed = completed
    // A released actor runs nothing.
    return delivered(on: actor).subscribe(
      next: { [weak actor] value in if actor != nil { next(value) } },
      failed: { [weak actor] error in if actor != nil { failed?(error) } },
      completed: { [weak actor] in if actor != nil { completed?() } })
  }

  /// Subscribes closures of the main actor, from code that is isolated to any actor or to none.
  ///
  /// ```swift
  /// results.observe(on: MainActor.self, next: { label.text = $0 })
  /// ```
  ///
  /// - Parameters:
  ///   - actor: The main actor.
  ///   - next: Receives each value.
  ///   - failed: Receives the error, if the signal fails.
  ///   - completed: Called when the signal completes.
  /// - Returns: The subscription, as for ``subscribe(next:failed:completed:)``.
  @discardableResult
  public func observe(
    on actor: MainActor.Type, next: @escaping @MainActor (Value) -> Void = { _ in },
    failed: (@MainActor (Failure) -> Void)? = nil, completed: (@MainActor () -> Void)? = nil
  ) -> any Disposable {
    deliver(on: MainActorScheduler()).subscribe(
      next: { value in MainActor.assumeIsolated { next(value) } },
      failed: { error in MainActor.assumeIsolated { failed?(error) } },
      completed: { MainActor.assumeIsolated { completed?() } })
  }

  /// Subscribes closures that run on an actor and receive it, without keeping it alive.
  ///
  /// For the methods of an actor: a closure that used `self` there would keep the actor alive.
  ///
  /// ```swift
  /// names.observe(on: self) { actor, name in actor.names.append(name) }
  /// ```
  ///
  /// - Parameters:
  ///   - actor: The actor. Once it has been released, the next event disposes the subscription.
  ///   - next: Receives the actor and each value.
  ///   - failed: Receives the actor and the error, if the signal fails.
  ///   - completed: Receives the actor when the signal completes.
  /// - Returns: The subscription, as for ``subscribe(next:failed:completed:)``.
  @discardableResult
  public func observe<Receiver: Actor>(
    on actor: Receiver, next: @escaping @Sendable (isolated Receiver, Value) -> Void = { _, _ in },
    failed: (@Sendable (isolated Receiver, Failure) -> Void)? = nil,
    completed: (@Sendable (isolated Receiver) -> Void)? = nil
  ) -> any Disposable {
    let subscription = CompositeDisposable()
    // Runs on the actor already; only the compiler does not know it.
    let enter: @Sendable (@Sendable (isolated Receiver) -> Void) -> Void = { [weak actor] work in
      guard let actor else { return subscription.dispose() }
      actor.assumeIsolated(work)
    }
    delivered(on: actor).attach(
      Observer(
        next: { value in enter { next($0, value) } },
        end: { end in
          enter { actor in
            switch end {
            case .completed: completed?(actor)
            case .failed(let error): failed?(actor, error)
            }
          }
        }
      ),
      until: subscription
    )
    return subscription
  }

  /// Delivers every event on an actor, in the same order.
  private func delivered(on actor: any Actor) -> Signal {
    if actor === MainActor.shared { return deliver(on: MainActorScheduler()) }
    let turns = ActorTurns(actor)
    return delivered(by: { turns.add($0) })
  }
}

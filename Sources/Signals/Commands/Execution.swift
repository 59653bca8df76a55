public import Synchronization

/// One accepted execution: its work, subscribed once, and everything that the work has sent.
@usableFromInline
final class Execution<Input: Sendable, Output: Sendable, Failure: Error>: Sendable {
  @usableFromInline let id: ExecutionNumber
  @usableFromInline let input: Input
  @usableFromInline let work: Signal<Output, Failure>
  /// Cancels the work when a subscription to the outcome is disposed; `nil` if the command does not.
  @usableFromInline let cancellation: SerialDisposable?
  @usableFromInline let core: CommandCore<Input, Output, Failure>
  @usableFromInline let result: SubjectCore<ExecutionMemory<Output, Failure>>
  @usableFromInline let subscription = CompositeDisposable()
  @usableFromInline let hasEnded = Atomic(false)

  @inlinable
  init(
    id: ExecutionNumber, input: Input, work: Signal<Output, Failure>,
    cancellation: SerialDisposable?, core: CommandCore<Input, Output, Failure>
  ) {
    self.id = id
    self.input = input
    self.work = work
    self.cancellation = cancellation
    self.core = core
    result = SubjectCore(memory: ExecutionMemory(), command: core.name)
  }

  /// Releases the observers of work that has released its own observer without an end.
  ///
  /// An execution that has ended has none: its end, delivered or queued, releases them.
  deinit {
    if !hasEnded.load(ordering: .acquiring) { result.abandon() }
  }

  /// Subscribes the work.
  @inlinable
  func begin() {
    work.attach(
      Observer(
        next: { value in
          self.result.next(value)
          self.core.pass(value, of: self)
        },
        end: { end in
          self.core.finish(self, end)
          self.subscription.dispose()
        }
      ),
      subscription
    )
  }

  /// Delivers the end to the observers of the result.
  @inlinable
  func finish(_ end: End<Failure>) {
    hasEnded.store(true, ordering: .releasing)
    result.submit(.end(end))
  }

  /// The signal that `start` returns: the values so far, those that follow, and the end of the work.
  ///
  /// It holds the result instead of the execution, so that an execution whose work has released its
  /// observer is released, and releases the observers of the result, even while the outcome is held.
  @inlinable var outcome: Signal<Output, Failure> {
    guard let cancellation else { return result.signal }
    let result = result
    return Signal(attaching: { observer, subscription in
      subscription.add(cancellation)
      result.attach(observer, subscription)
    })
  }

  /// The signal that `execute` returns: the outcome, with its failure as a ``CommandError``.
  @inlinable var commandOutcome: Signal<Output, CommandError<Failure>> {
    if cancellation != nil { return outcome.mapError { .failed($0) } }
    // The closure captures one object, so it needs no allocation; one of `mapError` would.
    let result = result
    return Signal(attaching: { observer, subscription in
      result.signal.mapError { .failed($0) }.attach(observer, subscription)
    })
  }

  /// The signal that `executionSignals` sends: the outcome, completed by a failure too.
  @inlinable var values: Signal<Output, Never> {
    let result = result
    return Signal(attaching: { observer, subscription in
      result.signal.attach(
        Observer(next: observer.onNext, end: { _ in observer.complete() }), subscription)
    })
  }
}

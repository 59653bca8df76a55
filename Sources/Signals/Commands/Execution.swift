/// One accepted execution: its work, subscribed once, and all that came of it, for whoever asks.
@usableFromInline
final class Execution<Input: Sendable, Output: Sendable, Failure: Error>: Sendable {
  @usableFromInline let id: ExecutionNumber
  @usableFromInline let input: Input
  @usableFromInline let work: Signal<Output, Failure>
  /// What disposing a subscription to the outcome disposes, where the command was made so.
  @usableFromInline let cancellation: SerialDisposable?
  @usableFromInline let core: CommandCore<Input, Output, Failure>
  @usableFromInline let result: SubjectCore<ReplayMemory<Output, Failure>>
  @usableFromInline let subscription = CompositeDisposable()

  @inlinable
  init(
    id: ExecutionNumber,
    input: Input,
    work: Signal<Output, Failure>,
    cancellation: SerialDisposable?,
    core: CommandCore<Input, Output, Failure>
  ) {
    self.id = id
    self.input = input
    self.work = work
    self.cancellation = cancellation
    self.core = core
    result = SubjectCore(memory: ReplayMemory(capacity: .max), command: core.name)
  }

  /// Work that never ends may have let go of its observer: nothing will come any more.
  deinit {
    result.abandon()
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

  @inlinable
  func finish(_ end: End<Failure>) {
    result.submit(.end(end))
  }

  /// What `start` returns: values so far, those that follow, and the real end.
  ///
  /// It holds the result alone, not the execution, or holding the outcome would keep what was let go
  /// of waiting.
  @inlinable var outcome: Signal<Output, Failure> {
    guard let cancellation else { return result.signal }
    let result = result
    return Signal(attaching: { observer, subscription in
      subscription.add(cancellation)
      result.attach(observer, subscription)
    })
  }

  /// What `executionSignals` sends: the same, but a failure completes it, as in the article.
  @inlinable var values: Signal<Output, Never> {
    let result = result
    return Signal(attaching: { observer, subscription in
      result.signal.attach(
        Observer(next: observer.onNext, end: { _ in observer.complete() }),
        subscription
      )
    })
  }
}

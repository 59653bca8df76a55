/// One accepted execution: its work, subscribed once, and all that came of it, for whoever asks.
@usableFromInline
final class Execution<Input: Sendable, Output: Sendable, Failure: Error>: Sendable {
  @usableFromInline let id: ExecutionID
  @usableFromInline let input: Input
  @usableFromInline let work: Signal<Output, Failure>
  /// What disposing a subscription to the outcome disposes, where the command was made so.
  @usableFromInline let cancellation: SerialDisposable?
  @usableFromInline let result = SubjectCore<ReplayMemory<Output, Failure>>(
    memory: ReplayMemory(capacity: .max)
  )

  @inlinable
  init(
    id: ExecutionID,
    input: Input,
    work: Signal<Output, Failure>,
    cancellation: SerialDisposable?
  ) {
    self.id = id
    self.input = input
    self.work = work
    self.cancellation = cancellation
  }

  /// Work that never ends may have let go of its observer: nothing will come any more.
  deinit {
    result.submit(.removeAll)
  }

  /// Subscribes the work; `next` and `end` are called after the value or end was remembered.
  @inlinable
  func begin(
    next: @escaping @Sendable (Output) -> Void,
    end: @escaping @Sendable (End<Failure>) -> Void
  ) {
    work.attach(
      Observer(
        next: { value in
          self.result.next(value)
          next(value)
        },
        end: end
      ),
      until: CompositeDisposable()
    )
  }

  @inlinable
  func finish(_ end: End<Failure>) {
    result.submit(.end(end))
  }

  /// What `execute` returns: values so far, those that follow, and the real end.
  @inlinable var outcome: Signal<Output, CommandError<Failure>> {
    let result = result.signal
    let cancellation = cancellation
    return Signal(attaching: { observer, subscription in
      if let cancellation { subscription.add(cancellation) }
      result.attach(
        Observer(
          next: observer.onNext,
          end: { end in
            switch end {
            case .completed: observer.complete()
            case .failed(let error): observer.fail(.failed(error))
            }
          }
        ),
        subscription
      )
    })
  }

  /// What `executionSignals` sends: the same, but a failure completes it, as in the article.
  @inlinable var values: Signal<Output, Never> {
    let result = result.signal
    return Signal(attaching: { observer, subscription in
      result.attach(
        Observer(next: observer.onNext, end: { _ in observer.complete() }),
        subscription
      )
    })
  }
}

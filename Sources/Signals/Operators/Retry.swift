extension Signal {
  /// Subscribes again when the signal fails.
  ///
  /// A synchronous signal may fail any number of times without growing the stack.
  ///
  /// ```text
  /// source:  a-#
  /// result:  a-a-#
  /// source.retry(1)
  /// ```
  ///
  /// - Parameter attempts: The maximum number of further subscriptions, 0 or more; unlimited by
  ///   default. The last failure is passed on.
  /// - Returns: A signal of the values of all attempts.
  @inlinable
  public func retry(_ attempts: Int = .max) -> Signal {
    resubscribed { end, round in !end.isCompleted && round <= attempts }
  }

  /// Subscribes again when the signal completes.
  ///
  /// A synchronous signal may complete any number of times without growing the stack.
  ///
  /// ```text
  /// source:  a-b|
  /// result:  a-ba-b|
  /// source.repeat(2)
  /// ```
  ///
  /// - Parameter times: The number of subscriptions in total; unlimited by default. With less than
  ///   1 the signal is not subscribed.
  /// - Returns: A signal of the values of all rounds; a failure ends it.
  @inlinable
  public func `repeat`(_ times: Int = .max) -> Signal {
    if times < 1 { return .empty }
    return resubscribed { end, round in end.isCompleted && round < times }
  }

  /// Subscribes again after each end for which a closure says so.
  ///
  /// - Parameter isNext: Returns whether to continue, given an end and the number of rounds so far.
  /// - Returns: A signal of the values of all rounds, and of the last end.
  @inlinable
  func resubscribed(_ isNext: @escaping @Sendable (End<Failure>, Int) -> Bool) -> Signal {
    Signal(attaching: { observer, subscription in
      Rounds(of: self, isNext, observer, subscription).start()
    })
  }
}

/// The rounds of one subscription.
@usableFromInline
final class Rounds<Value: Sendable, Failure: Error>: Sendable {
  @usableFromInline let signal: Signal<Value, Failure>
  @usableFromInline let isNext: @Sendable (End<Failure>, Int) -> Bool
  @usableFromInline let observer: Observer<Value, Failure>
  @usableFromInline let subscription: CompositeDisposable
  @usableFromInline let trampoline = Trampoline()
  @usableFromInline let count = Box(0)

  @inlinable
  init(
    of signal: Signal<Value, Failure>, _ isNext: @escaping @Sendable (End<Failure>, Int) -> Bool,
    _ observer: Observer<Value, Failure>, _ subscription: CompositeDisposable
  ) {
    self.signal = signal
    self.isNext = isNext
    self.observer = observer
    self.subscription = subscription
  }

  @inlinable
  func start() {
    trampoline.bounce(playRound)
  }

  @inlinable
  func playRound() {
    if subscription.isDisposed { return }
    count.value += 1
    let round = CompositeDisposable()
    subscription.add(round)
    signal.attach(
      Observer(
        next: observer.onNext,
        end: { end in
          guard self.isNext(end, self.count.value) else { return self.observer.onEnd(end) }
          self.subscription.remove(round)
          round.dispose()
          self.trampoline.bounce(self.playRound)
        }
      ),
      round
    )
  }
}

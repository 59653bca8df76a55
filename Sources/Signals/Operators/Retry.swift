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
  /// - Parameter attempts: How many times it is subscribed again at the most, 0 or more; without
  ///   end unless told otherwise. The last failure is passed on.
  /// - Returns: The values of all attempts.
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
  /// - Parameter times: How many times it is subscribed in all; without end unless told otherwise.
  ///   With less than 1 it is not even subscribed.
  /// - Returns: The values of all rounds; a failure ends it.
  public func `repeat`(_ times: Int = .max) -> Signal {
    if times < 1 { return .empty }
    return resubscribed { end, round in end.isCompleted && round < times }
  }

  /// Subscribes again after each end that calls for it.
  ///
  /// - Parameter isNext: Decides, of an end and how many rounds there were, whether to go on.
  /// - Returns: The values of all rounds, and the end after which nothing follows.
  private func resubscribed(
    _ isNext: @escaping @Sendable (End<Failure>, Int) -> Bool
  ) -> Signal {
    Signal(attaching: { observer, subscription in
      Rounds(of: self, isNext, observer, subscription).start()
    })
  }
}

/// The rounds of one subscription.
private final class Rounds<Value: Sendable, Failure: Error>: Sendable {
  private let signal: Signal<Value, Failure>
  private let isNext: @Sendable (End<Failure>, Int) -> Bool
  private let observer: Observer<Value, Failure>
  private let subscription: CompositeDisposable
  private let trampoline = Trampoline()
  private let count = Box(0)

  init(
    of signal: Signal<Value, Failure>,
    _ isNext: @escaping @Sendable (End<Failure>, Int) -> Bool,
    _ observer: Observer<Value, Failure>,
    _ subscription: CompositeDisposable
  ) {
    self.signal = signal
    self.isNext = isNext
    self.observer = observer
    self.subscription = subscription
  }

  func start() {
    trampoline.bounce(playRound)
  }

  private func playRound() {
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

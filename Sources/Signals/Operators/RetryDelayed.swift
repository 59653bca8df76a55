extension Signal {
  /// Subscribes again after a failure and a delay.
  ///
  /// ```text
  /// source:  a#
  /// result:  a---a#
  /// source.retry(1, delay: .seconds(3), on: scheduler)
  /// ```
  ///
  /// - Parameters:
  ///   - attempts: The maximum number of further subscriptions, 0 or more; unlimited by default.
  ///     The last failure is passed on.
  ///   - delay: The delay before each attempt.
  ///   - scheduler: The scheduler that measures the time, and on which the attempts are subscribed.
  /// - Returns: A signal of the values of all attempts.
  @inlinable
  public func retry(
    _ attempts: Int = .max, delay: RetryDelay, on scheduler: some Scheduler
  ) -> Signal {
    Signal(attaching: { observer, subscription in
      let delayBefore = delay.makeDelays()
      let rounds = FailingRounds(of: self, attempts, observer, subscription) { _, number, rounds in
        rounds.subscription.schedule(after: delayBefore(number), on: scheduler) { rounds.start() }
      }
      rounds.start()
    })
  }

  /// Subscribes again each time that another signal sends a value.
  ///
  /// For cases that ``retry(_:delay:on:)`` does not cover: the handler sees every failure, and its
  /// signal decides.
  ///
  /// ```swift
  /// let patient = request.retry(when: { errors in
  ///   errors.flatMap { error in
  ///     error.isTransient
  ///       ? Signal.timer(after: .seconds(1), on: scheduler).promoteError() : .fail(error)
  ///   }
  /// })
  /// ```
  ///
  /// ```text
  /// source:  a#
  /// other:   --x|
  /// result:  a--a|
  /// source.retry(when: { $0.take(1).flatMap { _ in other } })
  /// ```
  ///
  /// - Parameter handler: Receives the failures as values, once for each subscription. Each value
  ///   of the signal that it returns starts an attempt, unless one is running.
  /// - Returns: A signal of the values of all attempts, which ends with the handler's signal or
  ///   completes with an attempt.
  @inlinable
  public func retry<Trigger: Sendable>(
    when handler: @escaping @Sendable (Signal<Failure, Never>) -> Signal<Trigger, Failure>
  ) -> Signal {
    Signal(attaching: { observer, subscription in
      let join = SerialJoin(Merging<Value, Failure>(), to: observer, subscription)
      let joined = Observer<Value, Failure>(
        next: { join.submit(.next($0)) }, end: { join.submit($0.event()) })
      let errors = Subject<Failure, Never>()
      let next = NextAttempt()
      let rounds = FailingRounds(of: self, .max, joined, subscription) {
        [weak next] error, _, rounds in
        next?.put { rounds.start() }
        errors.send(error)
      }
      handler(errors.signal).attach(
        Observer(next: { _ in next.take()?() }, end: joined.onEnd), into: join)
      rounds.start()
    })
  }

  /// Subscribes again each time that a signal that cannot fail sends a value.
  ///
  /// - Parameter handler: The same as for ``retry(when:)``.
  /// - Returns: A signal of the values of all attempts, which completes with the handler's signal
  ///   or an attempt.
  @inlinable
  @_disfavoredOverload
  public func retry<Trigger: Sendable>(
    when handler: @escaping @Sendable (Signal<Failure, Never>) -> Signal<Trigger, Never>
  ) -> Signal {
    retry(when: { handler($0).promoteError(to: Failure.self) })
  }
}

/// The closure that starts the next attempt, while none is running.
///
/// The handler's signal holds it, and it holds the attempts, which do not hold it: all are released
/// with that signal, or with the source during an attempt.
@usableFromInline
final class NextAttempt: Sendable {
  @usableFromInline let waiting = Lock<(@Sendable () -> Void)?>(nil)

  @inlinable
  init() {}

  @inlinable
  func put(_ begin: @escaping @Sendable () -> Void) {
    let former = waiting.withLock { waiting in
      let former = waiting
      waiting = begin
      return former
    }
    // Released after the lock: releasing it may run other code.
    _ = former
  }

  @inlinable
  func take() -> (@Sendable () -> Void)? {
    waiting.withLock { $0.take() }
  }
}

/// The attempts of one subscription, one after the other; synchronous attempts do not grow the
/// stack.
@usableFromInline
final class FailingRounds<Value: Sendable, Failure: Error>: Sendable {
  @usableFromInline typealias Arrange = @Sendable (Failure, Int, FailingRounds) -> Void

  @usableFromInline let signal: Signal<Value, Failure>
  @usableFromInline let attempts: Int
  @usableFromInline let observer: Observer<Value, Failure>
  @usableFromInline let subscription: CompositeDisposable
  @usableFromInline let arrange: Arrange
  @usableFromInline let trampoline = Trampoline()
  // The next two: nonisolated(unsafe), and without exclusivity checks, because attempts follow
  // one another.
  @exclusivity(unchecked)
  @usableFromInline
  nonisolated(unsafe) var failureCount = 0
  /// The subscription of the current attempt.
  @exclusivity(unchecked)
  @usableFromInline
  nonisolated(unsafe) var round: CompositeDisposable?

  /// Makes the rounds of a subscription.
  ///
  /// - Parameters:
  ///   - signal: The signal that is subscribed in each round.
  ///   - attempts: The maximum number of further rounds.
  ///   - observer: Receives the values of all rounds, and the last end.
  ///   - subscription: The subscription that ends all of it.
  ///   - arrange: Arranges for the next round to start at the right time; receives the failure, its
  ///     number and these rounds, once the failed round has been disposed.
  @inlinable
  init(
    of signal: Signal<Value, Failure>, _ attempts: Int, _ observer: Observer<Value, Failure>,
    _ subscription: CompositeDisposable, arrange: @escaping Arrange
  ) {
    self.signal = signal
    self.attempts = attempts
    self.observer = observer
    self.subscription = subscription
    self.arrange = arrange
  }

  @inlinable
  func start() {
    trampoline.bounce(playRound)
  }

  @inlinable
  func playRound() {
    if subscription.isDisposed { return }
    let round = CompositeDisposable()
    self.round = round
    subscription.add(round)
    signal.attach(Observer(next: observer.onNext, end: { self.end($0) }), round)
  }

  @inlinable
  func end(_ end: End<Failure>) {
    guard case .failed(let error) = end, failureCount < attempts else {
      return observer.onEnd(end)
    }
    failureCount += 1
    if let round = round.take() {
      subscription.remove(round)
      round.dispose()
    }
    if !subscription.isDisposed { arrange(error, failureCount, self) }
  }
}

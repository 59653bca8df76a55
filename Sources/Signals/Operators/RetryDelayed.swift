internal import Locks

extension Signal {
  /// Subscribes again some time after the signal has failed.
  ///
  /// ```text
  /// source:  a#
  /// result:  a---a#
  /// source.retry(1, delay: .fixed(.seconds(3)), on: scheduler)
  /// ```
  ///
  /// - Parameters:
  ///   - attempts: How many times it is subscribed again at the most, 0 or more; without end unless
  ///     told otherwise. The last failure is passed on.
  ///   - delay: How long to wait before each attempt.
  ///   - scheduler: Whose time it is, and where the attempts are subscribed.
  /// - Returns: The values of all attempts.
  public func retry(
    _ attempts: Int = .max,
    delay: RetryDelay,
    on scheduler: some Scheduler
  ) -> Signal {
    Signal(attaching: { observer, subscription in
      let delayBefore = delay.makeDelays()
      let failures = Box(0)
      let rounds = FailingRounds(of: self, observer, subscription) { _, again in
        guard failures.value < attempts else { return false }
        failures.value += 1
        subscription.schedule(after: delayBefore(failures.value), on: scheduler, again)
        return true
      }
      rounds.start()
    })
  }

  /// Subscribes again each time that another signal says so.
  ///
  /// Where ``retry(_:delay:on:)`` is not enough: the handler sees every failure, and decides by a
  /// signal of its own.
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
  /// - Parameter handler: Receives the failures as values, for each subscription once. Each value
  ///   of the signal that it makes subscribes again, unless an attempt is running.
  /// - Returns: The values of all attempts; ends with the signal of the handler, or completes with
  ///   an attempt.
  public func retry<Trigger: Sendable>(
    when handler: @escaping @Sendable (Signal<Failure, Never>) -> Signal<Trigger, Failure>
  ) -> Signal {
    Signal(attaching: { observer, subscription in
      let join = SerialJoin(Merging<Value, Failure>(), to: observer, subscription)
      let joined = Observer<Value, Failure>(
        next: { join.submit(.next($0)) },
        end: { join.submit($0.event()) }
      )
      let errors = Subject<Failure, Never>()
      let next = NextAttempt()
      let rounds = FailingRounds(of: self, joined, subscription) { [weak next] error, again in
        next?.put(again)
        errors.send(error)
        return true
      }
      handler(errors.signal).attach(
        Observer(next: { _ in next.take()?() }, end: joined.onEnd),
        into: join
      )
      rounds.start()
    })
  }

  /// Subscribes again each time that a signal that cannot fail says so.
  ///
  /// - Parameter handler: As in ``retry(when:)``.
  /// - Returns: The values of all attempts; completes with the signal of the handler.
  @_disfavoredOverload
  public func retry<Trigger: Sendable>(
    when handler: @escaping @Sendable (Signal<Failure, Never>) -> Signal<Trigger, Never>
  ) -> Signal {
    retry(when: { handler($0).promoteError(to: Failure.self) })
  }
}

/// What begins the next attempt, while there is none.
///
/// The handler's signal keeps it, and with it the attempts, which do not keep it: when that signal
/// goes, all goes; and so it does when the source goes during an attempt.
private final class NextAttempt: Sendable {
  private let waiting = Lock<(@Sendable () -> Void)?>(nil)

  func put(_ begin: @escaping @Sendable () -> Void) {
    let former = waiting.withLock { waiting in
      let former = waiting
      waiting = begin
      return former
    }
    // Released after the lock.
    _ = former
  }

  func take() -> (@Sendable () -> Void)? {
    waiting.withLock { $0.take() }
  }
}

/// The attempts of one subscription, one after the other; a synchronous one does not grow the stack.
private final class FailingRounds<Value: Sendable, Failure: Error>: Sendable {
  private let signal: Signal<Value, Failure>
  private let observer: Observer<Value, Failure>
  private let subscription: CompositeDisposable
  private let goesOn: @Sendable (Failure, @escaping @Sendable () -> Void) -> Bool
  private let trampoline = Trampoline()

  /// Makes the rounds of a subscription.
  ///
  /// - Parameters:
  ///   - signal: What is subscribed in each round.
  ///   - observer: Receives the values of all rounds, and the last end.
  ///   - subscription: What ends it all.
  ///   - goesOn: Decides, of a failure, whether there is another round, and sees to it that the
  ///     closure that it receives runs when it is time.
  init(
    of signal: Signal<Value, Failure>,
    _ observer: Observer<Value, Failure>,
    _ subscription: CompositeDisposable,
    goesOn: @escaping @Sendable (Failure, @escaping @Sendable () -> Void) -> Bool
  ) {
    self.signal = signal
    self.observer = observer
    self.subscription = subscription
    self.goesOn = goesOn
  }

  func start() {
    trampoline.bounce(playRound)
  }

  private func playRound() {
    if subscription.isDisposed { return }
    let round = CompositeDisposable()
    subscription.add(round)
    signal.attach(
      Observer(
        next: observer.onNext,
        end: { end in
          guard case .failed(let error) = end else { return self.observer.onEnd(end) }
          self.subscription.remove(round)
          round.dispose()
          if !self.goesOn(error, self.start) { self.observer.onEnd(end) }
        }
      ),
      round
    )
  }
}

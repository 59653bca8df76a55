public import Synchronization

extension Signal {
  /// Makes a signal of a value, and ignores values until that signal has ended.
  ///
  /// What a ``Command`` does with its executions, without the states that a button shows. It
  /// completes when this signal and the one that is running have completed; the first failure ends
  /// both.
  ///
  /// ```text
  /// source:  a-b---c--|
  /// other:   x-y-|
  /// result:  x-y---x-y-|
  /// source.exhaustMap { _ in other }
  /// ```
  ///
  /// - Parameter transform: Makes the signal, which is subscribed at once; not called while one is
  ///   running.
  /// - Returns: The values of the signals that were made.
  @inlinable
  public func exhaustMap<NewValue: Sendable>(
    _ transform: @escaping @Sendable (Value) -> Signal<NewValue, Failure>
  ) -> Signal<NewValue, Failure> {
    Signal<NewValue, Failure>(attaching: { observer, subscription in
      let sink = MergeSink(active: 1, to: observer, subscription)
      let place = SinglePlace()
      self.attach(
        Observer(
          next: { value in
            guard place.take() else { return }
            sink.enter()
            let running = CompositeDisposable()
            subscription.add(running)
            guard !running.isDisposed else { return }
            transform(value).attach(
              Observer(
                next: sink.inflow.onNext,
                end: { end in
                  if sink.end(end) { return sink.join.cleanUp(running) }
                  // Whoever comes next finds the one before disposed.
                  subscription.remove(running)
                  running.dispose()
                  place.free()
                }
              ),
              running
            )
          },
          end: sink.inflow.onEnd
        ),
        into: sink.join
      )
    })
  }
}

/// A place that one can take at a time.
@usableFromInline
final class SinglePlace: Sendable {
  @usableFromInline let isTaken = Atomic(false)

  @inlinable
  init() {}

  /// Takes the place, unless somebody has it.
  @inlinable
  func take() -> Bool {
    !isTaken.exchange(true, ordering: .acquiringAndReleasing)
  }

  /// Gives the place back.
  @inlinable
  func free() {
    isTaken.store(false, ordering: .releasing)
  }
}

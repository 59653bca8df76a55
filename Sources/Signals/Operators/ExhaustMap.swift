public import Synchronization

extension Signal {
  /// Maps a value to a signal, and ignores further values until that signal has ended.
  ///
  /// A ``Command`` treats its executions the same way. The result completes when this signal and
  /// the running one have completed; the first failure ends both.
  ///
  /// ```text
  /// source:  a-b---c--|
  /// other:   x-y-|
  /// result:  x-y---x-y-|
  /// source.exhaustMap { _ in other }
  /// ```
  ///
  /// - Parameter transform: Returns the signal for a value, which is subscribed immediately; not
  ///   called while one is running.
  /// - Returns: A signal of the values of these signals.
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
                  // Disposed first, so that the next signal starts after the previous one has been
                  // disposed.
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

/// A place that only one signal can occupy at a time.
@usableFromInline
final class SinglePlace: Sendable {
  @usableFromInline let isTaken = Atomic(false)

  @inlinable
  init() {}

  /// Occupies the place, unless it is occupied.
  @inlinable
  func take() -> Bool {
    !isTaken.exchange(true, ordering: .acquiringAndReleasing)
  }

  /// Frees the place.
  @inlinable
  func free() {
    isTaken.store(false, ordering: .releasing)
  }
}

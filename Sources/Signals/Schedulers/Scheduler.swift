/// Where and when work runs; time itself, for every operator that needs one.
///
/// Work that was scheduled on one scheduler never overlaps, unless its documentation says so, and
/// runs in the order in which it was scheduled; equal deadlines keep that order too.
public protocol Scheduler: Sendable {
  /// The time since a moment of the scheduler's own; only differences mean something.
  var now: Duration { get }

  /// Runs work as soon as its turn comes.
  ///
  /// - Parameter work: What is run once.
  /// - Returns: What cancels the work, if it has not begun.
  @discardableResult
  func schedule(_ work: @escaping @Sendable () -> Void) -> any Disposable

  /// Runs work later.
  ///
  /// - Parameters:
  ///   - delay: How long to wait; the work does not begin before. Negative counts as zero.
  ///   - work: What is run once.
  /// - Returns: What cancels the work, if it has not begun.
  @discardableResult
  func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> any Disposable

  /// Runs work later, and then again and again.
  ///
  /// - Parameters:
  ///   - delay: How long to wait for the first time.
  ///   - interval: The time from one beginning to the next; more than zero.
  ///   - work: What is run.
  /// - Returns: What ends the repetition.
  @discardableResult
  func schedule(
    after delay: Duration,
    repeating interval: Duration,
    _ work: @escaping @Sendable () -> Void
  ) -> any Disposable
}

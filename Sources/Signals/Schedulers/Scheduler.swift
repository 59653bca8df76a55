/// An executor of work, and the clock of every operator that needs time.
///
/// Work on one scheduler does not overlap, unless its documentation says so, and runs in the order
/// in which it was scheduled; work with equal deadlines keeps that order, too.
public protocol Scheduler: Sendable {
  /// The time since an arbitrary moment; only differences are meaningful.
  var now: Duration { get }

  /// Runs work as soon as possible.
  ///
  /// - Parameter work: The work, which runs once.
  /// - Returns: A disposable that cancels the work if it has not begun.
  @discardableResult
  func schedule(_ work: @escaping @Sendable () -> Void) -> any Disposable

  /// Runs work later.
  ///
  /// - Parameters:
  ///   - delay: The delay; the work does not begin earlier. Negative counts as zero.
  ///   - work: The work, which runs once.
  /// - Returns: A disposable that cancels the work if it has not begun.
  @discardableResult
  func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> any Disposable

  /// Runs work after a delay, and then repeatedly.
  ///
  /// - Parameters:
  ///   - delay: The delay before the first run.
  ///   - interval: The time between the beginnings of two runs; more than zero.
  ///   - work: The work.
  /// - Returns: A disposable that ends the repetition.
  @discardableResult
  func schedule(
    after delay: Duration, repeating interval: Duration, _ work: @escaping @Sendable () -> Void
  ) -> any Disposable
}

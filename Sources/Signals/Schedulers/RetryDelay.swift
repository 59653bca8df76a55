/// How long ``Signal/retry(_:delay:on:)`` waits before each attempt.
///
/// ```swift
/// let patient = request.retry(
///   5,
///   delay: .exponential(from: .milliseconds(100), limit: .seconds(30)),
///   on: scheduler
/// )
/// ```
public struct RetryDelay: Sendable {
  /// Makes, for one subscription, what says how long to wait before an attempt.
  let makeDelays: @Sendable () -> @Sendable (Int) -> Duration

  /// Makes a schedule of your own.
  ///
  /// - Parameter delay: Says how long to wait; receives 1 before the first attempt after a failure,
  ///   2 before the second one, and so on. Negative counts as zero.
  public init(_ delay: @escaping @Sendable (_ attempt: Int) -> Duration) {
    makeDelays = { delay }
  }

  private init(makeDelays: @escaping @Sendable () -> @Sendable (Int) -> Duration) {
    self.makeDelays = makeDelays
  }

  /// Waits the same time before every attempt.
  ///
  /// - Parameter delay: How long.
  /// - Returns: The schedule.
  public static func fixed(_ delay: Duration) -> RetryDelay {
    RetryDelay { _ in delay }
  }

  /// Waits a random time, up to a ceiling that doubles with each attempt: exponential backoff with
  /// full jitter.
  ///
  /// The jitter keeps many clients that failed at the same moment from coming back at the same
  /// moment.
  ///
  /// - Parameters:
  ///   - first: The ceiling before the first attempt.
  ///   - limit: The highest ceiling.
  ///   - generator: Where chance comes from; each subscription begins with a copy of it, so one
  ///     with a seed makes a test repeatable.
  /// - Returns: The schedule.
  public static func exponential(
    from first: Duration,
    limit: Duration,
    using generator: some RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
  ) -> RetryDelay {
    RetryDelay(makeDelays: {
      let generator = Box(generator)
      return { attempt in
        let ceiling = doubled(first, times: attempt - 1, limit: limit)
        return ceiling * Double.random(in: 0...1, using: &generator.value)
      }
    })
  }

  /// Doubles a duration so many times, but not beyond a limit.
  private static func doubled(_ first: Duration, times: Int, limit: Duration) -> Duration {
    var ceiling = max(first, .zero)
    for _ in 0..<times where ceiling > .zero {
      // The difference cannot overflow, as the sum could.
      if ceiling > limit - ceiling { return limit }
      ceiling += ceiling
    }
    return min(ceiling, limit)
  }
}

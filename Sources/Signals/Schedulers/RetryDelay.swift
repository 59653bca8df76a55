/// The delays before the attempts of ``Signal/retry(_:delay:on:)``.
///
/// ```swift
/// let patient = request.retry(
///   5,
///   delay: .exponential(from: .milliseconds(100), limit: .seconds(30)),
///   on: scheduler
/// )
/// ```
public struct RetryDelay: Sendable {
  /// Makes the function that returns the delay before an attempt, for one subscription.
  @usableFromInline let makeDelays: @Sendable () -> @Sendable (Int) -> Duration

  /// Makes a custom schedule.
  ///
  /// - Parameter delay: Returns the delay before an attempt; receives 1 before the first attempt
  ///   after a failure, 2 before the second one, and so on. Negative counts as zero.
  public init(_ delay: @escaping @Sendable (_ attempt: Int) -> Duration) {
    makeDelays = { delay }
  }

  private init(makeDelays: @escaping @Sendable () -> @Sendable (Int) -> Duration) {
    self.makeDelays = makeDelays
  }

  /// Makes a schedule with the same delay before every attempt.
  ///
  /// - Parameter delay: The delay.
  /// - Returns: The schedule.
  public static func fixed(_ delay: Duration) -> RetryDelay {
    RetryDelay { _ in delay }
  }

  /// Makes a schedule with the same delay before every attempt.
  ///
  /// - Parameter seconds: The delay.
  /// - Returns: The schedule.
  public static func seconds(_ seconds: some BinaryInteger) -> RetryDelay {
    fixed(.seconds(seconds))
  }

  /// Makes a schedule with the same delay before every attempt.
  ///
  /// - Parameter milliseconds: The delay.
  /// - Returns: The schedule.
  public static func milliseconds(_ milliseconds: some BinaryInteger) -> RetryDelay {
    fixed(.milliseconds(milliseconds))
  }

  /// Makes a schedule of random delays up to a ceiling that doubles with each attempt: exponential
  /// backoff with full jitter.
  ///
  /// The jitter keeps clients that failed at the same moment from retrying at the same moment.
  ///
  /// - Parameters:
  ///   - first: The ceiling before the first attempt.
  ///   - limit: The highest ceiling.
  ///   - generator: The source of randomness; each subscription starts with a copy of it, so that a
  ///     seeded generator makes a test repeatable.
  /// - Returns: The schedule.
  public static func exponential(
    from first: Duration, limit: Duration,
    using generator: some RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
  ) -> RetryDelay {
    RetryDelay(makeDelays: {
      let generator = Box(generator)
      return { attempt in
        let ceiling = first.doubled(attempt - 1, limit: limit)
        return ceiling * Double.random(in: 0...1, using: &generator.value)
      }
    })
  }
}

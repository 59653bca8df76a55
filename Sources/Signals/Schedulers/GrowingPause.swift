/// Pauses between attempts, which double up to a limit.
package struct GrowingPause: Hashable, Sendable {
  private let first: Duration
  private let limit: Duration
  private var count = 0

  package init(from first: Duration, limit: Duration) {
    self.first = first
    self.limit = limit
  }

  /// Returns the part of the next pause that the jitter, 0 to 1, leaves.
  ///
  /// Jitter keeps several services from coming back at the same moment.
  package mutating func next(jitter: Double) -> Duration {
    defer { count += 1 }
    return first.doubled(count, limit: limit) * min(max(jitter, 0), 1)
  }

  /// Starts with the first pause again, after an attempt has succeeded.
  package mutating func reset() { count = 0 }
}

extension Duration {
  /// Doubles the duration a number of times, up to a limit; a negative one counts as zero.
  package func doubled(_ times: Int, limit: Duration) -> Duration {
    var result = max(self, .zero)
    var rest = times
    while rest > 0, result > .zero, result < limit {
      // Unlike the sum, the difference cannot overflow.
      result = result > limit - result ? limit : result + result
      rest -= 1
    }
    return min(result, limit)
  }
}

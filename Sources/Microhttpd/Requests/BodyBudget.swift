internal import Synchronization

/// The memory for bodies that are arriving slowly, of all event loops.
///
/// A body that comes in one part is handled at once and never counted, so sign-ups go on when others
/// have used all of it up.
final class BodyBudget: Sendable {
  private let maximumBytes: Int
  private let bytes = Atomic(0)

  /// Makes a budget of which nothing is used.
  ///
  /// - Parameter maximumBytes: How much all bodies may hold together.
  init(maximumBytes: Int) {
    self.maximumBytes = maximumBytes
  }

  /// How much is used.
  var usedBytes: Int { bytes.load(ordering: .relaxed) }

  /// Takes memory, unless that would be more than there is; from any thread.
  ///
  /// - Parameter count: How many bytes.
  /// - Returns: Whether they were taken; ``release(_:)`` gives them back then.
  func take(_ count: Int) -> Bool {
    let used = bytes.wrappingAdd(count, ordering: .relaxed).newValue
    if used <= maximumBytes { return true }
    release(count)
    return false
  }

  /// Gives memory back; from any thread.
  ///
  /// - Parameter count: How many bytes, of those that were taken.
  func release(_ count: Int) {
    if count > 0 { bytes.wrappingSubtract(count, ordering: .relaxed) }
  }
}

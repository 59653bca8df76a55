internal import Synchronization

/// The memory for bodies that arrive in more than one part, shared by all event loops.
///
/// A body that arrives in one part is handled immediately and never counted, so sign-ups still work
/// when slow clients have used up the budget.
final class BodyBudget: Sendable {
  private let maximumBytes: Int
  private let bytes = Atomic(0)

  init(maximumBytes: Int) {
    self.maximumBytes = maximumBytes
  }

  /// The number of bytes in use.
  var usedBytes: Int { bytes.load(ordering: .relaxed) }

  /// Reserves memory, unless that would exceed the budget; callable from any thread.
  ///
  /// - Returns: Whether the bytes were reserved; the caller must then return them with
  ///   ``release(_:)``.
  func take(_ count: Int) -> Bool {
    let used = bytes.wrappingAdd(count, ordering: .relaxed).newValue
    if used <= maximumBytes { return true }
    release(count)
    return false
  }

  /// Returns reserved memory to the budget; callable from any thread.
  func release(_ count: Int) {
    if count > 0 { bytes.wrappingSubtract(count, ordering: .relaxed) }
  }
}

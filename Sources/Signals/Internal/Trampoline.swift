public import Synchronization

/// Runs rounds one after the other without growing the stack, including rounds that are requested
/// from within a round.
///
/// Operators that subscribe again use it: a synchronous source ends while its round is still on the
/// stack.
@usableFromInline
final class Trampoline: Sendable {
  @usableFromInline let asked = Atomic(0)

  @inlinable
  init() {}

  /// Runs a round, or leaves it to the caller that is running one.
  ///
  /// - Parameter round: The round, the same in each call.
  @inlinable
  func bounce(_ round: () -> Void) {
    guard asked.wrappingAdd(1, ordering: .acquiringAndReleasing).oldValue == 0 else { return }
    repeat {
      round()
    } while asked.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue != 0
  }
}

public import Synchronization

/// Runs rounds one after the other, also those that are asked for from within a round, without
/// growing the stack.
///
/// What resubscribes when something ends uses it: with a synchronous source the end comes while
/// the round is still on the stack.
@usableFromInline
final class Trampoline: Sendable {
  @usableFromInline let asked = Atomic(0)

  @inlinable
  init() {}

  /// Runs a round, or leaves it to whoever is running one.
  ///
  /// - Parameter round: The same for all who ask.
  @inlinable
  func bounce(_ round: () -> Void) {
    guard asked.wrappingAdd(1, ordering: .acquiringAndReleasing).oldValue == 0 else { return }
    repeat {
      round()
    } while asked.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue != 0
  }
}

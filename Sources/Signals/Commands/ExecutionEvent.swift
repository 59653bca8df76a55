public import Synchronization

/// What happens to one execution of a command; unlike an execution signal it tells failed from
/// completed.
public enum ExecutionEvent<Input: Sendable, Output: Sendable, Failure: Error>: Sendable {
  /// It was accepted, and its work is about to begin.
  case started(ExecutionNumber, Input)
  /// Its work sent a value.
  case next(ExecutionNumber, Output)
  /// Its work completed.
  case completed(ExecutionNumber)
  /// Its work failed; `completed` does not follow.
  case failed(ExecutionNumber, Failure)
}

extension ExecutionEvent: Equatable
where Input: Equatable, Output: Equatable, Failure: Equatable {}

/// The name of one execution; unique in the process, and grows.
public struct ExecutionNumber: Hashable, Comparable, Sendable {
  @usableFromInline static let count = Atomic<UInt64>(0)

  @usableFromInline let number: UInt64

  /// The next one.
  @inlinable
  init() {
    number = Self.count.wrappingAdd(1, ordering: .relaxed).newValue
  }

  /// Whether an execution was accepted before another one.
  @inlinable
  public static func < (left: ExecutionNumber, right: ExecutionNumber) -> Bool {
    left.number < right.number
  }
}

public import Synchronization

/// An event of one execution of a command; unlike an execution signal, it distinguishes failure
/// from completion.
public enum ExecutionEvent<Input: Sendable, Output: Sendable, Failure: Error>: Sendable {
  /// It was accepted, and its work is about to begin.
  case started(ExecutionNumber, Input)
  /// Its work sent a value.
  case next(ExecutionNumber, Output)
  /// Its work completed; the input is that of its start.
  case completed(ExecutionNumber, Input)
  /// Its work failed, and `completed` does not follow; the input is that of its start.
  case failed(ExecutionNumber, Input, Failure)
}

extension ExecutionEvent: Equatable
where Input: Equatable, Output: Equatable, Failure: Equatable {}

/// The number of an execution, unique in the process and increasing.
public struct ExecutionNumber: Hashable, Comparable, Sendable {
  @usableFromInline static let count = Atomic<UInt64>(0)

  @usableFromInline let number: UInt64

  /// Makes the next number.
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

/// An operation that is waiting for the owner of a gate.
@usableFromInline
final class QueuedOperation<Operation: Sendable>: Sendable {
  @usableFromInline let operation: Operation
  /// Whether the owner queued it, from within an operation; it then does not count as work for
  /// others.
  @usableFromInline let isOwn: Bool
  /// The address of the operation queued before this one or, once the owner has taken them, of the
  /// one after it; 0 if there is none.
  // nonisolated(unsafe) because it is set before the gate publishes it, and then only by the owner;
  // without exclusivity checks for the same reason.
  @exclusivity(unchecked)
  @usableFromInline nonisolated(unsafe) var next: UInt = 0

  @inlinable
  init(_ operation: Operation, isOwn: Bool) {
    self.operation = operation
    self.isOwn = isOwn
  }

  /// Takes over the reference at an address.
  @inlinable
  static func take(at address: UInt) -> QueuedOperation? {
    guard let pointer = UnsafeRawPointer(bitPattern: address) else { return nil }
    return Unmanaged<QueuedOperation>.fromOpaque(pointer).takeRetainedValue()
  }
}

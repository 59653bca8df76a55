internal import Synchronization

struct RequestBody {
  enum Outcome {
    /// The part was appended, or discarded because the body is too large.
    case taken
    /// The memory for bodies that are arriving is used up.
    case outOfBudget
    /// The body exceeds the limit for discarded bytes as well.
    case endless
  }

  private(set) var bytes: [UInt8] = []
  /// Whether more bytes have arrived than a body may have.
  var isTooLarge: Bool { discardedByteCount > 0 }

  /// The size that the client has declared, in bytes; `nil` for a body in chunks.
  var declaredBytes: Int?

  private let maximumBytes: Int
  private var discardedByteCount = 0
  private var countedBytes = 0

  init(maximumBytes: Int) { self.maximumBytes = maximumBytes }

  /// Appends a part.
  ///
  /// libmicrohttpd cannot send a response while a body is arriving, so up to four times the maximum
  /// size is discarded once the body is too large.
  ///
  /// - Returns: The outcome; the connection must be closed unless the part was taken.
  mutating func append(_ part: UnsafeRawBufferPointer, countedIn budget: BodyBudget) -> Outcome {
    guard !isTooLarge, bytes.count + part.count <= maximumBytes else {
      discard(from: budget)
      discardedByteCount += part.count
      return discardedByteCount <= 4 * maximumBytes ? .taken : .endless
    }
    if bytes.isEmpty, part.count == declaredBytes {
      bytes = [UInt8](part)
      return .taken
    }
    let neededBytes = bytes.count + part.count
    if neededBytes > countedBytes {
      // Memory grows with the body: a client that declares a large body and sends little of it
      // takes little memory.
      let capacity = max(neededBytes, min(2 * countedBytes, declaredBytes ?? maximumBytes))
      guard budget.take(capacity - countedBytes) else {
        discard(from: budget)
        return .outOfBudget
      }
      countedBytes = capacity
      bytes.reserveCapacity(capacity)
    }
    bytes.append(contentsOf: part)
    return .taken
  }

  /// Discards the bytes that have arrived, and returns their memory to the budget.
  mutating func discard(from budget: BodyBudget) {
    bytes = []
    guard countedBytes > 0 else { return }
    budget.release(countedBytes)
    countedBytes = 0
  }
}

/// The memory for bodies that arrive in more than one part, shared by all event loops.
///
/// A body that arrives in one part is handled immediately and never counted, so sign-ups still work
/// when slow clients have used up the budget.
final class BodyBudget: Sendable {
  private let maximumBytes: Int
  private let bytes = Atomic(0)

  init(maximumBytes: Int) { self.maximumBytes = maximumBytes }

  var usedBytes: Int { bytes.load(ordering: .relaxed) }

  /// Reserves memory, unless that would exceed the budget; if so, return it with ``release(_:)``.
  func take(_ count: Int) -> Bool {
    let used = bytes.wrappingAdd(count, ordering: .relaxed).newValue
    if used <= maximumBytes { return true }
    release(count)
    return false
  }

  func release(_ count: Int) {
    if count > 0 { bytes.wrappingSubtract(count, ordering: .relaxed) }
  }
}

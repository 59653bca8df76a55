/// The body of a request, as far as it has arrived.
struct RequestBody {
  /// What became of a part.
  enum Outcome {
    /// It was kept, or swallowed for a while because the body is too large.
    case taken
    /// There is no memory for it among the bodies that are arriving.
    case outOfBudget
    /// It goes on and on.
    case endless
  }

  /// What has arrived.
  private(set) var bytes: [UInt8] = []
  /// Whether more has arrived than a body may have.
  var isTooLarge: Bool { discardedByteCount > 0 }

  /// How long the client says it is; `nil` for one in chunks.
  var declaredBytes: Int?

  private let maximumBytes: Int
  private var discardedByteCount = 0
  private var countedBytes = 0

  /// Makes an empty body.
  ///
  /// - Parameter maximumBytes: How much may arrive.
  init(maximumBytes: Int) {
    self.maximumBytes = maximumBytes
  }

  /// Takes a part of it.
  ///
  /// In the middle of a body nothing can be responded, so what is too much is swallowed for a while.
  ///
  /// - Parameters:
  ///   - part: The part.
  ///   - budget: Where the body is counted while it is incomplete.
  /// - Returns: What became of it.
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
      // Memory grows as the body does: a client that declares much and sends little costs little.
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

  /// Forgets what has arrived, and gives back what it was counted as.
  mutating func discard(from budget: BodyBudget) {
    bytes = []
    guard countedBytes > 0 else { return }
    budget.release(countedBytes)
    countedBytes = 0
  }
}

/// What a subject remembers for those who subscribe later; the one thing in which subjects differ.
@usableFromInline
protocol SubjectMemory<Value>: Sendable {
  associatedtype Value: Sendable

  /// Whether it remembers anything, and so has a size.
  static var isKept: Bool { get }

  /// Whether a subscriber that comes after the end still gets what is remembered.
  static var outlivesEnd: Bool { get }

  /// Takes a value in before it is sent.
  mutating func record(_ value: Value)

  /// Hands over what is remembered, oldest first, while the receiver wants more.
  func replay(while wanted: () -> Bool, to receive: (Value) -> Void)
}

/// Remembers nothing: ``Subject``.
@usableFromInline
struct NoMemory<Value: Sendable>: SubjectMemory {
  @inlinable static var isKept: Bool { false }
  @inlinable static var outlivesEnd: Bool { false }

  /// Keeps the struct from being empty.
  ///
  /// An empty field lies at the address of the object that has it, where ThreadSanitizer takes each
  /// access for a race with those who use the object.
  @usableFromInline let place: UInt8 = 0

  @inlinable
  init() {}

  @inlinable
  func record(_ value: Value) {}

  @inlinable
  func replay(while wanted: () -> Bool, to receive: (Value) -> Void) {}
}

/// Remembers the current value: ``BehaviorSubject`` and ``Property``.
@usableFromInline
struct LatestMemory<Value: Sendable>: SubjectMemory {
  @inlinable static var isKept: Bool { true }
  @inlinable static var outlivesEnd: Bool { false }

  @usableFromInline var latest: Value

  @inlinable
  init(_ initial: Value) {
    latest = initial
  }

  @inlinable
  mutating func record(_ value: Value) {
    latest = value
  }

  @inlinable
  func replay(while wanted: () -> Bool, to receive: (Value) -> Void) {
    receive(latest)
  }
}

/// Remembers the last `capacity` values, also after the end: ``ReplaySubject``.
@usableFromInline
struct ReplayMemory<Value: Sendable>: SubjectMemory {
  @inlinable static var isKept: Bool { true }
  @inlinable static var outlivesEnd: Bool { true }

  @usableFromInline let capacity: Int
  @usableFromInline var values: [Value] = []
  /// Where the oldest value is, once the array is full and used as a ring.
  @usableFromInline var oldest = 0

  @inlinable
  init(capacity: Int) {
    self.capacity = max(0, capacity)
  }

  @inlinable
  mutating func record(_ value: Value) {
    if values.count < capacity {
      values.append(value)
    } else if capacity > 0 {
      values[oldest] = value
      oldest = oldest + 1 == capacity ? 0 : oldest + 1
    }
  }

  @inlinable
  func replay(while wanted: () -> Bool, to receive: (Value) -> Void) {
    for index in oldest..<values.count {
      guard wanted() else { return }
      receive(values[index])
    }
    for index in 0..<oldest {
      guard wanted() else { return }
      receive(values[index])
    }
  }
}

/// What a subject remembers for those who subscribe later; the one thing in which subjects differ.
///
/// The end is part of it because a core that is generic over one type is let go of four times as
/// fast as one that has to look up the type of its end.
@usableFromInline
protocol SubjectMemory<Value, Failure>: Sendable {
  associatedtype Value: Sendable
  associatedtype Failure: Error

  /// Whether a value changes it.
  static var isKept: Bool { get }

  /// Whether a subscriber that comes after the end still gets what is remembered.
  static var outlivesEnd: Bool { get }

  /// How the subject ended, if it has.
  var end: End<Failure>? { get set }

  /// Takes a value in before it is sent.
  mutating func record(_ value: Value)

  /// Hands over what is remembered, oldest first, while the receiver wants more.
  func replay(while wanted: () -> Bool, to receive: (Value) -> Void)
}

/// Remembers the end only: ``Subject``.
@usableFromInline
struct NoMemory<Value: Sendable, Failure: Error>: SubjectMemory {
  @inlinable static var isKept: Bool { false }
  @inlinable static var outlivesEnd: Bool { false }

  @usableFromInline var end: End<Failure>?

  @inlinable
  init() {}

  @inlinable
  func record(_ value: Value) {}

  @inlinable
  func replay(while wanted: () -> Bool, to receive: (Value) -> Void) {}
}

/// Remembers the current value: ``BehaviorSubject`` and ``Property``.
@usableFromInline
struct LatestMemory<Value: Sendable, Failure: Error>: SubjectMemory {
  @inlinable static var isKept: Bool { true }
  @inlinable static var outlivesEnd: Bool { false }

  @usableFromInline var end: End<Failure>?
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
struct ReplayMemory<Value: Sendable, Failure: Error>: SubjectMemory {
  @inlinable static var isKept: Bool { true }
  @inlinable static var outlivesEnd: Bool { true }

  @usableFromInline var end: End<Failure>?
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

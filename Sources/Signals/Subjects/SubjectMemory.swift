/// The memory of a subject for later observers; the only difference between kinds of subjects.
///
/// The end is part of it because a core that is generic over one type is released four times as
/// fast as one that has to look up the type of its end.
@usableFromInline
protocol SubjectMemory<Value, Failure>: Sendable {
  associatedtype Value: Sendable
  associatedtype Failure: Error

  /// Whether it stores values.
  static var isKept: Bool { get }

  /// Whether an observer that subscribes after the end gets the stored values.
  static var outlivesEnd: Bool { get }

  /// The end of the subject, if it has ended.
  var end: End<Failure>? { get set }

  /// Stores a value before it is sent.
  mutating func record(_ value: Value)

  /// Passes on the stored values, oldest first, while the receiver wants more.
  func replay(while wanted: () -> Bool, to receive: (Value) -> Void)
}

/// A memory of the end only: ``Subject``.
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

/// A memory of the current value: ``BehaviorSubject`` and ``Property``.
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

/// A memory of the last `capacity` values, also after the end: ``ReplaySubject``.
@usableFromInline
struct ReplayMemory<Value: Sendable, Failure: Error>: SubjectMemory {
  @inlinable static var isKept: Bool { true }
  @inlinable static var outlivesEnd: Bool { true }

  @usableFromInline var end: End<Failure>?
  @usableFromInline let capacity: Int
  @usableFromInline var values: [Value] = []
  /// The index of the oldest value, once the array is full and used as a ring buffer.
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

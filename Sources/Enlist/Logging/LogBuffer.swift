/// A bounded buffer of lines waiting to be written.
///
/// A line that does not fit is dropped and counted. As soon as there is room, a line with the count
/// replaces the dropped lines.
struct LogBuffer: Sendable {
  /// Formats the line that reports the number of dropped lines.
  var dropMessage: @Sendable (Int) -> String

  private let capacity: Int
  private var waiting: [UInt8] = []
  /// The number of bytes that were taken but have not been written yet.
  private var takenCount = 0
  private var droppedCount = 0
  /// The number of dropped lines since startup, including reported ones.
  private(set) var allDroppedCount = 0

  /// Creates an empty buffer.
  ///
  /// - Parameter capacity: The maximum number of waiting bytes, including those being written.
  init(
    capacity: Int, dropMessage: @escaping @Sendable (Int) -> String = { "\($0) log lines dropped" }
  ) {
    self.capacity = capacity
    self.dropMessage = dropMessage
  }

  var isEmpty: Bool { waiting.isEmpty && takenCount == 0 }

  private var room: Int { capacity - waiting.count - takenCount }

  /// Adds a line without its line end, or drops and counts it.
  ///
  /// An essential line, which reports why the process ends, is added even without room.
  mutating func append(_ line: String, isEssential: Bool = false) {
    let text = line.utf8
    if droppedCount > 0, isEssential || room > text.count {
      appendDropMessage(before: text.count + 1)
    }
    // After dropped lines, no line is added before their count.
    guard isEssential || (droppedCount == 0 && room > text.count) else {
      droppedCount += 1
      allDroppedCount += 1
      return
    }
    add(text)
  }

  /// Takes all waiting lines, which occupy room until ``release(_:)``; empty if no line is waiting.
  mutating func take() -> [UInt8] {
    defer { waiting = [] }
    takenCount += waiting.count
    return waiting
  }

  /// Frees the room of bytes that were written or discarded.
  mutating func release(_ count: Int) {
    takenCount -= count
    if droppedCount > 0 { appendDropMessage(before: 0) }
  }

  private mutating func appendDropMessage(before byteCount: Int) {
    let text = dropMessage(droppedCount).utf8
    guard room > text.count + byteCount else { return }
    droppedCount = 0
    add(text)
  }

  private mutating func add(_ text: String.UTF8View) {
    waiting.append(contentsOf: text)
    waiting.append(UInt8(ascii: "\n"))
  }
}

/// Lines that wait to be written, up to a number of bytes.
///
/// A line that does not fit is dropped and counted. The count becomes a line of its own as soon as
/// there is room for it, in the place of the lines that are missing.
struct LogBuffer: Sendable {
  /// Makes the line that tells how many were dropped.
  var dropMessage: @Sendable (Int) -> String

  private let capacity: Int
  private var waiting: [UInt8] = []
  /// How many bytes were taken and are not written yet.
  private var takenCount = 0
  private var droppedCount = 0

  /// Makes an empty buffer.
  ///
  /// - Parameters:
  ///   - capacity: How many bytes may wait, those that are just being written included.
  ///   - dropMessage: Makes the line that tells how many were dropped.
  init(
    capacity: Int,
    dropMessage: @escaping @Sendable (Int) -> String = { "\($0) log lines dropped" }
  ) {
    self.capacity = capacity
    self.dropMessage = dropMessage
  }

  /// Whether everything was written.
  var isEmpty: Bool { waiting.isEmpty && takenCount == 0 }

  private var room: Int { capacity - waiting.count - takenCount }

  /// Adds a line, or drops and counts it.
  ///
  /// - Parameters:
  ///   - line: The line without its end.
  ///   - isEssential: Whether it is added also when there is no room; for the few lines that tell
  ///     why the process ends.
  mutating func append(_ line: String, isEssential: Bool = false) {
    let text = line.utf8
    if droppedCount > 0, isEssential || room > text.count {
      appendDropMessage(before: text.count + 1)
    }
    // Behind lines that are missing none is added before they are told.
    guard isEssential || (droppedCount == 0 && room > text.count) else {
      droppedCount += 1
      return
    }
    add(text)
  }

  /// Takes all that waits; it keeps its room until it is written.
  ///
  /// - Returns: Whole lines; nothing when none waits.
  mutating func take() -> [UInt8] {
    defer { waiting = [] }
    takenCount += waiting.count
    return waiting
  }

  /// Frees the room of bytes that were taken.
  ///
  /// - Parameter count: How many were written, or given up.
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

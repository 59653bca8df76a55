internal import HTTPSignals

/// The streams of one event loop that libmicrohttpd writes.
///
/// Streams of the same log share one subscription, and one hop to the loop for each advance. They
/// are woken in parts, because libmicrohttpd writes to all resumed connections before it handles
/// requests again.
// @unchecked Sendable because all of it is used on the loop's thread only.
final class LibraryStreamTable: @unchecked Sendable {
  /// The number of streams that are woken before requests get their turn.
  private static let wakesPerPart = 16

  private let loop: EventLoop
  private var streams: ContiguousArray<LibraryStream?> = []
  private var freeIndices: [Int32] = []
  private var readersByLog: [ObjectIdentifier: LogReaders] = [:]
  /// The readers with streams that are to be woken.
  private var waiting: [LogReaders] = []
  private var willWake = false

  /// Creates an empty table.
  init(loop: EventLoop) {
    self.loop = loop
  }

  /// Adds a stream, which is woken whenever its log advances.
  func add(_ stream: LibraryStream) {
    let index = freeIndices.popLast() ?? Int32(streams.count)
    if index == streams.count { streams.append(nil) }
    streams[Int(index)] = stream
    stream.index = index
    stream.readerIndex = readers(for: stream.log).add(index)
  }

  private func readers(for log: EventLog) -> LogReaders {
    let id = ObjectIdentifier(log)
    if let readers = readersByLog[id] { return readers }
    let readers = LogReaders(log: log)
    readersByLog[id] = readers
    readers.follow(on: loop) { [weak self] in self?.enqueue($0) }
    return readers
  }

  /// Removes a stream.
  func remove(_ stream: LibraryStream) {
    streams[Int(stream.index)] = nil
    freeIndices.append(stream.index)
    let id = ObjectIdentifier(stream.log)
    guard let readers = readersByLog[id] else { return }
    if let moved = readers.remove(at: stream.readerIndex) {
      streams[Int(moved)]?.readerIndex = stream.readerIndex
    }
    guard readers.members.isEmpty else { return }
    readers.leaveLog()
    readersByLog[id] = nil
  }

  /// Whether the table has no streams.
  var isEmpty: Bool { streams.count == freeIndices.count }

  /// Calls a body with each stream; it may remove that stream.
  func forEach(_ body: (LibraryStream) -> Void) {
    for index in streams.indices { streams[index].map(body) }
  }

  // MARK: Waking

  private func enqueue(_ readers: LogReaders) {
    if !waiting.contains(where: { $0 === readers }) { waiting.insert(readers, at: 0) }
    wakePart()
  }

  /// Wakes a part of the streams; the loop does its other work before the next part.
  private func wakePart() {
    guard !willWake else { return }
    var rest = Self.wakesPerPart
    while rest > 0, let readers = waiting.last {
      guard let index = readers.takePending() else {
        waiting.removeLast()
        continue
      }
      streams[Int(index)]?.wake()
      rest -= 1
    }
    guard !waiting.isEmpty else { return }
    willWake = true
    loop.run { [weak self] in
      self?.willWake = false
      self?.wakePart()
    }
  }
}

internal import HTTPSignals

/// The streams that one thread writes, and the order in which they are due.
///
/// Each stream has an index that it keeps. The streams of a log share one subscription, and take
/// turns in rounds (``LogReaders``).
struct StreamTable<Stream: OpenStream> {
  /// The streams, each at its index; only the table sets or removes one.
  var streams: ContiguousArray<Stream?> = []

  let tally = StreamTally()

  private var freeIndices: [Int] = []
  private var readersByLog: [ObjectIdentifier: LogReaders] = [:]
  /// The readers with streams that are due.
  private var waiting: [LogReaders] = []

  var count: Int { streams.count - freeIndices.count }

  // MARK: Adding and removing

  /// Returns the readers of a log, for a stream that is about to be inserted.
  ///
  /// - Parameter follow: Makes new readers follow the log; whenever it has advanced, they must be
  ///   passed to ``enqueue(_:)``.
  mutating func readers(of log: EventLog, follow: (LogReaders) -> Void) -> LogReaders {
    let id = ObjectIdentifier(log)
    if let readers = readersByLog[id] { return readers }
    let readers = LogReaders(log: log, tally: tally)
    readersByLog[id] = readers
    follow(readers)
    return readers
  }

  /// Reserves the index of a stream that is about to be inserted.
  mutating func reserveIndex() -> Int {
    if let index = freeIndices.popLast() { return index }
    streams.append(nil)
    return streams.count - 1
  }

  mutating func insert(_ stream: Stream) {
    let index = stream.state.index
    streams[index] = stream
    streams[index]?.state.readerIndex = stream.state.readers.add(Int32(index))
  }

  mutating func remove(at index: Int) -> Stream? {
    guard let stream = streams[index] else { return nil }
    streams[index] = nil
    freeIndices.append(index)
    let readers = stream.state.readers
    if let moved = readers.remove(at: stream.state.readerIndex) {
      streams[Int(moved)]?.state.readerIndex = stream.state.readerIndex
    }
    if readers.members.isEmpty {
      readers.leaveLog()
      readersByLog[ObjectIdentifier(readers.log)] = nil
    }
    return stream
  }

  // MARK: Order

  /// Whether streams may be due.
  var hasPending: Bool { !waiting.isEmpty }

  /// Adds the streams of a log to those that are due.
  mutating func enqueue(_ readers: LogReaders) {
    if readers.hasPending, !waiting.contains(where: { $0 === readers }) {
      waiting.insert(readers, at: 0)
    }
  }

  /// Takes the index of the next stream that is due; `nil` if no stream is due.
  mutating func takePending() -> Int? {
    while let readers = waiting.last {
      if let index = readers.takePending() { return Int(index) }
      waiting.removeLast()
    }
    return nil
  }
}

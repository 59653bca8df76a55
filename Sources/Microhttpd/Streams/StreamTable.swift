internal import HTTPSignals

protocol TableStream {
  var readers: LogReaders { get }
  /// The index of the stream in ``readers``; only the table sets it.
  var readerIndex: Int { get set }
}

/// The streams that one thread writes, and the order in which they are due.
///
/// Each stream has an index that it keeps. The streams of a log share one subscription, and take
/// turns in rounds (``LogReaders``).
struct StreamTable<Stream: TableStream> {
  /// The streams, each at its index; only the table sets or removes one.
  var streams: ContiguousArray<Stream?> = []

  let tally = StreamTally()

  private var freeIndices: [Int32] = []
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

  mutating func insert(_ stream: Stream) -> Int32 {
    let index = freeIndices.popLast() ?? Int32(streams.count)
    if index == streams.count { streams.append(nil) }
    var stream = stream
    stream.readerIndex = stream.readers.add(index)
    streams[Int(index)] = stream
    return index
  }

  mutating func remove(at index: Int32) -> Stream? {
    guard let stream = streams[Int(index)] else { return nil }
    streams[Int(index)] = nil
    freeIndices.append(index)
    let readers = stream.readers
    if let moved = readers.remove(at: stream.readerIndex) {
      streams[Int(moved)]?.readerIndex = stream.readerIndex
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
  mutating func takePending() -> Int32? {
    while let readers = waiting.last {
      if let index = readers.takePending() { return index }
      waiting.removeLast()
    }
    return nil
  }
}

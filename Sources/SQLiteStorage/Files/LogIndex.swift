/// The contents of the shared index of a write-ahead log, which describe the log and its database.
///
/// The index is memory shared by all programs that have the database open. Its format is fixed, so
/// that they may use different releases of SQLite
/// (<https://www.sqlite.org/walformat.html#the_wal_index_file_format>).
struct LogIndex: Hashable, Sendable {
  /// The size of the smallest index in bytes.
  static let minimumBytes = 32_768

  /// The version, a counter of commits, and the size of a page.
  private let format: SIMD4<UInt32>
  /// The number of frames, the number of pages, and the checksum of the last frame.
  private let content: SIMD4<UInt32>
  /// The salts of the log and the checksum of the header.
  private let origin: SIMD4<UInt32>
  private let copiedFrames: UInt32
  private let attemptedFrames: UInt32
  /// The size of a page of the database in bytes.
  let pageBytes: Int

  /// Reads the index of a connection in WAL mode; the caller has checked the size of its file.
  ///
  /// The result is `nil` while another program is writing the index, and if the index was
  /// overwritten; SQLite then recreates it from the log.
  ///
  /// - Parameter memory: The beginning of the index.
  init?(_ memory: UnsafeRawPointer) {
    format = memory.load(as: SIMD4<UInt32>.self)
    content = memory.load(fromByteOffset: 16, as: SIMD4<UInt32>.self)
    origin = memory.load(fromByteOffset: 32, as: SIMD4<UInt32>.self)
    var sum = LogChecksum()
    sum.add(format[0], format[1])
    sum.add(format[2], format[3])
    sum.add(content[0], content[1])
    sum.add(content[2], content[3])
    sum.add(origin[0], origin[1])
    guard sum == LogChecksum(first: origin[2], second: origin[3]),
      format == memory.load(fromByteOffset: 48, as: SIMD4<UInt32>.self),
      content == memory.load(fromByteOffset: 64, as: SIMD4<UInt32>.self),
      origin == memory.load(fromByteOffset: 80, as: SIMD4<UInt32>.self)
    else { return nil }
    copiedFrames = memory.load(fromByteOffset: 96, as: UInt32.self)
    attemptedFrames = memory.load(fromByteOffset: 128, as: UInt32.self)
    let bytes = memory.load(fromByteOffset: 14, as: UInt16.self)
    pageBytes = bytes == 1 ? 65_536 : Int(bytes)
  }

  var frameCount: Int { Int(content[0]) }
  /// The number of pages in the database; 0 before the first commit to an empty log.
  var pageCount: Int { Int(content[1]) }
  /// The checksum of the log up to its last frame.
  var sum: LogChecksum { LogChecksum(first: content[2], second: content[3]) }
  /// Two numbers in the log, which change when it restarts from its beginning.
  var salts: SIMD2<UInt32> { origin.lowHalf }
  /// The minimum size of the log in bytes.
  var logBytes: Int { frameCount == 0 ? 0 : 32 + frameCount * (24 + pageBytes) }
  /// Whether the whole log has been copied into the database.
  var isCopied: Bool { copiedFrames == content[0] }

  /// Whether SQLite could have written the numbers of copied frames, which no checksum protects.
  ///
  /// If they were too large, a checkpoint would copy nothing, and the log would be deleted. While
  /// another program restarts the log from its beginning, the log has no frames.
  var isPossible: Bool {
    frameCount == 0 || copiedFrames <= attemptedFrames && attemptedFrames <= content[0]
  }

  /// The values that every checkpoint changes; `nil` while the log is being copied, or if the last
  /// checkpoint has failed.
  var checkpoint: Checkpoint? {
    copiedFrames == attemptedFrames ? Checkpoint(salts: salts, frameCount: copiedFrames) : nil
  }

  /// The end of a checkpoint: the database file does not change before the next checkpoint begins.
  struct Checkpoint: Hashable, Sendable {
    let salts: SIMD2<UInt32>
    /// The number of frames that have been copied since the log began.
    let frameCount: UInt32
  }
}

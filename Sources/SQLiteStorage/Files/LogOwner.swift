internal import Glibc

/// The database of a write-ahead log, as recorded in the service's lock file.
///
/// Only inodes are compared, because the number of a file system may change when the machine
/// restarts; all files of a database are in one folder.
struct LogOwner: Hashable, Sendable {
  /// The inode of the database.
  let database: UInt64
  /// The inode of its log.
  let log: UInt64
  /// Whether another program has damaged one of the files while a service was using them.
  var isDamaged = false

  init(database: UInt64, log: UInt64) {
    self.database = database
    self.log = log
  }

  /// Reads the record in a lock file; `nil` if the file or the record is missing.
  init?(readingFrom path: String) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var buffer = [UInt8](repeating: 0, count: 128)
    let count = read(descriptor, &buffer, buffer.count)
    let words = String(decoding: buffer.prefix(max(count, 0)), as: UTF8.self)
      .split(whereSeparator: \.isWhitespace)
    guard words.count >= 4, words[0] == "database", words[2] == "log",
      let database = UInt64(words[1]), let log = UInt64(words[3])
    else { return nil }
    self.init(database: database, log: log)
    isDamaged = words.last == "damaged"
  }

  /// The record in the format of the lock file.
  var text: String { "database \(database)\nlog \(log)\n\(isDamaged ? "damaged\n" : "")" }
}

/// The first bytes of a database, of which SQLite writes a page count and a counter of changes.
///
/// See <https://www.sqlite.org/fileformat2.html#the_database_header>.
struct DatabaseHead: Hashable {
  private let bytes: [UInt8]

  /// Reads the first bytes; the result is `nil` if the file is shorter.
  init?(_ database: OpenFile) {
    var bytes = [UInt8](repeating: 0, count: 100)
    guard bytes.withUnsafeMutableBytes({ database.read(at: 0, into: $0) }) else { return nil }
    self.bytes = bytes
  }

  /// Whether SQLite can have written the database with a log.
  func isPossible(with index: LogIndex, byteCount: Int) -> Bool {
    // The counter is there twice: an old program that changes the database changes only the first.
    guard bytes.starts(with: "SQLite format 3\0".utf8), bytes[24..<28] == bytes[92..<96] else {
      return false
    }
    guard index.isCopied, index.pageCount > 0 else { return true }
    let pageCount = bytes[28..<32].reduce(0) { $0 << 8 | Int($1) }
    return pageCount == index.pageCount && byteCount >= pageCount * index.pageBytes
  }
}

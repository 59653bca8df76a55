/// The first bytes of a database, which contain a page count and a counter of changes.
///
/// See <https://www.sqlite.org/fileformat2.html#the_database_header>.
struct DatabaseHead: Hashable {
  private let bytes: [UInt8]

  /// Reads the first bytes; `nil` if the file is shorter.
  init?(_ database: OpenFile) {
    var bytes = [UInt8](repeating: 0, count: 100)
    guard bytes.withUnsafeMutableBytes({ database.read(at: 0, into: $0) }) else { return nil }
    self.bytes = bytes
  }

  /// Whether SQLite could have written this database in WAL mode.
  func isPossible(with index: LogIndex, byteCount: Int) -> Bool {
    // The counter is stored twice: an old program that changes the database changes only the first
    // copy.
    guard bytes.starts(with: "SQLite format 3\0".utf8), bytes[24..<28] == bytes[92..<96] else {
      return false
    }
    guard index.isCopied, index.pageCount > 0 else { return true }
    let pageCount = bytes[28..<32].reduce(0) { $0 << 8 | Int($1) }
    return pageCount == index.pageCount && byteCount >= pageCount * index.pageBytes
  }
}

internal import MailingList

/// The contents of `sqlite_schema`: the objects of a database with their SQL texts.
///
/// Reading the schema runs no code in the file. Texts are compared without the spaces between their
/// words, which differ between releases.
struct Schema: Sendable {
  private struct Object: Hashable {
    /// `table`, `index`, `trigger` or `view`.
    let type: String
    let table: String
    /// Empty for an index that SQLite creates automatically.
    let text: [UInt8]
  }

  private var objects: [String: Object]
  /// Whether two objects have the same name, which SQLite never allows.
  private let hasDuplicates: Bool

  init(of db: SQLiteConnection) throws(StoreError) {
    let list = try db.statements["SELECT type, name, tbl_name, sql FROM sqlite_schema"].all { row in
      (
        row.text(1) ?? "",
        Object(
          type: row.text(0) ?? "", table: row.text(2) ?? "", text: Self.words(row.text(3) ?? ""))
      )
    }
    objects = Dictionary(list) { first, _ in first }
    hasDuplicates = objects.count != list.count
  }

  var isEmpty: Bool { objects.isEmpty }

  func contains(_ name: String) -> Bool { objects[name] != nil }

  /// Whether both schemas define an object identically.
  func agrees(on name: String, with other: Schema) -> Bool {
    !hasDuplicates && contains(name) && objects[name] == other.objects[name]
  }

  /// Returns the objects that another schema lacks.
  func subtracting(_ other: Schema) -> Schema {
    var rest = self
    rest.objects = objects.filter { !other.contains($0.key) }
    return rest
  }

  /// Returns the first difference from the schema of a version; `nil` if there is none.
  ///
  /// - Parameter optional: Objects that the database may also contain.
  func difference(from expected: Schema, optional: Schema, version: Int) -> String? {
    if hasDuplicates { return "two objects of its schema have the same name" }
    for (name, object) in objects.sorted(by: { $0.key < $1.key }) {
      let known = expected.objects[name] ?? optional.objects[name]
      if known == object { continue }
      let thing = "the \(object.type) \(name.prefix(64))"
      return known == nil
        ? "\(thing) is not part of schema version \(version)"
        : "\(thing) is not that of schema version \(version)"
    }
    let missing = expected.objects.filter { objects[$0.key] == nil }.min { $0.key < $1.key }
    return missing.map { "the \($0.value.type) \($0.key) of schema version \(version) is missing" }
  }

  /// Removes all spaces that do not separate two words.
  private static func words(_ sql: String) -> [UInt8] {
    var words: [UInt8] = []
    var isSpace = false
    for byte in sql.utf8 {
      switch byte {
      case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\t"), UInt8(ascii: "\r"):
        isSpace = true
        continue
      case UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: ","), UInt8(ascii: ";"):
        break
      default:
        if isSpace, let last = words.last, !"(),;".utf8.contains(last) {
          words.append(UInt8(ascii: " "))
        }
      }
      isSpace = false
      words.append(byte)
    }
    return words
  }
}

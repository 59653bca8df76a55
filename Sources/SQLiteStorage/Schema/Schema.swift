internal import CSQLite
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

  /// Returns the first difference from the schema of a version, with its remedy; `nil` if there is
  /// none.
  ///
  /// - Parameter optional: Objects that the database may also contain.
  func difference(from expected: Schema, optional: Schema, version: Int) -> String? {
    if hasDuplicates { return "two objects have the same name; restore a backup" }
    var stranger: (name: String, object: Object)?
    for (name, object) in objects.sorted(by: { $0.key < $1.key }) {
      guard let known = expected.objects[name] ?? optional.objects[name] else {
        // An index without a text cannot be dropped; its table can.
        if stranger?.object.text.isEmpty ?? true { stranger = (name, object) }
        continue
      }
      guard known == object else {
        let thing = "the \(object.type) \(name)"
        return "\(thing) is not that of schema version \(version); restore a backup"
      }
    }
    let missing = expected.objects.filter { objects[$0.key] == nil }.min { $0.key < $1.key }
    if let (name, object) = missing {
      return "the \(object.type) \(name) of schema version \(version) is missing; restore a backup"
    }
    return stranger.map { name, object in
      """
      the \(object.type) \(name.prefix(64)) is not Enlist's; remove it with \
      DROP \(object.type.uppercased()) \(Self.identifier(String(name.prefix(64))))
      """
    }
  }

  /// Returns a name as SQL needs it.
  private static func identifier(_ name: String) -> String {
    let isPlain =
      name.wholeMatch(of: /[A-Za-z_][A-Za-z0-9_]*/) != nil
      && sqlite3_keyword_check(name, Int32(name.utf8.count)) == 0
    return isPlain ? name : #""\#(name.replacing(#"""#, with: #""""#))""#
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

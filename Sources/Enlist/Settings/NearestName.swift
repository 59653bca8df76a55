internal import Platform

/// The most likely intended name for a misspelled one.
enum NearestName {
  /// Returns the name with the smallest edit distance; `nil` if it exceeds both one byte and a
  /// quarter of the text.
  static func of(_ text: String, in names: [String], ignoring prefix: Int = 0) -> String? {
    let typed = Array(text.utf8.dropFirst(prefix))
    let nearest =
      names
      .map { (name: $0, edits: edits(from: typed, to: Array($0.utf8.dropFirst(prefix)))) }
      .min { $0.edits < $1.edits }
    guard let nearest, nearest.edits <= max(1, typed.count / 4) else { return nil }
    return nearest.name
  }

  private static func edits(from typed: [UInt8], to name: [UInt8]) -> Int {
    typed.withUnsafeBufferPointer { typed in
      name.withUnsafeBufferPointer { EditDistance.between(typed, $0) }
    }
  }
}

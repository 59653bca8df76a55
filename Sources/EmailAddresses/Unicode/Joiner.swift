/// The contextual rules for joiners (RFC 5892, appendices A.1 and A.2).
enum Joiner {
  static func isInContext(_ index: Int, of scalars: [Unicode.Scalar]) -> Bool {
    if index > 0, scalars[index - 1].properties.canonicalCombiningClass.rawValue == 9 {
      return true
    }
    guard scalars[index] == "\u{200C}" else { return false }
    let before = scalars[..<index].reversed().lazy.map(UnicodeTables.joining)
    let after = scalars[(index + 1)...].lazy.map(UnicodeTables.joining)
    let left = before.first { $0 != .transparent }
    let right = after.first { $0 != .transparent }
    return (left == .left || left == .both) && (right == .right || right == .both)
  }
}

/// A number of bytes, written in settings as `4096`, `16KiB` or `1MiB`.
struct ByteCount: Hashable, Sendable {
  var bytes: Int

  init(bytes: Int) {
    self.bytes = bytes
  }

  /// Parses a whole number, optionally followed by `KiB`, `MiB` or `GiB` (powers of 1024); `nil` if
  /// the text is invalid.
  ///
  /// `KB` is rejected because it is ambiguous.
  init?(_ text: String) {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    let factor: Int
    switch text.dropFirst(digits.count) {
    case "": factor = 1
    case "KiB": factor = 1024
    case "MiB": factor = 1024 * 1024
    case "GiB": factor = 1024 * 1024 * 1024
    default: return nil
    }
    guard let count = Int(digits) else { return nil }
    let (bytes, overflow) = count.multipliedReportingOverflow(by: factor)
    guard !overflow else { return nil }
    self.bytes = bytes
  }
}

extension ByteCount: CustomStringConvertible {
  /// The count in the largest unit that divides it, in the format that ``init(_:)`` parses.
  var description: String {
    for (unit, size) in [("GiB", 1024 * 1024 * 1024), ("MiB", 1024 * 1024), ("KiB", 1024)]
    where bytes > 0 && bytes.isMultiple(of: size) {
      return "\(bytes / size)\(unit)"
    }
    return "\(bytes)"
  }
}

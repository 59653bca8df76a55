/// A number of bytes as people write it in settings: `4096`, `16KiB`, `1MiB`.
struct ByteCount: Hashable, Sendable {
  /// How many bytes.
  var bytes: Int

  /// Makes a count.
  ///
  /// - Parameter bytes: How many bytes.
  init(bytes: Int) {
    self.bytes = bytes
  }

  /// Reads a count.
  ///
  /// - Parameter text: A whole number, and `KiB`, `MiB` or `GiB` (powers of 1024) or nothing after
  ///   it; anything else is none. `KB` is rejected, since people mean two things by it.
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
  /// The number as it is read, in the largest unit that fits.
  var description: String {
    for (unit, size) in [("GiB", 1024 * 1024 * 1024), ("MiB", 1024 * 1024), ("KiB", 1024)]
    where bytes > 0 && bytes.isMultiple(of: size) {
      return "\(bytes / size)\(unit)"
    }
    return "\(bytes)"
  }
}

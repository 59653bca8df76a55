internal import Platform

/// Top-level names under which no public mailbox exists.
///
/// The names are those of RFC 6761, 6762 (`local`), 7686 (`onion`), 9476 (`alt`) and 3172 (`arpa`),
/// and `internal`, which is reserved for private use. RFC 6761 §6.5 advises software to treat
/// `example` like any other name; it is rejected deliberately, because no mailbox can exist there.
enum SpecialUseNames {
  private static let names: [StaticString] = [
    "test", "invalid", "localhost", "example", "local", "onion", "alt", "internal", "arpa",
  ]

  /// Whether the last label of a domain is a special-use name, in any letter case.
  static func contains(_ label: some Collection<UInt8>) -> Bool {
    guard (3...9).contains(label.count) else { return false }
    return names.contains { name in
      name.withUTF8Buffer { bytes in
        bytes.count == label.count
          && zip(bytes, label).allSatisfy { $0 == $1.asciiLowercased }
      }
    }
  }
}

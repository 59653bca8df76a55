/// Names below which no mail can be received from outside.
///
/// RFC 6761, 6762 (`local`), 7686 (`onion`), 9476 (`alt`), 3172 (`arpa`), and `internal`, which is
/// reserved for private use. RFC 6761 §6.5 advises to take `example` for any other name; nobody can
/// have a mailbox there, so it is rejected on purpose.
enum SpecialUseNames {
  private static let names: [StaticString] = [
    "test", "invalid", "localhost", "example", "local", "onion", "alt", "internal", "arpa",
  ]

  /// Whether the last label of a domain is one of them, in any case.
  static func contains(_ label: some Collection<UInt8>) -> Bool {
    guard (3...9).contains(label.count) else { return false }
    return names.contains { name in
      name.withUTF8Buffer { bytes in
        bytes.count == label.count
          && zip(bytes, label).allSatisfy { $0 == ASCIIByte.lowercased($1) }
      }
    }
  }
}

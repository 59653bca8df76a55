import Foundation
import EmailAddresses
import SignalsTesting
import Testing

/// Tests of promises that hold for all input, with addresses that a seeded generator corrupts.
@Suite struct EmailFuzzTests {
  private static let seeds = [
    "ana@example.com", "Ana.Lee+x@Gmail.COM", "\u{FC}mit@b\u{FC}cher.de", "a..b@docomo.ne.jp",
    "\u{7528}\u{6237}@\u{4F8B}\u{5B50}.\u{4E2D}\u{56FD}", "x@xn--bcher-kva.example.org",
    "\u{5D0}\u{5D1}@\u{5D0}\u{5D1}.com", "\u{915}\u{94D}\u{200D}\u{937}@example.in",
    "\u{1F600}\u{FE0F}@\u{2764}\u{FE0F}.ws", "e\u{301}@e\u{301}.fr",
  ]
  private static let pieces: [[UInt8]] =
    [
      "@", ".", "..", "-", "--", "xn--", "\"", "<", ">", "(", " ", "\t", "\r\n", "\u{0}", "%", "_",
      "\u{A0}", "\u{3000}", "\u{3002}", "\u{FF0E}", "\u{200B}", "\u{200C}", "\u{200D}", "\u{202E}",
      "\u{FE0F}", "\u{FFFD}", "\u{FFFE}", "\u{301}", "\u{212A}", "\u{DF}", "\u{1E9E}", "\u{130}",
      "\u{FF41}", "\u{FB01}", "\u{430}", "\u{3B1}", "\u{5D0}", "\u{661}", "\u{B7}", "\u{1F600}",
      "\u{E0061}", "a", "Z", "9", "com", "test", String(repeating: "b", count: 70),
    ].map { Array($0.utf8) } + [
      [0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80],
    ]

  private static func spoiled(_ generator: inout SeededGenerator) -> [UInt8] {
    var bytes = Array((seeds.randomElement(using: &generator) ?? "").utf8)
    for _ in 0..<Int.random(in: 0...4, using: &generator) {
      let index = Int.random(in: 0...bytes.count, using: &generator)
      switch Int.random(in: 0..<4, using: &generator) {
      case 0: bytes.insert(contentsOf: pieces.randomElement(using: &generator) ?? [], at: index)
      case 1: bytes.removeSubrange(index..<min(bytes.count, index + 2))
      case 2 where index < bytes.count: bytes[index] = .random(in: 0...255, using: &generator)
      default: bytes.append(contentsOf: bytes[index...].prefix(8))
      }
    }
    return bytes
  }

  private static func validate(_ bytes: [UInt8]) -> Result<EmailAddress, EmailAddressError> {
    bytes.withUnsafeBufferPointer { bytes in
      Result { () throws(EmailAddressError) in try EmailAddress(validating: bytes) }
    }
  }

  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func `validating a normalized address again yields the same address`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var acceptedCount = 0
    for _ in 0..<5_000 {
      let bytes = Self.spoiled(&generator)
      switch Self.validate(bytes) {
      case .success(let address):
        acceptedCount += 1
        let stored = Array(address.normalized.utf8)
        #expect(stored.count <= 254)
        guard case .success(let again) = Self.validate(stored) else {
          Issue.record("not accepted again: \(bytes)")
          continue
        }
        #expect(Array(again.normalized.utf8) == stored, "not idempotent: \(bytes)")
        #expect(Array(again.key.utf8) == Array(address.key.utf8), "different key: \(bytes)")
        guard case .success(let ofKey) = Self.validate(Array(address.key.utf8)) else {
          Issue.record("key not accepted: \(bytes)")
          continue
        }
        #expect(
          Array(ofKey.key.utf8) == Array(address.key.utf8), "the key has a different key: \(bytes)")
        #expect(
          stored.allSatisfy { $0 > 0x20 && $0 != 0x7F }, "space or control character: \(bytes)")
      case .failure(let error):
        if let offset = error.offset { #expect((0..<bytes.count).contains(offset)) }
      }
    }
    #expect(
      acceptedCount > 500, "the generator corrupts too many addresses; accepted: \(acceptedCount)")
  }

  @Test(arguments: [5, 6] as [UInt64])
  func `isValid agrees with the initializer, and every suggestion is valid`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<3_000 {
      let bytes = Self.spoiled(&generator)
      let isAccepted: Bool
      if case .success = Self.validate(bytes) { isAccepted = true } else { isAccepted = false }
      #expect(bytes.withUnsafeBufferPointer { EmailAddress.isValid($0) } == isAccepted)
      guard let typed = String(validating: bytes, as: UTF8.self) else { continue }
      #expect(EmailAddress.isValid(typed) == isAccepted)
      if let suggestion = EmailSuggestion.forTyped(typed) {
        #expect(EmailAddress.isValid(suggestion), "\(bytes)")
      }
    }
  }

  @Test(arguments: [7] as [UInt64])
  func `addresses that differ only in letter case have the same key`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<3_000 {
      let bytes = Self.spoiled(&generator)
      guard case .success(let address) = Self.validate(bytes) else { continue }
      let lower = bytes.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
      guard case .success(let lowered) = Self.validate(lower) else {
        Issue.record("rejected in lowercase: \(bytes)")
        continue
      }
      #expect(Array(lowered.key.utf8) == Array(address.key.utf8), "\(bytes)")
    }
  }

  /// Transformations of an address that a reader would consider the same text.
  private static let spellings: [@Sendable (String) -> String] = [
    { $0.decomposedStringWithCanonicalMapping }, { $0.precomposedStringWithCanonicalMapping },
    { $0.replacing("\u{FE0F}", with: "") }, { " \($0)\u{3000}" },
    { typed in
      let sign = typed.unicodeScalars.firstIndex(of: "@") ?? typed.endIndex
      return typed[..<sign] + typed[sign...].uppercased()
    },
  ]

  @Test(arguments: Array(spellings.indices))
  func `equivalent spellings of an address have the same key`(spelling: Int) {
    var generator = SeededGenerator(seed: 8)
    var comparedCount = 0
    for _ in 0..<5_000 {
      guard let typed = String(validating: Self.spoiled(&generator), as: UTF8.self),
        case .success(let address) = Self.validate(Array(typed.utf8)),
        // Two letters can share an uppercase form, so uppercasing may change the text.
        !typed.unicodeScalars.contains(where: { Self.hasTwoLetters($0) }),
        case .success(let other) = Self.validate(Array(Self.spellings[spelling](typed).utf8))
      else { continue }
      comparedCount += 1
      #expect(Array(other.key.utf8) == Array(address.key.utf8), "\(Array(typed.utf8))")
    }
    #expect(comparedCount > 500, "too few addresses were compared: \(comparedCount)")
  }

  private static func hasTwoLetters(_ scalar: Unicode.Scalar) -> Bool {
    let capital = scalar.properties.uppercaseMapping.unicodeScalars
    return capital.flatMap { $0.properties.lowercaseMapping.unicodeScalars } != [scalar]
      && scalar.properties.changesWhenUppercased
  }
}

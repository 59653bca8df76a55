internal import EmailAddresses

extension Row {
  /// The validity signal: only the result, from bytes.
  static var accepted: Row {
    email("accepted, validity only", Aim(nanoseconds: 60, allocations: 0), plain) { bytes in
      EmailAddress.isValid(bytes) ? 1 : 0
    }
  }

  /// The address with all its strings, as a sign-up needs it.
  static var acceptedWithStrings: Row {
    email("accepted, with its strings", Aim(nanoseconds: 250), plain) { bytes in
      do throws(EmailAddressError) {
        return try EmailAddress(validating: bytes).normalized.utf8.count
      } catch {
        return 0
      }
    }
  }

  /// Early and late rejection reasons of a form.
  static var rejected: Row {
    email("rejected, with the reason", Aim(nanoseconds: 200, allocations: 0), slips, reason)
  }

  /// Both parts international, and A-labels.
  static var international: Row {
    email("international, with its strings", Aim(nanoseconds: 3_000), foreign) { bytes in
      do throws(EmailAddressError) {
        return try EmailAddress(validating: bytes).normalized.utf8.count
      } catch {
        return 0
      }
    }
  }

  /// A suggestion for an accepted and for a rejected address.
  static var suggestion: Row {
    email("suggestion", Aim(nanoseconds: 20_000), ["ana@gmial.com", "ana@@hotmial,com"]) { bytes in
      EmailSuggestion.forTyped(String(decoding: bytes, as: UTF8.self))?.utf8.count ?? 0
    }
  }

  /// The most expensive input that we know of.
  enum Hostility: String {
    case long = "hostile, 64 KiB"
    case marks = "hostile, 254 bytes of marks"
    case labels = "hostile, 81 labels of two directions"
    case composed = "hostile, composed and rejected"
  }

  static func hostile(_ hostility: Hostility) -> Row {
    let input =
      switch hostility {
      case .long: String(repeating: "a@", count: 32_768)
      case .marks:
        String(repeating: "e\u{315}\u{300}\u{5AE}", count: 17) + "@"
          + String(repeating: "\u{1E9E}\u{323}", count: 20) + ".com"
      case .labels: "a@" + String(repeating: "\u{5D0}.", count: 80) + "1a\u{5D0}.c1"
      case .composed: String(repeating: "e\u{301}", count: 30) + "\u{FF41}@example.com"
      }
    return email(hostility.rawValue, Aim(nanoseconds: 40_000), [input], reason)
  }

  private static func email(
    _ name: String, _ aim: Aim, _ inputs: [String],
    _ validate: @escaping @Sendable (UnsafeBufferPointer<UInt8>) -> Int
  ) -> Row {
    Row(
      name: name,
      aim: aim,
      contenders: [
        contender(.enlist, inputs, validate), contender(.byteLoop, inputs, readEachByte),
      ]
    )
  }

  private static func contender(
    _ library: Library, _ inputs: [String],
    _ validate: @escaping @Sendable (UnsafeBufferPointer<UInt8>) -> Int
  ) -> Contender {
    let sum = Sum()
    let bytes = inputs.map { Array($0.utf8) }
    return Contender(library) { count in
      for index in 0..<count {
        bytes[index % bytes.count].withUnsafeBufferPointer { sum.add(validate($0)) }
      }
    }
  }
}

private let plain = ["ana.lee@example.com", "b.c+list@mail.example.org", "someone.else@web.de"]
private let slips = [
  "ana", "ana@example", "ana lee@example.com", "ana@exam_ple.com", "ana.@example.com",
  "ana@@example.com", "ana@example..com",
]
private let foreign = [
  "ana@b\u{FC}cher.de", "\u{FC}mit@example.com",
  "\u{7528}\u{6237}@\u{4F8B}\u{5B50}.\u{4E2D}\u{56FD}",
  "ana@xn--bcher-kva.de",
]

@Sendable private func reason(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
  do throws(EmailAddressError) {
    _ = try EmailAddress(validating: bytes)
    return 0
  } catch {
    return error.offset ?? 1
  }
}

@Sendable private func readEachByte(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
  var letterCount = 0
  for byte in bytes where byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A { letterCount += 1 }
  return letterCount
}

import Platform
import Testing

/// Tests of the classes and the case of all 256 bytes.
@Suite struct ByteClassTests {
  @Test func `classifies every byte like the standard library`() {
    for byte in UInt8.min...UInt8.max {
      let character = Character(Unicode.Scalar(byte))
      let isASCII = byte < 0x80
      #expect(byte.isASCIIDigit == (isASCII && character.isNumber), "\(byte)")
      #expect(byte.isASCIILetter == (isASCII && character.isLetter), "\(byte)")
      #expect(byte.isASCIIUppercase == (isASCII && character.isUppercase), "\(byte)")
      let lowercased = isASCII ? character.lowercased().utf8.first : byte
      #expect(byte.asciiLowercased == lowercased, "\(byte)")
    }
  }

  @Test func `lowercases letters from an index on`() {
    let bytes = Array("x@AB.Example-Z[".utf8)
    bytes.withUnsafeBufferPointer { bytes in
      #expect(String(asciiLowercasing: bytes[0...]) == "x@ab.example-z[")
      #expect(String(asciiLowercasing: bytes[2...], from: 4) == "AB.example-z[")
      #expect(String(asciiLowercasing: bytes[0..<0]).isEmpty)
    }
  }
}

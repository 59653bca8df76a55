import Testing

@testable import Delivery

@Suite struct QuotedPrintableTests {
  @Test(
    arguments: [
      ("", ""),
      ("\n", "\r\n"),
      ("a\nb", "a\r\nb\r\n"),
      ("a\r\nb\r\n", "a\r\nb\r\n"),
      ("a\rb\n", "a\r\nb\r\n"),
      ("é = e", "=C3=A9 =3D e\r\n"),
      ("end \nend\t\n", "end=20\r\nend=09\r\n"),
      (".\n..x\n a.\n", "=2E\r\n=2E.x\r\n a.\r\n"),
      ("From me\nFromage\n>From me\n", "=46rom me\r\nFromage\r\n>From me\r\n"),
      ("\0\u{7F}", "=00=7F\r\n"),
    ]
  )
  func `encodes what a line cannot contain`(text: String, encoded: String) {
    #expect(String(decoding: QuotedPrintable.encode(text), as: UTF8.self) == encoded)
  }

  @Test(arguments: 70..<160)
  func `no line has more than 76 bytes`(count: Int) {
    for letter in ["x", "é", ".", " ", "园", "="] {
      let text = String(repeating: letter, count: count)
      let encoded = String(decoding: QuotedPrintable.encode(text), as: UTF8.self)
      for line in encoded.split(separator: "\r\n") {
        #expect(line.utf8.count <= 76)
        #expect(!line.hasPrefix("."))
        #expect(!line.hasSuffix(" "))
      }
      #expect(decode(encoded) == Array(text.utf8) + [0x0D, 0x0A])
    }
  }

  @Test func `random text decodes to itself`() {
    let letters = Array("aé园 .=\t\nFrom ~😀".unicodeScalars)
    for _ in 0..<500 {
      let scalars = (0..<Int.random(in: 0..<400)).compactMap { _ in letters.randomElement() }
      let text = String(String.UnicodeScalarView(scalars)) + "\n"
      let encoded = QuotedPrintable.encode(text)
      #expect(encoded.allSatisfy { 0x20...0x7E ~= $0 || [0x09, 0x0A, 0x0D].contains($0) })
      let decoded = decode(String(decoding: encoded, as: UTF8.self))
      #expect(decoded == Array(text.replacing("\n", with: "\r\n").utf8))
    }
  }

  /// Decodes quoted-printable.
  private func decode(_ encoded: String) -> [UInt8] {
    var decoded: [UInt8] = []
    var rest = Array(encoded.utf8)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "=") else {
        decoded.append(byte)
        continue
      }
      let digits = String(decoding: rest.prefix(2), as: UTF8.self)
      rest = rest.dropFirst(2)
      if digits != "\r\n" { decoded.append(UInt8(digits, radix: 16) ?? 0) }
    }
    return decoded
  }
}

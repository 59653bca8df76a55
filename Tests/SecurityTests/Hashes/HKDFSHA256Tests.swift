import Security
import Testing

@Suite struct HKDFSHA256Tests {
  /// A test case of RFC 5869, appendix A.
  struct Case: Sendable, CustomTestStringConvertible {
    let number: Int
    let secret: [UInt8]
    let salt: [UInt8]
    let info: [UInt8]
    /// The pseudorandom key.
    let extracted: String
    /// The derived key.
    let key: String

    var testDescription: String { "test case \(number)" }
  }

  @Test(
    arguments: [
      Case(
        number: 1,
        secret: .init(repeating: 0x0B, count: 22),
        salt: Array(0x00...0x0C),
        info: Array(0xF0...0xF9),
        extracted: "077709362c2e32df0ddc3f0dc47bba6390b6c73bb50f9c3122ec844ad7c2b3e5",
        key: """
          3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865
          """
      ),
      Case(
        number: 2,
        secret: Array(0x00...0x4F),
        salt: Array(0x60...0xAF),
        info: Array(0xB0...0xFF),
        extracted: "06a6b88c5853361a06104c9ceb35b45cef760014904671014a193f40c15fc244",
        key: """
          b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41c6\
          5e590e09da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87
          """
      ),
      Case(
        number: 3,
        secret: .init(repeating: 0x0B, count: 22),
        salt: [],
        info: [],
        extracted: "19ef24a32c717b167f33a91d6f648bdf96596776afdb6377ac434c1c293ccb04",
        key: """
          8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8
          """
      ),
    ]
  )
  func `derives the keys of RFC 5869`(example: Case) {
    let key = bytes(example.key)
    let extracted = HKDFSHA256.extract(from: example.secret, salt: example.salt)
    #expect(extracted == bytes(example.extracted))
    #expect(HKDFSHA256.expand(extracted, info: example.info, byteCount: key.count) == key)
    let derived = HKDFSHA256.derive(
      from: example.secret, salt: example.salt, info: example.info, byteCount: key.count)
    #expect(derived == key)
  }
}

import Security
import Testing

@Suite struct HMACSHA256Tests {
  /// A test case of RFC 4231 §4.
  struct Case: Sendable, CustomTestStringConvertible {
    let number: Int
    let key: [UInt8]
    let data: [UInt8]
    /// The code, or its first bytes where the RFC truncates it.
    let code: String

    var testDescription: String { "test case \(number)" }
  }

  @Test(
    arguments: [
      Case(
        number: 1, key: .init(repeating: 0x0B, count: 20), data: Array("Hi There".utf8),
        code: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
      Case(
        number: 2, key: Array("Jefe".utf8), data: Array("what do ya want for nothing?".utf8),
        code: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
      Case(
        number: 3, key: .init(repeating: 0xAA, count: 20), data: .init(repeating: 0xDD, count: 50),
        code: "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"),
      Case(
        number: 4, key: Array(1...25), data: .init(repeating: 0xCD, count: 50),
        code: "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"),
      Case(
        number: 5, key: .init(repeating: 0x0C, count: 20), data: Array("Test With Truncation".utf8),
        code: "a3b6167473100ee06e0c796c2955552b"),
      Case(
        number: 6, key: .init(repeating: 0xAA, count: 131),
        data: Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
        code: "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"),
      Case(
        number: 7,
        key: .init(repeating: 0xAA, count: 131),
        data: Array(
          """
          This is a test using a larger than block-size key and a larger than block-size data. \
          The key needs to be hashed before being used by the HMAC algorithm.
          """.utf8
        ),
        code: "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"
      ),
    ]
  )
  func `computes the codes of RFC 4231`(example: Case) {
    let code = bytes(example.code)
    let computed = HMACSHA256.authenticate(example.data, key: example.key)
    #expect(Array(computed.prefix(code.count)) == code)
    #expect(computed.count == HMACSHA256.byteCount)
  }

  @Test func `accepts an empty key and no bytes`() {
    let expected = bytes("b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad")
    #expect(HMACSHA256.authenticate([], key: []) == expected)
  }
}

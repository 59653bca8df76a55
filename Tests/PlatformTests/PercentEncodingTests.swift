import Platform
import Testing

@Suite struct PercentEncodingTests {
  @Test(
    arguments: [
      ("", ""),
      ("plain+text", "plain+text"),
      ("a%20b%2Fc%2f", "a b/c/"),
      ("%C3%A9", "é"),
      ("100%", nil),
      ("%4", nil),
      ("%4g", nil),
      ("%+4", nil),
      ("%%41", nil),
      // A byte that begins a character, without the rest of it.
      ("%C3", nil),
    ] as [(String, String?)]
  )
  func `percent-encoding is decoded, unless it is malformed or not UTF-8`(
    _ text: String, _ decoded: String?
  ) {
    #expect(text.percentDecoded == decoded)
  }
}

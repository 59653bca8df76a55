import Testing

@testable import enlist

@Suite struct ByteTextTests {
  @Test(
    arguments: [
      ("0", 0), ("4096", 4096), ("16KiB", 16_384), ("1MiB", 1_048_576), ("2GiB", 1 << 31),
    ]
  )
  func `a byte count is parsed from a whole number and a unit`(_ text: String, _ bytes: Int) {
    #expect(ByteText.count(of: text) == bytes)
  }

  @Test(
    arguments: [
      "", "KiB", "-1", "+1", "16KB", "16kib", "16 KiB", "1.5KiB", "16KiB ", "99999999999999999999",
      "9223372036854775807GiB",
    ]
  )
  func `an invalid byte count is rejected`(_ text: String) {
    #expect(ByteText.count(of: text) == nil)
  }
}

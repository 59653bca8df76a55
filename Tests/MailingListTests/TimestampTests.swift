import MailingList
import Testing

@Suite struct TimestampTests {
  @Test(
    arguments: [
      (0, "1970-01-01T00:00:00.000Z"),
      (1, "1970-01-01T00:00:00.001Z"),
      (-1, "1969-12-31T23:59:59.999Z"),
      (86_399_999, "1970-01-01T23:59:59.999Z"),
      (86_400_000, "1970-01-02T00:00:00.000Z"),
      (951_782_400_000, "2000-02-29T00:00:00.000Z"),
      (951_868_800_000, "2000-03-01T00:00:00.000Z"),
      (1_000_000_000_000, "2001-09-09T01:46:40.000Z"),
      (1_709_164_800_123, "2024-02-29T00:00:00.123Z"),
      (1_795_219_200_000, "2026-11-21T00:00:00.000Z"),
      (2_147_483_648_000, "2038-01-19T03:14:08.000Z"),
      (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
      (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
      (-62_167_219_200_000, "0000-01-01T00:00:00.000Z"),
    ] as [(Int64, String)]
  )
  func `formats a timestamp according to RFC 3339`(milliseconds: Int64, text: String) {
    #expect(Timestamp(millisecondsSince1970: milliseconds).description == text)
  }

  @Test(arguments: [Int64.min, .min + 1, .max])
  func `formats every possible stored timestamp`(milliseconds: Int64) {
    #expect(Timestamp(millisecondsSince1970: milliseconds).description.utf8.count == 24)
  }

  @Test func `an earlier timestamp is less than a later one`() {
    let earlier = Timestamp(millisecondsSince1970: -1)
    let later = Timestamp(millisecondsSince1970: 0)
    #expect(earlier < later)
    #expect(!(later < earlier))
  }

  @Test func `the current time never goes backwards`() {
    let first = Timestamp.now
    #expect(first <= Timestamp.now)
    #expect(first > Timestamp(millisecondsSince1970: 1_700_000_000_000))
  }
}

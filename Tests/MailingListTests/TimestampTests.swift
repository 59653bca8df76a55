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

  @Test(
    arguments: [
      ("2021-03-04", 1_614_816_000_000), ("2021-03-04T05:06:07Z", 1_614_834_367_000),
      ("2021-03-04 05:06", 1_614_834_360_000), ("2021-03-04t05:06:07.1z", 1_614_834_367_100),
      ("2021-03-04 05:06:07.123456 +0000 UTC", 1_614_834_367_123),
      ("2021-03-04 07:06:07+02:00", 1_614_834_367_000),
      ("2021-03-03 23:36:07 -0530", 1_614_834_367_000),
      ("2021-03-04 07:06:07+02", 1_614_834_367_000), ("2024-02-29", 1_709_164_800_000),
      ("1969-12-31T23:59:59.999Z", -1),
    ] as [(String, Int64)]
  )
  func `the time of another list is read as RFC 3339, with fewer parts`(
    text: String, milliseconds: Int64
  ) {
    #expect(Timestamp(importing: text)?.millisecondsSince1970 == milliseconds)
  }

  @Test(arguments: [
    "", "4/3/2021", "03-04-2021", "2021-3-4", "2021-13-01", "2021-02-29", "2021-03-04T",
    "2021-03-04 5:06",
    "2021-03-04T25:00:00Z", "2021-03-04T05:60:00Z", "2021-03-04T05:06:07.Z",
    "2021-03-04T05:06:07Zx",
    "2021-03-04x", "2021-03-04T05:06:07 UTC", "1614834367", "２０２１-03-04",
  ])
  func `an ambiguous or invalid time is not read`(text: String) {
    #expect(Timestamp(importing: text) == nil)
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

import MailingList
import Testing

@testable import Delivery

@Suite struct MailDateTests {
  @Test(
    arguments: [
      (0, "Thu, 01 Jan 1970 00:00:00 +0000"),
      (-1, "Wed, 31 Dec 1969 23:59:59 +0000"),
      (951_782_400_000, "Tue, 29 Feb 2000 00:00:00 +0000"),
      (1_795_334_400_000, "Sun, 22 Nov 2026 08:00:00 +0000"),
      (4_102_444_799_999, "Thu, 31 Dec 2099 23:59:59 +0000"),
    ] as [(Int64, String)]
  )
  func `writes a time as in a message`(milliseconds: Int64, text: String) {
    #expect(MailDate.text(of: Timestamp(millisecondsSince1970: milliseconds)) == text)
  }
}

import MailingList
import Testing

@testable import Enlist

@Suite struct ExportFormatTests {
  private func subscriber(
    address: String = "ana@example.org",
    locale: String? = nil,
    confirmed: Timestamp? = nil
  ) -> Subscriber {
    Subscriber(
      id: 7,
      address: address,
      state: .pending,
      locale: locale,
      createdAt: Timestamp(millisecondsSince1970: 0),
      confirmedAt: confirmed,
      unsubscribedAt: nil
    )
  }

  @Test func `CSV begins with the names of its columns`() {
    #expect(
      ExportFormat.csv.header
        == "id,address,state,locale,created_at,confirmed_at,unsubscribed_at\r\n"
    )
  }

  @Test func `CSV leaves empty what is not known`() {
    #expect(
      ExportFormat.csv.record(of: subscriber())
        == "7,ana@example.org,pending,,1970-01-01T00:00:00.000Z,,\r\n"
    )
  }

  @Test(
    arguments: [
      ("a,b", "\"a,b\""), ("a\"b", "\"a\"\"b\""), ("a\r\nb", "\"a\r\nb\""), ("a\nb", "\"a\nb\""),
      ("\"", "\"\"\"\""), ("ä", "ä"), ("", ""),
    ]
  )
  func `CSV puts a cell in quotes where it needs them`(_ cell: String, _ expected: String) {
    #expect(CSV.record([cell, "x"]) == "\(expected),x\r\n")
  }

  @Test(arguments: ["=1+1@example.org", "+a@example.org", "-a@example.org", "@a"])
  func `CSV puts an apostrophe before what a spreadsheet would run`(_ cell: String) {
    #expect(CSV.record([cell]) == "'\(cell)\r\n")
  }

  @Test(arguments: [("\t=1", "'\t=1"), ("\r=1", "\"'\r=1\""), ("\r\n=1", "\"'\r\n=1\"")])
  func `CSV is not deceived by a tab or a carriage return`(_ cell: String, _ expected: String) {
    #expect(CSV.record([cell]) == "\(expected)\r\n")
  }

  @Test func `a line of ndjson is an object with every name`() {
    let record = ExportFormat.ndjson.record(
      of: subscriber(
        address: "\"a\\\n\u{2028}\u{1}@example.org",
        locale: "de",
        confirmed: Timestamp(millisecondsSince1970: 1)
      )
    )
    #expect(
      record
        == #"{"id":7,"address":"\"a\\\n\u2028\u0001@example.org","state":"pending","locale":"de","#
        + #""created_at":"1970-01-01T00:00:00.000Z","#
        + #""confirmed_at":"1970-01-01T00:00:00.001Z","unsubscribed_at":null}"# + "\n"
    )
  }

  @Test func `ndjson has no header`() {
    #expect(ExportFormat.ndjson.header.isEmpty)
  }
}

import Testing

@testable import MailingList
@testable import enlist

@Suite struct ExportFormatTests {
  private func subscriber(
    address: String = "ana@example.org", locale: String? = nil, confirmed: Timestamp? = nil
  ) -> Subscriber {
    Subscriber(
      id: 7, address: address, state: .pending, locale: locale,
      createdAt: Timestamp(millisecondsSince1970: 0), confirmedAt: confirmed, unsubscribedAt: nil,
      suppression: nil, fields: nil)
  }

  @Test func `CSV starts with the names of its columns`() {
    #expect(
      ExportFormat.csv.header()
        == "id,address,state,locale,created_at,confirmed_at,unsubscribed_at,reason\r\n"
    )
  }

  @Test func `CSV writes a missing value as an empty cell`() {
    #expect(
      ExportFormat.csv.record(of: subscriber())
        == "7,ana@example.org,pending,,1970-01-01T00:00:00.000Z,,,\r\n"
    )
  }

  @Test func `an export with links has one more column or member`() {
    let link = "https://list.example.org/unsubscribe/x"
    let column: ExportFormat.Column = (ExportFormat.linkColumn, link)
    #expect(
      ExportFormat.csv.header(with: ["unsubscribe_url"]).hasSuffix(
        ",unsubscribed_at,reason,unsubscribe_url\r\n"))
    #expect(ExportFormat.csv.record(of: subscriber(), with: [column]).hasSuffix(",,\(link)\r\n"))
    #expect(
      ExportFormat.ndjson.record(of: subscriber(), with: [column])
        .hasSuffix(#""unsubscribe_url":"\#(link)"}"# + "\n")
    )
  }

  @Test(
    arguments: [
      ("a,b", "\"a,b\""), ("a\"b", "\"a\"\"b\""), ("a\r\nb", "\"a\r\nb\""), ("a\nb", "\"a\nb\""),
      ("\"", "\"\"\"\""), ("ä", "ä"), ("", ""),
    ]
  )
  func `CSV quotes a cell that needs quotes`(_ cell: String, _ expected: String) {
    #expect(CSV.record([cell, "x"]) == "\(expected),x\r\n")
  }

  @Test(arguments: ["=1+1@example.org", "+a@example.org", "-a@example.org", "@a"])
  func `CSV prefixes a formula with an apostrophe`(_ cell: String) {
    #expect(CSV.record([cell]) == "'\(cell)\r\n")
  }

  @Test(arguments: [("\t=1", "'\t=1"), ("\r=1", "\"'\r=1\""), ("\r\n=1", "\"'\r\n=1\"")])
  func `CSV prefixes a formula after a tab or a carriage return with an apostrophe`(
    _ cell: String, _ expected: String
  ) {
    #expect(CSV.record([cell]) == "\(expected)\r\n")
  }

  /// The fragments of cells that a spreadsheet or a CSV parser could misinterpret.
  private static let trickyCells: [String] = {
    // A quote and a combining mark after it are a single character.
    let parts = [
      "", "'", "=", "+", "-", "@", "\t", "\r", "\n", "\r\n", "\"", ",", " ", "a", "ä", "\u{301}",
    ]
    return parts.flatMap { first in
      parts.flatMap { second in parts.map { third in first + second + third } }
    }
  }()

  @Test func `an import of CSV restores every text by removing one apostrophe`() throws {
    for cell in Self.trickyCells + ["'=1+1@example.org", "=1+1@example.org", "o'neil@example.org"] {
      let record = CSV.record(["7", cell, cell])
      let cells = try #require(CSVReader.cells(of: record), "\(record)")
      #expect(cells.map(CSVReader.imported) == ["7", cell, cell], "\(record)")
    }
  }

  @Test func `CSV contains no cell that a spreadsheet would run`() {
    for cell in Self.trickyCells {
      let shown = CSVReader.cells(of: CSV.record([cell]))?.first
      let first = shown?.unicodeScalars.first
      #expect(first.map { !"=+-@\t\r".unicodeScalars.contains($0) } ?? true, "\(cell)")
    }
  }

  @Test func `CSV writes different texts as different cells`() {
    let cells = Set(Self.trickyCells)
    #expect(Set(cells.map { CSV.record([$0]) }).count == cells.count)
  }

  @Test func `a line of ndjson is an object with every member`() {
    let record = ExportFormat.ndjson.record(
      of: subscriber(
        address: "\"a\\\n\u{2028}\u{1}@example.org", locale: "de",
        confirmed: Timestamp(millisecondsSince1970: 1)))
    #expect(
      record
        == #"{"id":7,"address":"\"a\\\n\u2028\u0001@example.org","state":"pending","locale":"de","#
        + #""created_at":"1970-01-01T00:00:00.000Z","#
        + #""confirmed_at":"1970-01-01T00:00:00.001Z","unsubscribed_at":null,"reason":null}"# + "\n"
    )
  }

  @Test func `ndjson has no header`() {
    #expect(ExportFormat.ndjson.header().isEmpty)
  }
}

/// A parser of CSV records (RFC 4180).
private enum CSVReader {
  /// Parses the cells of one record; returns `nil` if the record is malformed.
  static func cells(of record: String) -> [String]? {
    var scalars = Array(record.unicodeScalars)[...]
    var cells: [String] = []
    while true {
      var cell = String.UnicodeScalarView()
      if scalars.first == "\"" {
        scalars.removeFirst()
        while true {
          guard let scalar = scalars.popFirst() else { return nil }
          if scalar == "\"" {
            guard scalars.first == "\"" else { break }
            scalars.removeFirst()
          }
          cell.append(scalar)
        }
      } else {
        while let scalar = scalars.first, scalar != ",", scalar != "\r", scalar != "\n" {
          guard scalar != "\"" else { return nil }
          cell.append(scalar)
          scalars.removeFirst()
        }
      }
      cells.append(String(cell))
      if scalars.first == "," {
        scalars.removeFirst()
        continue
      }
      return scalars.elementsEqual(["\r", "\n"]) ? cells : nil
    }
  }

  /// Returns the text of a cell as an import reads it.
  static func imported(_ cell: String) -> String {
    guard cell.unicodeScalars.first == "'" else { return cell }
    return String(cell.unicodeScalars.dropFirst())
  }
}

import Testing

@testable import enlist

@Suite struct CSVRecordTests {
  /// Reads the records of a text.
  private func records(_ text: String, separator: String = ",") -> [[String]?] {
    var result: [[String]?] = []
    var record: CSVRecord?
    let byte = separator.utf8.first ?? 0
    for line in text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      var current = record ?? CSVRecord(separator: byte)
      record = current
      guard current.add(Array(line)) else {
        record = current
        continue
      }
      result.append(current.isMalformed ? nil : current.cells)
      record = nil
    }
    return record == nil ? result : result + [nil]
  }

  @Test(
    arguments: [
      ("a,b,c", ["a", "b", "c"]), ("a,b,c\r", ["a", "b", "c"]), (",,", ["", "", ""]), ("", [""]),
      (#""a,b","say ""hi""",c"#, ["a,b", #"say "hi""#, "c"]), ("\"a\"\r", ["a"]),
      (#"O"Neil,x"#, [#"O"Neil"#, "x"]), ("\"two\nlines\",x", ["two\nlines", "x"]),
      ("\"\",x", ["", "x"]), ("Zoë,日本", ["Zoë", "日本"]),
    ]
  )
  func `a record has the cells of RFC 4180`(text: String, cells: [String]) {
    #expect(records(text) == [cells])
  }

  @Test(arguments: [#""a"b,c"#, "\"open\nend", #""a" ,b"#])
  func `a quote in the wrong place makes a record malformed`(text: String) {
    #expect(records(text) == [nil])
  }

  @Test func `bytes that are not UTF-8 make a record malformed`() {
    var record = CSVRecord(separator: UInt8(ascii: ","))
    let isComplete = record.add([0x61, 0xFF, 0x2C, 0x62])
    #expect(isComplete && record.isMalformed)
  }

  @Test func `a record has an end, even if a quote is never closed`() {
    var record = CSVRecord(separator: UInt8(ascii: ","))
    var lines = 0
    while !record.add(Array("\"\(String(repeating: "x", count: 1_000))".utf8)) { lines += 1 }
    #expect(record.isMalformed)
    #expect(lines <= CSVRecord.maximumCount / 1_000)
  }

  @Test(arguments: [("a,b;c", ","), ("a;b;c,d", ";"), ("a\tb", "\t"), ("email", ",")])
  func `the header says what separates the cells`(header: String, separator: String) {
    #expect(CSVRecord.separator(of: Array(header.utf8)) == separator.utf8.first)
  }
}

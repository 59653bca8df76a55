import Testing

@testable import enlist

@Suite struct CSVRecordTests {
  /// Reads the first record of a text.
  private func record(_ text: some Collection<UInt8>) -> CSVRecord {
    var record = CSVRecord(separator: UInt8(ascii: ","))
    if !text.contains(where: { record.add($0) }) { record.end() }
    return record
  }

  @Test(
    arguments: [
      ("a,b,c", ["a", "b", "c"]), ("a,b,c\r\n", ["a", "b", "c"]), (",,", ["", "", ""]), ("", [""]),
      (#""a,b","say ""hi""",c"#, ["a,b", #"say "hi""#, "c"]), ("\"a\"\rb", ["a"]),
      (#"O"Neil,x"#, [#"O"Neil"#, "x"]), ("\"two\nlines\",x", ["two\nlines", "x"]),
      ("\"\",x", ["", "x"]), ("Zoë,日本", ["Zoë", "日本"]),
    ]
  )
  func `a record has the cells of RFC 4180`(text: String, cells: [String]) {
    let record = record(text.utf8)
    #expect(record.cells == cells)
    #expect(!record.isMalformed && !record.hasUncertainEnd)
  }

  @Test(arguments: [#""a"b,c""#, #""a" ,b"#, #""a "b" c",d"#])
  func `a quote in the wrong place makes a record malformed`(text: String) {
    let record = record(text.utf8)
    #expect(record.isMalformed && !record.hasUncertainEnd)
  }

  @Test(arguments: ["\"open\nend", "\"a\"b,c\nd\"", "a, \"b\nc\"", "\"a\"b,\"\nc"])
  func `the end of a record is uncertain if quotes can be read in two ways`(text: String) {
    #expect(record(text.utf8).hasUncertainEnd)
  }

  @Test func `bytes that are not UTF-8 are noticed`() {
    #expect(!record([0x61, 0xFF, 0x2C, 0x62, 0x0A]).isText)
  }

  @Test func `a record that is too long ends where it ends, and keeps no more memory`() {
    let cell = String(repeating: "x,\n", count: CSVRecord.maximumCount)
    let record = record("\"\(cell)\"\nnext".utf8)
    #expect(record.isMalformed && !record.hasUncertainEnd)
    #expect(record.cells.joined().utf8.count <= CSVRecord.maximumCount)
  }

  @Test(arguments: [
    ("a,b;c", ","), ("a;b;c,d", ";"), ("a\tb", "\t"), ("email", ","), (#""a, b, c";d"#, ";"),
  ])
  func `the header says what separates the cells`(header: String, separator: String) {
    #expect(CSVRecord.separator(of: header.utf8) == separator.utf8.first)
  }
}

import Foundation
import TestSupport
import Testing

/// What a file is, and how it is read.
@Suite struct ImportedFilesTests {
  @Test func `a file that is not text in UTF-8 is named, and what to do`() throws {
    let umlaut = Array("email,name\nana@example.com,Ana\nbea@example.com,B".utf8) + [0xE4, 0x0A]
    let header = Array("email,Stra".utf8) + [0xDF] + Array("e\nana@example.com,x\n".utf8)
    let letters = Array("email\nana@example.com\n".utf8)
    try expect([
      ImportedFile(
        "windows-1252", bytes: umlaut,
        says: """
          line 3 is not UTF-8; nothing was imported: save the file as CSV UTF-8, or if it is \
          windows-1252, as Excel's CSV often is, use iconv -f windows-1252 -t utf-8
          """),
      ImportedFile("windows-1252, in the header", bytes: header, says: "line 1 is not UTF-8"),
      ImportedFile(
        "windows-1252, objects",
        bytes: Array(#"{"email":"ana@example.com","name":""#.utf8) + [0xE4, 0x22, 0x7D, 0x0A],
        says: "line 1 is not UTF-8"),
      ImportedFile(
        "UTF-16", bytes: [0xFF, 0xFE] + letters.flatMap { [$0, 0] },
        says: "the file is UTF-16: save it as CSV UTF-8, or use iconv -f utf-16 -t utf-8"),
      ImportedFile(
        "UTF-16, the other way", bytes: [0xFE, 0xFF] + letters.flatMap { [0, $0] },
        says: "iconv -f utf-16"),
      ImportedFile(
        "UTF-16 without a mark", bytes: letters.flatMap { [0, $0] }, says: "iconv -f utf-16"),
      ImportedFile(
        "xlsx", bytes: [0x50, 0x4B, 3, 4, 0, 0],
        says: "a workbook of Excel, or zipped: save it as CSV UTF-8, or unzip it"),
      ImportedFile(
        "xls", bytes: [0xD0, 0xCF, 0x11, 0xE0, 0xA1],
        says: "a workbook of Excel: save it as CSV UTF-8"),
      ImportedFile(
        "gzip", bytes: [0x1F, 0x8B, 8, 0, 0], says: "use gunzip -c FILE | enlist import -"),
      ImportedFile(
        "bzip2", bytes: Array("BZh91AY&SY".utf8) + [0xDE, 0xAD], says: "not text: unpack it"),
      ImportedFile(
        "xz", bytes: [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0, 0, 4], says: "not text: unpack it"),
      ImportedFile(
        "zstd", bytes: [0x28, 0xB5, 0x2F, 0xFD, 0x24, 0x58, 0xB9], says: "not text: unpack it"),
      ImportedFile(
        "bytes that no text has", bytes: letters + [1, 2, 3, 4], says: "not text: unpack it"),
      ImportedFile("an array", bytes: Array("[\n {\"email\":\"x\"}]".utf8), says: "jq -c '.[]'"),
      ImportedFile(
        "an object in several lines", bytes: Array("{\n \"a\": 1\n}".utf8), says: "jq -c ."),
    ])
  }

  @Test func `what Excel puts around the cells means nothing`() throws {
    let ana = ["ana@example.com,subscribed"]
    try expect([
      ImportedFile(
        "a separator in the first line",
        text: "\u{FEFF}sep=;\r\nEmail;a,b,c\r\nana@example.com;x\r\n",
        "--state", "subscribed", people: ana),
      ImportedFile(
        "a stray control character", text: "email\nana@example.com\nbea\u{8}@example.com\n",
        "--state", "subscribed", people: ana, code: 1, says: "rejected 1 row"),
      ImportedFile(
        "a separator in quotes, after which the lines are counted",
        text: "\"sep=|\"\nEmail|a\nana@example.com|x\nbea|x\n", "--state", "subscribed",
        people: ana, code: 1),
      ImportedFile(
        "blanks and invisible characters around names",
        text: "\u{200B}Email , Since\u{A0}\nana@example.com,2021-03-04\n", "--state", "subscribed",
        "--map", "created_at=Since", "--require-proof", people: ana),
      ImportedFile(
        "an invisible character in a name", text: "E\u{200B}mail,Name\nana@example.com,x\n",
        code: 65, says: #"E\u{200b}mail, Name"#),
      ImportedFile(
        "blank lines above the header", text: "\n  \n\nemail;name\nana@example.com;A\n", "--state",
        "subscribed", people: ana),
    ])
  }

  @Test(
    arguments: [
      "mail,city\n=1+2@@example.org,-5\n'x@@example.org,'y\nbea@example.com,a,b\n",
      """
      id,address,state,locale,created_at,confirmed_at,unsubscribed_at,reason,city
      1,'=1+2@@example.org,subscribed,,2021-03-04,2021-03-04,,,'-5
      2,''x@@example.org,subscribed,,2021-03-04,2021-03-04,,,''y
      3,bea@example.com,subscribed,,2021-03-04,2021-03-04,,,a,b

      """,
      #"""
      {"address":"=1+2@@example.org","state":"subscribed","city":"-5"}
      {"address":"'x@@example.org","state":"subscribed","city":"'y"}
      {"address":"bea@example.com","state":"subscribed","city":"a","created_at":"b"}

      """#,
    ])
  func `a rejected file, corrected and imported, gives what the first meant`(text: String) throws {
    let service = try Enlist(["--fields", "city"])
    let isObjects = text.hasPrefix("{")
    let isOurs = text.contains("state")
    let flags =
      isOurs ? [] : ["--map", "address=mail", "--state", "subscribed"]
    func run(_ file: String) throws -> Child.Outcome {
      let command = [
        "enlist", "import", file, "--rejected", "\(file).rejected", "--fields", "city",
      ]
      return try Child.run(command + flags, in: service.folder)
    }
    try service.folder.write(text, to: "a")
    let first = try run("a")
    #expect(
      first.output.contains(#""new":0,"changed":0,"known":0,"kept":0,"rejected":3"#), "\(first)")
    // What is not corrected is not taken for corrected.
    let second = try run("a.rejected")
    #expect(
      second.output.contains(#""new":0,"changed":0,"known":0,"kept":0,"rejected":3"#), "\(second)")
    let corrected = try service.folder.read("a.rejected.rejected")
      .replacing("@@", with: "@").replacing("a,b,", with: "a,,").replacing(
        #":"b""#, with: #":null"#)
    try service.folder.write(corrected, to: "b")
    let third = try run("b")
    #expect(third.end == .exit(0), "\(third)\n\(corrected)")
    let export = try service.run("export", "--fields", "city", "--format", "ndjson").output
    for part in [
      #""address":"=1+2@example.org""#, #""city":"-5""#, #""address":"'x@example.org""#,
      #""city":"'y""#, #""city":"a""#,
    ] { #expect(export.contains(part), "\(part): \(export)\n\(corrected)") }
    #expect(isObjects == corrected.contains(#""_reason":"#))
  }

  @Test func `evidence in a rejected row is kept`() throws {
    let service = try Enlist()
    try service.signUp("ana@example.com").expect(202)
    let export = try service.run("export", "--consents").output
    let other = try Enlist()
    try other.folder.write(export.replacing("ana@", with: "ana@@"), to: "a")
    _ = try other.run("import", "a")
    let rejected = try other.folder.read("a.rejected.ndjson")
    try other.folder.write(rejected.replacing("@@", with: "@"), to: "b")
    let imported = try other.run("import", "b")
    #expect(imported.end == .exit(0), "\(imported)")
    let copy = try other.run("export", "--consents").output
    #expect(copy == export)
  }

  @Test func `every line is read, or the command says which is not`() throws {
    try expect([
      ImportedFile(
        "no header", text: "ana@example.com\nbea@example.com\n", "--state", "subscribed", code: 65,
        says: "add a line above it, such as address"),
      ImportedFile(
        "no header, and the map that takes a person for one",
        text: "ana@example.com\nbea@example.com\n", "--state", "subscribed", "--map",
        "address=ana@example.com", code: 65, says: "add a line above it, such as address"),
      ImportedFile(
        "no header, and names", "|", text: "Ana <ana@example.com>\nBea <bea@example.com>\n",
        "--state", "subscribed", code: 65, says: "add a line above it, such as address"),
      ImportedFile(
        "a header with a quote in the wrong place",
        text: "email,\"Name (\"Nick\")\"\nana@example.com,x\n", "--state", "subscribed", code: 65,
        says: "the header in line 1 cannot be read: a quote is in the wrong place"),
      ImportedFile(
        "a header that is too long",
        text: "\nemail,\(String(repeating: "x", count: 70_000))\nana@example.com,x\n", "--state",
        "subscribed", code: 65, says: "the header in line 2 cannot be read: "),
      ImportedFile("nothing", text: "", code: 65, says: "the file is empty"),
      ImportedFile("nothing, from a pipe", "|", text: "", code: 65, says: "the file is empty"),
      ImportedFile(
        "nothing but a byte order mark", text: "\u{FEFF}", code: 65, says: "the file is empty"),
      ImportedFile(
        "blank lines alone", text: "\n \n", code: 65, says: "the file has no header"),
      ImportedFile(
        "CR alone", text: "email,note\rana@example.com,\"a\rb\"\rbea@example.com,x\r", "--state",
        "subscribed", people: ["ana@example.com,subscribed", "bea@example.com,subscribed"]),
      ImportedFile(
        "CR alone, objects", "|",
        text: "{\"email\":\"ana@example.com\"}\r{\"email\":\"bea@example.com\"}\r", "--state",
        "subscribed", people: ["ana@example.com,subscribed", "bea@example.com,subscribed"]),
      ImportedFile(
        "a header with LF before lines with CR", text: "email\nana@example.com\rbea@example.com\r",
        "--state", "subscribed", code: 65, says: "uncertain where the row of line 2 ends"),
      ImportedFile(
        "empty rows of a spreadsheet", "|",
        text: "\u{FEFF}\r\nemail,note\r\n,\r\nana@example.com,x\r\n , \r\n\r\n", "--state",
        "subscribed", people: ["ana@example.com,subscribed"]),
    ])
  }

  @Test func `people of the API are imported with their fields`() throws {
    let service = try Enlist(["--fields", "name,age"])
    try service.folder.write(
      #"""
      {"id":7,"address":"ana@example.com","state":"subscribed","fields":{"name":"Ana"}}
      {"id":8,"address":"bea@example.com","state":"subscribed","fields":{"name":"Bea","age":7}}
      {"id":9,"address":"cleo@example.com","state":"subscribed","fields":{"name":["Cleo"]}}

      """#,
      to: "people"
    )
    let run = try service.run("import", "people", "--fields", "name,age")
    #expect(run.end == .exit(1))
    #expect(run.output.contains(#""new":2,"changed":0,"known":0,"kept":0,"rejected":1"#), "\(run)")
    let export = try service.run("export", "--format", "ndjson", "--fields", "name,age")
    #expect(export.output.contains(#""name":"Ana""#), "\(export)")
    #expect(export.output.contains(#""age":"7""#), "\(export)")
  }
}

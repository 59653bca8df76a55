import Foundation
import TestSupport
import Testing

@Suite struct ImportedPeopleTests {
  @Test func `nobody is imported who is only mentioned in a cell`() throws {
    let long = String(repeating: "a long note\n", count: 6_000)
    let longLine = long.replacing("\n", with: " ")
    try expect([
      ImportedFile(
        "a cell that is longer than a row may be",
        text: "email,note\nana@example.com,\"\(long)mallory@example.com,x\n\"\nbea@example.com,x\n",
        "--state", "subscribed", people: ["bea@example.com,subscribed"], code: 1),
      ImportedFile(
        "a long line of a cell, with its last quote far behind",
        text: "email,note\nana@example.com,\"\(longLine)\nmallory@example.com,x\"\n", "--state",
        "subscribed", code: 1),
      ImportedFile(
        "a quote within a cell of several lines",
        text: "email,note\nana@example.com,\"he said \"no, stop\nmallory@example.com,x\nend\"\n",
        "--state", "subscribed", code: 65, says: "uncertain where the row of line 2 ends"),
      ImportedFile(
        "a quote after a blank",
        text: "email, note\nana@example.com, \"one\nmallory@example.com,x\n\"\n", "--state",
        "subscribed", code: 65, says: "uncertain where the row of line 2 ends"),
      ImportedFile(
        "a quote that is never closed",
        text: "email,note\nana@example.com,x\nbea@example.com,\"x\ncleo@example.com,x\n", "--state",
        "subscribed", code: 65, says: "uncertain where the row of line 3 ends"),
      ImportedFile(
        "a quote that is only ugly",
        text: "email,note\nana@example.com,\"Ana \"A\" B\"\nbea@example.com,5\" x\n", "--state",
        "subscribed", people: ["bea@example.com,subscribed"], code: 1),
    ])
  }

  @Test func `nobody is subscribed who left or never agreed`() throws {
    let mailchimp =
      "Email Address,MEMBER_RATING,OPTIN_TIME,LEID\nana@example.com,2,2021-03-04 05:06:07,1\n"
    let leaver =
      "Email Address,MEMBER_RATING,UNSUB_TIME,LEID\nana@example.com,2,,1\n"
    try expect([
      ImportedFile(
        "Mailchimp: subscribed", "subscribed_members_export_1.csv", text: mailchimp,
        people: ["ana@example.com,subscribed"]),
      ImportedFile(
        "Mailchimp: a copy of people who never agreed", "copy_nonsubscribed_1.csv", text: mailchimp,
        code: 65, says: "does not say who has left"),
      ImportedFile("Mailchimp: standard input", "-", text: mailchimp, code: 65, says: "--state"),
      ImportedFile(
        "Mailchimp: left without a time", "unsubscribed_1.csv", text: leaver,
        people: ["ana@example.com,unsubscribed"]),
      ImportedFile(
        "Mailchimp: left without a time, with a state", "unsubscribed_1.csv", text: leaver,
        "--state",
        "subscribed", people: ["ana@example.com,unsubscribed"]),
      ImportedFile("Mailchimp: neither name nor time", "a.csv", text: leaver, code: 1),
      ImportedFile(
        "Mailchimp: cleaned", "cleaned_1.csv", text: leaver.replacing("UNSUB", with: "CLEAN"),
        people: ["ana@example.com,suppressed"]),
      ImportedFile(
        "Buttondown",
        text: "email_address,type,creation_date\nana@example.com,unsubscribed,2021-03-04\n",
        "--state", "subscribed", code: 65, says: "an export of Buttondown"),
      ImportedFile(
        "Buttondown, earlier",
        text: "email,subscriber_type,creation_date\nana@example.com,unsubscribed,2021-03-04\n",
        "--state", "subscribed", code: 65, says: "an export of Buttondown"),
      ImportedFile(
        "Buttondown, with a map",
        text: "email_address,type,creation_date\nana@example.com,unsubscribed,2021-03-04\n",
        "--state", "subscribed", "--map", "created_at=creation_date", code: 65,
        says: "column type may say who has left (unsubscribed: 1)"),
      ImportedFile(
        "Ghost, with a map",
        text: "id,email,subscribed_to_emails\n1,ana@example.com,true\n2,bea@example.com,false\n",
        "--state", "subscribed", "--map", "address=email", code: 65,
        says: "column subscribed_to_emails may say who has left (false: 1, true: 1)"),
      ImportedFile(
        "Ghost, one kind",
        text: "id,email,subscribed_to_emails\n1,ana@example.com,true\n2,bea@example.com,true\n",
        "--state", "subscribed", "--map", "address=email",
        people: ["ana@example.com,subscribed", "bea@example.com,subscribed"]),
      ImportedFile(
        "one value, and a row that is too short",
        text: "email,status\nana@example.com,active\nbea@example.com\n", "--state", "subscribed",
        people: ["ana@example.com,subscribed"], code: 1),
      ImportedFile(
        "a column of a status",
        text: "email,status\nana@example.com,active\nbea@example.com,bounced\n", "--state",
        "subscribed", code: 65, says: "column status may say who has left (active: 1, bounced: 1)"),
      ImportedFile(
        "the advice when nothing says the state",
        text: "email,Subscription Status\nana@example.com,1\nbea@example.com,0\n", code: 65,
        says: "--ignore Subscription Status"),
      ImportedFile(
        "a column for those who are blocked",
        text: "email;blacklisted\nana@example.com;0\nbea@example.com;1\n", "--state", "pending",
        code: 65, says: "column blacklisted"),
      ImportedFile(
        "a status that says nothing",
        text: "email,type\nana@example.com,company\nbea@example.com,person\n", "--state",
        "subscribed", "--ignore", "type",
        people: ["ana@example.com,subscribed", "bea@example.com,subscribed"]),
      ImportedFile(
        "a date of leaving",
        text: "email,unsubscribed_at\nana@example.com,\nbea@example.com,2021-03-04\n", "--state",
        "subscribed", people: ["ana@example.com,subscribed", "bea@example.com,unsubscribed"]),
    ])
  }

  @Test func `every member of an object counts, whichever line begins with it`() throws {
    try expect([
      ImportedFile(
        "a member that the first line lacks",
        text: #"""
          {"email":"ana@example.com"}
          {"email":"bea@example.com","state":"unsubscribed"}

          """#,
        "--state", "subscribed",
        people: ["ana@example.com,subscribed", "bea@example.com,unsubscribed"]),
      ImportedFile(
        "a member that is written in another way",
        text: #"""
          {"email":"ana@example.com","State":"subscribed"}
          {"email":"bea@example.com","state":"unsubscribed"}

          """#,
        "--state", "subscribed",
        people: ["ana@example.com,subscribed", "bea@example.com,unsubscribed"]),
      ImportedFile(
        "a date that is not a text",
        text: #"""
          {"email":"ana@example.com"}
          {"email":"bea@example.com","unsubscribed_at":{"$date":"2021-03-04T00:00:00Z"}}

          """#,
        "--state", "subscribed",
        people: ["ana@example.com,subscribed"], code: 1),
      ImportedFile(
        "a status in a later line, from a pipe",
        "|",
        text: #"""
          {"email":"ana@example.com"}
          {"email":"bea@example.com","active":false}

          """#,
        "--state",
        "subscribed",
        code: 65,
        says: "column active may say who has left (nothing: 1, false: 1)"
      ),
    ])
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
    #expect(run.output.contains(#""new":2,"changed":0,"known":0,"rejected":1"#), "\(run)")
    let export = try service.run("export", "--format", "ndjson", "--fields", "name,age")
    #expect(export.output.contains(#""name":"Ana""#), "\(export)")
    #expect(export.output.contains(#""age":"7""#), "\(export)")
  }

  private func expect(_ files: [ImportedFile]) throws {
    let service = try Enlist()
    _ = try service.stop()
    for file in files {
      let folder = try Folder()
      try FileManager.default.copyItem(
        atPath: service.database, toPath: folder("enlist.sqlite"))
      try folder.write(file.text, to: file.name)
      let isPipe = file.name == "|"
      let launcher = isPipe ? ["sh", "-c", #"cat '|' | "$@""#, "sh"] : []
      let command = ["enlist", "import", isPipe ? "-" : file.name] + file.arguments
      let run = try Child.run(
        launcher + command, in: folder, input: file.name == "-" ? file.text : "")
      let location = file.location
      #expect(run.end == .exit(file.code), "\(run.errors)", sourceLocation: location)
      #expect(
        file.says.isEmpty || run.errors.contains(file.says), "\(run.errors)",
        sourceLocation: location)
      #expect(!run.errors.contains("@"), "\(run.errors)", sourceLocation: location)
      let export = try Child.run(["enlist", "export"], in: folder)
      let people = export.output.split(separator: "\r\n").dropFirst().map { row in
        row.split(separator: ",")[1...2].joined(separator: ",")
      }
      #expect(people == file.people, "\(export.errors)", sourceLocation: location)
    }
  }
}

/// A file to import, and what becomes of the people in it.
///
/// A failure is shown at its line.
private struct ImportedFile {
  let name: String
  let text: String
  let arguments: [String]
  let people: [String]
  let code: Int32
  let says: String
  let location: SourceLocation

  /// - Parameters:
  ///   - case: What is special.
  ///   - name: `-` is standard input, and `|` a pipe.
  ///   - text: The content.
  ///   - arguments: Those of the command.
  ///   - people: The people on the list afterwards, each with the state.
  ///   - code: The exit code.
  ///   - says: A part of standard error.
  ///   - location: The place of the row.
  init(
    _ case: String, _ name: String = "people", text: String, _ arguments: String...,
    people: [String] = [], code: Int32 = 0, says: String = "",
    location: SourceLocation = #_sourceLocation
  ) {
    (self.name, self.text, self.arguments) = (name, text, arguments)
    (self.people, self.code, self.says, self.location) = (people, code, says, location)
  }
}

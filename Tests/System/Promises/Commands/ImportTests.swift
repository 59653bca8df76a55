import Foundation
import Glibc
import TestSupport
import Testing

/// The `enlist import` command, next to a service.
@Suite struct ImportTests {
  @Test(arguments: [["--format", "csv"], ["--format", "ndjson"], ["--consents"]])
  func `an export that is imported elsewhere is the same there`(format: [String]) throws {
    let fields = ["--fields", "name"]
    let first = try Enlist(.mail + fields)
    for (index, name) in ["ana", "bea", "cleo", "dora", "'=eve"].enumerated() {
      let json = #"{"email":"\#(name)@example.com","locale":"de","name":"N \"\#(index)\", x"}"#
      try first.post("/subscribers", json: json).expect(202)
    }
    for name in ["ana", "bea", "cleo"] {
      let mail = try first.mail(to: "\(name)@example.com")
      try first.post(mail.link("confirm")).expect(200)
      if name == "bea" { try first.post(mail.link("unsubscribe")).expect(200) }
    }
    _ = try first.mails(5)
    let suppressed = try first.run("suppress", "--reason", "complaint", "cleo@example.com")
    #expect(suppressed.end == .exit(0), "\(suppressed.errors)")
    let second = try Enlist(fields)
    func export(_ service: Enlist, _ flags: [String]) throws -> String {
      let export = try Child.run(["enlist", "export"] + fields + flags, in: service.folder)
      #expect(export.end == .exit(0), "\(export.errors)")
      return export.output
    }
    try second.folder.write(export(first, format), to: "people")
    let imported = try second.run("import", "people", "--fields", "name")
    #expect(imported.end == .exit(0), "\(imported.errors)")
    let counts =
      #"{"source":"enlist","new":5,"changed":0,"known":0,"kept":0,"rejected":0,"without_date":0}"#
    #expect(imported.output == counts + "\n")
    for flags in [[], format == ["--consents"] ? format : []] {
      let (before, after) = (try export(first, flags), try export(second, flags))
      #expect(before == after)
    }
    let again = try second.run("import", "people", "--fields", "name")
    #expect(again.output.contains(#""new":0,"changed":0,"known":5"#), "\(again)")
    try second.signUp("zoe@example.com").expect(202)
  }

  @Test func `rejected rows do not replace the file to import, by whatever name`() throws {
    let service = try Enlist()
    let file = "email\nnobody\n"
    let path = try service.folder.write(file, to: "people.csv")
    try FileManager.default.createSymbolicLink(
      atPath: service.folder("link"), withDestinationPath: path)
    for name in ["people.csv", "./people.csv", "link"] {
      let run = try service.run(
        "import", "people.csv", "--state", "subscribed", "--map", "address=email", "--rejected",
        name)
      #expect(run.errors.hasSuffix("cannot open \(name): it is the file to import\n"), "\(run)")
      #expect(try service.folder.read("people.csv") == file)
    }
  }

  @Test func `rejected rows are written with their reasons, and the others are imported`() throws {
    let service = try Enlist()
    let file = """
      \u{FEFF}Email;Name;Since
      ana@example.com;Ana;2021-03-04
      nobody;"Semi;colon";2021-03-04
      bea@@gmial.com;Bea;2021-03-04
      cleo@example.com;"two
      lines";yesterday
      dora@example.com;D;2021-03-04;more
      Ana@example.com;Ana;2021-03-04

      """
    try service.folder.write(file, to: "people.csv")
    let arguments = [
      "enlist", "import", "people.csv", "--state", "subscribed", "--map", "address=Email", "--map",
      "created_at=Since",
    ]
    let dry = try Child.run(arguments + ["--dry-run"], in: service.folder)
    let counts =
      #"{"source":"other","new":1,"changed":0,"known":1,"kept":0,"rejected":4,"without_date":0}"#
      + "\n"
    #expect(dry.output == counts)
    let before = try service.addresses()
    #expect(before == [])
    let imported = try Child.run(arguments, in: service.folder)
    let reading = "other: reading Email as address, Since as created_at; leaving out Name\n"
    #expect(imported.end == .exit(1), "\(imported.errors)")
    #expect(imported.output == counts)
    let warning =
      "rejected 4 rows, the first in line 3: missingAt; people.csv.rejected.csv has them"
    #expect(imported.errors == reading + "enlist: warning: \(warning)\n")
    let after = try service.addresses()
    #expect(after == ["ana@example.com"])
    let rejected = try service.folder.read("people.csv.rejected.csv")
    #expect(
      rejected.replacing("\r\n", with: "\n") == """
        Email,Name,Since,_surplus,_line,_reason,_suggestion
        nobody,Semi;colon,2021-03-04,,3,missingAt,
        bea@@gmial.com,Bea,2021-03-04,,4,multipleAt,bea@gmail.com
        cleo@example.com,"two
        lines",yesterday,,5,invalid-date,
        dora@example.com,D,2021-03-04,more,7,malformed-row,

        """
    )
    let attributes = try FileManager.default.attributesOfItem(
      atPath: service.folder("people.csv.rejected.csv"))
    #expect(attributes[.posixPermissions] as? Int == 0o600)
  }

  @Test func `the reason of a rejection is not taken for one of the file's own`() throws {
    let service = try Enlist()
    let row = "ana@@example.com,suppressed,complaint,x"
    try service.folder.write("address,state,reason,surplus\n\(row)\n", to: "people.csv")
    let run = try service.run("import", "people.csv")
    #expect(run.end == .exit(1), "\(run)")
    let rejected = try service.folder.read("people.csv.rejected.csv")
    #expect(
      rejected == "address,state,reason,surplus,_line,_reason,_suggestion\r\n"
        + "\(row),2,multipleAt,ana@example.com\r\n")
    try service.folder.write(rejected.replacing("@@", with: "@"), to: "corrected.csv")
    let corrected = try service.run("import", "corrected.csv")
    #expect(corrected.end == .exit(0), "\(corrected)")
    #expect(corrected.errors.hasSuffix("leaving out surplus\n"), "\(corrected)")
    let export = try service.run("export").output
    #expect(export.contains(",ana@example.com,suppressed,"), "\(export)")
    #expect(export.hasSuffix(",complaint\r\n"), "\(export)")
  }

  @Test func `the reason of a rejected object is not taken for a column, with the same flags`()
    throws
  {
    let service = try Enlist()
    let suppress = try service.run("suppress", "gone@example.com")
    #expect(suppress.end == .exit(0), "\(suppress)")
    let people = #"{"mail":"ana@@example.com"}"# + "\n" + #"{"mail":"gone@example.com"}"# + "\n"
    try service.folder.write(people, to: "people.ndjson")
    func add(_ file: String) throws -> Child.Outcome {
      try service.run("import", file, "--map", "address=mail", "--state", "subscribed")
    }
    let first = try add("people.ndjson")
    #expect(first.end == .exit(1), "\(first)")
    let rejected = try service.folder.read("people.ndjson.rejected.ndjson")
    #expect(rejected.contains(#""_reason":"suppressed""#), "\(rejected)")
    try service.folder.write(rejected.replacing("@@", with: "@"), to: "corrected.ndjson")
    let corrected = try add("corrected.ndjson")
    #expect(corrected.output.contains(#""new":1,"#), "\(corrected)")
    #expect(!corrected.errors.contains("_reason"), "\(corrected)")
  }

  @Test func `an import that is killed and repeated beside sign-ups stores everyone once`() throws {
    let service = try Enlist()
    let people = (0..<20_000).map { "p\($0)@example.com" }
    try service.folder.write(
      "email,created_at\n" + people.map { "\($0),2021-03-04\n" }.joined(), to: "p.csv")
    let command = ["enlist", "import", "p.csv", "--state", "subscribed"]
    var signedUp: [String] = []
    func signUp() throws {
      signedUp.append("s\(signedUp.count)@example.com")
      try service.signUp(signedUp[signedUp.count - 1]).expect(202)
    }
    let killed = try Child(command, in: service.folder)
    try eventually("the first people, after \(killed.errors)") {
      try signUp()
      return try service.addresses().contains("p100@example.com")
    }
    try killed.wait(after: SIGKILL)
    let repeated = try Child(command, in: service.folder)
    for _ in 0..<50 { try signUp() }
    let end = try repeated.wait(within: .seconds(60))
    #expect(end == .exit(0), "\(repeated.errors)")
    let addresses = try service.addresses().sorted()
    let isComplete = addresses == (people + signedUp).sorted()
    #expect(isComplete, "\(addresses.count) of \(people.count + signedUp.count)")
  }

  @Test func `what is not understood ends with the reason`() throws {
    let service = try Enlist()
    for (arguments, code, reason) in [
      (["none.csv"], 65, "cannot open none.csv: No such file or directory"),
      (["-", "--state", "left"], 64, "--state"),
      (["-", "--map", "x"], 64, "--map"),
      (["-", "--map", "state=a,b=left"], 64, "expected state=COLUMN,VALUE=STATE"),
      (["-", "--from", "mailchump"], 64, "--from"),
      (["-"], 65, "the file is empty"),
    ] as [([String], Int32, String)] {
      let run = try Child.run(["enlist", "import"] + arguments, in: service.folder)
      #expect(run.end == .exit(code), "\(arguments)")
      let lines = run.errors.split(separator: "\n")
      #expect(lines.first?.contains(reason) == true, "\(arguments): \(run.errors)")
      // The usage follows what the parser of the command line does not understand.
      let isUsage = lines.first?.hasPrefix("Error:") == true
      #expect(lines.count == 1 || isUsage, "\(arguments): \(run.errors)")
    }
  }
}

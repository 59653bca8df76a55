import Foundation
import Glibc
import TestSupport
import Testing

/// The `enlist import` command, next to a service.
@Suite struct ImportTests {
  private func run(_ arguments: String..., in folder: TemporaryFolder) throws -> CommandRun {
    try CommandRun(arguments, in: folder)
  }

  @Test(arguments: [["--format", "csv"], ["--format", "ndjson"], ["--consents"]])
  func `an export that is imported elsewhere is the same there`(format: [String]) throws {
    let first = try RunningService(RunningService.mailFlags + ["--fields", "name"])
    for (index, name) in ["ana", "bea", "cleo", "dora", "'=eve"].enumerated() {
      let body = #"{"email":"\#(name)@example.com","locale":"de","name":"N \"\#(index)\", x"}"#
      let fields = ["Content-Type: application/json"]
      #expect(try first.request("POST", "/subscribers", fields: fields, body: body).status == 202)
    }
    let mails = try first.waitForMails(5)
    for name in ["ana", "bea", "cleo"] {
      let mail = try #require(mails.first { $0.contains("\nTo: \(name)@example.com\n") })
      _ = try first.request("POST", try mail.firstLink("confirm"), body: "")
      if name == "bea" {
        _ = try first.request("POST", try mail.firstLink("unsubscribe"), body: "")
      }
    }
    #expect(
      try run("suppress", "--reason", "complaint", "cleo@example.com", in: first.folder).end
        == .exit(0)
    )
    let exported = try CommandRun(["export", "--fields", "name"] + format, in: first.folder).output
    let second = try RunningService(["--fields", "name"])
    try second.folder.write(exported, to: "people")
    let imported = try run("import", "people", "--fields", "name", in: second.folder)
    #expect(imported.end == .exit(0), "\(imported.errors)")
    #expect(
      imported.output
        == #"{"source":"enlist","new":5,"changed":0,"known":0,"rejected":0,"without_date":0}"#
        + "\n"
    )
    let withConsents = format == ["--consents"] ? format : []
    for arguments in [[], withConsents] {
      let before = try CommandRun(["export", "--fields", "name"] + arguments, in: first.folder)
        .output
      let after = try CommandRun(["export", "--fields", "name"] + arguments, in: second.folder)
        .output
      #expect(before == after)
    }
    let again = try run("import", "people", "--fields", "name", in: second.folder)
    #expect(again.output.contains(#""new":0,"changed":0,"known":5"#))
    #expect(try second.signUp("zoe@example.com").status == 202)
  }

  @Test func `rejected rows are written with their reasons, and the others are imported`() throws {
    let service = try RunningService()
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
      "import", "people.csv", "--state", "subscribed", "--map", "address=Email", "--map",
      "created_at=Since",
    ]
    let dry = try CommandRun(arguments + ["--dry-run"], in: service.folder)
    let counts =
      #"{"source":"other","new":1,"changed":0,"known":1,"rejected":4,"without_date":0}"# + "\n"
    #expect(dry.output == counts)
    #expect(try service.exportedAddresses().isEmpty)
    let imported = try CommandRun(arguments, in: service.folder)
    #expect(imported.end == .exit(1))
    #expect(imported.output == counts)
    #expect(
      imported.errors == "other: reading Email as address, Since as created_at; leaving out Name\n")
    #expect(try service.exportedAddresses() == ["ana@example.com"])
    #expect(
      try service.folder.read("people.csv.rejected.csv").replacing("\r\n", with: "\n") == """
        Email,Name,Since,line,reason,suggestion
        nobody,Semi;colon,2021-03-04,3,missingAt,
        bea@@gmial.com,Bea,2021-03-04,4,multipleAt,bea@gmail.com
        cleo@example.com,"two
        lines",yesterday,5,invalid-date,
        dora@example.com,D,2021-03-04,7,malformed-row,

        """
    )
    var status = stat()
    #expect(stat(service.folder.path(of: "people.csv.rejected.csv"), &status) == 0)
    #expect(status.st_mode & 0o777 == 0o600)
  }

  @Test func `an import that is killed and repeated beside sign-ups stores everyone once`() throws {
    let service = try RunningService()
    let people = (0..<20_000).map { "p\($0)@example.com" }
    try service.folder.write(
      "email,created_at\n" + people.map { "\($0),2021-03-04\n" }.joined(), to: "p.csv")
    let arguments = ["import", "p.csv", "--state", "subscribed"]
    let killed = try ChildProcess("enlist", arguments, in: service.folder)
    var signedUp: [String] = []
    try Deadline.soon.wait {
      let name = "s\(signedUp.count)@example.com"
      #expect(try service.signUp(name).status == 202)
      signedUp.append(name)
      return try service.exportedAddresses().contains("p100@example.com")
    }
    killed.send(signal: SIGKILL)
    _ = try killed.wait()
    let repeated = try ChildProcess("enlist", arguments, in: service.folder)
    for _ in 0..<50 {
      let name = "s\(signedUp.count)@example.com"
      #expect(try service.signUp(name).status == 202)
      signedUp.append(name)
    }
    _ = try repeated.readOutput()
    #expect(try repeated.wait() == .exit(0))
    #expect(try service.exportedAddresses().sorted() == (people + signedUp).sorted())
  }

  @Test(
    arguments: [
      (["import", "none.csv"], 65, "cannot open none.csv: No such file or directory"),
      (["import", "-", "--state", "left"], 64, "--state"),
      (["import", "-", "--map", "x"], 64, "--map"),
      (["import", "-", "--from", "mailchump"], 64, "--from"),
      (["import", "-"], 65, "the file has no header"),
    ]
  )
  func `what is not understood ends with the reason`(
    arguments: [String], code: Int32, reason: String
  ) throws {
    let service = try RunningService()
    let run = try CommandRun(arguments, in: service.folder)
    #expect(run.end == .exit(code))
    #expect(run.errors.contains(reason), "\(run.errors)")
    #expect(run.errors.utf8.count { $0 == 10 } == 1)
  }
}

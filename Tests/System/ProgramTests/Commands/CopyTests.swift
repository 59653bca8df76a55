import Foundation
import TestSupport
import Testing

@testable import enlist

/// Tests of `enlist copy` with real files, processes and a server.
@Suite(
  .enabled(
    if: PostgreSQLServer.isInstalled,
    "PostgreSQL 14 or later is not installed; Scripts/bootstrap all installs it"), .serialized)
struct CopyTests {
  private let server: PostgreSQLServer
  private let url: String

  init() throws {
    server = try #require(PostgreSQLServer.shared)
    url = try server.newDatabase()
  }

  private func copy(
    _ source: String, _ target: String, in folder: TemporaryFolder
  ) throws -> CommandRun {
    try CommandRun(["copy", "--from", source, "--to", target], in: folder)
  }

  /// Ends a service and waits until it has disconnected.
  private func end(_ service: RunningService) throws {
    service.process.send(signal: SIGTERM)
    let deadline = Deadline(after: .seconds(60))
    #expect(try service.process.wait(by: deadline) == .exit(0))
  }

  private func states(_ database: String, in folder: TemporaryFolder) throws -> [String] {
    let export = try CommandRun(["export", "--database", database], in: folder)
    #expect(export.end == .exit(0), "\(export.errors)")
    return export.output.split(separator: "\r\n").dropFirst().map { line in
      line.split(separator: ",", omittingEmptySubsequences: false)[1...2].joined(separator: " ")
    }
  }

  @Test func `links of a mail keep working on a server, and in a file again`() throws {
    let flags = RunningService.mailFlags + ["--drain", "0s"]
    let first = try RunningService(flags)
    let folder = first.folder
    #expect(try first.signUp("ana@example.com").status == 202)
    let mail = try #require(try first.waitForMails(1).first)
    let inUse = try copy("sqlite:enlist.sqlite", url, in: folder)
    #expect(inUse.end == .exit(75))
    #expect(inUse.errors.contains("is in use by another service"))
    try end(first)

    let there = try copy("sqlite:enlist.sqlite", url, in: folder)
    #expect(there.end == .exit(0), "\(there.errors)")
    #expect(there.output.contains(/(?m)^subscribers: 1 row, hash [0-9a-f]{16} on both sides$/))
    #expect(there.output.hasPrefix("secret: 1 row, hash "))
    let second = try RunningService(flags + ["--database", url], in: folder)
    let confirm = try mail.firstLink("confirm")
    #expect(try second.request("POST", confirm, body: "").status == 200)
    #expect(try states(url, in: folder) == ["ana@example.com subscribed"])
    #expect(try copy(url, "sqlite:back.sqlite", in: folder).end == .exit(75))
    try end(second)

    let back = try copy(url, "sqlite:back.sqlite", in: folder)
    #expect(back.end == .exit(0), "\(back.errors)")
    let third = try RunningService(flags + ["--database", "sqlite:back.sqlite"], in: folder)
    let unsubscribe = try mail.firstLink("unsubscribe")
    #expect(try third.request("POST", unsubscribe, body: "").status == 200)
    #expect(try states("sqlite:back.sqlite", in: folder) == ["ana@example.com unsubscribed"])
    try end(third)
  }

  @Test func `a killed copy is resumed, and until then no service accepts the target`() throws {
    let folder = try LongList.folder(count: 200_000)
    let killed = try ChildProcess(
      "enlist", ["copy", "--from", "sqlite:enlist.sqlite", "--to", url], in: folder)
    let table = "enlist.copy_progress"
    try Deadline(after: .seconds(120)).wait {
      try server.query("SELECT to_regclass('\(table)') IS NOT NULL", url) == "t"
        && server.query("SELECT sum(rows) > 1000 FROM \(table)", url) == "t"
    }
    killed.send(signal: SIGKILL)
    try #require(try killed.wait() == .signal(SIGKILL))

    for command in [["export"], ["serve", "--listen", "127.0.0.1:0"]] {
      let rejected = try CommandRun(command + ["--database", url], in: folder)
      #expect(rejected.end != .exit(0))
      #expect(rejected.errors.contains("contains an incomplete copy"), "\(rejected.errors)")
    }
    let resumed = try ChildProcess(
      "enlist", ["copy", "--from", "sqlite:enlist.sqlite", "--to", url], in: folder)
    let deadline = Deadline(after: .seconds(300))
    let output = String(decoding: try resumed.readOutput(by: deadline), as: UTF8.self)
    #expect(try resumed.wait(by: deadline) == .exit(0), "\(resumed.standardError)")
    #expect(output.contains(/(?m)^consents: 200000 rows, hash [0-9a-f]{16} on both sides$/))
    #expect(try server.query("SELECT count(*) FROM enlist.subscribers", url) == "200000")
    let again = try copy("sqlite:enlist.sqlite", url, in: folder)
    #expect(again.end == .exit(1))
    #expect(again.errors.contains("is not empty"), "\(again.errors)")
  }

  @Test func `a file to copy to may be one that nobody has used, and is its owner's only`() throws {
    let folder = try LongList.folder(count: 10)
    #expect(try copy("sqlite:enlist.sqlite", url, in: folder).end == .exit(0))
    let back = try copy(url, "sqlite:back.sqlite", in: folder)
    #expect(back.end == .exit(0), "\(back.errors)")
    let file = folder.path(of: "back.sqlite")
    let attributes = try FileManager.default.attributesOfItem(atPath: file)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    let verified = try CommandRun(["verify", "back.sqlite"], in: folder)
    #expect(verified.output.hasPrefix("intact: 10 subscribers and 10 consents"))
  }

  @Test(
    arguments: [
      (["backup", "copy.sqlite"], "pg_dump"), (["restore", "copy.sqlite"], "pg_restore"),
      (["verify"], "pg_amcheck"), (["migrate"], "start one replica"),
    ]
  )
  func `a command for files says what to do with a server instead`(
    _ arguments: [String], _ remedy: String
  ) throws {
    let folder = try TemporaryFolder()
    let run = try CommandRun(arguments + ["--database", url], in: folder)
    #expect(run.end == .exit(64))
    #expect(run.errors.contains(remedy), "\(run.errors)")
    #expect(run.errors.utf8.count { $0 == 10 } == 1)
  }

  @Test(
    arguments: [
      (["--from", "a.sqlite", "--to", "sqlite:b.sqlite"], 64, "for --from: expected sqlite:PATH"),
      (["--from", "sqlite:a.sqlite", "--to", "sqlite:b.sqlite"], 64, "use enlist backup"),
      (["--from", "postgres://a/b", "--to", "postgres://u:pw@c/d"], 64, "use pg_dump"),
      (
        ["--from", "sqlite:none.sqlite", "--to", "postgres://u@%2Fnowhere/d"], 1,
        "Cannot open the database none.sqlite"
      ),
      (
        ["--from", "postgres://u:pw@%2Fnowhere/d", "--to", "sqlite:b.sqlite"], 69,
        "The database server cannot be reached"
      ),
    ] as [([String], Int32, String)]
  )
  func `a copy that cannot begin is reported in one line`(
    _ arguments: [String], _ code: Int32, _ text: String
  ) throws {
    let folder = try TemporaryFolder()
    let run = try CommandRun(["copy"] + arguments, in: folder)
    #expect(run.end == .exit(code))
    #expect(run.errors.contains(text), "\(run.errors)")
    #expect(!run.errors.contains("pw"))
    #expect(run.errors.utf8.count { $0 == 10 } == 1)
    #expect(!FileManager.default.fileExists(atPath: folder.path(of: "b.sqlite")))
  }
}

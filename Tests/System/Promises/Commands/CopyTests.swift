import Foundation
import Glibc
import TestSupport
import Testing

/// Tests of `enlist copy` with a server.
@Suite(.needsPostgreSQL, .serialized) struct CopyTests {
  private let server: PostgreSQLServer
  private let url: String

  init() throws {
    server = try #require(PostgreSQLServer.shared)
    url = try server.newDatabase()
  }

  @Test func `links of a mail keep working on a server, and in a file again`() throws {
    let flags = [String].mail + ["--drain", "0s"]
    let first = try Enlist(flags)
    let folder = first.folder
    try first.signUp("ana@example.com").expect(202)
    let mail = try first.mail(to: "ana@example.com")
    let inUse = try copy("sqlite:enlist.sqlite", url, in: folder)
    #expect(inUse.end == .exit(75))
    #expect(inUse.errors.contains("is in use by another service"), "\(inUse.errors)")
    try end(first)

    let there = try copy("sqlite:enlist.sqlite", url, in: folder)
    #expect(there.end == .exit(0), "\(there.errors)")
    #expect(
      there.output.contains(/(?m)^subscribers: 1 row, hash [0-9a-f]{16} on both sides$/),
      "\(there.output)")
    #expect(there.output.hasPrefix("secret: 1 row, hash "), "\(there.output)")
    let second = try Enlist(flags + ["--database", url], in: folder)
    try second.post(mail.link("confirm")).expect(200)
    let confirmed = try second.people()
    #expect(confirmed == ["ana@example.com": "subscribed"])
    let tooEarly = try copy(url, "sqlite:back.sqlite", in: folder)
    #expect(tooEarly.end == .exit(75), "\(tooEarly.errors)")
    try end(second)

    let back = try copy(url, "sqlite:back.sqlite", in: folder)
    #expect(back.end == .exit(0), "\(back.errors)")
    let third = try Enlist(flags + ["--database", "sqlite:back.sqlite"], in: folder)
    try third.post(mail.link("unsubscribe")).expect(200)
    let left = try third.people()
    #expect(left == ["ana@example.com": "unsubscribed"])
    try end(third)
  }

  @Test func `a killed copy is resumed, and until then no service accepts the target`() throws {
    let folder = try LongList.folder(count: 200_000)
    let killed = try Child(
      ["enlist", "copy", "--from", "sqlite:enlist.sqlite", "--to", url], in: folder)
    let table = "enlist.copy_progress"
    try eventually("the first rows, after \(killed.errors)", within: .seconds(120)) {
      try server.query("SELECT to_regclass('\(table)') IS NOT NULL", url) == "t"
        && server.query("SELECT sum(rows) > 1000 FROM \(table)", url) == "t"
    }
    let end = try killed.wait(after: SIGKILL)
    try #require(end == .signal(SIGKILL))

    for command in [["export"], ["serve", "--listen", "127.0.0.1:0"]] {
      let rejected = try Child.run(["enlist"] + command + ["--database", url], in: folder)
      #expect(rejected.end != .exit(0))
      #expect(rejected.errors.contains("contains an incomplete copy"), "\(rejected.errors)")
    }
    let resumed = try copy("sqlite:enlist.sqlite", url, in: folder, within: .seconds(300))
    #expect(resumed.end == .exit(0), "\(resumed.errors)")
    #expect(
      resumed.output.contains(/(?m)^consents: 200000 rows, hash [0-9a-f]{16} on both sides$/),
      "\(resumed.output)")
    let count = try server.query("SELECT count(*) FROM enlist.subscribers", url)
    #expect(count == "200000")
    let again = try copy("sqlite:enlist.sqlite", url, in: folder)
    #expect(again.end == .exit(1))
    #expect(again.errors.contains("is not empty"), "\(again.errors)")
  }

  @Test func `a file to copy to may be one that nobody has used, and is its owner's only`() throws {
    let folder = try LongList.folder(count: 10)
    for (source, target) in [("sqlite:enlist.sqlite", url), (url, "sqlite:back.sqlite")] {
      let copied = try copy(source, target, in: folder)
      #expect(copied.end == .exit(0), "\(copied.errors)")
    }
    let attributes = try FileManager.default.attributesOfItem(atPath: folder("back.sqlite"))
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    let verified = try Child.run(["enlist", "verify", "back.sqlite"], in: folder)
    #expect(verified.output.hasPrefix("intact: 10 subscribers and 10 consents"), "\(verified)")
  }

  @Test(
    arguments: [
      ("a.sqlite", "sqlite:b.sqlite", 64, "for --from: expected sqlite:PATH"),
      ("postgres://u:pw@h:0/d", "sqlite:b.sqlite", 64, "for --from: expected sqlite:PATH"),
      ("postgres://a/b", "postgres://u:pw@c/d", 64, "use pg_dump"),
      (
        "postgres://u:p/w@h/d", "sqlite:b.sqlite", 64,
        "for --from: percent-encode the special characters of the password"
      ),
      (
        "postgres://u:pw@%2Fnowhere/d", "sqlite:b.sqlite", 69,
        "The database server cannot be reached"
      ),
      // Nobody asks the DNS for a host with an address.
      (
        "postgres://u:pw@bücher.invalid:1/d?hostaddr=127.0.0.1", "sqlite:b.sqlite", 69,
        "host=xn--bcher-kva.invalid "
      ),
    ] as [(String, String, Int32, String)]
  )
  func `a copy that cannot begin is reported in one line`(
    _ source: String, _ target: String, _ code: Int32, _ text: String
  ) throws {
    let folder = try Folder()
    let run = try copy(source, target, in: folder)
    #expect(run.end == .exit(code))
    #expect(run.errors.contains(text), "\(run.errors)")
    #expect(!run.errors.contains("pw"), "\(run.errors)")
    #expect(run.errors.utf8.count { $0 == 10 } == 1, "\(run.errors)")
    let names = try folder.names
    #expect(!names.contains("b.sqlite"))
  }

  private func copy(
    _ source: String, _ target: String, in folder: Folder, within time: Duration = .seconds(60)
  ) throws -> Child.Outcome {
    try Child.run(
      ["enlist", "copy", "--from", source, "--to", target], in: folder, within: time)
  }

  /// Ends a service and waits until it has disconnected.
  private func end(_ service: Enlist) throws {
    let end = try service.process.wait(after: SIGTERM, within: .seconds(60))
    #expect(end == .exit(0))
  }
}

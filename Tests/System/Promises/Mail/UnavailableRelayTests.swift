import Glibc
import TestSupport
import Testing

/// Tests of mails that wait for their relay, or for another process that sends.
@Suite(.needsPython)
struct UnavailableRelayTests {
  @Test func `mails wait for a relay that is away at startup, and leave when it is back`() throws {
    let relay = try TestRelay(["--away"])
    let service = try Enlist(relay: relay)
    let addresses = (0..<5).map { "p\($0)@example.com" }
    for address in addresses { try service.signUp(address).expect(202) }
    try eventually("the pause") { try service.metric("enlist_relay_paused") == 1 }
    let ready = try service.get("/readyz").expect(200)
    #expect(ready.text == #"{"status":"ready"}"#)
    let waiting = try service.metric("enlist_outbox_messages")
    #expect(waiting == 5)
    let none = try relay.mails()
    #expect(none.isEmpty)

    relay.comeBack()
    // The pause doubles with each attempt until then.
    try service.waitUntilOutboxIsEmpty()
    let recipients = try relay.mails().map(\.recipient).sorted()
    #expect(recipients == addresses)
    let paused = try service.metric("enlist_relay_paused")
    #expect(paused == 0)
    let log = try service.stop()
    #expect(log.contains("no mail is sent until the relay is available"))
    #expect(log.contains("relay unavailable at connect"))
    #expect(log.contains("relay=127.0.0.1:\(relay.port)"))
    #expect(log.contains("the relay is available, mail is sent again"))
  }

  @Test func `show prints the relay's last reply to a mail that waits`() throws {
    let service = try Enlist(relay: try TestRelay())
    try service.signUp("busy.451@example.com").expect(202)
    var output = ""
    try eventually("an attempt in \(output)") {
      output = try service.run("show", "busy.451@example.com").output
      return output.contains(#""attempts":1"#)
    }
    #expect(output.contains(#""last_error":"deferred at RCPT: 451 4.3.2"#), "\(output)")
  }

  @Test func `a process sends nothing while another one has the lock of the database's relay`()
    throws
  {
    let relay = try TestRelay()
    let folder = try Folder()
    let path = folder("enlist.sqlite-relay")
    let other = try Child([
      "flock", "--no-fork", path, "sh", "-c", "echo locked; exec sleep 600",
    ])
    let line = try other.nextLine()
    try #require(line == "locked", "\(other.errors)")
    let service = try Enlist(in: folder, relay: relay)
    try service.signUp("ana@example.com").expect(202)
    try eventually("the lock elsewhere") { try service.metric("enlist_relay_elsewhere") == 1 }
    // The lock is tried again once a second.
    try waitForOpening(of: path)
    let waiting = try service.metric("enlist_outbox_messages")
    #expect(waiting == 1)
    let none = try relay.mails()
    #expect(none.isEmpty)

    let end = try other.wait(after: SIGKILL)
    #expect(end == .signal(SIGKILL))
    let recipients = try relay.mails(1).map(\.recipient)
    #expect(recipients == ["ana@example.com"])
    try service.waitUntilOutboxIsEmpty()
    let isElsewhere = try service.metric("enlist_relay_elsewhere")
    #expect(isElsewhere == 0)
    let mails = try relay.mails()
    #expect(mails.count == 1)
  }

  /// Waits until a process has opened a file twice, and so has used what it got the first time; the
  /// corresponding C function is `inotify_add_watch`.
  private func waitForOpening(of path: String) throws {
    let watch = inotify_init1(Int32(IN_CLOEXEC))
    defer { close(watch) }
    try #require(inotify_add_watch(watch, path, UInt32(IN_OPEN)) >= 0)
    for _ in 0..<2 {
      try wait(of: watch, within: patience)
      var event = [UInt8](repeating: 0, count: 1024)
      try #require(read(watch, &event, event.count) > 0)
    }
  }
}

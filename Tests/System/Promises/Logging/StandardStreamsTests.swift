import Foundation
import Glibc
import TestSupport
import Testing

/// Standard streams that are closed, full or without a reader, and what collectors read of them.
@Suite struct StandardStreamsTests {
  private let folder: Folder

  init() throws { folder = try Folder() }

  /// Starts the service with redirections of the shell.
  private func serve(_ redirections: String, _ flags: [String]) throws -> Child {
    try Child(
      ["bash", "-c", #"exec "$@" \#(redirections)"#, "bash", "enlist", "serve"] + flags, in: folder)
  }

  @Test(
    arguments: [("<&-", [0]), (">&-", [1]), ("2>&-", [2]), ("<&- >&- 2>&-", [0, 1, 2])]
  )
  func `a closed standard stream is not taken for a socket or the database`(
    _ redirections: String, _ streams: [Int]
  ) throws {
    let path = folder("socket")
    let service = try serve(redirections, ["--listen", "unix:\(path)"])
    try eventually("a response") {
      guard let client = try? Client(path: path) else { return false }
      try client.request("GET", "/livez")
      return try client.readResponse().status == 200
    }
    for stream in streams {
      let file = try FileManager.default.destinationOfSymbolicLink(
        atPath: "/proc/\(service.id)/fd/\(stream)")
      #expect(file == "/dev/null")
    }
    #expect(try service.wait(after: SIGTERM) == .exit(0))
  }

  @Test(
    arguments: [
      ("> /dev/full", "cannot write the output: No space left on device"),
      ("> >(true); wait $!", "the reader of the output has closed it"),
    ]
  )
  func `a service that cannot print its address ends before it sends mail`(
    _ redirection: String, _ reason: String
  ) throws {
    // No other process gets the port, so the mail waits.
    let relay = try LocalListener(refuses: true)
    let waiting = try Enlist(
      .sending + ["--smtp-url", "smtp://127.0.0.1:\(relay.port)"], in: folder)
    try waiting.signUp("ana@example.com").expect(202)
    _ = try waiting.stop()

    let flags = .mail + ["--listen", "127.0.0.1:0", "--log-level", "info"]
    let script = #"exec \#(redirection); exec "$@""#
    let failed = try Child.run(
      ["bash", "-c", script, "bash", "enlist", "serve"] + flags, in: folder)
    failed.expect(74)
    #expect(failed.errors.hasSuffix("enlist: \(reason)\n"), "\(failed.errors)")
    #expect(!failed.errors.contains("enlist: started"), "\(failed.errors)")
    let mails = try FileManager.default.contentsOfDirectory(atPath: folder("mail"))
    #expect(mails.filter { $0.hasSuffix(".eml") }.isEmpty)
    // The next start sends it.
    _ = try Enlist(.mail, in: folder).mails(1)
    withExtendedLifetime(relay) {}
  }

  @Test func `a service whose operator's address is in use says so before it listens`() throws {
    let other = try LocalListener()
    let address = "127.0.0.1:\(other.port)"
    let failed = try Child.run(
      ["enlist", "serve", "--listen", "127.0.0.1:0", "--operator-listen", address], in: folder)
    failed.expect(1)
    #expect(failed.output.isEmpty)
    let line = "enlist: Cannot listen on \(address): Address already in use.\n"
    #expect(failed.errors.hasSuffix(line), "\(failed.errors)")
    withExtendedLifetime(other) {}
  }

  @Test func `the journal sees the reason why a service ends as an error`() throws {
    let script = #"exec 2> log; export JOURNAL_STREAM=$(stat -c %d:%i log); exec "$@""#
    let failed = try Child.run(
      ["bash", "-c", script, "bash", "enlist", "serve", "--listen", "127.0.0.1:0"]
        + ["--database", "sqlite:nowhere/list"], in: folder)
    failed.expect(1)
    let lines = try folder.read("log").split(separator: "\n")
    #expect(lines.last?.hasPrefix("<3>enlist: Cannot open the database") == true, "\(lines)")
    #expect(lines.allSatisfy { $0.hasPrefix("<") }, "\(lines)")
  }

  @Test(arguments: [["--database", "sqlite:list"], ["--database", "sqlite:nowhere/list"]])
  func `every line is an object if the log is JSON`(_ flags: [String]) throws {
    let service = try serve(
      "", ["--listen", "127.0.0.1:0", "--log-format", "json", "--drain", "5s"] + flags)
    if let line = try service.nextLine() {
      #expect(line.contains(#""message":"listening on http://127.0.0.1:"#), "\(line)")
      try service.wait(after: SIGTERM)
      #expect(service.errors.contains(#""drain":"5s""#), "\(service.errors)")
    }
    let lines = (service.output + service.errors).split(separator: "\n")
    #expect(!lines.isEmpty)
    for line in lines {
      let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      #expect(object?["message"] is String, "\(line)")
    }
  }
}

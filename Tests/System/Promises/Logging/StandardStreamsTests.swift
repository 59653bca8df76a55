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

  @Test(arguments: ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
  func `a command with closed streams writes into neither its files nor the list`(
    _ redirections: String
  ) throws {
    let service = try Enlist(in: folder)
    _ = try service.stop()
    let people = "email\nana@example.com\nnobody\n"
    try folder.write(people, to: "people.csv")
    let run = try Child.run(
      [
        "bash", "-c", #"exec "$@" \#(redirections)"#, "bash", "enlist", "import", "people.csv",
        "--state", "subscribed",
      ], in: folder)
    // One row is rejected.
    run.expect(1)
    #expect(try folder.read("people.csv") == people)
    let rejected = try folder.read("people.csv.rejected.csv").split(separator: "\r\n")
    #expect(rejected.count == 2, "\(rejected)")
    #expect(rejected.last?.hasPrefix("nobody,3,missingAt,") == true, "\(rejected)")
    try service.run("verify").expect(0)
    let addresses = try service.addresses()
    #expect(addresses == ["ana@example.com"])
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

  @Test func `nobody is answered, and no mail is sent, before the address is printed`() throws {
    // No other process gets the port, so the mail waits.
    let relay = try LocalListener(refuses: true)
    let waiting = try Enlist(
      .sending + ["--smtp-url", "smtp://127.0.0.1:\(relay.port)"], in: folder)
    try waiting.signUp("ana@example.com").expect(202)
    _ = try waiting.stop()

    // Standard output has no room for the line with the address, so the service waits in it.
    let (readEnd, writeEnd) = try Pipe.make(size: 4096)
    let filling = [UInt8](repeating: 0, count: 4096)
    try #require(write(writeEnd, filling, filling.count) == filling.count)
    let flags = .mail + ["--listen", "unix:\(folder("socket"))"]
    let script = #"exec >&2 2> log; exec "$@""#
    let service = try Child(
      ["bash", "-c", script, "bash", "enlist", "serve"] + flags, in: folder, errors: writeEnd)
    close(writeEnd)
    let client = try eventually("the socket") { try? Client(path: folder("socket")) }
    try client.sendSignUp(of: "bea@example.com")
    #expect(throws: TestSystemError.timeout) { try client.readHead(within: .seconds(1)) }
    let mails = try FileManager.default.contentsOfDirectory(atPath: folder("mail"))
    #expect(mails.filter { $0.hasSuffix(".eml") }.isEmpty)

    close(readEnd)
    #expect(try service.wait() == .exit(74))
    let log = try folder.read("log")
    #expect(log.hasSuffix("enlist: the reader of the output has closed it\n"), "\(log)")
    let export = try Child.run(["enlist", "export"], in: folder).expect(0)
    #expect(export.output.contains("ana@") && !export.output.contains("bea@"), "\(export)")
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
      // The line with the settings has the drain, too.
      let stopping = #""message":"stopping","metadata":{"drain":"5s"}"#
      #expect(service.errors.contains(stopping), "\(service.errors)")
    }
    let lines = (service.output + service.errors).split(separator: "\n")
    #expect(!lines.isEmpty)
    for line in lines {
      let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      #expect(object?["message"] is String, "\(line)")
    }
  }
}

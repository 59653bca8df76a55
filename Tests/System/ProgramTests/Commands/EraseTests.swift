import Foundation
import Security
import TestSupport
import Testing

/// Tests of `enlist erase` with and without a running service.
@Suite struct EraseTests {
  private func erase(
    _ arguments: [String], input: String = "", in folder: TemporaryFolder
  ) throws -> CommandRun {
    try CommandRun(["erase"] + arguments, input: input, in: folder)
  }

  private func files(of folder: TemporaryFolder, contain text: String) throws -> Bool {
    try files(of: folder, contain: Array(text.utf8))
  }

  private func files(of folder: TemporaryFolder, contain bytes: [UInt8]) throws -> Bool {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).contains { name in
      let data = try Data(contentsOf: URL(filePath: folder.path(of: name)))
      return data.range(of: Data(bytes)) != nil
    }
  }

  @Test(arguments: [true, false])
  func `erase removes a person, prints the counts, and leaves no byte`(_ isRunning: Bool) throws {
    let service = try RunningService(["--drain", "0s"])
    for address in ["gone.person@example.com", "Gone.Person@EXAMPLE.com", "kept@example.com"] {
      #expect(try service.signUp(address).status == 202)
    }
    if !isRunning {
      service.process.send(signal: SIGTERM)
      #expect(try service.process.wait() == .exit(0))
    }
    let folder = service.folder
    let dryRun = try erase(["gone.person@example.com", "--dry-run"], in: folder)
    #expect(dryRun.output == "would erase 1 subscriber and 2 consents\n")
    #expect(try files(of: folder, contain: "gone.person"))

    let erased = try erase(["gone.person@example.com"], in: folder)
    #expect(erased.end == .exit(0))
    #expect(erased.output == "erased 1 subscriber and 2 consents\n")
    #expect(erased.errors.isEmpty)
    for text in ["gone.person", "Gone.Person", "one.person", "one.Person"] {
      #expect(try !files(of: folder, contain: text), "\(text)")
    }
    let again = try erase(["gone.person@example.com"], in: folder)
    #expect(again.end == .exit(0))
    #expect(again.output == "erased 0 subscribers and 0 consents\n")
    if isRunning {
      #expect(try service.signUp("next@example.com").status == 202)
      #expect(try service.exportedAddresses() == ["kept@example.com", "next@example.com"])
    }
  }

  @Test(arguments: [(true, false), (true, true), (false, true)])
  func `a sign-up after erase gets an id that nobody has had`(
    _ isRunning: Bool, _ isRestarted: Bool
  ) throws {
    var service = try RunningService(["--drain", "0s"])
    func signUp(_ name: String) throws -> Int64 {
      let address = "\(name)@example.com"
      #expect(try service.signUp(address).status == 202)
      let query = "SELECT id FROM subscribers WHERE address = '\(address)'"
      let id = try #require(try service.file.numbers(query).first)
      let consents = "SELECT count(*) FROM consents WHERE subscriber_id = \(id)"
      #expect(try service.file.numbers(consents) == [1])
      return id
    }
    _ = try signUp("kept")
    var highestID = try signUp("gone")
    // The person with the highest id, then everyone.
    for (names, next) in [(["gone"], "first"), (["kept", "first"], "second")] {
      if !isRunning { _ = try service.endAndReadLog() }
      let erased = try erase(names.map { "\($0)@example.com" }, in: service.folder)
      #expect(erased.output.hasPrefix("erased \(names.count) subscriber"), "\(erased.errors)")
      if isRestarted {
        if isRunning { _ = try service.endAndReadLog() }
        service = try RunningService(["--drain", "0s"], in: service.folder)
      }
      let id = try signUp(next)
      #expect(id > highestID)
      highestID = id
    }
  }

  @Test(
    .needsPython,
    arguments: [true, false])
  func `erase leaves no byte of people with links, codes and waiting mail`(_ isRunning: Bool) throws
  {
    let relay = try MailRelay()
    let service = try RunningService(relay.flags + ["--drain", "0s", "--mail-retry", "4h"])
    // The second mail is deferred.
    let addresses = ["ana@gone.example.com", "busy.451@gone.example.com"]
    for address in addresses + ["kept@example.com"] {
      #expect(try service.signUp(address).status == 202)
    }
    let waiting = "SELECT attempts > 0 AND is_claimed = 0 FROM outbox WHERE queue > 0"
    try Deadline.soon.wait { try service.file.numbers(waiting) == [1] }

    let gone = """
      subscriber_id IN (SELECT id FROM subscribers WHERE address LIKE '%@gone.example.com')
      """
    let file = try service.file
    let hashes = try file.bytes("SELECT hash FROM tokens WHERE \(gone)")
    let messageIDs = try file.texts("SELECT message_id FROM tokens WHERE \(gone)")
    let codes = try file.bytes("SELECT hash FROM codes WHERE \(gone)")
    let mails = try file.bytes("SELECT id FROM outbox WHERE \(gone)")
    let consents = try file.bytes("SELECT id FROM consents WHERE \(gone)")
    #expect([hashes, codes, mails, consents].map(\.count) == [4, 2, 1, 2])
    let link = try #require(try relay.mails().first { $0.recipient == addresses[0] }).link(
      "confirm")
    #expect(hashes.contains(try #require(MailToken(link.suffix(43))).hash))
    let texts = messageIDs + ["gone.example.com"]
    let traces = hashes + codes + mails + consents + texts.map { Array($0.utf8) }

    if !isRunning {
      service.process.send(signal: SIGTERM)
      #expect(try service.process.wait() == .exit(0))
    }
    let folder = service.folder
    for bytes in traces { #expect(try files(of: folder, contain: bytes)) }
    let erased = try erase(addresses, in: folder)
    #expect(erased.end == .exit(0), "\(erased.errors)")
    #expect(erased.output == "erased 2 subscribers and 2 consents\n")
    for bytes in traces { #expect(try !files(of: folder, contain: bytes)) }

    if isRunning {
      #expect(try service.request("GET", link).status == 404)
      try service.waitUntilOutboxIsEmpty()
    }
    #expect(try service.exportedStates() == ["kept@example.com": "pending"])
  }

  @Test func `erase keeps a suppression as a hash, and --suppress nothing forgets it`() throws {
    let service = try RunningService(RunningService.mailFlags)
    func run(_ arguments: [String]) throws -> String {
      let run = try CommandRun(arguments, input: "", in: service.folder)
      #expect(run.end == .exit(0), "\(run.errors)")
      return run.output
    }
    #expect(try service.signUp("ana@example.com").status == 202)
    _ = try service.waitForMails(1)
    _ = try run(["suppress", "--reason", "objected", "ana@example.com"])
    #expect(
      try run(["erase", "ana@example.com"])
        == "erased 1 subscriber and 1 consent; 1 suppression stays\n"
    )
    #expect(try service.signUp("ana@example.com").status == 202)
    #expect(try service.exportedStates() == ["ana@example.com": "suppressed"])
    let forgetting = ["erase", "--suppress", "nothing", "ana@example.com"]
    #expect(try run(forgetting) == "erased 1 subscriber and 1 consent\n")
    #expect(try service.signUp("ana@example.com").status == 202)
    #expect(try service.exportedStates() == ["ana@example.com": "pending"])
  }

  @Test func `erase reads a thousand addresses from standard input, one per line`() throws {
    let service = try RunningService(["--signup-rate", "off"])
    let client = try service.connect()
    for number in 0..<200 {
      try client.sendSignUp(of: "p\(number).erasable@example.com")
      #expect(try client.readResponse().status == 202)
    }
    let input = (0..<1000).map { "p\($0).erasable@example.com\r\n" }.joined()
    let erased = try erase(["-"], input: input + "\n", in: service.folder)
    #expect(erased.output == "erased 200 subscribers and 200 consents\n", "\(erased.errors)")
    #expect(try !files(of: service.folder, contain: ".erasable"))
  }

  @Test func `an invalid address makes erase remove nothing, and is not printed`() throws {
    let service = try RunningService()
    #expect(try service.signUp("ana@example.com").status == 202)
    let one = try erase(["ana@example.com", "secretive"], in: service.folder)
    #expect(one.end == .exit(1))
    #expect(one.output.isEmpty)
    let reason = "address 2 is invalid: An address needs an @ sign."
    #expect(one.errors == "enlist: nothing was erased: \(reason)\n")
    let line = try erase(["-"], input: "ana@example.com\nsecretive\n", in: service.folder)
    #expect(line.end == .exit(1))
    #expect(line.errors.contains("line 2 is invalid"))
    #expect(try service.exportedAddresses() == ["ana@example.com"])
  }

  @Test func `erase removes nothing from a locked database and exits with 1`() throws {
    let service = try RunningService()
    #expect(try service.signUp("ana@example.com").status == 202)
    let lock = try StolenLock(of: service)
    let locked = try erase(["ana@example.com", "--database-timeout", "100ms"], in: service.folder)
    #expect(locked.end == .exit(1))
    let reason = "another process holds the lock; end that process or wait for it"
    #expect(locked.errors == "enlist: nothing was erased: \(reason)\n")
    try lock.giveBack()
    #expect(try service.exportedAddresses() == ["ana@example.com"])
  }

  @Test func `erase reports a missing database in one line`() throws {
    let folder = try TemporaryFolder()
    let outcome = try erase(["ana@example.com"], in: folder)
    #expect(outcome.end == .exit(1))
    #expect(outcome.errors.hasPrefix("enlist: Cannot open the database enlist.sqlite"))
    #expect(outcome.errors.utf8.count { $0 == 10 } == 1)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
  }
}

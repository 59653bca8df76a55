import Foundation
import Glibc
import Security
import TestSupport
import Testing

/// Tests of `enlist erase` with and without a running service.
@Suite struct EraseTests {
  @Test(arguments: [true, false])
  func `erase removes a person, prints the counts, and leaves no byte`(_ isRunning: Bool) throws {
    let service = try Enlist(["--drain", "0s"])
    for address in ["gone.person@example.com", "Gone.Person@EXAMPLE.com", "kept@example.com"] {
      try service.signUp(address).expect(202)
    }
    if !isRunning { try end(service) }
    let folder = service.folder
    let dryRun = try service.run("erase", "gone.person@example.com", "--dry-run")
    #expect(dryRun.output == "would erase 1 subscriber and 2 consents\n", "\(dryRun.errors)")
    #expect(try folder.contains("gone.person"))

    let erased = try service.run("erase", "gone.person@example.com")
    #expect(erased.end == .exit(0), "\(erased.errors)")
    #expect(erased.output == "erased 1 subscriber and 2 consents\n")
    #expect(erased.errors == "")
    for text in ["gone.person", "Gone.Person", "one.person", "one.Person"] {
      #expect(try !folder.contains(text), "\(text)")
    }
    let again = try service.run("erase", "gone.person@example.com")
    #expect(again.end == .exit(0), "\(again.errors)")
    #expect(again.output == "erased 0 subscribers and 0 consents\n")
    if isRunning {
      try service.signUp("next@example.com").expect(202)
      let addresses = try service.addresses()
      #expect(addresses == ["kept@example.com", "next@example.com"])
    }
  }

  @Test(arguments: [(true, false), (true, true), (false, true)])
  func `a sign-up after erase gets an id that nobody has had`(
    _ isRunning: Bool, _ isRestarted: Bool
  ) throws {
    let service = try Enlist(["--drain", "0s"])
    func signUp(_ name: String) throws -> Int64 {
      let address = "\(name)@example.com"
      try service.signUp(address).expect(202)
      let query = "SELECT id FROM subscribers WHERE address = '\(address)'"
      let id = try #require(try service.file.numbers(query).first)
      let consents = try service.file.numbers(
        "SELECT count(*) FROM consents WHERE subscriber_id = \(id)")
      #expect(consents == [1])
      return id
    }
    _ = try signUp("kept")
    var highestID = try signUp("gone")
    // The person with the highest id, then everyone.
    for (names, next) in [(["gone"], "first"), (["kept", "first"], "second")] {
      if !isRunning { _ = try service.stop() }
      let erased = try Child.run(
        ["enlist", "erase"] + names.map { "\($0)@example.com" }, in: service.folder)
      #expect(erased.output.hasPrefix("erased \(names.count) subscriber"), "\(erased.errors)")
      if isRestarted { try service.restart() }
      let id = try signUp(next)
      #expect(id > highestID)
      highestID = id
    }
  }

  @Test(.needsPython, arguments: [true, false])
  func `erase leaves no byte of people with links, codes and waiting mail`(_ isRunning: Bool) throws
  {
    let service = try Enlist(["--drain", "0s", "--mail-retry", "4h"], relay: TestRelay())
    // The second mail is deferred.
    let addresses = ["ana@gone.example.com", "busy.451@gone.example.com"]
    for address in addresses + ["kept@example.com"] { try service.signUp(address).expect(202) }
    let waiting = "SELECT attempts > 0 AND is_claimed = 0 FROM outbox WHERE queue > 0"
    try eventually("a deferred mail") { try service.file.numbers(waiting) == [1] }

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
    let mail = try #require(try service.relay?.mails().first { $0.recipient == addresses[0] })
    let link = try mail.link("confirm")
    #expect(hashes.contains(try #require(MailToken(link.suffix(43))).hash))
    let texts = messageIDs + ["gone.example.com"]
    let traces = hashes + codes + mails + consents + texts.map { Array($0.utf8) }

    if !isRunning { try end(service) }
    let folder = service.folder
    for bytes in traces { #expect(try folder.contains(bytes), "\(bytes)") }
    let erased = try service.run("erase", addresses[0], addresses[1])
    #expect(erased.end == .exit(0), "\(erased.errors)")
    #expect(erased.output == "erased 2 subscribers and 2 consents\n")
    for bytes in traces { #expect(try !folder.contains(bytes), "\(bytes)") }

    if isRunning {
      try service.get(link).expect(404)
      try service.waitUntilOutboxIsEmpty()
    }
    let people = try service.people()
    #expect(people == ["kept@example.com": "pending"])
  }

  @Test func `erase keeps a suppression as a hash, and --suppress nothing forgets it`() throws {
    let service = try Enlist(.mail)
    try service.signUp("ana@example.com").expect(202)
    _ = try service.mails(1)
    let suppressed = try service.run("suppress", "--reason", "objected", "ana@example.com")
    #expect(suppressed.end == .exit(0), "\(suppressed.errors)")
    let keeping = try service.run("erase", "ana@example.com")
    #expect(keeping.end == .exit(0), "\(keeping.errors)")
    #expect(keeping.output == "erased 1 subscriber and 1 consent; 1 suppression stays\n")
    try service.signUp("ana@example.com").expect(202)
    let kept = try service.people()
    #expect(kept == ["ana@example.com": "suppressed"])
    let forgetting = try service.run("erase", "--suppress", "nothing", "ana@example.com")
    #expect(forgetting.end == .exit(0), "\(forgetting.errors)")
    #expect(forgetting.output == "erased 1 subscriber and 1 consent\n")
    try service.signUp("ana@example.com").expect(202)
    let forgotten = try service.people()
    #expect(forgotten == ["ana@example.com": "pending"])
  }

  @Test func `erase reads a thousand addresses from standard input, one per line`() throws {
    let service = try Enlist(["--signup-rate", "off"])
    let client = try service.connect()
    for number in 0..<200 {
      try client.sendSignUp(of: "p\(number).erasable@example.com")
      try client.readResponse().expect(202)
    }
    let input = (0..<1000).map { "p\($0).erasable@example.com\r\n" }.joined()
    let erased = try service.run("erase", "-", input: input + "\n")
    #expect(erased.output == "erased 200 subscribers and 200 consents\n", "\(erased.errors)")
    #expect(try !service.folder.contains(".erasable"))
  }

  @Test func `an invalid address makes erase remove nothing, and is not printed`() throws {
    let service = try Enlist()
    try service.signUp("ana@example.com").expect(202)
    let one = try service.run("erase", "ana@example.com", "secretive")
    let reason = "address 2 is invalid: An address needs an @ sign."
    #expect(one.end == .exit(1), "\(one.errors)")
    #expect(one.output == "")
    let remedy = "To leave out what is invalid, add --skip-invalid."
    #expect(one.errors == "enlist: nothing was erased: \(reason) \(remedy)\n")
    let addresses = try service.addresses()
    #expect(addresses == ["ana@example.com"])
  }

  private func end(_ service: Enlist) throws {
    let end = try service.process.wait(after: SIGTERM)
    #expect(end == .exit(0))
  }
}

extension Folder {
  /// Whether a file contains a text.
  fileprivate func contains(_ text: String) throws -> Bool { try contains(Array(text.utf8)) }

  /// Whether a file contains these bytes.
  fileprivate func contains(_ bytes: [UInt8]) throws -> Bool {
    try names.contains { name in
      try Data(contentsOf: URL(filePath: self(name))).range(of: Data(bytes)) != nil
    }
  }
}

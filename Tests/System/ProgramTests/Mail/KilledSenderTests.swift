import Glibc
import SignalsTesting
import TestSupport
import Testing

/// Tests in which the process is killed while it accepts sign-ups and delivers their mails.
@Suite(.needsPython)
struct KilledSenderTests {
  private static let killCount = 50
  private static let connectionCount = 4

  /// The seed is part of the test case's name, with which a failure is reported.
  @Test(arguments: [UInt64.random(in: 0...UInt64.max)])
  func `kills at random moments lose no mail, and double at most one for each connection`(
    seed: UInt64
  ) throws {
    var generator = SeededGenerator(seed: seed)
    let relay = try MailRelay()
    let folder = try TemporaryFolder()
    var acknowledged: [String] = []
    for run in 0..<Self.killCount {
      if Int.random(in: 0..<6, using: &generator) == 0 {
        try kill(relay.flags(run: run), in: folder, using: &generator)
      } else {
        acknowledged += try kill(signingUpIn: run, relay, in: folder, using: &generator)
      }
    }

    let last = try RunningService(relay.flags(run: Self.killCount), in: folder)
    try last.waitUntilOutboxIsEmpty(by: Deadline(after: .seconds(60)))
    let mails = DoubledMails(try relay.mails())
    let missing = Set(acknowledged).subtracting(mails.copies.keys)
    #expect(missing.isEmpty, "of \(acknowledged.count) acknowledged sign-ups")
    #expect(Set(acknowledged).count == acknowledged.count)
    try mails.expectAtMostOne()
    // A sign-up without a response may be stored or not, but only as a whole.
    let (subscribers, consents) = try last.storedCounts()
    #expect(subscribers == consents)
    #expect(subscribers == mails.copies.count)
    for mail in mails.doubled {
      #expect(try last.request("POST", mail.link("confirm"), body: "").status == 200)
    }
  }

  /// Kills a run during or shortly after its start, in which it makes claimed mails due again.
  private func kill(
    _ flags: [String], in folder: TemporaryFolder, using generator: inout SeededGenerator
  ) throws {
    let process = try ChildProcess(
      "enlist", ["serve", "--listen", "127.0.0.1:0"] + flags, in: folder)
    Deadline(after: .milliseconds(Int.random(in: 0...500, using: &generator))).pass()
    process.send(signal: SIGKILL)
    #expect(try process.wait() == .signal(SIGKILL))
  }

  /// Kills a run after a number of acknowledged sign-ups and a number of mails, with others in
  /// progress.
  ///
  /// - Returns: The addresses whose sign-up was acknowledged.
  private func kill(
    signingUpIn run: Int, _ relay: MailRelay, in folder: TemporaryFolder,
    using generator: inout SeededGenerator
  ) throws -> [String] {
    let mailCount = try relay.mails().count
    let service = try RunningService(relay.flags(run: run), in: folder)
    let clients = try (0..<Self.connectionCount).map { _ in try service.connect() }
    func address(_ number: Int) -> String { "p\(run)-\(number)@example.com" }
    var acknowledged: [String] = []
    for (number, client) in clients.enumerated() { try client.sendSignUp(of: address(number)) }
    let count = Int.random(in: 0...12, using: &generator)
    for number in 0..<count {
      let client = clients[number % Self.connectionCount]
      #expect(try client.readResponse().status == 202)
      acknowledged.append(address(number))
      try client.sendSignUp(of: address(number + Self.connectionCount))
    }
    // Each acknowledged sign-up leads to a mail, also when earlier ones are sent first.
    _ = try relay.waitForMails(mailCount + Int.random(in: 0...count, using: &generator))
    Deadline(after: .milliseconds(Int.random(in: 0...15, using: &generator))).pass()
    service.process.send(signal: SIGKILL)
    #expect(try service.process.wait() == .signal(SIGKILL))
    // Responses that were sent before the end count, too.
    for number in count..<count + Self.connectionCount {
      let client = clients[number % Self.connectionCount]
      guard let response = try? client.readResponse() else { continue }
      #expect(response.status == 202)
      acknowledged.append(address(number))
    }
    return acknowledged
  }
}

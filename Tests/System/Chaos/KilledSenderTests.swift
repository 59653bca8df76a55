import Foundation
import Glibc
import SignalsTesting
import TestSupport
import Testing

/// Tests in which the process is killed while it accepts sign-ups and delivers their mails: 10 times,
/// or as often as `ENLIST_CHAOS_KILLS` says in the environment.
@Suite(.needsPython)
struct KilledSenderTests {
  private static let killCount =
    ProcessInfo.processInfo.environment["ENLIST_CHAOS_KILLS"].flatMap { Int($0) } ?? 10
  private static let connectionCount = 4

  /// The seed is part of the test case's name, with which a failure is reported.
  @Test(arguments: [UInt64.random(in: 0...UInt64.max)])
  func `kills at random moments lose no mail, and double at most one for each connection`(
    seed: UInt64
  ) throws {
    var generator = SeededGenerator(seed: seed)
    let relay = try TestRelay()
    let folder = try Folder()
    var acknowledged: [String] = []
    for run in 0..<Self.killCount {
      if Int.random(in: 0..<6, using: &generator) == 0 {
        try killStart(of: run, relay, in: folder, using: &generator)
      } else {
        acknowledged += try kill(signingUpIn: run, relay, in: folder, using: &generator)
      }
    }

    let last = try Enlist(flags(Self.killCount), in: folder, relay: relay)
    try last.waitUntilOutboxIsEmpty(within: .seconds(60))
    let mails = DoubledMails(try relay.mails())
    let missing = Set(acknowledged).subtracting(mails.copies.keys)
    #expect(missing.isEmpty, "of \(acknowledged.count) acknowledged sign-ups")
    #expect(Set(acknowledged).count == acknowledged.count)
    try mails.expectAtMostOne()
    // A sign-up without a response may be stored or not, but only as a whole.
    let (subscribers, consents) = try last.storedCounts()
    #expect(subscribers == consents)
    #expect(subscribers == mails.copies.count)
    for mail in mails.doubled { try last.post(mail.link("confirm")).expect(200) }
  }

  @Test func `of two processes on one database one sends, and the other takes over at its death`()
    throws
  {
    let relay = try TestRelay()
    let first = try Enlist(flags(1), relay: relay)
    let addresses = (10..<22).map { "slow.300.\($0)@example.com" }
    for address in addresses { try first.signUp(address).expect(202) }
    _ = try relay.mails(1)
    // A supervisor starts it again until it gets the database.
    let second = try start(2, relay, in: first.folder)
    let refusal = try second.wait()
    #expect(refusal == .exit(75))
    #expect(second.errors.contains("is in use by another"), "\(second.errors)")
    let death = try first.process.wait(after: SIGKILL)
    #expect(death == .signal(SIGKILL))
    let runs = Set(try relay.mails().map(\.run))
    #expect(runs == [1])

    let successor = try Enlist(flags(2), in: first.folder, relay: relay)
    try successor.waitUntilOutboxIsEmpty()
    let mails = DoubledMails(try relay.mails())
    #expect(mails.copies.keys.sorted() == addresses)
    try mails.expectAtMostOne()
  }

  /// With these flags, each mail names the run of the service that has sent it.
  private func flags(_ run: Int) -> [String] { ["--mail-reply-to", "run\(run)@example.org"] }

  /// Starts a run that may never listen.
  private func start(_ run: Int, _ relay: TestRelay, in folder: Folder) throws -> Child {
    let words = ["enlist", "serve", "--listen", "127.0.0.1:0"]
    let url = ["--smtp-url", "smtp://127.0.0.1:\(relay.port)"]
    let budgets = ["--mail-budget", "off", "--mail-budget-per-domain", "off"]
    return try Child(words + url + budgets + .sending + flags(run), in: folder)
  }

  /// Kills a run during or shortly after its start, in which it makes claimed mails due again.
  private func killStart(
    of run: Int, _ relay: TestRelay, in folder: Folder, using generator: inout SeededGenerator
  ) throws {
    let process = try start(run, relay, in: folder)
    pause(.milliseconds(Int.random(in: 0...500, using: &generator)))
    let end = try process.wait(after: SIGKILL)
    #expect(end == .signal(SIGKILL), "\(process.errors)")
  }

  /// Kills a run after a number of acknowledged sign-ups and a number of mails, with others in
  /// progress.
  ///
  /// - Returns: The addresses whose sign-up was acknowledged.
  private func kill(
    signingUpIn run: Int, _ relay: TestRelay, in folder: Folder,
    using generator: inout SeededGenerator
  ) throws -> [String] {
    let mailCount = try relay.mails().count
    let service = try Enlist(flags(run), in: folder, relay: relay)
    let clients = try (0..<Self.connectionCount).map { _ in try service.connect() }
    func address(_ number: Int) -> String { "p\(run)-\(number)@example.com" }
    var acknowledged: [String] = []
    for (number, client) in clients.enumerated() { try client.sendSignUp(of: address(number)) }
    let count = Int.random(in: 0...12, using: &generator)
    for number in 0..<count {
      let client = clients[number % Self.connectionCount]
      try client.readResponse().expect(202)
      acknowledged.append(address(number))
      try client.sendSignUp(of: address(number + Self.connectionCount))
    }
    // Each acknowledged sign-up leads to a mail, also when earlier ones are sent first.
    _ = try relay.mails(mailCount + Int.random(in: 0...count, using: &generator))
    pause(.milliseconds(Int.random(in: 0...15, using: &generator)))
    let end = try service.process.wait(after: SIGKILL)
    #expect(end == .signal(SIGKILL), "\(service.process.errors)")
    // Responses that were sent before the end count, too.
    for number in count..<count + Self.connectionCount {
      let client = clients[number % Self.connectionCount]
      guard let response = try? client.readResponse() else { continue }
      response.expect(202)
      acknowledged.append(address(number))
    }
    return acknowledged
  }
}

/// The mails that a relay has received from several runs of a service, of which some were killed.
///
/// Each recipient has signed up once, so each has one mail, of which there may be copies.
private struct DoubledMails {
  /// The mails by their recipients.
  let copies: [String: [Mail]]

  init(_ mails: [Mail]) {
    copies = Dictionary(grouping: mails, by: \.recipient)
  }

  /// The mails that were received more than once.
  var doubled: [Mail] { copies.values.filter { $0.count > 1 }.compactMap(\.first) }

  /// Expects what is promised for the death of a process: for each of its two connections at most
  /// one mail is sent again, with the same Message-ID, links and code.
  func expectAtMostOne(sourceLocation: SourceLocation = #_sourceLocation) throws {
    var repeatedCounts: [Int: Int] = [:]
    for (recipient, mails) in copies {
      let identities = Set(
        try mails.map { mail in
          [mail.messageID, try mail.link("confirm"), try mail.link("unsubscribe"), mail.code]
        }
      )
      #expect(identities.count == 1, "\(recipient)", sourceLocation: sourceLocation)
      #expect(!mails[0].messageID.isEmpty, sourceLocation: sourceLocation)
      let runs = mails.compactMap(\.run).sorted()
      #expect(runs.count == mails.count, "\(recipient)", sourceLocation: sourceLocation)
      // A run that is not killed sends a mail once; what the last one sends is final.
      #expect(
        Set(runs).count == runs.count, "\(recipient): \(runs)", sourceLocation: sourceLocation)
      for run in runs.dropLast() { repeatedCounts[run, default: 0] += 1 }
    }
    for (run, count) in repeatedCounts {
      #expect(count <= 2, "run \(run)", sourceLocation: sourceLocation)
    }
  }
}

extension Mail {
  /// The run of the service that has sent the mail.
  fileprivate var run: Int? {
    fields["Reply-To"].flatMap { Int($0.prefix { $0 != "@" }.drop { !$0.isNumber }) }
  }
}

import MailingList
import SignalsTesting
import Testing

/// Random histories of addresses that share a mailbox: whatever the order of what happens, no
/// budget is exceeded.
@Suite struct MailBudgetTests {
  @Test(arguments: 0..<200)
  func `no order of inputs exceeds a budget`(seed: UInt64) {
    var history = RandomHistory(seed: seed, allowsConfirmation: true)
    history.run(steps: 400)
    #expect(!history.sent.isEmpty)
    // Mails count after the last confirmation of the subscriber whom they go to.
    for (index, mail) in history.sent.enumerated() {
      for budget in MailGrant.budgets {
        let earliest = mail.time.adding(.zero - budget.duration)
        let count = history.sent[..<index].count { earlier in
          earlier.time > earliest && earlier.time > mail.confirmedAt ?? .distantPast
        }
        #expect(count < budget.count)
      }
      guard mail.kind == .already else { continue }
      let earliest = mail.time.adding(.zero - MailGrant.alreadyPause)
      #expect(!history.sent[..<index].contains { $0.time > earliest })
    }
  }

  @Test(arguments: 0..<200)
  func `strangers never make a mailbox exceed a budget`(seed: UInt64) {
    var history = RandomHistory(seed: seed, allowsConfirmation: false)
    history.run(steps: 400)
    for budget in MailGrant.budgets {
      for (index, mail) in history.sent.enumerated() {
        let earliest = mail.time.adding(.zero - budget.duration)
        #expect(history.sent[...index].count { $0.time > earliest } <= budget.count)
      }
    }
  }

  @Test(arguments: 0..<200)
  func `only the first mail of a day to a plain address exceeds a budget`(seed: UInt64) {
    var history = RandomHistory(seed: seed, allowsConfirmation: false, hasPlainAddress: true)
    history.run(steps: 400)
    for (index, mail) in history.sent.enumerated() {
      let before = history.sent[..<index]
      func count(within duration: Duration, where counts: (RandomHistory.Sent) -> Bool) -> Int {
        let earliest = mail.time.adding(.zero - duration)
        return before.count { $0.time > earliest && counts($0) }
      }
      let exceeds = MailGrant.budgets.contains { budget in
        count(within: budget.duration) { _ in true } >= budget.count
      }
      guard exceeds else { continue }
      #expect(mail.isPlain)
      #expect(count(within: .seconds(86_400)) { $0.isPlain } == 0)
      for budget in MailGrant.budgets {
        #expect(count(within: budget.duration) { $0.isPlain } < budget.count)
      }
    }
  }

  @Test(arguments: 0..<200)
  func `a public sign-up changes no state but that of an unknown address`(seed: UInt64) {
    var history = RandomHistory(seed: seed, allowsConfirmation: true)
    history.run(steps: 400) { before, after in
      if before.state != nil { #expect(before == after) }
    }
  }
}

/// A simulated list with three addresses of one mailbox, and an outbox in any order.
private struct RandomHistory {
  struct Sent {
    let kind: MailKind
    let time: Timestamp
    /// The subscriber's last confirmation before the mail.
    let confirmedAt: Timestamp?
    let isPlain: Bool
  }

  struct Waiting {
    let kind: MailKind
    let address: Int
    let createdAt: Timestamp
    var isGranted = false
  }

  private(set) var sent: [Sent] = []
  private var members = [Membership](repeating: .none, count: 3)
  private var waiting: [Waiting] = []
  private var proofs: [(address: Int, madeAt: Timestamp)] = []
  /// The mails to addresses with a subaddress, and those to the one without.
  private var histories = [MailboxHistory(), MailboxHistory()]
  private var now = day(0)
  private var generator: SeededGenerator
  private let allowsConfirmation: Bool
  /// Whether the first address has no subaddress.
  private let hasPlainAddress: Bool

  init(seed: UInt64, allowsConfirmation: Bool, hasPlainAddress: Bool = false) {
    generator = SeededGenerator(seed: seed)
    self.allowsConfirmation = allowsConfirmation
    self.hasPlainAddress = hasPlainAddress
  }

  /// Does random things in a random order.
  mutating func run(steps: Int, onSignUp: (Membership, Membership) -> Void = { _, _ in }) {
    for _ in 0..<steps {
      let address = Int.random(in: members.indices, using: &generator)
      switch Int.random(in: 0..<13, using: &generator) {
      case 0...4: signUp(address, onSignUp)
      case 5...8: claim()
      case 9: members[address] = members[address].leave(at: now) ?? members[address]
      case 10: members[address] = members[address].rejected(at: now) ?? members[address]
      case 11: if allowsConfirmation { confirm() }
      default: wait()
      }
    }
  }

  private mutating func signUp(_ address: Int, _ onSignUp: (Membership, Membership) -> Void) {
    let before = members[address]
    let (after, mail) = before.signUp(at: now, optIn: .double)
    onSignUp(before, after)
    members[address] = after
    guard let mail else { return }
    waiting.append(Waiting(kind: mail, address: address, createdAt: now))
  }

  private mutating func claim() {
    guard let index = waiting.indices.randomElement(using: &generator) else { return }
    let mail = waiting.remove(at: index)
    let isPlain = hasPlainAddress && mail.address == 0
    let (own, other) = isPlain ? (1, 0) : (0, 1)
    let grant = MailGrant(
      mail.kind, createdAt: mail.createdAt, isGranted: mail.isGranted,
      membership: members[mail.address],
      mailbox: MailboxHistory(
        own: histories[own], other: histories[other],
        of: [UInt8](repeating: 0, count: isPlain ? 32 : 33), at: now), now: now)
    guard grant == .send else { return }
    if !mail.isGranted {
      histories[own] = histories[own].adding(now)
      sent.append(
        Sent(
          kind: mail.kind, time: now, confirmedAt: members[mail.address].confirmedAt,
          isPlain: isPlain))
      proofs.append((mail.address, now))
    }
    // The relay may be away: the mail waits again, granted.
    if Bool.random(using: &generator) {
      waiting.append(
        Waiting(kind: mail.kind, address: mail.address, createdAt: mail.createdAt, isGranted: true))
    }
  }

  private mutating func confirm() {
    guard let proof = proofs.randomElement(using: &generator) else { return }
    switch members[proof.address].confirm(at: now, proofMadeAt: proof.madeAt) {
    case .confirmed(let after): members[proof.address] = after
    case .already, .gone: break
    }
  }

  private mutating func wait() {
    let minutes = [0, 1, 5, 9, 10, 11, 60, 480, 1440, 10_080, 44_000]
    guard let some = minutes.randomElement(using: &generator) else { return }
    now = now.adding(.seconds(some * 60))
  }
}
